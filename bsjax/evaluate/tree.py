"""Exact shots of a fixed hunt on every layout of a listable game.

What a hunt without dice fires next depends on the shots and answers so far alone. All layouts
therefore advance together as one decision tree (the notebook, "Which rule wins?"): every node of
a generation chooses its cell, its layouts part by the answer, and each layout ends after a
definite number of shots. Nothing is sampled, so the distribution of shots is exact.

    result = evaluate(Listing(Game(fleet=(4, 3), feedback="name")), "probability")
    result.figures().mean            # Fraction(519759, 20336)
    result.tree.next_cell(history)   # the same hunt as a stored tree (keep_tree=True)

A hunt that counts layouts ends a node with one layout by firing at the cells left of its ships.
Any other registered hunter plays on until the fleet is sunk.
"""

from collections.abc import Callable
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Float64, Int16, Int64

from bsjax import policies
from bsjax.evaluate.fixed_hunts import ByPolicy, ByScore, FixedHunt
from bsjax.evaluate.front import Front, fire, keep, opening
from bsjax.evaluate.stored_tree import Recorder, StoredTree
from bsjax.evaluate.summary import quantile
from bsjax.policies.scores import SCORES, Score
from bsjax.posterior.listed import Listing, Weights


class Figures(NamedTuple):
    """Figures of the shots over all layouts; shots count from 1."""

    layouts: int
    mean: Fraction | float
    """Exact when all layouts weigh the same, a float when they are weighted."""
    median: int
    p95: int
    best: int
    worst: int
    histogram: Int64[np.ndarray, " T"] | Float64[np.ndarray, " T"]
    """Layouts, or their weight as a share of all, that end after each number of shots."""


class Evaluation(NamedTuple):
    """Shots of a fixed hunt on every layout."""

    shots: Int16[np.ndarray, " M"]
    """Shots on each layout, in the order of the listing."""
    decisions: int
    """Nodes at which the hunt chose a cell."""
    tree: StoredTree | None
    """The hunt itself, if it was asked for."""

    def figures(self, weights: Weights | None = None) -> Figures:
        """Figures over layouts that are equally likely, or as likely as these weights say."""
        return figures(self.shots, weights)


def evaluate(
    listing: Listing,
    hunt: str | Score | policies.Policy | FixedHunt,
    *,
    prior: Weights | None = None,
    keep_tree: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> Evaluation:
    """Exact shots of a hunt on every layout.

    Args:
        listing: all layouts of the game.
        hunt: a score or its name (`bsjax.policies.scores`), or any registered policy that rolls
            no dice, or its name. A name of both is the score. A hunt made for this pass is taken
            as it is.
        prior: weights that a score gives the layouts, all 1 by default: what the hunter believes.
            It does not touch the evaluation, see `Evaluation.figures`.
        keep_tree: keep every node (about 25 bytes a node, one leaf per layout among them).
        progress: called after every generation with the shots fired and the layouts still open.

    Returns:
        The shots, in the order of the listing.

    Raises:
        ValueError: no such hunt; a policy that rolls dice or belongs to another game; a prior
            with a policy or a hunt made for this pass; a prior that is not positive.

    Cost: one pass and one sort over the layouts per shot, in bounded memory. On one core 10×10
    {4, 3} takes 0.1 s by `probability`, 1 s and 3 s by the lookaheads; 10×10 {3, 3, 2} with
    1.9 million layouts 6 s and 0.4 GB by `probability`. A policy keeps an observation per node.
    """
    if len(listing) == 0:
        raise ValueError(f"{listing.game} has no layout")
    chosen = _fixed(listing, hunt, prior)
    if prior is not None and not (prior > 0).all():
        raise ValueError("the prior of a hunt must be positive on every layout")
    front = opening(listing, listing.everything(prior))
    shots = np.zeros(len(listing), np.int16)
    recorder = Recorder() if keep_tree else None
    fired, decisions = 0, 0
    if chosen.counts and len(listing) == 1:
        shots[0], front = listing.game.ship_cells, keep(front, np.zeros(1, bool))
    while len(front.open):
        cell = chosen.cells(front)
        fired, decisions = fired + 1, decisions + len(cell)
        children = fire(listing, front, cell)
        after = children.front
        ends = _ends(listing, chosen, after)
        over = np.flatnonzero(np.repeat(ends, after.size))
        shots[after.left.row[over]] = fired + after.left.afloat[:, over].sum(0, dtype=np.int16)
        if recorder is not None:
            recorder.generation(cell, children, ends)
        chosen.follow(cell, children, ~ends)
        front = keep(after, ~ends)
        if progress is not None:
            progress(fired, len(front.left.row))
    return Evaluation(shots, decisions, None if recorder is None else recorder.tree(listing))


def figures(shots: Int16[np.ndarray, " M"], weights: Weights | None = None) -> Figures:
    """Figures of shots over layouts, equally likely or as likely as their weights.

    Median and 95th percentile are the fewest shots within which at least that share is over.

    Raises:
        ValueError: no layouts, or not one weight each.
    """
    if len(shots) == 0 or (weights is not None and len(weights) != len(shots)):
        raise ValueError(f"{len(shots)} layouts need at least one layout and one weight each")
    counts = np.bincount(shots)
    best, worst = int(shots.min()), int(shots.max())
    if weights is None:
        mean = Fraction(int(shots.sum(dtype=np.int64)), len(shots))
        median, p95 = quantile(counts, 0.5), quantile(counts, 0.95)
        return Figures(len(shots), mean, median, p95, best, worst, counts)
    share = np.bincount(shots, weights) / weights.sum(dtype=np.float64)
    reached = np.cumsum(share)
    median, p95 = (int(np.searchsorted(reached, wanted - 1e-9)) for wanted in (0.5, 0.95))
    mean = float(share @ np.arange(len(share)))
    return Figures(len(shots), mean, median, p95, best, worst, share)


def _ends(listing: Listing, hunt: FixedHunt, front: Front) -> Bool[np.ndarray, " B"]:
    """Nodes that need no further decision: the fleet is sunk, or one layout is left and known."""
    return (front.hits == listing.game.ship_cells) | ((front.size == 1) & hunt.counts)


def _fixed(
    listing: Listing, hunt: str | Score | policies.Policy | FixedHunt, prior: Weights | None
) -> FixedHunt:
    """The hunt as the pass runs it."""
    if isinstance(hunt, FixedHunt):
        if prior is not None:
            raise ValueError("a prior weighs layouts; this hunt has made up its mind")
        return hunt
    if isinstance(hunt, str):
        if hunt in SCORES:
            hunt = SCORES[hunt]
        elif hunt in policies.names():
            hunt = policies.make(hunt, listing.game)
        else:
            offered = dict.fromkeys([*SCORES, *policies.names()])
            raise ValueError(f"no policy {hunt!r}; choose one of {', '.join(offered)}")
    if not isinstance(hunt, policies.Policy):
        return ByScore(listing, hunt)
    if hunt.game != listing.game:
        raise ValueError(f"the policy plays {hunt.game}, the layouts are of {listing.game}")
    if prior is not None:
        raise ValueError("a prior weighs layouts; this policy does not count them")
    return ByPolicy(listing, hunt)
