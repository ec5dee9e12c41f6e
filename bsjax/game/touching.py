"""What the touching rule says: which cells a ship denies to others, and which are proven water.

Where ships may not touch, a hit proves water around it: every neighbour the rule forbids to a
*closed* hit, and under `none` the four diagonal neighbours of any hit, since a straight ship never
turns a corner.
"""

import functools
import operator

import numpy as np
from jaxtyping import Array, Bool

from bsjax.game.game import Game, Touching
from bsjax.game.observation import CLOSED, OPEN, UNFIRED, Observation
from bsjax.game.planes import seen


def reach(size: tuple[int, int], touching: Touching) -> Bool[np.ndarray, "C C"]:
    """Cells that a ship on one cell denies to the other ships: row = that cell.

    The cell itself; with `no-side` its side neighbours too; with `none` all eight neighbours.
    """
    width, height = size
    index = np.arange(width * height)
    row, column = index // width, index % width
    rows = abs(row[:, None] - row[None, :])
    columns = abs(column[:, None] - column[None, :])
    if touching == "allowed":
        return rows + columns == 0
    if touching == "no-side":
        return rows + columns <= 1
    return np.maximum(rows, columns) <= 1


SIDES = [(-1, 0), (1, 0), (0, -1), (0, 1)]
CORNERS = [(-1, -1), (-1, 1), (1, -1), (1, 1)]
"""Moves (down, right) to the neighbours of a cell."""


def around(game: Game, plane: Bool[Array, " C"], moves: list[tuple[int, int]]) -> Bool[Array, " C"]:
    """Cells from which one of the moves leads to a marked cell."""
    return functools.reduce(operator.or_, seen(game, plane, moves))


def open_water(game: Game, observation: Observation) -> Bool[Array, " C"]:
    """Cells not fired at that may hold a ship: those the touching rule does not prove water.

    Never empty before the fleet is sunk.
    """
    unfired = observation.mark == UNFIRED
    if game.touching == "allowed":
        return unfired
    closed = observation.mark == CLOSED
    proven = around(game, closed, SIDES)
    if game.touching == "none":
        proven = proven | around(game, closed | (observation.mark == OPEN), CORNERS)
    return unfired & ~proven
