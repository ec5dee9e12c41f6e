"""Estimates from groups of games, and how good they are."""

from typing import Any

import numpy as np
from jaxtyping import Float64
from scipy import stats

from bsjax.posterior.habit_fit import BOUNDS, Fit, maximum
from bsjax.posterior.likelihood import LogLikelihood
from experiments.habits.settings import FITS, SIGNIFICANT, Settings

INTERVAL = float(stats.norm.ppf(0.975))
"""Standard errors on both sides of an estimate that make a 95% interval."""
REGION = float(stats.chi2.ppf(0.95, 2))
"""Twice the logarithm of the likelihood ratio that bounds a 95% region of (a, b)."""


def study(
    likelihood: LogLikelihood, truth: tuple[float, float], settings: Settings
) -> dict[str, Any]:
    """All kinds of estimates from all numbers of games.

    Groups of games do not overlap, so estimates of one kind are independent of each other.
    """
    information = likelihood.information(*truth) / likelihood.games
    rows: dict[str, list[dict[str, Any]]] = {name: [] for name in FITS}
    for games in settings.games:
        replicates = min(settings.replicates, likelihood.games // games)
        groups = [likelihood.of(slice(r * games, (r + 1) * games)) for r in range(replicates)]
        for name, options in FITS.items():
            fits = [maximum(group, **options) for group in groups]
            row = {"games": games, "replicates": replicates} | summary(fits, truth)
            if name == "both":
                row["region_covers"] = regions(groups, fits, truth)
            rows[name].append(row)
    return {"information": information.tolist(), "needed": needed(information, truth), **rows}


def summary(fits: list[Fit], truth: tuple[float, float]) -> dict[str, Any]:
    """Figures of the estimates of a and b."""
    values = np.array([(fit.edge, fit.touch) for fit in fits])
    errors = np.array([(fit.edge_error, fit.touch_error) for fit in fits])
    bounds = np.array([fit.at_bound for fit in fits])
    return {
        name: figures(values[:, k], errors[:, k], bounds[:, k], truth[k])
        for k, name in enumerate(("edge", "touch"))
        if errors[:, k].any()
    }


def figures(
    value: Float64[np.ndarray, " R"],
    error: Float64[np.ndarray, " R"],
    at_bound: np.ndarray,
    truth: float,
) -> dict[str, float]:
    """Where the estimates lie, and what their errors are worth.

    An estimate at a bound has an infinite error: its interval covers everything and it is never
    told from 0. Bias and spread count it as it is.
    """
    low, median, high = np.quantile(value, (0.1, 0.5, 0.9))
    found = {
        "bias": value.mean() - truth,
        "bias_error": value.std(ddof=1) / len(value) ** 0.5,
        "spread": value.std(ddof=1),
        "p10": low,
        "median": median,
        "p90": high,
        "covers": (abs(value - truth) <= INTERVAL * error).mean(),
        "at_bound": at_bound.mean(),
        "told_from_0": (abs(value) > SIGNIFICANT * error).mean(),
    }
    return {name: float(f"{figure:.5g}") for name, figure in found.items()}


def regions(groups: list[LogLikelihood], fits: list[Fit], truth: tuple[float, float]) -> float:
    """Share of the estimates whose 95% region by likelihood ratio holds the truth."""
    lost = [
        2 * (fit.log_likelihood - group.value_and_gradient(*truth)[0])
        for fit, group in zip(fits, groups, strict=True)
    ]
    return float((np.array(lost) <= REGION).mean())


def needed(
    information: Float64[np.ndarray, "2 2"], truth: tuple[float, float]
) -> dict[str, float] | None:
    """Games after which a stands `SIGNIFICANT` standard errors from 0, by the information.

    With b estimated as well, and with b known.
    """
    if truth[0] == 0:
        return None
    games = (SIGNIFICANT / truth[0]) ** 2
    return {
        "both": float(games * np.linalg.inv(information)[0, 0]),
        "touch_known": float(games / information[0, 0]),
    }


def bounds() -> list[list[float]]:
    """The ranges of a and b, for the result."""
    return [list(map(float, own)) for own in BOUNDS]
