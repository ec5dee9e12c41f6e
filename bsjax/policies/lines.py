"""Lines of hits through one cell: which ship can have sunk there.

The two lines through a cell are looked up as 2·L − 1 cells each, L the length of the longest ship,
the cell itself in the middle. A window of n cells that holds the middle has j cells before it,
0 ≤ j < n; windows are numbered by j.
"""

from functools import lru_cache

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Int32

from bsjax.game.game import Game
from bsjax.posterior.tables import tables


@lru_cache(maxsize=32)
def _lines(game: Game) -> Int32[np.ndarray, "C 2 S"]:
    """Cells on the row and on the column through each cell, −1 off the board."""
    step = np.arange(1 - max(game.fleet), max(game.fleet))
    row, column = np.divmod(np.arange(game.cells), game.width)
    rows = np.stack([row[:, None] + 0 * step, row[:, None] + step], axis=1)
    columns = np.stack([column[:, None] + step, column[:, None] + 0 * step], axis=1)
    inside = (rows >= 0) & (rows < game.height) & (columns >= 0) & (columns < game.width)
    return np.where(inside, rows * game.width + columns, -1).astype(np.int32)


def through(
    game: Game, cell: Int32[Array, ""], planes: list[Bool[Array, " C"]]
) -> list[Bool[Array, "2 S"]]:
    """Each plane along the row and the column through a cell; False off the board."""
    at = jnp.asarray(_lines(game))[cell]
    return [plane[jnp.maximum(at, 0)] & (at >= 0) for plane in planes]


def windows(line: Bool[Array, "2 S"], length: int) -> Int32[Array, "2 N"]:
    """How many of the cells of each window of so many cells are marked, by cells before it."""
    middle, marked = line.shape[1] // 2, line.astype(jnp.int32)
    starts = [middle - before for before in range(length)]
    return jnp.stack([marked[:, at : at + length].sum(1) for at in starts], axis=1)


@lru_cache(maxsize=32)
def order(game: Game) -> Int32[np.ndarray, "C K 2 L"]:
    """Place of the placement of each ship with j cells before a cell, across or down, among all
    placements through that cell (`bsjax.posterior.tables`); −1 where it leaves the board."""
    table, longest = tables(game), max(game.fleet)
    found = np.full((game.cells, game.ships, 2, longest), -1, np.int32)
    for cell in range(game.cells):
        for place, number in enumerate(table.through[cell]):
            if number == table.start[-1]:
                break
            ship, start = table.ship[number], int(table.cells[number, 0])
            length = game.fleet[ship]
            down = length > 1 and int(table.cells[number, 1]) - start == game.width
            # On a board of one column a step down is a step of one cell too.
            down = down and not (game.width == 1 and length == 1)
            before = (cell - start) // game.width if down else cell - start
            found[cell, ship, int(down), before] = place
    found.setflags(write=False)
    return found


def window(
    game: Game,
    at: Bool[Array, " C"],
    chosen: Bool[Array, "2 L"],
    length: Int32[Array, ""],
) -> Bool[Array, " C"]:
    """The cells of the one chosen window through the marked cell.

    Everything that differs between games is a sum, so that compilers keep it, and bytes are
    compared: the plane is often worked out anew for every neighbour that asks for a cell.
    """
    index = np.arange(game.cells, dtype=np.int32)
    before = np.arange(chosen.shape[1], dtype=np.int32)[None]
    stride = np.array([[1], [game.width]], np.int32)
    cell = jnp.where(at, jnp.asarray(index), 0).sum(dtype=jnp.int32)
    column = jnp.where(at, jnp.asarray(index % game.width), 0).sum(dtype=jnp.int32)
    down = jnp.where(chosen[1], 1, 0).sum(dtype=jnp.int32)
    first = cell - jnp.where(chosen, before * stride, 0).sum(dtype=jnp.int32)
    last = cell + jnp.where(chosen, (length - 1 - before) * stride, 0).sum(dtype=jnp.int32)
    # Cells number at most 256.
    number, own = (jnp.asarray(of.astype(np.uint8)) for of in (index, index % game.width))
    aligned = (down == 0) | (own == column.astype(jnp.uint8))
    return aligned & (number >= first.astype(jnp.uint8)) & (number <= last.astype(jnp.uint8))
