"""Weights of many leaves, and of all placements in them.

All launches of the work list (`bsjax.posterior.groups`) are queued before the first result is
read. Counts are whole numbers on the device (`counted`) and are added up in 64-bit integers here;
with a prior everything is float64 (`weighed`).
"""

from typing import NamedTuple

import numpy as np
from jaxtyping import Shaped

from bsjax.game.game import Game
from bsjax.posterior.counted import count
from bsjax.posterior.evidence import Evidence
from bsjax.posterior.groups import groups, launches
from bsjax.posterior.leaves import Leaves
from bsjax.posterior.prior import Prior
from bsjax.posterior.tables import tables
from bsjax.posterior.weighed import weigh


class Totals(NamedTuple):
    """Of M leaves and B observations: int64 counts, or float64 with prior weights."""

    leaf: Shaped[np.ndarray, " M"]
    """Layouts of each leaf, all its names of interchangeable ships counted."""
    free: Shaped[np.ndarray, "B G1"]
    """Layouts that lay a free ship on each placement, stated for the first ship of its class;
    zero where only the leaves were asked for."""


def evaluate(
    game: Game,
    evidence: Evidence,
    leaves: Leaves,
    prior: Prior | None = None,
    *,
    marginals: bool = True,
) -> Totals:
    """Count or weigh the layouts of every leaf.

    Args:
        game: the rules.
        evidence: of B observations.
        leaves: their leaves.
        prior: None to count.
        marginals: whether the sums per placement are wanted; without them half the work is saved.

    Cost: 4 to 8 µs a leaf of the classic game on two cores, 50 with placement weights, and
        about 600 with factors of pairs.
    """
    kind = np.int64 if prior is None else np.float64
    leaf, free = np.zeros(len(leaves.ways), kind), np.zeros(evidence.allowed.shape, kind)
    queued = []
    for group in groups(game, evidence, leaves):
        for rows in launches(group.rows):
            if prior is None:
                queued.append(count(game, evidence, leaves, group, rows, marginals))
            else:
                queued.append(weigh(game, evidence, leaves, group, rows, prior, marginals))
    start = tables(game).start
    for done in queued:
        rows = done.rows
        leaf[rows] = np.asarray(done.leaf)[: len(rows)] * done.scale
        heads = leaves.observation[rows[done.heads]][:, None]
        for ship, sums in zip(done.group.ships, done.placement, strict=False):
            added = np.asarray(sums)[: len(heads)] * done.scale[done.heads, None]
            np.add.at(free, (heads, np.arange(start[ship], start[ship + 1])), added)
    return Totals(leaf, free)
