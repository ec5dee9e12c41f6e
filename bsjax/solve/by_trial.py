"""Hunts that try cells out: what a quick hunt would win from there decides.

The quick hunt fires at the best cell by one score of what it believes (`Style`). The hunt itself
looks, at every node, at the few cells of the highest scores, plays the quick hunt to the end from
each of them on every layout of the node (`bsjax.solve.quick`), adds up the credit by the weights
of the layouts and takes the best cell. Nothing is sampled.
"""

from typing import NamedTuple

import numpy as np
from jaxtyping import Float64, Int16, Int64, UInt8

from bsjax.evaluate.credit import Credit
from bsjax.evaluate.fixed_hunts import FixedHunt
from bsjax.evaluate.front import Front
from bsjax.posterior.listed import Listing
from bsjax.solve.quick import Quick, States, scores

SHARE = 0.5
"""Cells below this share of the highest score of a node are not tried."""
FEW = 2
"""Nodes with no more layouts are not worth a trial: the quick hunt plays them as well as any."""
_LAYOUTS = 1 << 21
"""Layouts that trials begin with together, unless one node alone has more."""


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
            belief: weight of each layout, positive. Whole numbers below 2³² in all, with credit
                in multiples of 2⁻²⁰, make the hunt the same to the last bit everywhere.
            credit: what finishing at each shot is worth.
            style: how it chooses.

        Cost: on 10×10 {3,3,2} about 7 s of one core for a quick hunt, and 120 s and 1.1 GB for
        one that tries four cells.
        """
        self.listing, self.belief, self.style = listing, belief, style
        self.quick = Quick(listing, credit, style.information)
        self.fired = 0

    def cells(self, front: Front) -> Int16[np.ndarray, " B"]:
        """See `FixedHunt`."""
        self.fired += 1
        if self.fired == 1:
            return np.full(1, self.style.first, np.int16)
        states = self._states(front)
        most = max(self.style.tried, 1)
        best = np.zeros((len(states.left), most), np.uint8)
        value = np.zeros(best.shape)
        for nodes, score in scores(self.listing, states, self.style.information):
            for rank in range(most):
                cell = score.argmax(1)
                best[nodes, rank], at = cell, (np.arange(len(cell)), cell)
                value[nodes, rank] = score[at]
                score[at] = -1
        worth = (value >= SHARE * value[:, :1]) & (value > 0) & (states.size > FEW)[:, None]
        worth &= worth[:, 1:2] if most > 1 else False
        node, rank = np.nonzero(worth)
        if len(node):
            value[:] = -np.inf
            value[node, rank] = self._trial(front, states, node, best[node, rank])
            best[:, 0] = np.where(
                worth[:, 0], best[np.arange(len(best)), value.argmax(1)], best[:, 0]
            )
        return best[:, 0].astype(np.int16)

    def trial(
        self, front: Front, node: Int64[np.ndarray, " N"], cell: Int16[np.ndarray, " N"]
    ) -> Float64[np.ndarray, " N"]:
        """Credit of firing a cell in a node and going on quickly, times the node's weight.

        Args:
            front: nodes of the generation after `fired` − 1 shots.
            node: a node for each trial.
            cell: the cell fired at in each.
        """
        return self._trial(front, self._states(front), node, cell.astype(np.uint8))

    def _states(self, front: Front) -> States:
        """The nodes as the quick hunt sees them."""
        game, cells = self.listing.game, front.left.cells
        states = States(
            front.left.row,
            self.belief[front.left.row],
            cells,
            front.start,
            game.ship_cells - front.hits.astype(np.int64),
        )
        place = states.of * game.cells
        is_open, live = front.open.ravel(), np.empty_like(cells)
        for column, own in enumerate(cells):
            live[column] = np.where(is_open.take(place + own), own, np.uint8(game.cells))
        return states._replace(live=live)

    def _trial(
        self,
        front: Front,
        states: States,
        node: Int64[np.ndarray, " N"],
        cell: UInt8[np.ndarray, " N"],
    ) -> Float64[np.ndarray, " N"]:
        start = states.start[:-1]
        words = self.quick.words(front.left.cells[:, start], states.live[:, start])
        found, size, first = np.empty(len(node)), states.size[node], 0
        end = np.cumsum(size)
        while first < len(node):
            before = end[first] - size[first]
            last = max(int(np.searchsorted(end, before + _LAYOUTS, side="right")), first + 1)
            part = slice(first, last)
            layout = np.arange(before, end[last - 1])
            layout += np.repeat(states.start[node[part]] - end[part] + size[part], size[part])
            tried = States(
                states.row[layout],
                states.weight[layout],
                np.take(states.live, layout, axis=1),
                np.append(0, end[part] - before),
                states.left[node[part]],
            )
            found[part] = self.quick.worth(tried, words[node[part]], self.fired - 1, cell[part])
            first = last
        return found
