"""Rules that score every cell by how many of the possible layouts would answer what there.

A score reads the masses of a block of nodes (`bsjax.posterior.masses`) and returns one or more
tables [B, C], larger is better: cells are compared by the first table, those equal in it by the
second, and the lowest cell wins what is left. The rules are those of the notebook; whole-number
masses are compared as whole numbers, floats as equal within one part in 10⁹.

* `probability`: the most ship mass.
* `information`: the fewest expected layouts left, Σ (mass of an answer)² / total; then the
  likelier hit.
* `lookahead-hits`: the most expected hits of this shot and the best next one; then the likelier
  hit.
* `lookahead-information`: the fewest expected layouts left after this shot and the best next one;
  then the likelier hit.

To add one: write the function and list it in `SCORES`.
"""

from collections.abc import Callable, Sequence

import numpy as np
from jaxtyping import Bool, Int16

from bsjax.posterior.masses import Block, Mass
from bsjax.posterior.pairs import pairs

Score = Callable[[Block], Sequence[Mass]]
"""Tables [B, C] of a block of nodes, most important first."""

TOLERANCE = 1e-9
"""Floats closer than this share of the best are equal: symmetric cells must tie."""


def probability(block: Block) -> Sequence[Mass]:
    """Ship mass."""
    return [block.ship]


def information(block: Block) -> Sequence[Mass]:
    """Expected mass left after the shot, times the total, negated; then ship mass."""
    return [-block.squares, block.ship]


def lookahead_hits(block: Block) -> Sequence[Mass]:
    """Expected hits of this shot and the best next one, times the total; then ship mass.

    The best next shot is chosen for each answer to the first one.
    """
    # A cell that no layout covers tells nothing: only the next shot can hit.
    value = np.repeat(block.ship.max(1, keepdims=True), block.ship.shape[1], axis=1)
    done = 0
    for part, table in pairs(block, second_answer=False):
        ship = part.ship[table.node, table.cell]
        after_miss = ship[table.second] - table.alone
        after_miss[table.first == table.second] = 0
        best = np.maximum.reduceat(table.both, table.start, axis=1).sum(0)
        best += np.maximum.reduceat(after_miss, table.start)
        value[done + table.node, table.cell] = ship + best
        done += part.nodes
    return [value, block.ship]


def lookahead_information(block: Block) -> Sequence[Mass]:
    """Expected mass left after this shot and the best next one, times the total, negated.

    The best next shot is chosen for each answer to the first one; then ship mass.
    """
    # A cell that no layout covers tells nothing: only the next shot splits the layouts.
    one_shot = np.where(block.ship > 0, block.squares, block.total[:, None] ** 2)
    value = np.repeat(one_shot.min(1, keepdims=True), block.ship.shape[1], axis=1)
    done = 0
    for part, table in pairs(block, second_answer=True):
        first, second = table.first, table.second
        told = part.told[table.node, :, table.cell].T
        miss = part.total[table.node] - told.sum(0)
        # Second shots after each answer to the first: [O, P], and after its miss [P].
        split = (table.both**2).sum(1) + (told[:, first] - table.both.sum(1)) ** 2
        hits = told[:, second] - table.alone
        after_miss = (hits**2).sum(0) + (miss[first] - hits.sum(0)) ** 2
        # The same cell cannot be shot twice; a cell that no layout covers leaves all as it is.
        same = np.flatnonzero(first == second)
        split[:, same] = told[:, first[same]] ** 2
        after_miss[same] = miss[first[same]] ** 2
        best = np.minimum.reduceat(split, table.start, axis=1).sum(0)
        best += np.minimum.reduceat(after_miss, table.start)
        value[done + table.node, table.cell] = best
        done += part.nodes
    return [-value, block.ship]


SCORES: dict[str, Score] = {
    "probability": probability,
    "information": information,
    "lookahead-hits": lookahead_hits,
    "lookahead-information": lookahead_information,
}
"""The scores by name."""


def best_cells(scores: Sequence[Mass], is_open: Bool[np.ndarray, "B C"]) -> Int16[np.ndarray, " B"]:
    """The best open cell of each node, ties to the lowest cell.

    Args:
        scores: tables [B, C], most important first.
        is_open: cells not fired at, at least one in each node.
    """
    allowed = is_open
    for score in scores:
        if score.dtype.kind == "f":
            masked = np.where(allowed, score, -np.inf)
            best = masked.max(1, keepdims=True)
            allowed = masked >= best - TOLERANCE * np.abs(best)
        else:
            masked = np.where(allowed, score, np.iinfo(score.dtype).min)
            allowed = masked == masked.max(1, keepdims=True)
    return allowed.argmax(1).astype(np.int16)
