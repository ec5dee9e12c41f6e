"""Shifts of a board plane along its rows and columns, as slices of one flat array.

Cell (r, c) is entry r·W + c, so moving by one row is a shift by W and moving by one column a shift
by 1. A plane is widened once by whole empty rows before and after it; every shift is then a plain
slice, which compilers turn into contiguous loads, where padding each shifted copy would make a
branch of every entry. A shift along a row can run into the next row: those
entries are masked by a constant.
"""

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Shaped

from bsjax.game.game import Game


def widened(
    game: Game, plane: Shaped[Array, " C"], rows: int, fill: int = 0
) -> Shaped[Array, " F"]:
    """The plane with `rows` rows of `fill` before and after it: F = C + 2·rows·W."""
    return jnp.pad(plane, rows * game.width, constant_values=fill)


def seen(
    game: Game, plane: Bool[Array, " C"], moves: list[tuple[int, int]]
) -> list[Bool[Array, " C"]]:
    """For each move (down, right): the value at the cell that far away, False off the board."""
    furthest = max(abs(down) * game.width + abs(right) for down, right in moves)
    rows = -(-furthest // game.width)
    wide = widened(game, plane, rows)
    column = np.arange(game.cells) % game.width
    values = []
    for down, right in moves:
        start = (rows + down) * game.width + right
        inside = (column + right >= 0) & (column + right < game.width)
        values.append(wide[start : start + game.cells] & jnp.asarray(inside))
    return values
