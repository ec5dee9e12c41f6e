"""Lines of the board as bits of 32-bit words: where ships fit, 32 cells at a time.

**Planes.** The board is packed twice: row by row and column by column, whole lines to a word, so
that the next cell of a line is the next bit. A ship of L cells that lies along a line is known by
its first cell: it fits where L bits in a row are free, and that is two or three shifts and ANDs for
all its placements in 32 cells (`fitting`). A 10×10 board takes four words each way. Where lines of
one word meet, a run of bits may continue from one into the next; no placement starts there, so an
AND with the starts that the evidence leaves removes them.

**Windows.** The placements that cover one cell start at most L_max − 1 cells before it. The
L_max − 1 bits on both sides of the cell are cut out of its word of either plane, with the cell at
bit L_max − 1, and laid into one word: the line along the row in the lower half, that along the
column in the upper. Every ship then has 2·L_max bits of *options*, a start in either direction,
and the options of ⌊16 / L_max⌋ ships share a word.
"""

from functools import lru_cache
from typing import NamedTuple

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Int32, UInt32

from bsjax.game.game import Game
from bsjax.game.placements import WORD, denied_masks, packed, placement_cells
from bsjax.posterior.tables import tables

HALF = WORD // 2


class Field(NamedTuple):
    """The bits of one ship among the options of a cell."""

    word: int
    shift: int
    mask: int
    """Bits of its options in a window, before they are shifted into the word."""

    @property
    def bits(self) -> int:
        """Its bits in the word."""
        return self.mask << self.shift & 0xFFFFFFFF


class Lines(NamedTuple):
    """Tables of one game: K ships, C cells, G placements, W words of both planes, O of options."""

    rows: int
    """Words of the plane packed row by row; that packed column by column follows."""
    start: Int32[np.ndarray, "K W 32"]
    """Placement of each ship that starts at each bit, G where there is none."""
    denied: UInt32[np.ndarray, "W G1"]
    """Cells that each placement denies to the other ships; none for "none"."""
    window: UInt32[np.ndarray, " C1"]
    """Where the window of each cell lies, read by `window`."""
    fields: tuple[Field, ...]
    """The options of each ship."""
    option: Int32[np.ndarray, "C1 O 32"]
    """Placement of each option, G where there is none."""


@lru_cache(maxsize=16)
def lines(game: Game) -> Lines:
    """The tables of a game: 56 KB for the classic one, 0.5 MB for twelve ships on 16×16."""
    table, (width, height), longest = tables(game), game.size, max(game.fleet)
    rows, columns = -(-height // (WORD // width)), -(-width // (WORD // height))
    words, none = rows + columns, table.start[-1]
    index = np.arange(game.cells)
    row, column = index // width, index % width
    bit = np.stack([_bits(row, column, width), _bits(column, row, height) + rows * WORD])
    share = HALF // longest
    start = np.full((game.ships, words * WORD), none, np.int32)
    denied = np.zeros((none + 1, words * WORD), bool)
    option = np.full((game.cells + 1, -(-game.ships // share) * WORD), none, np.int32)
    fields = []
    for ship, length in enumerate(game.fleet):
        cells = placement_cells(game.size, length).astype(np.int64)
        number = np.arange(table.start[ship], table.start[ship + 1], dtype=np.int32)
        down = (cells[:, -1] - cells[:, 0] >= width).astype(np.int64)
        start[ship, bit[down, cells[:, 0]]] = number
        for plane in bit:
            denied[number[:, None], plane] = denied_masks(game, length)
        word, place = divmod(ship, share)
        own = (1 << longest) - (1 << (longest - length))
        fields.append(Field(word, place * longest, own | own << HALF))
        # A start i cells before the cell is the window's bit L_max − 1 − i.
        at = longest - 1 - np.arange(length) + (HALF * down)[:, None]
        option[cells, word * WORD + place * longest + at] = number[:, None]
    turn = (bit - (longest - 1)) % WORD
    code = bit[0] // WORD | (bit[1] // WORD - rows) << 5 | turn[0] << 10 | turn[1] << 15
    made = Lines(
        rows=rows,
        start=start.reshape(game.ships, words, WORD),
        denied=np.ascontiguousarray(packed(denied).T),
        window=np.append(code, 0).astype(np.uint32),
        fields=tuple(fields),
        option=option.reshape(game.cells + 1, -1, WORD),
    )
    for part in (made.start, made.denied, made.window, made.option):
        part.setflags(write=False)
    return made


def fitting(free: UInt32[Array, "*n"], length: int) -> UInt32[Array, "*n"]:
    """Bits from which `length` bits in a row are free."""
    have = 1
    while have < length:
        step = min(have, length - have)
        free, have = free & (free >> step), have + step
    return free


def window(
    table: Lines, denied: list[UInt32[Array, "*n"]], code: UInt32[Array, "*n"]
) -> UInt32[Array, "*n"]:
    """Free cells around a cell, in its window.

    Args:
        table: of the game.
        denied: words of both planes.
        code: the cell's entry of `Lines.window`.
    """
    row, column = denied[0], denied[table.rows]
    for number in range(1, table.rows):
        row = jnp.where((code & 31) == number, denied[number], row)
    for number in range(1, len(denied) - table.rows):
        column = jnp.where((code >> 5 & 31) == number, denied[table.rows + number], column)
    # Bits that a turn brings in from elsewhere belong to starts that no placement has. The gap of
    # one bit below the upper half ends the runs of the lower.
    low = _turned(~row, code >> 10 & 31) & ((1 << (HALF - 1)) - 1)
    return low | _turned(~column, code >> 15 & 31) << HALF


def options(table: Lines, game: Game, free: UInt32[Array, "*n"]) -> list[UInt32[Array, "*n"]]:
    """The options of all ships in a window, those that only leave the board among them."""
    found: dict[int, UInt32[Array, "*n"]] = {}
    for field, length in zip(table.fields, game.fleet, strict=True):
        own = (fitting(free, length) & jnp.uint32(field.mask)) << field.shift
        found[field.word] = found[field.word] | own if field.word in found else own
    return [found[word] for word in sorted(found)]


def _bits(line: np.ndarray, place: np.ndarray, length: int) -> np.ndarray:
    """Number of each cell's bit where lines of a length are packed whole into words."""
    share = WORD // length
    return line // share * WORD + line % share * length + place


def _turned(word: UInt32[Array, "*n"], by: UInt32[Array, "*n"]) -> UInt32[Array, "*n"]:
    """The word turned right by 0 to 31 bits."""
    return word >> by | word << (-by & 31)
