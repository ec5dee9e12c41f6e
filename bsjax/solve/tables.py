"""What a state of knowledge is looked up in: layouts as bit masks, their images, random words.

A state of knowledge is the set S of layouts that fit all answers, and the set H of fired cells
that hit. Sets of cells are unsigned words with cell c in bit c. A layout is called by its row in
the listing **plus one**; 0 is no layout and fills up short lists of members.

**Keys.** Every layout ℓ has a random 64-bit word z(ℓ), every cell c a word y(c). The key of a
state is the least, over the symmetries g that map the board to itself, of

    Σ z(g(ℓ)) over ℓ in S  +  Σ y(g(c)) over c in H      (mod 2⁶⁴)

so turned states share it. That any two other states of a layer share one has a chance of 5 in
10,000 over the whole graph of 5×5 {3,3,2}. The symmetry that gives the least sum also turns the
state into the one **frame** in which all its turned copies list their moves in the same order.
"""

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from jaxtyping import Int64, UInt, UInt8, UInt16, UInt64

from bsjax.game.game import Game
from bsjax.game.placements import placement_cells
from bsjax.game.symmetry import cell_images, placement_images
from bsjax.posterior.listed import Listing

MOST_LAYOUTS = (1 << 16) - 1
"""Layouts that a 16-bit list of members can name."""
MOST_CELLS = 63
"""Cells of a board: one bit of a word is kept free."""
_MOST_LENGTHS = 6
_EXACT_WIDTHS = 8
_GROWTH = 1.125


class Tables(NamedTuple):
    """Lookup tables of one game; M layouts, C cells, G symmetries, K answers, S ships.

    The answers are 0 the miss, 1 a hit, and 2 + i a sink of length `game.lengths[i]`.
    """

    listing: Listing
    ships: UInt[np.ndarray, "S N"]
    """Cells of each ship of layout 0 (none) to M; N = M + 1."""
    ship_at: UInt[np.ndarray, "L1 C N"]
    """Cells of the ship that covers this cell in each layout, 0 for water; first any ship, then
    the ships of each length alone. No layout has one cell off the board everywhere, which
    answers nothing (`children`)."""
    sink: UInt8[np.ndarray, " L"]
    """How many answers a sink of a ship of each length lies above the plain hit."""
    words: UInt64[np.ndarray, "N G"]
    """z(g(ℓ)); row 0 is zero."""
    cell_words: UInt64[np.ndarray, "C1 G"]
    """Row 0 is zero, row c + 1 is y(g(c))."""
    byte_words: UInt64[np.ndarray, "Y 256 G"]
    """Σ y(g(c)) over the cells of each value of each byte of a set."""
    byte_images: UInt[np.ndarray, "G Y 256"]
    """The cells of each value of each byte of a set, turned by g."""
    before: UInt8[np.ndarray, "G C"]
    """The cell that g turns into this one."""
    left_edge: np.unsignedinteger
    """Cells of the first column."""
    right_edge: np.unsignedinteger
    """Cells of the last column."""
    board: np.unsignedinteger
    """All cells."""
    widths: UInt16[np.ndarray, " W"]
    """Lengths to which lists of members are filled up, ascending."""
    width_of: UInt8[np.ndarray, " N"]
    """The first width that holds a list of this length."""

    @property
    def game(self) -> Game:
        """The game."""
        return self.listing.game

    @property
    def answers(self) -> int:
        """Number K of answers."""
        return 2 + len(self.game.lengths)

    @property
    def cell_type(self) -> np.dtype:
        """Unsigned type of a set of cells, 32 or 64 bits."""
        return self.ships.dtype

    def hit_words(self, hits: UInt[np.ndarray, " B"]) -> UInt64[np.ndarray, "B G"]:
        """Σ y(g(c)) over each set of cells."""
        parts = hits.view(np.uint8).reshape(len(hits), -1)
        total = self.byte_words[0].take(parts[:, 0], axis=0, mode="clip")
        for byte in range(1, len(self.byte_words)):
            total += self.byte_words[byte].take(parts[:, byte], axis=0, mode="clip")
        return total

    def turned(
        self, cells: UInt[np.ndarray, " B"], by: Int64[np.ndarray, " B"]
    ) -> UInt[np.ndarray, " B"]:
        """Each set of cells, turned by its symmetry."""
        parts = cells.view(np.uint8).reshape(len(cells), -1)
        flat, bytes_used = self.byte_images.ravel(), self.byte_images.shape[1]
        total = np.zeros_like(cells)
        for byte in range(bytes_used):
            total |= flat.take((by * bytes_used + byte) << 8 | parts[:, byte], mode="clip")
        return total

    def beside(self, cells: UInt[np.ndarray, " B"]) -> UInt[np.ndarray, " B"]:
        """The cells that share a side with each set."""
        one, row = self.cell_type.type(1), self.cell_type.type(self.game.width)
        across = (cells & ~self.right_edge) << one | (cells & ~self.left_edge) >> one
        return (across | cells << row | cells >> row) & self.board


@lru_cache(maxsize=4)
def tables_of(game: Game) -> Tables:
    """The tables of a game.

    Raises:
        ValueError: the feedback is not `size`, or there are too many layouts, cells or lengths.
    """
    if game.feedback != "size":
        raise ValueError(
            f"feedback {game.feedback!r}: states of knowledge are built for feedback size only"
        )
    if game.cells > MOST_CELLS or len(game.lengths) > _MOST_LENGTHS:
        raise ValueError(
            f"{game} is too large to solve: at most {MOST_CELLS} cells and {_MOST_LENGTHS} "
            f"different lengths"
        )
    listing = Listing(game)
    if not 0 < len(listing) <= MOST_LAYOUTS:
        raise ValueError(
            f"{game} has {len(listing):,} layouts; a state graph takes 1 to {MOST_LAYOUTS:,}: "
            f"choose a smaller board or fleet"
        )
    cells = np.uint32 if game.cells < 32 else np.uint64
    bit = cells(1) << np.arange(game.cells, dtype=cells)
    ships = _ships(listing, bit)
    ship_at = np.zeros((1 + len(game.lengths), game.cells, len(listing) + 1), cells)
    for ship, length in zip(ships, game.fleet, strict=True):
        covering = np.where(bit[:, None] & ship, ship, cells(0))
        ship_at[0] += covering
        ship_at[1 + game.lengths.index(length)] += covering
    ship_at[:, :, 0] = cells(1) << cells(8 * cells().nbytes - 1)
    sink = np.zeros(max(game.lengths) + 1, np.uint8)
    sink[list(game.lengths)] = 1 + np.arange(len(game.lengths))
    images = layout_images(listing)
    z, y = _random(len(listing), 1), _random(game.cells, 2)
    turned = cell_images(game.size).astype(np.int64)
    before = np.argsort(turned, axis=1).astype(np.uint8)
    column = np.arange(game.cells) % game.width
    widths = _widths(len(listing))
    return Tables(
        listing,
        ships,
        ship_at,
        sink,
        _under_zeros(z[images].T),
        _under_zeros(y[turned].T),
        _by_byte(y[turned].T, cells().nbytes),
        np.stack([_by_byte(bit[g][:, None], cells().nbytes)[..., 0] for g in turned]),
        before,
        np.bitwise_or.reduce(bit[column == 0]),
        np.bitwise_or.reduce(bit[column == game.width - 1]),
        np.bitwise_or.reduce(bit),
        widths,
        np.searchsorted(widths, np.arange(len(listing) + 1)).astype(np.uint8),
    )


def layout_images(listing: Listing) -> Int64[np.ndarray, "G M"]:
    """Row of the image of every layout under every symmetry of the board."""
    game = listing.game
    turned = np.stack(
        [
            placement_images(game.size, length)[:, listing.layouts[:, ship]]
            for ship, length in enumerate(game.fleet)
        ]
    ).astype(np.int64)
    # Equal ships are alike: a layout lists their placements in ascending order.
    for length in game.lengths:
        alike = [ship for ship, other in enumerate(game.fleet) if other == length]
        turned[alike] = np.sort(turned[alike], axis=0)
    # One number for each layout and image, from the placements of its ships.
    own = listing.layouts.T.astype(np.int64)
    key, bound = np.zeros((1 + turned.shape[1], len(listing)), np.int64), 1
    for ship, placements in enumerate(own):
        width = int(placements.max(initial=0)) + 1
        if bound * width >= 1 << 63:
            key = np.unique(key, return_inverse=True)[1].reshape(key.shape)
            bound = int(key.max()) + 1
        key[0], key[1:] = key[0] * width + placements, key[1:] * width + turned[ship]
        bound *= width
    order = np.argsort(key[0])
    return order[np.searchsorted(key[0], key[1:], sorter=order)]


def orbits(listing: Listing) -> Int64[np.ndarray, " M"]:
    """The lowest row among the images of every layout: turned layouts share it."""
    return layout_images(listing).min(0)


class Classes(NamedTuple):
    """Layouts that the symmetries of the board turn into each other, as classes; O of them."""

    of: Int64[np.ndarray, " M"]
    """Class of each layout, numbered by the lowest row of each."""
    size: Int64[np.ndarray, " O"]
    """Layouts of each class."""
    row: Int64[np.ndarray, " O"]
    """Lowest row of each class."""


@lru_cache(maxsize=8)
def classes(game: Game) -> Classes:
    """The classes of turned layouts of a listable game."""
    row, of, size = np.unique(orbits(Listing(game)), return_inverse=True, return_counts=True)
    return Classes(of, size, row)


def _ships(listing: Listing, bit: np.ndarray) -> np.ndarray:
    """Cells of each ship of each layout, after the row of no layout."""
    game = listing.game
    ships = np.zeros((game.ships, len(listing) + 1), bit.dtype)
    for ship, length in enumerate(game.fleet):
        masks = bit[placement_cells(game.size, length)].sum(1, dtype=bit.dtype)
        ships[ship, 1:] = masks[listing.layouts[:, ship]]
    return ships


def _under_zeros(rows: np.ndarray) -> np.ndarray:
    """The rows under a row of zeros, each row in one piece of memory."""
    table = np.zeros((len(rows) + 1, rows.shape[1]), rows.dtype)
    table[1:] = rows
    return table


def _by_byte(rows: np.ndarray, size: int) -> np.ndarray:
    """Sums of the rows of the cells of every value of every byte: [size, 256, columns]."""
    total = np.zeros((size, 256, rows.shape[1]), rows.dtype)
    value = np.arange(256)
    for cell, row in enumerate(rows):
        total[cell >> 3, value >> (cell & 7) & 1 == 1] += row
    return total


def _widths(layouts: int) -> UInt16[np.ndarray, " W"]:
    """Every length up to 8, then steps of an eighth: lists are filled up by a few per cent."""
    widths = list(range(1, _EXACT_WIDTHS + 1))
    while widths[-1] < layouts:
        widths.append(min(int(np.ceil(widths[-1] * _GROWTH)), MOST_LAYOUTS))
    return np.array(widths, np.uint16)


def _random(count: int, stream: int) -> UInt64[np.ndarray, " n"]:
    """Fixed random words (splitmix64): a graph on disk must mean the same for ever."""
    x = np.arange(1, count + 1, dtype=np.uint64) + (np.uint64(stream) << np.uint64(32))
    x *= np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ x >> np.uint64(30)) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ x >> np.uint64(27)) * np.uint64(0x94D049BB133111EB)
    return x ^ x >> np.uint64(31)
