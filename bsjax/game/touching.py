"""What the touching rule says: which cells a ship denies to others, and which are proven water.

Where ships may not touch, a hit proves water around it: every neighbour the rule forbids to a
*closed* hit, and under `none` the four diagonal neighbours of any hit, since a straight ship never
turns a corner.
"""

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool

from bsjax.game.game import Game, Touching
from bsjax.game.observation import CLOSED, OPEN, UNFIRED, Observation
from bsjax.game.planes import ahead, behind, padded, strides, unpadded


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


def around(game: Game, flat: Bool[Array, " F"], *, diagonal: bool) -> Bool[Array, " F"]:
    """Padded plane of the cells next to a marked one: by a side, or only by a corner."""
    column, row = strides(game)
    shifts = (row - column, row + column) if diagonal else (column, row)
    near = jnp.zeros_like(flat)
    for shift in shifts:
        near = near | ahead(flat, shift) | behind(flat, shift)
    return near


def open_water(game: Game, observation: Observation) -> Bool[Array, " C"]:
    """Cells not fired at that may hold a ship: those the touching rule does not prove water.

    Never empty before the fleet is sunk.
    """
    unfired = observation.mark == UNFIRED
    if game.touching == "allowed":
        return unfired
    closed = padded(game, observation.mark == CLOSED)
    proven = around(game, closed, diagonal=False)
    if game.touching == "none":
        hits = closed | padded(game, observation.mark == OPEN)
        proven = proven | around(game, hits, diagonal=True)
    return unfired & ~unpadded(game, proven)
