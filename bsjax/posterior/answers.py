"""What a shot at each cell would be answered, from the mass of every placement.

A mass is a number of layouts, or of units of their weight (`bsjax.posterior.whole`). All that the
greedy rules need follows from the mass of every placement: a shot hits where a placement covers
the cell, and sinks the ship if the cell is the placement's only one not fired at.

Ships of one class (`bsjax.posterior.plan`) are summed under the first of them.
"""

from functools import lru_cache
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Int32

from bsjax.game.game import Game
from bsjax.posterior.tables import tables
from bsjax.posterior.whole import Whole, carried, less, squares


class Answers(NamedTuple):
    """Masses by cell; C cells, A classes of ships. Nothing is 0 at a cell shot at but `ship`."""

    ship: Whole
    """A ship lies there, [C]."""
    hit: Whole
    """A shot hits a ship of the class and does not sink it, [A, C]."""
    sunk: Whole
    """A shot sinks a ship of the class, [A, C]."""
    last: Whole
    """A shot sinks the ship that lies on the u-th placement through the cell, [U, C]."""


def answers(game: Game, first: tuple[int, ...], mass: Whole, shot: Bool[Array, " C"]) -> Answers:
    """The masses of all answers of one game.

    Args:
        game: the rules.
        first: the first ship of every class.
        mass: of every placement, G + 1 numbers.
        shot: cells shot at.

    Cost: a gather of C × U masses for each of hits and sinks, U = 34 on the classic board.
    """
    table = tables(game)
    unfired = jnp.where(shot, 0.0, 1.0).astype(jnp.float32)
    left = jnp.asarray(table.masks[:, :-1], jnp.float32) @ unfired
    only = left == 1
    ship = carried(*(_by_class(game, first, part).sum(0) for part in mass))

    def where(chosen: Bool[Array, " G1"]) -> Whole:
        return jax.tree.map(lambda part: jnp.where(chosen, part, 0), mass)

    def of_unfired(of: Whole) -> Whole:
        found = (_by_class(game, first, part) for part in of)
        return carried(*(jnp.where(shot[None], 0, part) for part in found))

    through = table.through[:-1].T
    last = jax.tree.map(lambda part: jnp.where(shot[None], 0, part[through]), where(only))
    return Answers(ship, of_unfired(where(~only)), of_unfired(where(only)), last)


def told(game: Game, found: Answers, total: Whole) -> Whole:
    """Masses of the answers that the feedback rule tells apart, one row each, the miss first."""
    everything = Whole(*(jnp.broadcast_to(word, (game.cells,)) for word in total))
    water = jax.tree.map(lambda word: word[None], less(everything, found.ship))

    def all_of(part: Whole) -> Whole:
        return carried(*(word.sum(0, keepdims=True) for word in part))

    if game.feedback == "hit":
        rows = [jax.tree.map(lambda word: word[None], found.ship)]
    elif game.feedback == "sunk":
        rows = [all_of(found.hit), all_of(found.sunk)]
    elif game.feedback == "hit-name":
        rows = [found.hit, found.sunk]
    elif game.feedback == "cells":
        rows = [all_of(found.hit), found.last]
    else:
        rows = [all_of(found.hit), found.sunk]
    return jax.tree.map(lambda *words: jnp.concatenate(words), water, *rows)


def expected_left(game: Game, found: Answers, total: Whole) -> list[Array]:
    """Scores of the fewest expected layouts left: −Σ (mass of an answer)², highest digits first.

    The information rule fires where they are largest, compared one after the other
    (`bsjax.policies.choose`).
    """
    digits = squares(told(game, found, total))
    return [-digit.astype(jnp.int32) for digit in reversed(digits)]


def likeliest(found: Answers) -> list[Array]:
    """Scores of the most ship mass."""
    return [found.ship.high, found.ship.low]


def _by_class(game: Game, first: tuple[int, ...], part: Array) -> Array:
    """Sums over the placements of each class through each cell, [A, C]."""
    return jnp.stack([part[_through(game, ship)].sum(1) for ship in first])


@lru_cache(maxsize=128)
def _through(game: Game, ship: int) -> Int32[np.ndarray, "C U"]:
    """Placements of one ship that cover each cell, filled up with "none"."""
    table = tables(game)
    own = table.masks[:, :-1].T & (table.ship == ship)
    index = np.full((game.cells, int(own.sum(1).max())), table.start[-1], np.int32)
    for cell, row in enumerate(own):
        index[cell, : row.sum()] = row.nonzero()[0]
    return index
