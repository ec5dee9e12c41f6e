"""Posteriors that a hunter can hold inside a compiled program, behind one interface.

A *belief* is what a hunter makes of one observation: it says how many layouts (or which share of
them) lie on each placement. `Counted` counts them exactly, for any fleet with few enough leaves;
`Enumerated` goes through the list of all layouts of a small game. All are pytrees, written for one
game and batched by `vmap`.
"""

from abc import abstractmethod
from functools import lru_cache, partial
from math import factorial, prod
from typing import NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Float32, Int8, Int32, Key, PyTree

from bsjax.game.game import Game
from bsjax.game.observation import HIT, Observation, observe
from bsjax.posterior import evidence
from bsjax.posterior.exact import count
from bsjax.posterior.listed import Listing
from bsjax.posterior.plan import plan
from bsjax.posterior.prior import Prior
from bsjax.posterior.tables import tables
from bsjax.posterior.whole import BASE_BITS, Whole, carried, over, split
from bsjax.posterior.worklist import ACCELERATOR, CPU, layouts
from bsjax.runtime.batches import together

NAMED = ("name", "hit-name")
"""Feedback rules that tell equal ships apart."""


class Masses(NamedTuple):
    """Masses of one game."""

    placement: Whole
    """Of every placement [G + 1], those of a class under its first ship."""
    total: Whole
    """Of all layouts; 0 if none agrees with the observation."""
    unit: Float32[Array, ""]
    """Layouts (or weight, with a prior) that a mass of 1 stands for."""


class Belief(eqx.Module):
    """Base of all beliefs."""

    game: Game = eqx.field(static=True)

    @property
    def rolls_dice(self) -> bool:
        """Whether a view depends on the key."""
        return False

    @property
    def lanes(self) -> int:
        """Pieces of work in one view that can be done at once (`bsjax.policies.base`)."""
        return 8

    @property
    @abstractmethod
    def bytes_per_game(self) -> int:
        """Memory that one game needs while its masses are formed."""

    def view(self, key: Key[Array, ""], observation: Observation) -> PyTree:
        """What the belief makes of an observation. The key is consumed."""
        del key
        return observation

    def after(self, view: PyTree, cell: Int32[Array, ""], answer: Int8[Array, ""]) -> PyTree:
        """The view after a further shot and its answer.

        Raises:
            ValueError: an answer would also have to show cells.
        """
        return observe(self.game, view, cell, answer)

    @abstractmethod
    def masses(self, view: PyTree) -> Masses:
        """The masses of a view."""

    @property
    def classes(self) -> tuple[int, ...]:
        """The first ship of every class that answers do not tell apart."""
        return tuple(sorted(set(self._first)))

    @property
    def _first(self) -> list[int]:
        return plan(self.game, self.game.feedback in NAMED).first.tolist()

    def _masses(self, placement: Whole, unit: Float32[Array, ""]) -> Masses:
        """From the masses of every placement of every ship, if added up over a class."""
        start, first = tables(self.game).start, self._first

        def folded(word: Array) -> Array:
            for ship in range(self.game.ships):
                if first[ship] != ship:
                    own = word[start[ship] : start[ship + 1]]
                    word = word.at[start[first[ship]] : start[first[ship] + 1]].add(own)
                    word = word.at[start[ship] : start[ship + 1]].set(0)
            return word

        ship = min(self.classes, key=first.count)
        own, alike = slice(start[ship], start[ship + 1]), first.count(ship)
        low, high = map(folded, placement)
        total = over(carried(low[own].sum(), high[own].sum()), alike)
        return Masses(carried(low, high), total, unit)


class Counted(Belief):
    """The exact posterior, by leaves (`bsjax.posterior.worklist`).

    Without a prior, masses are layouts and ties are ties. With one, those of a leaf are formed in
    float32, and equal cells can differ by rounding.
    """

    weights: Float32[Array, " G1"] | None
    """Prior weight of every placement, at most 1; None counts layouts."""
    told_apart: bool = eqx.field(static=True)
    """Whether no ships are interchangeable: answers name them, or their weights differ."""

    def masses(self, view: Observation) -> Masses:
        """The exact masses."""
        return self._masses(*_count(self.game, self.told_apart)(self.weights, view))

    @property
    def bytes_per_game(self) -> int:
        """The account, and a row of the stack."""
        return 16 * (tables(self.game).start[-1] + self.game.ships + 2)


def counted(game: Game, prior: Prior | None = None) -> Counted:
    """The exact posterior of a game.

    Raises:
        ValueError: its empty board has too many leaves, or too many layouts to be counted in
            programs; a prior of another game, or with factors of pairs.

    Cost: counts the empty board once, 0.1 s for the classic game after compilation.
    """
    named = game.feedback in NAMED
    layouts_told_apart = count(game)["layouts_told_apart"]
    if prior is None:
        _require_countable(game, layouts_told_apart)
        return Counted(game, None, named)
    if prior.game != game:
        raise ValueError(f"the prior is of {prior.game}, the game is {game}")
    if prior.kernel is not None:
        raise ValueError(
            "a prior with factors of pairs has no closed form; take the sampled posterior"
        )
    alike = all(
        np.array_equal(prior.weights[k], prior.weights[game.fleet.index(length)])
        for k, length in enumerate(game.fleet)
    )
    weights = np.concatenate([*(own / own.max() for own in prior.weights), [1.0]])
    return Counted(game, jnp.asarray(weights, jnp.float32), named or not alike)


def _require_countable(game: Game, layouts_told_apart: int) -> None:
    """Refuse counts that two words cannot hold."""
    orders = prod(factorial(game.fleet.count(length)) for length in game.lengths)
    places = sorted(np.diff(tables(game).start).tolist())[-3:]
    if layouts_told_apart * game.ships >= 1 << (BASE_BITS + 31):
        raise ValueError(f"{game} has too many layouts to count in play; sample the posterior")
    if prod(places) * orders >= 1 << 31:
        raise ValueError(f"{game} has too many equal ships to count in play; sample the posterior")


@lru_cache(maxsize=32)
def _count(game: Game, told_apart: bool):
    """Masses of every placement and their unit, for all games of a batch as one work list."""

    def many(weights: Float32[Array, " G1"] | None, observations: Observation):
        # Sizes and batches change the speed and no mass.
        sizes = CPU if jax.default_backend() == "cpu" else ACCELERATOR
        seen = jax.lax.map(partial(evidence.read, game), observations, batch_size=sizes.read)
        return layouts(game, seen, plan(game, told_apart), sizes, weights)

    return together(many)


class Enumerated(Belief):
    """The exact posterior of a small game, by going through the list of its layouts."""

    places: Int32[Array, "M K"]
    """Placement of every ship in every layout."""
    weight: Int32[Array, " M"] | None = None
    """Weight of every layout; None counts them."""
    unit: float = eqx.field(static=True, default=1.0)
    """What a weight of 1 stands for."""

    def masses(self, view: Observation) -> Masses:
        """The exact masses.

        Cost: M × K look-ups and additions.
        """
        seen = evidence.read(self.game, view)
        table = tables(self.game)
        hit = jnp.pad(view.answer >= HIT, (0, 1))
        hits = (jnp.asarray(table.masks) & hit[None]).sum(1, dtype=jnp.int32)
        fits = seen.allowed[self.places].all(1) & (
            hits[self.places].sum(1) == hit.sum(dtype=jnp.int32)
        )
        mass = jnp.zeros(table.start[-1] + 1, jnp.int32)
        weight = jnp.where(fits, 1 if self.weight is None else self.weight, 0)
        mass = mass.at[self.places].add(weight[:, None].astype(jnp.int32))
        return self._masses(split(mass), jnp.float32(self.unit))

    @property
    def bytes_per_game(self) -> int:
        """Look-ups of all layouts."""
        return 8 * self.places.size


def enumerated(game: Game, weights: Float[np.ndarray, " M"] | None = None) -> Enumerated:
    """The list of all layouts of a game.

    Args:
        game: the rules of the game.
        weights: what each layout of `Listing(game)` is worth, all the same by default. They are
            rounded to whole numbers that add up to about 2³⁰.

    Raises:
        ValueError: there are too many, or the weights are not one each, 0 or more and not all 0.
    """
    listing = Listing(game)
    start = np.array(tables(game).start[:-1], np.int32)
    places = jnp.asarray(listing.layouts.astype(np.int32) + start)
    if weights is None:
        return Enumerated(game, places)
    if len(weights) != len(listing) or not (weights >= 0).all() or not 0 < weights.sum() < np.inf:
        raise ValueError(
            f"{len(weights)} weights for {len(listing)} layouts: give one of 0 or more for each, "
            f"not all 0"
        )
    unit = float(weights.sum()) / (1 << 30)
    whole = np.round(weights / unit).astype(np.int32)
    return Enumerated(game, places, jnp.asarray(whole), unit)
