"""Sets of cells as Python integers, cell c in bit c: the plain arithmetic of `check`.

Intersections and unions of whole boards are one operation each, and nothing is compiled.
"""

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from jaxtyping import Bool

from bsjax.game.game import Game
from bsjax.game.notation import format_cell
from bsjax.game.placements import denied_masks, placement_masks
from bsjax.game.touching import reach


class Line(NamedTuple):
    """One placement of one ship."""

    mask: int
    """Its cells."""
    near: int
    """Cells beside it that the touching rule denies to other ships."""
    length: int


@lru_cache(maxsize=32)
def lines(game: Game) -> dict[int, tuple[Line, ...]]:
    """Every placement on the empty board, by length of the ship."""
    return {
        length: tuple(
            Line(pack(mask), pack(denied & ~mask), length)
            for mask, denied in zip(
                placement_masks(game.size, length), denied_masks(game, length), strict=True
            )
        )
        for length in game.lengths
    }


@lru_cache(maxsize=32)
def denied(game: Game) -> tuple[int, ...]:
    """For each cell, the cells that a ship there denies to other ships, itself among them."""
    return tuple(pack(row) for row in reach(game.size, game.touching))


def pack(mask: Bool[np.ndarray, " C"]) -> int:
    """A 0/1 mask as a set."""
    return sum(1 << int(cell) for cell in mask.nonzero()[0])


def members(mask: int) -> list[int]:
    """The cells of a set, ascending."""
    return [cell for cell in range(mask.bit_length()) if mask >> cell & 1]


def written(game: Game, mask: int) -> str:
    """The cells of a set, written out: `E5, F5`."""
    return ", ".join(format_cell(game, cell) for cell in members(mask))
