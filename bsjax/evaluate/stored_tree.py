"""A fixed hunt written down: which cell at which node, and where each answer leads.

Nodes are numbered generation by generation, the root is 0, and the children of a node are
consecutive. A node without children is a leaf: the fleet is sunk, or one layout is left, whose
cells are then fired at in ascending order.
"""

import numpy as np
from jaxtyping import Bool, Int8, Int16, Int32, Int64

from bsjax.evaluate.front import Children
from bsjax.game.notation import format_cell
from bsjax.game.observation import HIT
from bsjax.game.tokens import History, Shot, announced_in_order
from bsjax.posterior.listed import Listing


class StoredTree:
    """The nodes of a fixed hunt; N of them.

    Attributes:
        listing: the layouts it was made for.
        cell: cell fired at each node, int16[N]; −1 at a leaf.
        answer: answer code that leads to each node from its parent, int8[N]; the root has −2.
        first: first child of each node, int64[N]; 0 at a leaf.
        children: number of children of each node, int16[N].
        row: a layout of each node, int32[N], its only one at most leaves.
    """

    def __init__(
        self,
        listing: Listing,
        cell: Int16[np.ndarray, " N"],
        answer: Int8[np.ndarray, " N"],
        first: Int64[np.ndarray, " N"],
        children: Int16[np.ndarray, " N"],
        row: Int32[np.ndarray, " N"],
    ):
        self.listing = listing
        self.cell, self.answer, self.first, self.children = cell, answer, first, children
        self.row = row

    def __len__(self) -> int:
        return len(self.cell)

    def child(self, node: int, shot: Shot) -> int:
        """The node that this shot and its answer lead to.

        Raises:
            ValueError: the node fires at another cell, or no layout gives this answer.
        """
        game = self.listing.game
        if shot.cell != self.cell[node]:
            other = format_cell(game, int(self.cell[node])) if self.cell[node] >= 0 else "nothing"
            raise ValueError(f"the hunt fires at {other}, not at {format_cell(game, shot.cell)}")
        first = int(self.first[node])
        nodes = first + np.flatnonzero(
            self.answer[first : first + int(self.children[node])] == shot.answer
        )
        if game.feedback == "cells" and shot.answer > HIT:
            boards = self.listing.boards(self.row[nodes])
            shows = [(b == b[shot.cell]).nonzero()[0].tolist() == list(shot.shown) for b in boards]
            nodes = nodes[np.array(shows, bool)]
        if len(nodes) == 0:
            raise ValueError(f"no layout gives this answer at {format_cell(game, shot.cell)}")
        return int(nodes[0])

    def next_cell(self, history: History) -> int | None:
        """The cell the hunt fires at after these shots; None if the fleet is sunk.

        Raises:
            ValueError: the hunt fires otherwise, or no layout gives these answers.
        """
        node, fired, game = 0, set[int](), self.listing.game
        for shot in announced_in_order(game, history):
            if self.cell[node] >= 0:
                node = self.child(node, shot)
            elif shot.cell != min(self._rest(node, fired), default=-1):
                raise ValueError(f"the hunt does not fire at {format_cell(game, shot.cell)}")
            fired.add(shot.cell)
        if self.cell[node] >= 0:
            return int(self.cell[node])
        return min(self._rest(node, fired), default=None)

    def _rest(self, leaf: int, fired: set[int]) -> set[int]:
        """Ship cells of a leaf's layout not fired at."""
        return set(self.listing.cells[:, self.row[leaf]].tolist()) - fired


class Recorder:
    """Takes down the nodes while the tree pass runs."""

    def __init__(self):
        self.nodes = 1
        self.deciding = np.zeros(1, np.int64)
        """Nodes of the latest generation that go on."""
        self.cells: list[tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]] = []
        self.answers = [np.full(1, -2, np.int8)]
        self.rows = [np.zeros(1, np.int32)]

    def generation(
        self, cell: Int16[np.ndarray, " B"], children: Children, ends: Bool[np.ndarray, " N"]
    ) -> None:
        """The nodes that went on fired these cells, with these children, of which some end."""
        bounds = np.searchsorted(children.parent, np.arange(len(cell) + 1))
        count = np.diff(bounds).astype(np.int16)
        self.cells.append((self.deciding, cell, self.nodes + bounds[:-1], count))
        self.answers.append(children.answer)
        self.rows.append(children.row)
        self.deciding = self.nodes + np.flatnonzero(~ends)
        self.nodes += len(ends)

    def tree(self, listing: Listing) -> StoredTree:
        """Everything taken down."""
        cell = np.full(self.nodes, -1, np.int16)
        first, count = np.zeros(self.nodes, np.int64), np.zeros(self.nodes, np.int16)
        for nodes, fired, start, children in self.cells:
            cell[nodes], first[nodes], count[nodes] = fired, start, children
        answer, row = np.concatenate(self.answers), np.concatenate(self.rows)
        return StoredTree(listing, cell, answer, first, count, row)
