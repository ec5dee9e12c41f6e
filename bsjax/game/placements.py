"""Where each ship can lie, as NumPy tables built once per game.

A placement is one legal position of one ship. Ships of length L on a W×H board have
H·max(0, W−L+1) horizontal and W·max(0, H−L+1) vertical placements; a ship of one cell has one
placement per cell, not two. Horizontal placements come first, then vertical ones, each in the
order of their first cell.
"""

from functools import lru_cache

import numpy as np
from jaxtyping import Bool, Int16, Int64, UInt32

from bsjax.game.game import Game
from bsjax.game.touching import reach

WORD = 32
"""Bits per word of a packed mask."""


def placement_cells(size: tuple[int, int], length: int) -> Int16[np.ndarray, "P L"]:
    """Cells of each placement of a ship of `length` cells, from its first cell on."""
    width, height = size
    across = [
        [row * width + column + i for i in range(length)]
        for row in range(height)
        for column in range(width - length + 1)
    ]
    down = [
        [(row + i) * width + column for i in range(length)]
        for row in range(height - length + 1)
        for column in range(width)
    ]
    both = across if length == 1 else across + down
    return np.array(both, np.int16).reshape(-1, length)


@lru_cache(maxsize=256)
def placement_masks(size: tuple[int, int], length: int) -> Bool[np.ndarray, "P C"]:
    """Each placement as a 0/1 mask over the cells."""
    cells = placement_cells(size, length)
    masks = np.zeros((len(cells), size[0] * size[1]), bool)
    np.put_along_axis(masks, cells.astype(np.int64), True, axis=1)
    return _frozen(masks)


def placement_counts(game: Game) -> Int64[np.ndarray, " K"]:
    """P_k, the number of placements of each ship on the empty board."""
    return np.array([len(placement_masks(game.size, length)) for length in game.fleet], np.int64)


def denied_masks(game: Game, length: int) -> Bool[np.ndarray, "P C"]:
    """Cells that each placement of a ship of `length` denies to the other ships."""
    return placement_masks(game.size, length) @ reach(game.size, game.touching)


@lru_cache(maxsize=64)
def overlap(game: Game, a: int, b: int) -> Bool[np.ndarray, "Pa Pb"]:
    """Which placements of ships of lengths `a` and `b` cannot stand together.

    They share a cell or touch where the touching rule forbids it. The relation is symmetric:
    `overlap(game, a, b).T == overlap(game, b, a)`.
    """
    shared = denied_masks(game, a).astype(np.int32) @ placement_masks(game.size, b).T
    return _frozen(shared > 0)


def packed(masks: Bool[np.ndarray, "*rows C"]) -> UInt32[np.ndarray, "*rows W"]:
    """Masks as 32-bit words, cell c in bit c mod 32 of word c // 32."""
    *rows, cells = masks.shape
    words = -(-cells // WORD)
    bits = np.zeros((*rows, words * WORD), np.uint8)
    bits[..., :cells] = masks
    return np.packbits(bits, axis=-1, bitorder="little").view("<u4").astype(np.uint32)


@lru_cache(maxsize=32)
def fleet_tables(
    game: Game,
) -> tuple[UInt32[np.ndarray, "K P W"], UInt32[np.ndarray, "K P W"], Int64[np.ndarray, " K"]]:
    """Packed cells and packed denied cells of every ship, padded to the most placements.

    Returns:
        cells, denied and the placement counts P_k; rows from P_k on are zero.
    """
    counts = placement_counts(game)
    words = -(-game.cells // WORD)
    cells = np.zeros((game.ships, int(counts.max()), words), np.uint32)
    denied = np.zeros_like(cells)
    for ship, length in enumerate(game.fleet):
        cells[ship, : counts[ship]] = packed(placement_masks(game.size, length))
        denied[ship, : counts[ship]] = packed(denied_masks(game, length))
    return _frozen(cells), _frozen(denied), _frozen(counts)


def _frozen(table: np.ndarray) -> np.ndarray:
    """Tables are cached and shared: nobody may write to them."""
    table.setflags(write=False)
    return table
