"""Sets of cells as 32-bit words, moved and grown: what a person sees along rows and columns.

Cell c is bit c mod 32 of word c // 32, so moving a set along a row or a column is a shift; cells
that would run into the next row are masked by a constant. Over many games at once a set of the
classic board is four vectors, many times cheaper than a plane of 100 cells a game.
"""

from collections.abc import Callable
from operator import and_, or_

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, UInt32

from bsjax.game.game import Game
from bsjax.game.placements import WORD, packed
from bsjax.policies.hottest import Words
from bsjax.policies.hottest import words as words


def runs(game: Game, water: Words, length: int, down: bool) -> Words:
    """Cells on a straight run of so many cells of a set."""
    stride = game.width if down else 1
    row, column = np.divmod(np.arange(game.cells), game.width)
    room = game.height - row if down else game.width - column
    inside = packed(room >= length)
    start = [word & inside[k] for k, word in enumerate(_doubled(water, length, stride, and_))]
    return _doubled(start, length, -stride, or_)


def _doubled(
    cells: Words, length: int, stride: int, combine: Callable[[Array, Array], Array]
) -> Words:
    """Of each cell, the values of so many cells a stride apart from it on, combined."""
    reach = 1
    while reach < length:
        step = min(reach, length - reach)
        ahead = moved(cells, step * stride)
        cells = [combine(a, b) for a, b in zip(cells, ahead, strict=True)]
        reach += step
    return cells


def moved(cells: Words, by: int) -> Words:
    """Of each cell the value of the one so much further on, or back if negative."""
    skip, rest = divmod(by, WORD)
    zero = jnp.zeros_like(cells[0])

    def word(number: int) -> UInt32[Array, ""]:
        return cells[number] if 0 <= number < len(cells) else zero

    if rest == 0:
        return [word(k + skip) for k in range(len(cells))]
    return [
        (word(k + skip) >> rest) | (word(k + skip + 1) << (WORD - rest)) for k in range(len(cells))
    ]


def plane(game: Game, cells: Words) -> Bool[Array, " C"]:
    """A set of cells as a plane."""
    bits = jnp.stack(cells)[:, None] >> jnp.arange(WORD, dtype=jnp.uint32)[None]
    return ((bits & 1) > 0).reshape(-1)[: game.cells]
