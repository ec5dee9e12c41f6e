"""How many layouts answer what at which cell, for many states of knowledge at once.

A *node* is one state of knowledge: the layouts that fit one history. Layouts of a node lie side
by side, so counting them by (node, cell) is a histogram that runs through memory in order. Only
cells of ships are counted; the miss is what is left of the node's total.

The answer to a hit needs no second histogram: a shot sinks a ship only where it has one cell
left, so the few sinks are counted by themselves and taken off the hits.

Whole-number weights (and none at all) give whole numbers throughout, so equal masses are equal.
"""

from collections.abc import Iterator
from functools import cached_property

import numpy as np
from jaxtyping import Bool, Float64, Int64, Integer

from bsjax.posterior.listed import Left, Listing

Mass = Int64[np.ndarray, "..."] | Float64[np.ndarray, "..."]
"""Sums of weights: whole numbers, or floats if the weights are."""

EVENTS = 1 << 18
"""Entries counted at once: 2 MB of indices, which fit a processor cache."""


class Block:
    """Some nodes and their layouts; B nodes, A layouts, C cells, O kinds of answers but the miss.

    All masses are computed when first asked for.

    Attributes:
        listing: table of the game.
        left: the layouts, node after node.
        node: node of each layout, int64[A], ascending from 0.
        open: cells not fired at, bool[B, C].
    """

    def __init__(
        self,
        listing: Listing,
        left: Left,
        node: Int64[np.ndarray, " A"],
        is_open: Bool[np.ndarray, "B C"],
    ):
        self.listing, self.left, self.node, self.open = listing, left, node, is_open

    @property
    def nodes(self) -> int:
        """Number of nodes B."""
        return len(self.open)

    def count(
        self,
        bins: int,
        index: Integer[np.ndarray, " E"],
        layout: Integer[np.ndarray, " E"] | slice = slice(None),
    ) -> Mass:
        """Mass in each bin: event e adds the weight of its layout to bin `index[e]`."""
        if self.left.weight is None:
            return np.bincount(index, minlength=bins)
        sums = np.bincount(index, self.left.weight[layout], minlength=bins)
        # Whole weights add up to less than 2³¹, exact in a float. Of no events NumPy makes whole
        # numbers whatever the weights are.
        return sums.astype(self.left.weight.dtype)

    def chunks(self, per_layout: int) -> Iterator[slice]:
        """Layouts in pieces of about `EVENTS` events, at `per_layout` each."""
        step = max(EVENTS // per_layout, 1)
        for start in range(0, len(self.node), step):
            yield slice(start, start + step)

    def part(self, first: int, last: int) -> "Block":
        """Nodes `first` to `last` − 1 as a block of their own."""
        start, stop = np.searchsorted(self.node, (first, last))
        rows = slice(int(start), int(stop))
        return Block(
            self.listing, self.left.part(rows), self.node[rows] - first, self.open[first:last]
        )

    @cached_property
    def total(self) -> Mass:
        """Mass of each node, [B]."""
        return self.count(self.nodes, self.node)

    @cached_property
    def ship(self) -> Mass:
        """Mass with a ship on each cell, [B, C]; 0 at cells fired at."""
        return self._covered(range(len(self.left.cells)))

    @cached_property
    def sinks(self) -> Mass:
        """Mass in which a shot at a cell sinks each listed ship, [B, K, C]."""
        game = self.listing.game
        shape = (self.nodes, game.ships, game.cells)
        layout, ship, _, cell = self.last_cells
        index = (self.node[layout] * game.ships + ship) * game.cells + cell
        return self.count(self.nodes * game.ships * game.cells, index, layout).reshape(shape)

    @cached_property
    def told(self) -> Mass:
        """Mass of each kind of answer but the miss at each cell, [B, O, C]."""
        game, kinds = self.listing.game, self.listing.kinds
        if game.feedback == "hit":
            return self.ship[:, None]
        layout, _, kind, cell = self.last_cells
        index = (self.node[layout] * kinds.number + kind - 1) * game.cells + cell
        bins = self.nodes * kinds.number * game.cells
        told = self.count(bins, index, layout).reshape(self.nodes, kinds.number, game.cells)
        if game.feedback == "hit-name":
            for ship in range(game.ships):
                column = np.flatnonzero(kinds.ship == ship)
                sunk = told[:, kinds.sunk[0, column[0]] - 1]
                told[:, kinds.hit[column[0]] - 1] = self._covered(column) - sunk
        else:
            told[:, 0] = self.ship - told.sum(1)
        return told

    @cached_property
    def squares(self) -> Mass:
        """Sum of the squared masses of all answers at each cell, [B, C].

        Divided by the total it is the expected mass left after a shot there: the expected number
        of layouts left, if all weigh 1. A cell fired at has the square of the total.
        """
        return (self.total[:, None] - self.ship) ** 2 + (self.told**2).sum(1)

    def live(self, rows: slice) -> Bool[np.ndarray, "n A"]:
        """Which ship cells of some of the layouts are not hit yet."""
        return self.open[self.node[rows], self.left.cells[:, rows]]

    def _covered(self, columns: range | Integer[np.ndarray, " c"]) -> Mass:
        """Mass with one of these ship cells on each cell, [B, C]; 0 at cells fired at."""
        cells = self.listing.game.cells
        found = np.zeros(self.nodes * cells, self.total.dtype)
        for rows in self.chunks(len(columns)):
            start = self.node[rows] * cells
            index = start + self.left.cells[np.asarray(columns), rows]
            if self.left.weight is None:
                found += np.bincount(index.ravel(), minlength=len(found))
            else:
                for one in index:
                    found += self.count(len(found), one, rows)
        return np.where(self.open, found.reshape(self.open.shape), 0)

    @cached_property
    def last_cells(self) -> tuple[Integer[np.ndarray, " E"], ...]:
        """Where one shot sinks a ship: layout, ship, kind of the answer, cell; int64[E] each."""
        listing, left, kinds = self.listing, self.left, self.listing.kinds
        found = []
        for ship in range(listing.game.ships):
            layout = np.flatnonzero(left.afloat[ship] == 1)
            columns = np.flatnonzero(kinds.ship == ship)
            cells = left.cells[columns[:, None], layout]
            column = self.open[self.node[layout], cells].argmax(0)
            cell = cells[column, np.arange(len(layout))]
            down = np.zeros(len(layout), np.int64)
            if listing.game.feedback == "cells":
                down = listing.down[ship, left.row[layout]].astype(np.int64)
            kind = kinds.sunk[down, columns[column]]
            found.append((layout, np.full(len(layout), ship), kind, cell))
        return tuple(np.concatenate(part).astype(np.int64) for part in zip(*found, strict=True))
