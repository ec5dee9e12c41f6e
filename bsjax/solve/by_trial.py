"""Hunts that try cells out: what a quick hunt would win from there decides.

The quick hunt fires at the best cell by one score of what it believes (`Style`). The hunt itself
looks, at every node, at the few cells of the highest scores, plays the quick hunt to the end from
each of them on every layout of the node, adds up the credit by the weights of the layouts and
takes the best cell. Nothing is sampled. All cells of a generation are tried in one pass of the
tree evaluation (`bsjax.evaluate.front`).
"""

from typing import NamedTuple

import numpy as np
from jaxtyping import Float64, Int16, Int64

from bsjax.evaluate.credit import Credit
from bsjax.evaluate.fixed_hunts import FixedHunt
from bsjax.evaluate.front import Front, fire, keep
from bsjax.policies.scores import best_cells
from bsjax.posterior.listed import Listing
from bsjax.posterior.masses import Block

SHARE = 0.5
"""Cells below this share of the highest score of a node are not tried."""
FEW = 2
"""Nodes with no more layouts are not worth a trial: the quick hunt plays them as well as any."""


class Style(NamedTuple):
    """How one hunt chooses."""

    first: int
    """Its first cell."""
    information: float
    """Score of a cell: this share of 1 − Σ P(answer)², the rest P(ship)."""
    tried: int
    """Cells tried at a node at most; 1 for the quick hunt alone."""


class ByTrial(FixedHunt):
    """A hunt in this style against a hider and a pace. It serves one tree pass."""

    counts = True

    def __init__(
        self,
        listing: Listing,
        belief: Float64[np.ndarray, " M"],
        credit: Credit,
        style: Style,
    ):
        """Hunt for credit.

        Args:
            listing: all layouts.
            belief: weight of each layout, positive.
            credit: what finishing at each shot is worth.
            style: how it chooses.
        """
        self.listing, self.belief, self.credit, self.style = listing, belief, credit, style
        self.fired = 0

    def cells(self, front: Front) -> Int16[np.ndarray, " B"]:
        """See `FixedHunt`."""
        self.fired += 1
        if self.fired == 1:
            return np.full(1, self.style.first, np.int16)
        left = front.left._replace(weight=self.belief[front.left.row])
        front = front._replace(left=left)
        chosen = np.zeros(len(front.open), np.int16)
        for nodes, block in front.blocks(self.listing):
            score = self._score(block)
            chosen[nodes] = best_cells([score], block.open)
            if self.style.tried > 1:
                chosen[nodes] = self._tried(front, nodes.start, score, chosen[nodes])
        return chosen

    def _score(self, block: Block) -> Float64[np.ndarray, "B C"]:
        """Score of every cell, 0 where none of the layouts has a ship."""
        share, total = self.style.information, block.total[:, None]
        score = block.ship / total
        if share > 0:
            gain = 1 - block.squares / total**2
            score = np.where(score > 0, (1 - share) * score + share * gain, 0)
        return score

    def _tried(
        self,
        front: Front,
        first: int,
        score: Float64[np.ndarray, "B C"],
        chosen: Int16[np.ndarray, " B"],
    ) -> Int16[np.ndarray, " B"]:
        """The best cell of each node from `first` on, if cells are tried there."""
        most = self.style.tried
        order = np.argsort(-score, axis=1, kind="stable")[:, :most]
        best = np.take_along_axis(score, order, 1)
        size = front.size[first : first + len(score)]
        worth = (best >= SHARE * best[:, :1]) & (best > 0) & (size > FEW)[:, None]
        worth &= worth[:, 1:2]
        node, rank = np.nonzero(worth)
        if not len(node):
            return chosen
        cell = order[node, rank].astype(np.int16)
        value = np.full(worth.shape, -np.inf)
        value[node, rank] = self.trial(front, first + node, cell)
        found = order[np.arange(len(order)), value.argmax(1)]
        return np.where(worth[:, 0], found, chosen).astype(np.int16)

    def trial(
        self, front: Front, node: Int64[np.ndarray, " N"], cell: Int16[np.ndarray, " N"]
    ) -> Float64[np.ndarray, " N"]:
        """Credit of firing a cell in a node and going on quickly, times the node's weight.

        Args:
            front: nodes of the generation after `fired` − 1 shots, with weights.
            node: a node for each trial.
            cell: the cell fired at in each.
        """
        size = front.size[node]
        end = np.cumsum(size)
        layout = np.arange(end[-1]) + np.repeat(front.start[node] - end + size, size)
        now = Front(
            front.left.take(layout),
            np.append(0, end),
            front.open[node],
            front.hits[node],
            front.announced[node],
        )
        origin, fired, total = np.arange(len(node)), self.fired, np.zeros(len(node))
        while True:
            children = fire(self.listing, now, cell)
            now, origin = children.front, origin[children.parent]
            ends = (now.hits == self.listing.game.ship_cells) | (now.size == 1)
            over = np.flatnonzero(np.repeat(ends, now.size))
            left = now.left.take(over)
            assert left.weight is not None
            credit = left.weight * self.credit[fired + left.afloat.sum(0, dtype=np.int16)]
            total += np.bincount(np.repeat(origin[ends], now.size[ends]), credit, len(total))
            now, origin = keep(now, ~ends), origin[~ends]
            if not len(origin):
                return total
            cell = np.zeros(len(origin), np.int16)
            for nodes, block in now.blocks(self.listing):
                cell[nodes] = best_cells([self._score(block)], block.open)
            fired += 1
