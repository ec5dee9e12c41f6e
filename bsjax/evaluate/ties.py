"""Exact finishing times of a score whose ties are broken at random.

The only dice of such a hunter are those between equal cells: all ways to break the ties are
followed at once, as one decision tree with chances, and nothing is sampled.

What it knows is the set of layouts left and the cells hit, whatever shots led there. So nodes that
agree in both are one, and carry the chance of getting there: that of the ties won on the way,
which is the same for all their layouts.
"""

import numpy as np
from jaxtyping import Bool, Float64, Int16, Int64, UInt64

from bsjax.evaluate.front import Front, fire, keep, opening
from bsjax.policies.scores import TOLERANCE, Score, best_cells
from bsjax.posterior.listed import Listing, Weights
from bsjax.posterior.masses import Mass


def with_ties(
    listing: Listing, score: Score, *, prior: Weights | None = None
) -> Float64[np.ndarray, "M T"]:
    """Share of games over at shot 0, 1, … C on each layout, ties of a score broken at random.

    Args:
        listing: all layouts of the game.
        score: what the best cells are best by (`bsjax.policies.scores`).
        prior: weights that the score gives the layouts, all 1 by default.

    Raises:
        ValueError: a prior that is not positive.

    Cost: one pass and two sorts over the layouts of all nodes, for every shot.
    """
    if prior is not None and not (prior > 0).all():
        raise ValueError("the prior of a hunt must be positive on every layout")
    game = listing.game
    share, chance = np.zeros((len(listing), game.cells + 1)), np.ones(1)
    front, fired = opening(listing, listing.everything(prior)), 0
    words = np.random.default_rng(0).integers(1 << 63, size=(len(listing) + game.cells), dtype="u8")
    while len(front.open):
        node, cell = _tied(listing, score, front)
        chance = chance[node] / np.bincount(node, minlength=len(chance))[node]
        children = fire(listing, _copies(front, node), cell)
        fired, after = fired + 1, children.front
        chance = chance[children.parent]
        # With one layout left its cells are fired at one after the other.
        ends = (after.hits == game.ship_cells) | (after.size == 1)
        over = np.flatnonzero(np.repeat(ends, after.size))
        shots = fired + after.left.afloat[:, over].sum(0, dtype=np.int64)
        np.add.at(share, (after.left.row[over], shots), np.repeat(chance, after.size)[over])
        front, chance = _merged(keep(after, ~ends), chance[~ends], words)
    return share


def _tied(
    listing: Listing, score: Score, front: Front
) -> tuple[Int64[np.ndarray, " E"], Int16[np.ndarray, " E"]]:
    """The best cells of every node: one entry for each, by node."""
    node, cell = [], []
    for nodes, block in front.blocks(listing):
        tables = score(block)
        best, tied = best_cells(tables, block.open), block.open.copy()
        for table in tables:
            tied &= _equal(table, table[np.arange(len(best)), best][:, None])
        own, cells = np.nonzero(tied)
        node.append(own + nodes.start)
        cell.append(cells.astype(np.int16))
    return np.concatenate(node), np.concatenate(cell)


def _equal(table: Mass, best: Mass) -> Bool[np.ndarray, "B C"]:
    """Equal as scores are compared: floats within a billionth."""
    return abs(table - best) <= (TOLERANCE * abs(best) if table.dtype.kind == "f" else 0)


def _copies(front: Front, node: Int64[np.ndarray, " E"]) -> Front:
    """These nodes, each as often as it is named."""
    size = front.size[node]
    start = np.append(0, np.cumsum(size))
    layout = np.arange(start[-1]) + np.repeat(front.start[node] - start[:-1], size)
    told = front.open[node], front.hits[node], front.announced[node]
    return Front(front.left.take(layout), start, *told)


def _merged(
    front: Front, chance: Float64[np.ndarray, " B"], words: UInt64[np.ndarray, " W"]
) -> tuple[Front, Float64[np.ndarray, " b"]]:
    """Nodes with the same layouts and hits as one, and their chances added up."""
    if len(front.open) == 0:
        return front, chance
    layout, cell = words[: -front.open.shape[1]], words[-front.open.shape[1] :]
    key = np.add.reduceat(layout[front.left.row], front.start[:-1])
    # Of the cells shot at, a hit is a ship in any one layout of the node.
    ship = front.left.cells[:, front.start[:-1]].T
    hit = ~np.take_along_axis(front.open, ship.astype(np.int64), axis=1)
    key += np.where(hit, cell[ship], np.uint64(0)).sum(1, dtype=np.uint64)
    _, first, number = np.unique(key, return_index=True, return_inverse=True)
    kept = np.zeros(len(key), bool)
    kept[first] = True
    # `keep` leaves nodes in their order, `unique` numbers them by key.
    order = np.argsort(np.argsort(first))
    return keep(front, kept), np.bincount(order[number], chance, minlength=len(first))
