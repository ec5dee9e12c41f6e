"""What weighted draws say: the share of the layouts that lie on each placement, and how surely.

Weights are added up as whole numbers, the largest weight of a game scaled to 2³⁰ / S, so sums are
the same in any order and on any device. Rounding changes a weight by at most S / 2³¹ of the
largest one, far below the error of the sample.
"""

import jax.numpy as jnp
from jaxtyping import Array, Float32, Int32

from bsjax.game.game import Game
from bsjax.posterior.importance import Draws
from bsjax.posterior.tables import tables

_MOST = 1 << 30
"""Largest sum of weights."""


def placement_mass(game: Game, draws: Draws) -> Float32[Array, " G1"]:
    """Share of the posterior on each placement; those of one ship add up to 1.

    Everything is 0 if all draws failed. Batch it with `vmap`.

    Cost: 2 ns a draw and ship on one core.
    """
    mass = placement_sums(game, draws.placement, scaled(draws.weight)[0])
    total = mass[: tables(game).start[1]].sum()
    return mass.astype(jnp.float32) / jnp.maximum(total, 1).astype(jnp.float32)


def placement_sums(
    game: Game, placement: Int32[Array, "S K"], weight: Int32[Array, " S"]
) -> Int32[Array, " G1"]:
    """Weight of the draws with each placement, "none" among them."""
    sums = jnp.zeros(tables(game).start[-1] + 1, jnp.int32)
    for own in placement.T:
        sums = sums.at[own].add(weight, mode="promise_in_bounds")
    return sums


def scaled(weight: Float32[Array, " S"]) -> tuple[Int32[Array, " S"], Float32[Array, ""]]:
    """Weights as whole numbers that add up to at most about 2³⁰, and the weight of 1."""
    most = _MOST // weight.shape[0]
    return jnp.round(relative(weight) * most).astype(jnp.int32), weight.max() / most


def valid(draws: Draws) -> Int32[Array, ""]:
    """Draws that did not fail."""
    return (draws.weight > 0).sum(dtype=jnp.int32)


def effective_size(draws: Draws) -> Float32[Array, ""]:
    """(Σ w)² / Σ w²: how many equally weighted draws these are worth; 0 if all failed."""
    share = relative(draws.weight)
    # The largest share is 1 unless all are 0.
    return share.sum() ** 2 / jnp.maximum((share * share).sum(), 1.0)


def relative(weight: Float32[Array, " S"]) -> Float32[Array, " S"]:
    """Weights as parts of the largest one; no square of them overflows."""
    largest = weight.max()
    return weight / jnp.where(largest > 0, largest, 1.0)
