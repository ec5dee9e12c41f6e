"""Which edges of a layer lead to the same state: sort the keys, number what is new.

A layer can have hundreds of millions of keys. They are parted by their lowest bits where they are
made, and each part is sorted by itself in the cache. `numpy.unique` with inverse is many times
slower than a sort and a difference.
"""

from collections.abc import Callable, Iterable
from typing import NamedTuple

import numpy as np
from jaxtyping import Int64, UInt8, UInt32, UInt64

PART = 1 << 16
"""Keys of one part, about: their sort stays in the cache of a core."""
MOST_PARTS = 1 << 12
_EDGES_A_STATE = 8

Spread = Callable[..., Iterable]
"""`map`, or one that runs on several cores and keeps the order."""


class Keys(NamedTuple):
    """The keys of one piece of work, parted; E edges, P parts."""

    key: UInt64[np.ndarray, " E"]
    """The keys, part after part."""
    edge: UInt32[np.ndarray, " E"]
    """The edge of each, counted within the piece."""
    start: Int64[np.ndarray, " P1"]
    """First key of each part, and E at the end."""


class Merged(NamedTuple):
    """The states that the E edges of a layer lead to; n of them."""

    child: UInt32[np.ndarray, " E"]
    """State of the next layer that each edge leads to."""
    first: Int64[np.ndarray, " n"]
    """The first edge to each state, ascending."""
    width: UInt8[np.ndarray, " n"]
    """Width of the state that each of these leads to."""


def parts_for(states: int) -> int:
    """How many parts suit the edges of this many states: a power of two."""
    wanted = max(states * _EDGES_A_STATE // PART, 1)
    return min(1 << (wanted.bit_length() - 1), MOST_PARTS)


def parted(key: UInt64[np.ndarray, " E"], parts: int) -> Keys:
    """The keys of one piece of work, by their lowest bits; `parts` is a power of two."""
    part = (key & np.uint64(parts - 1)).astype(np.uint16)
    order = np.argsort(part, kind="stable")
    start = np.zeros(parts + 1, np.int64)
    np.cumsum(np.bincount(part, minlength=parts), out=start[1:])
    return Keys(key.take(order), order.astype(np.uint32), start)


def merge(pieces: list[Keys], width: list[UInt8[np.ndarray, " _"]], spread: Spread = map) -> Merged:
    """Number the states that these edges lead to.

    States are numbered by width, and among the same width by the first edge that leads there.

    Args:
        pieces: keys of the layer's edges; emptied as soon as they are sorted.
        width: width of the child of each edge, piece by piece.
        spread: how the parts are mapped.

    Raises:
        ValueError: there are 2³² edges or more.

    Cost: about 30 ns an edge; 13 bytes an edge beside the keys.
    """
    base = np.cumsum([0, *(len(piece.key) for piece in pieces)])
    edges = int(base[-1])
    if edges >= 1 << 32:
        raise ValueError(f"a layer of {edges:,} edges is too large; choose a smaller game")

    def sort(part: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        rows = [slice(piece.start[part], piece.start[part + 1]) for piece in pieces]
        key = np.concatenate([piece.key[r] for piece, r in zip(pieces, rows, strict=True)])
        edge = np.concatenate(
            [
                piece.edge[r] + np.uint32(start)
                for piece, r, start in zip(pieces, rows, base[:-1], strict=True)
            ]
        )
        order = np.argsort(key)
        key, edge = key.take(order), edge.take(order)
        run = np.flatnonzero(np.diff(key, prepend=~key[:1]))
        first = np.minimum.reduceat(edge, run) if len(run) else edge
        return edge, first, np.diff(run, append=len(key))

    runs = list(spread(sort, range(len(pieces[0].start) - 1)))
    pieces.clear()
    is_first = np.zeros(edges, bool)
    for _, first, _ in runs:
        is_first[first] = True
    firsts = np.flatnonzero(is_first)
    del is_first
    widths = np.concatenate(width).take(firsts)
    child = np.empty(edges, np.uint32)
    order = np.argsort(widths, kind="stable")
    child[firsts.take(order)] = np.arange(len(firsts), dtype=np.uint32)

    def number(run: tuple[np.ndarray, np.ndarray, np.ndarray]) -> None:
        edge, first, length = run
        child[edge] = np.repeat(child.take(first), length)

    for _ in spread(number, runs):
        pass
    return Merged(child, firsts, widths)
