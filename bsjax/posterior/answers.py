"""What a shot at each cell would be answered, from the mass of every placement.

A mass is a number of layouts (`bsjax.posterior.whole`) or a share of them (float32). All that the
greedy rules need follows from the mass of every placement: a shot hits where a placement covers
the cell, and sinks the ship if the cell is the placement's only one not fired at.

Ships of one class (`bsjax.posterior.plan`) are summed under the first of them.
"""

from functools import lru_cache
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Int32

from bsjax.game.game import Game
from bsjax.posterior.tables import tables
from bsjax.posterior.whole import Whole, carried, less, squares

Mass = Any
"""Numbers of one shape: `Whole`, or a float32 array."""


class Answers(NamedTuple):
    """Masses by cell; C cells, A classes of ships. Nothing is 0 at a cell shot at but `ship`."""

    ship: Mass
    """A ship lies there, [C]."""
    hit: Mass
    """A shot hits a ship of the class and does not sink it, [A, C]."""
    sunk: Mass
    """A shot sinks a ship of the class, [A, C]."""
    last: Mass
    """A shot sinks the ship that lies on the u-th placement through the cell, [U, C]."""


def answers(game: Game, first: tuple[int, ...], mass: Mass, shot: Bool[Array, " C"]) -> Answers:
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
    ship = _carried(jax.tree.map(lambda part: _by_class(game, first, part).sum(0), mass))

    def where(chosen: Bool[Array, " G1"]) -> Mass:
        return jax.tree.map(lambda part: jnp.where(chosen, part, 0), mass)

    def of_unfired(of: Mass) -> Mass:
        found = jax.tree.map(lambda part: _by_class(game, first, part), of)
        return _carried(jax.tree.map(lambda part: jnp.where(shot[None], 0, part), found))

    through = table.through[:-1].T
    last = jax.tree.map(lambda part: jnp.where(shot[None], 0, part[through]), where(only))
    return Answers(ship, of_unfired(where(~only)), of_unfired(where(only)), last)


def told(game: Game, found: Answers, total: Mass) -> Mass:
    """Masses of the answers that the feedback rule tells apart, one row each, the miss first."""
    water = _less(jax.tree.map(lambda part: part[None], total), found.ship)

    def all_of(part: Mass) -> Mass:
        return _carried(jax.tree.map(lambda word: word.sum(0, keepdims=True), part))

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


def expected_left(game: Game, found: Answers, total: Mass) -> list[Array]:
    """Scores of the fewest expected layouts left: −Σ (mass of an answer)², highest digits first.

    The information rule fires where they are largest, compared one after the other
    (`bsjax.policies.choose`).
    """
    numbers = told(game, found, total)
    if isinstance(numbers, Whole):
        return [-digit.astype(jnp.int32) for digit in reversed(squares(numbers))]
    return [-(numbers * numbers).sum(0)]


def likeliest(found: Answers) -> list[Array]:
    """Scores of the most ship mass."""
    ship = found.ship
    return [ship.high, ship.low] if isinstance(ship, Whole) else [ship]


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


def _carried(mass: Mass) -> Mass:
    return carried(*mass) if isinstance(mass, Whole) else mass


def _less(total: Mass, part: Mass) -> Mass:
    """total [1] − part [C], as one row."""
    if isinstance(total, Whole):
        whole = Whole(*(jnp.broadcast_to(word, part.low.shape) for word in total))
        return jax.tree.map(lambda word: word[None], less(whole, part))
    return (total - part)[None]
