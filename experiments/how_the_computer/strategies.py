"""How many shots: four hunters against two hiders, beside the published table.

Games are numbered: under one hider every hunter sinks the same fleets, so savings are paired.
"""

from math import sqrt
from typing import Any

import numpy as np

from bsjax.evaluate import random_fire
from bsjax.evaluate.massive import Run
from bsjax.evaluate.summary import summarize, within
from experiments.how_the_computer.play import play
from experiments.how_the_computer.settings import (
    GAME,
    MEAN_ERROR,
    PUBLISHED,
    RANDOM_LAW,
    SAMPLE,
    SAVINGS,
    STRATEGIES,
    Settings,
)

SPREAD = (0.025, 0.975)
"""Shares of the blocks of 1,000 games between which a best or worst game is called usual."""


def run(settings: Settings) -> dict[str, Any]:
    """All hunters against all hiders, and the exact law of random fire."""
    return {
        "game": str(GAME),
        "sample": SAMPLE,
        "published_mean_error": MEAN_ERROR,
        "hiders": {hider: against(hider, games, settings.seed) for hider, games in settings.hiders},
        "random_law": law(),
    }


def against(hider: str, games: int, seed: int) -> dict[str, Any]:
    """Every hunter's figures against one hider, and what the better ones save."""
    shots, figures = {}, {}
    for name in STRATEGIES:
        result, arrays = play(Run(name, games, GAME, hider, seed, shots=True))
        shots[name] = arrays["shots"].astype(np.int64)
        histogram = np.array(result["histogram"])
        figures[name] = {
            key: result[key] for key in ("mean", "se", "median", "p10", "p90", "best", "worst")
        } | {
            "within_50": within(histogram, 50),
            "histogram": result["histogram"],
            "first_thousand": first_thousand(shots[name]),
            "thousands": thousands(shots[name]),
        }
        figures[name]["published"] = PUBLISHED[name]
        figures[name]["agrees"] = agreement(figures[name], PUBLISHED[name], games)
    savings = {
        what: saving(shots[slow], shots[fast], published)
        for what, (slow, fast, published) in SAVINGS.items()
    }
    return {"games": games, "strategies": figures, "savings": savings}


def first_thousand(shots: np.ndarray) -> dict[str, Any]:
    """Figures of games 0 to 999: as many games as the published best and worst are of."""
    summary = summarize(np.bincount(shots[:SAMPLE]))
    return {key: getattr(summary, key) for key in ("games", "mean", "median", "best", "worst")}


def thousands(shots: np.ndarray) -> dict[str, Any]:
    """What 1,000 games show by chance: the run cut into blocks of 1,000 games."""
    blocks = shots[: len(shots) // SAMPLE * SAMPLE].reshape(-1, SAMPLE)
    off = abs(blocks.mean(1) - shots.mean())
    return {
        "blocks": len(blocks),
        "error": 2 * float(shots.std(ddof=1)) / sqrt(SAMPLE),
        "mean_within_published_error": float((off <= MEAN_ERROR).mean()),
        "best": np.quantile(blocks.min(1), SPREAD, method="nearest").tolist(),
        "worst": np.quantile(blocks.max(1), SPREAD, method="nearest").tolist(),
    }


def agreement(ours: dict[str, Any], published: dict[str, Any], games: int) -> dict[str, bool]:
    """Whether published figures of 1,000 games agree with ours.

    A mean by the published error and two of our standard errors; a share by two standard errors
    of both samples and half a percent of rounding.
    """
    agrees = {"mean": abs(ours["mean"] - published["mean"]) <= MEAN_ERROR + 2 * ours["se"]}
    if "within_50" in published:
        share = ours["within_50"]
        error = 2 * sqrt(share * (1 - share) * (1 / SAMPLE + 1 / games)) + 0.005
        agrees["within_50"] = abs(share - published["within_50"]) <= error
    return agrees


def saving(slow: np.ndarray, fast: np.ndarray, published: float) -> dict[str, Any]:
    """Shots saved on the same fleets; agreement by two standard errors of both samples."""
    difference = slow - fast
    spread, games = float(difference.std(ddof=1)), len(difference)
    mean = float(difference.mean())
    error = 2 * spread * sqrt(1 / SAMPLE + 1 / games)
    return {
        "mean": mean,
        "se": spread / sqrt(games),
        "published": published,
        "published_error": 2 * spread / sqrt(SAMPLE),
        "agrees": abs(mean - published) <= error,
    }


def law() -> dict[str, Any]:
    """Random fire exactly, from the hypergeometric law: nothing here is simulated."""
    mean = random_fire.mean(GAME)
    return {
        "mean": float(mean),
        "mean_exact": f"{mean.numerator}/{mean.denominator}",
        "median": random_fire.median(GAME),
        "within_85": float(random_fire.within(GAME, 85)),
        "curve": random_fire.curve(GAME).tolist(),
        "published": RANDOM_LAW,
    }
