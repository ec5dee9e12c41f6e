"""Draws by trial: try until an attempt stands, all games of a batch in lockstep."""

from collections.abc import Callable

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Int16, Int32, Key, UInt32

from bsjax.hide.base import Placed
from bsjax.runtime import lockstep

Attempt = Callable[[Key[Array, ""]], tuple[Int16[Array, " K"], Bool[Array, ""]]]
"""Placements from a key, and whether they stand."""


def until_found(
    attempt: Attempt, keys: Key[Array, " N"], count: Int32[Array, ""], *, slots: int, limit: int
) -> Placed:
    """For each key the first attempt that stands, made from `fold_in(key, 0)`, `fold_in(key, 1)`, …

    Args:
        attempt: one trial, written for one game.
        keys: one per game.
        count: games to draw; results from there on are zero and not found.
        slots: trials made together; changes no draw.
        limit: trials before a game gives up.
    """

    def start(number: Int32[Array, ""]) -> tuple:
        placements, _ = jax.eval_shape(attempt, keys[0])
        none = jnp.zeros(placements.shape, placements.dtype)
        return keys[number], jnp.int32(0), none, jnp.bool_(False)

    def step(state: tuple) -> tuple:
        key, made, placements, found = state
        drawn, stands = attempt(jax.random.fold_in(key, made))
        return key, made + 1, jnp.where(found, placements, drawn), found | stands

    placements, found = lockstep.run(
        start,
        step,
        lambda state: state[3] | (state[1] >= limit),
        lambda state: (state[2], state[3]),
        tasks=keys.shape[0],
        count=count,
        slots=slots,
        stride=1,
    )
    return Placed(placements, found)


def bounded(
    bits: UInt32[Array, "*n"], bound: UInt32[Array, "*n"]
) -> tuple[Int32[Array, "*n"], Bool[Array, "*n"]]:
    """Whole numbers in [0, bound) from 32-bit words, 0 < bound < 2¹⁶.

    A word x gives ⌊x·bound / 2³²⌋, which is exactly uniform over the words with
    x·bound mod 2³² ≥ 2³² mod bound (Lemire, "Fast random integer generation in an interval",
    2019). A trial that throws the other words away has no bias left.

    Returns:
        The numbers, and whether each may be kept.
    """
    # The 64-bit product in 16-bit halves: JAX has no 64-bit integers by default.
    low = (bits & 0xFFFF) * bound
    high = (bits >> 16) * bound + (low >> 16)
    remainder = (high << 16) | (low & 0xFFFF)
    return (high >> 16).astype(jnp.int32), remainder >= (-bound) % bound
