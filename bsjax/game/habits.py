"""What habits of placing ships are told by: squares on the edge, and ships that touch.

A *habit* (`bsjax.posterior.prior.habit`) weighs a layout exp(a·edge squares − b·touching pairs).
An edge square is a ship cell on the border of the board; a touching pair is two ships with cells
next to each other, diagonals included.
"""

from functools import lru_cache

import numpy as np
from jaxtyping import Bool, Int64

from bsjax.game.game import Game
from bsjax.game.placements import overlap, placement_masks


@lru_cache(maxsize=64)
def edge_squares(size: tuple[int, int], length: int) -> Int64[np.ndarray, " P"]:
    """Edge squares of each placement of a ship of `length` cells."""
    width, height = size
    row, column = np.divmod(np.arange(width * height), width)
    border = (row == 0) | (row == height - 1) | (column == 0) | (column == width - 1)
    squares = (placement_masks(size, length) & border).sum(1).astype(np.int64)
    squares.setflags(write=False)
    return squares


def near(game: Game, a: int, b: int) -> Bool[np.ndarray, "Pa Pb"]:
    """Which placements of ships of lengths `a` and `b` touch or share a cell.

    Of two ships that may stand together it says whether they touch.
    """
    return overlap(Game(game.size, game.fleet, "none"), a, b)
