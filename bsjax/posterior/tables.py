"""The placements of a whole fleet under one numbering, as NumPy tables built once per game.

Placement `p` of ship `k` has the number `start[k] + p`; the number G = Σ P_k stands for "none",
so that a row of K numbers describes a layout of which some ships are not placed yet.
"""

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Int32

from bsjax.game.game import Game
from bsjax.game.placements import overlap, placement_cells, placement_masks


class Tables(NamedTuple):
    """Placements of a fleet: G of them, K ships, C cells, L_max cells of the longest ship."""

    start: tuple[int, ...]
    """First number of each ship, and G: K + 1 entries."""
    ship: Int32[np.ndarray, " G1"]
    """Ship of each placement, 0 for "none"."""
    cells: Int32[np.ndarray, "G L"]
    """Cells of each placement; a shorter ship repeats its first cell."""
    masks: Bool[np.ndarray, "G1 C1"]
    """Cell in placement. The last row ("none") and the last column ("no cell") are empty."""
    meets: Bool[np.ndarray, "G1 G1"]
    """Placements that cannot stand together, as `bsjax.game.placements.overlap`; none meets none.

    Two placements of the same ship are compared as those of two equal ships.
    """
    through: Int32[np.ndarray, "C1 U"]
    """Placements that cover each cell, ascending, filled up with "none"."""


@lru_cache(maxsize=16)
def tables(game: Game) -> Tables:
    """The tables of a game. G is 760 for the classic fleet; they take about G² bytes."""
    counts = [len(placement_masks(game.size, length)) for length in game.fleet]
    start = tuple(np.cumsum([0, *counts]).tolist())
    total, ships = start[-1], range(game.ships)
    cells = np.zeros((total, max(game.fleet)), np.int32)
    masks = np.zeros((total + 1, game.cells + 1), bool)
    meets = np.zeros((total + 1, total + 1), bool)
    for a in ships:
        rows = slice(start[a], start[a + 1])
        own = placement_cells(game.size, game.fleet[a])
        cells[rows] = own[:, :1]
        cells[rows, : own.shape[1]] = own
        masks[rows, :-1] = placement_masks(game.size, game.fleet[a])
        for b in ships:
            columns = slice(start[b], start[b + 1])
            meets[rows, columns] = overlap(game, game.fleet[a], game.fleet[b])
    most = int(masks.sum(0).max())
    through = np.full((game.cells + 1, most), total, np.int32)
    for cell in range(game.cells):
        found = masks[:, cell].nonzero()[0]
        through[cell, : len(found)] = found
    ship = np.append(np.repeat(np.arange(game.ships), counts), 0).astype(np.int32)
    made = Tables(start, ship, cells, masks, meets, through)
    for table in made[1:]:
        table.setflags(write=False)
    return made
