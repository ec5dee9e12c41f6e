"""All states of knowledge after the same number of shots, and what one more shot makes of them.

A fixed hunt played against every layout at once is a tree: a node fires one cell, and its layouts
part by the answer. `Front` is one generation of nodes. Layouts of a node lie side by side, and a
shot costs one pass over them and one sort by (node, answer).
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Int8, Int16, Int32, Int64

from bsjax.posterior.kinds import codes
from bsjax.posterior.listed import Left, Listing
from bsjax.posterior.masses import Block

LAYOUTS = 1 << 16
"""Layouts of one block of nodes, unless one node alone has more."""
ENTRIES = 1 << 18
"""Nodes × cells of one block."""


class Front(NamedTuple):
    """One generation of B nodes with A layouts in all; C cells, L lengths."""

    left: Left
    """The layouts, node after node."""
    start: Int64[np.ndarray, " B1"]
    """First layout of each node, and A at the end."""
    open: Bool[np.ndarray, "B C"]
    """Cells not fired at."""
    hits: Int16[np.ndarray, " B"]
    """Hits so far; all layouts of a node agree in it."""
    announced: Int8[np.ndarray, "B L"]
    """Ships of each length told as sunk so far (`size` and `cells` only)."""

    @property
    def size(self) -> Int64[np.ndarray, " B"]:
        """Layouts of each node."""
        return np.diff(self.start)

    def blocks(self, listing: Listing) -> Iterator[tuple[slice, Block]]:
        """The nodes in blocks that fit the memory: which nodes, and their block."""
        width, first, nodes = self.open.shape[1], 0, len(self.open)
        while first < nodes:
            reach = int(np.searchsorted(self.start, self.start[first] + LAYOUTS, side="right")) - 1
            last = min(max(reach, first + 1), first + max(ENTRIES // width, 1), nodes)
            rows = slice(int(self.start[first]), int(self.start[last]))
            node = np.repeat(np.arange(last - first), np.diff(self.start[first : last + 1]))
            yield (
                slice(first, last),
                Block(listing, self.left.part(rows), node, self.open[first:last]),
            )
            first = last


class Children(NamedTuple):
    """Where the nodes of the next generation come from, before any of them is taken off."""

    front: Front
    """The children, by parent and then by kind of answer."""
    parent: Int64[np.ndarray, " B"]
    """Their parent's number in the generation before."""
    answer: Int8[np.ndarray, " B"]
    """Answer code of the shot that parted them."""
    row: Int32[np.ndarray, " B"]
    """A layout of each child. Under `cells` it shows the ship just sunk, as all of them do."""


def opening(listing: Listing, left: Left) -> Front:
    """The root: all layouts, no shot fired."""
    game = listing.game
    return Front(
        left,
        np.array([0, len(left.row)]),
        np.ones((1, game.cells), bool),
        np.zeros(1, np.int16),
        np.zeros((1, len(game.lengths)), np.int8),
    )


def fire(listing: Listing, front: Front, cell: Int16[np.ndarray, " B"]) -> Children:
    """Fire one cell in every node and part its layouts by the answers.

    Args:
        listing: table of the game.
        front: the nodes.
        cell: a cell not fired at, for each node.

    Cost: one pass and one sort over the layouts.
    """
    game, kinds = listing.game, listing.kinds
    node = np.repeat(np.arange(len(cell)), front.size)
    kind, afloat = listing.answers(front.left, np.repeat(cell.astype(np.uint8), front.size))
    # Key and place in one word: sorting words is several times faster than sorting places by key,
    # and keeps the order of the layouts within a node.
    key = node * (kinds.number + 1) + kind
    word = np.sort(key << 32 | np.arange(len(key)))
    order, key = word & 0xFFFFFFFF, word >> 32
    first = np.flatnonzero(np.diff(key, prepend=-1))
    parent, kind = np.divmod(key[first], kinds.number + 1)
    kind = kind.astype(np.int16)
    left = front.left._replace(afloat=afloat).take(order)

    is_open = front.open[parent]
    is_open[np.arange(len(parent)), cell[parent]] = False
    announced = front.announced[parent]
    answer = codes(game, kind, announced)
    length = kinds.length[kind]
    told = np.flatnonzero(length >= 0)
    announced[told, length[told]] += 1
    hits = front.hits[parent] + (kind > 0).astype(np.int16)
    start = np.append(first, len(order))
    return Children(Front(left, start, is_open, hits, announced), parent, answer, left.row[first])


def keep(front: Front, kept: Bool[np.ndarray, " B"]) -> Front:
    """Some of the nodes, with their layouts."""
    if kept.all():
        return front
    layouts = np.flatnonzero(np.repeat(kept, front.size))
    return Front(
        front.left.take(layouts),
        np.append(0, np.cumsum(front.size[kept])),
        front.open[kept],
        front.hits[kept],
        front.announced[kept],
    )
