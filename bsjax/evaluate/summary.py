"""Figures of a distribution of shots, from its histogram: exact whole-number sums throughout."""

import math
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Int64


class Summary(NamedTuple):
    """What is said of a set of games; shots count from 1."""

    games: int
    mean: float
    se: float
    """Standard error of the mean; NaN for a single game."""
    median: int
    p10: int
    p90: int
    p95: int
    best: int
    worst: int


def quantile(histogram: Int64[np.ndarray, " T"], share: float) -> int:
    """Fewest shots within which at least this share of the games was over."""
    reached = np.cumsum(histogram.astype(object))
    # Rounded first: 0.95 · 20 must ask for 19 games, not for 19.000000000000004.
    wanted = math.ceil(round(share * int(reached[-1]), 6))
    return int(np.searchsorted(reached, max(wanted, 1)))


def summarize(histogram: Int64[np.ndarray, " T"]) -> Summary:
    """Figures of a histogram whose index is the number of shots.

    The mean is correctly rounded, the variance exact up to one division: sums are Python
    integers, so 10⁹ games lose nothing.

    Raises:
        ValueError: no games.
    """
    counts = [int(n) for n in histogram]
    games = sum(counts)
    if games == 0:
        raise ValueError("no games: nothing to summarize")
    total = sum(t * n for t, n in enumerate(counts))
    squares = sum(t * t * n for t, n in enumerate(counts))
    variance = (squares * games - total * total) / (games * (games - 1)) if games > 1 else math.nan
    played = [t for t, n in enumerate(counts) if n]
    return Summary(
        games=games,
        mean=total / games,
        se=math.sqrt(variance / games) if games > 1 else math.nan,
        median=quantile(histogram, 0.5),
        p10=quantile(histogram, 0.1),
        p90=quantile(histogram, 0.9),
        p95=quantile(histogram, 0.95),
        best=played[0],
        worst=played[-1],
    )


def within(histogram: Int64[np.ndarray, " T"], shots: int) -> float:
    """Share of the games that were over within `shots` shots."""
    counts = [int(n) for n in histogram]
    return sum(counts[: shots + 1]) / sum(counts)


def as_json(summary: Summary) -> dict[str, Any]:
    """The summary as JSON values; a standard error that does not exist is null."""
    return {
        k: None if isinstance(v, float) and math.isnan(v) else v
        for k, v in summary._asdict().items()
    }
