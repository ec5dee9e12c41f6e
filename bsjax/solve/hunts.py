"""Hunts over states of knowledge, as the tree pass runs them: by one move for every state, or by
the cells that were written down.

A state is folded: the node of a game is one of its turned copies. The sums of words of the node's
own layouts say which symmetry turns it into its frame, and the state's moves are counted there.
"""

import numpy as np
from jaxtyping import Bool, Int16, UInt8

from bsjax.evaluate.fixed_hunts import FixedHunt
from bsjax.evaluate.front import Children, Front
from bsjax.solve.knowledge import Graph
from bsjax.solve.moves import look, moves
from bsjax.solve.sums import summed

_NO_HUNT = "these cells are no hunt of this game"


class ByChoice(FixedHunt):
    """A chosen move for every state. It serves one tree pass, from the root on.

    When one layout is left, its cells are fired at in ascending order: the hunt ends at the same
    shot whatever their order.
    """

    counts = True

    def __init__(self, graph: Graph, choice: list[UInt8[np.ndarray, " _"]]):
        """Play these moves.

        Args:
            graph: the states.
            choice: for every layer the number of the move of each state.
        """
        self.graph, self.choice = graph, choice
        self.shots = 0
        self.state = np.zeros(1, np.int64)
        """State of each node that goes on."""

    def cells(self, front: Front) -> Int16[np.ndarray, " B"]:
        """See `FixedHunt`."""
        tables = self.graph.tables
        layouts = front.left.row + np.int32(1)
        start = front.start.astype(np.int32)
        # A cell fired at is a hit in all layouts of a node, or in none.
        bit = tables.cell_type.type(1) << np.arange(tables.game.cells, dtype=tables.cell_type)
        fired = np.where(front.open, tables.cell_type.type(0), bit).sum(1, dtype=bit.dtype)
        cells_of = np.bitwise_or.reduce(tables.ships, axis=0)
        hits = fired & cells_of[layouts[start[:-1]]]
        words = tables.hit_words(hits) + summed(tables.words, start, layouts)
        chosen = self._chosen()
        fire = np.zeros(len(hits), np.int16)
        width = tables.width_of[front.size]
        for kind in np.unique(width):
            nodes = np.flatnonzero(width == kind)
            place = front.start[nodes] + np.arange(int(tables.widths[kind]))[:, None]
            inside = place < front.start[nodes + 1]
            members = np.where(inside, layouts.take(place, mode="clip"), 0).astype(np.int64)
            seen = look(tables, self.graph.rule, members, hits[nodes])
            found = moves(tables, seen, words[nodes].argmin(1))
            first = np.cumsum(found.number) - found.number
            fire[nodes] = found.cell[first + chosen[nodes]]
        return fire

    def follow(
        self, cell: Int16[np.ndarray, " B"], children: Children, kept: Bool[np.ndarray, " N"]
    ) -> None:
        """Each node goes on to the states that its move leads to, by ascending answer."""
        del cell
        leads = self.graph.layers[self.shots].pages.children(self.state, self._chosen())
        parent = children.parent
        rank = np.arange(len(parent)) - np.searchsorted(parent, parent)
        self.state = leads[parent, rank][kept]
        self.shots += 1

    def _chosen(self) -> np.ndarray:
        return self.choice[self.shots][self.state].astype(np.int64)


class ByCells(FixedHunt):
    """A hunt written down as cells: those of its deciding nodes, generation by generation, in the
    order in which the tree pass meets them. It serves one pass."""

    counts = True

    def __init__(self, cells: UInt8[np.ndarray, " N"]):
        self.written, self.read = cells, 0

    def cells(self, front: Front) -> Int16[np.ndarray, " B"]:
        """See `FixedHunt`.

        Raises:
            ValueError: the cells are those of another game.
        """
        nodes, cells = front.open.shape
        fire = self.written[self.read : self.read + nodes].astype(np.int16)
        inside = len(fire) == nodes and (fire < cells).all()
        if not inside or not front.open[np.arange(nodes), fire].all():
            raise ValueError(_NO_HUNT)
        self.read += nodes
        return fire

    def require_all_read(self) -> None:
        """Refuse cells that were left over when the pass was done.

        Raises:
            ValueError: there are some.
        """
        if self.read < len(self.written):
            raise ValueError(_NO_HUNT)


class Writing(FixedHunt):
    """A hunt that is written down while it plays; see `ByCells`."""

    counts = True

    def __init__(self, hunt: FixedHunt):
        """Play this hunt, which knows the layouts."""
        self.hunt = hunt
        self._cells: list[np.ndarray] = []

    def cells(self, front: Front) -> Int16[np.ndarray, " B"]:
        """See `FixedHunt`."""
        self._cells.append(self.hunt.cells(front))
        return self._cells[-1]

    def follow(
        self, cell: Int16[np.ndarray, " B"], children: Children, kept: Bool[np.ndarray, " N"]
    ) -> None:
        """See `FixedHunt`."""
        self.hunt.follow(cell, children, kept)

    def written(self) -> UInt8[np.ndarray, " N"]:
        """All cells so far."""
        return np.concatenate([np.zeros(0, np.uint8), *self._cells]).astype(np.uint8)
