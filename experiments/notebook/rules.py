"""Which rule wins: exact shots of random fire, two greedy rules and two lookaheads.

Every rule is evaluated on all layouts as one decision tree, so nothing is sampled. On some
layouts each rule is also played game by game. Ties go to the lowest cell, as in the write-up; how
much that matters is measured by other orders.
"""

from fractions import Fraction
from typing import Any

import numpy as np

from bsjax.evaluate import random_fire
from bsjax.evaluate.tree import evaluate
from bsjax.policies.scores import SCORES
from bsjax.posterior.listed import Listing
from experiments.notebook import one_by_one
from experiments.notebook.settings import BASE, PUBLISHED, RANDOM, RULES, TWO_SHIPS, Settings
from experiments.notebook.ties import orders, ranked


def run(settings: Settings) -> dict[str, Any]:
    """All rules over all layouts, the law of random fire, and the games played one by one."""
    listing = Listing(TWO_SHIPS)
    random = np.random.default_rng(settings.seed)
    rows = np.sort(random.choice(len(listing), settings.checked, replace=False))
    results = {rule: evaluate(listing, rule) for rule in RULES}
    shots = {rule: result.shots for rule, result in results.items()}
    told = {}
    for rule, result in results.items():
        figures = result.figures()
        told[rule] = {
            "mean": float(figures.mean),
            "mean_exact": f"{shots[rule].sum(dtype=np.int64)}/{figures.layouts}",
            "median": figures.median,
            "p95": figures.p95,
            "best": figures.best,
            "worst": figures.worst,
            "histogram": figures.histogram.tolist(),
            "decisions": result.decisions,
            **against(shots[rule], shots[BASE]),
            "one_by_one": one_by_one.check(listing, rule, shots[rule], rows),
            "published": PUBLISHED[rule],
        }
        if rule in settings.played:
            told[rule]["hunter"] = one_by_one.check_hunter(listing, rule, shots[rule], rows)
        told[rule]["agrees"] = agreement(told[rule], PUBLISHED[rule])
    return {
        "game": str(TWO_SHIPS),
        "layouts": len(listing),
        "rules": told,
        "random": law(),
        "ties": ties(listing, settings),
    }


def against(shots: np.ndarray, base: np.ndarray) -> dict[str, Any]:
    """Layouts on which a rule needs fewer, as many or more shots than the base rule."""
    change = shots.astype(np.int64) - base
    return {
        "difference": float(change.mean()),
        "fewer": int((change < 0).sum()),
        "same": int((change == 0).sum()),
        "more": int((change > 0).sum()),
    }


def ties(listing: Listing, settings: Settings) -> dict[str, Any]:
    """Means of the rules with ties broken by random orders, and their distance to the base."""
    means = {
        rule: np.array(
            [
                evaluate(listing, ranked(SCORES[rule], rank)).shots.mean()
                for rank in orders(listing.game, settings)
            ]
        )
        for rule in RULES
    }
    return {
        "orders": settings.orders,
        "means": {rule: mean.tolist() for rule, mean in means.items()},
        "differences": {rule: (mean - means[BASE]).tolist() for rule, mean in means.items()},
    }


def agreement(ours: dict[str, Any], published: dict[str, Any]) -> dict[str, bool]:
    """Whether our figures, rounded as the published ones are, are the same."""
    decimals = {"mean": 1, "difference": 2}
    return {what: round(ours[what], decimals.get(what)) == said for what, said in published.items()}


def law() -> dict[str, Any]:
    """Random fire in closed form."""
    mean = random_fire.mean(TWO_SHIPS)
    within = [random_fire.within(TWO_SHIPS, shots) for shots in range(TWO_SHIPS.cells + 1)]
    return {
        "mean": float(mean),
        "mean_exact": f"{mean.numerator}/{mean.denominator}",
        "median": random_fire.median(TWO_SHIPS),
        "p95": next(t for t, share in enumerate(within) if share >= Fraction(95, 100)),
        "best": TWO_SHIPS.ship_cells,
        "worst": TWO_SHIPS.cells,
        "curve": random_fire.curve(TWO_SHIPS).tolist(),
        "published": RANDOM,
    }
