"""Two hunters on the same boards: the mean difference and how sure it is.

Boards differ much more than hunters do. The difference is taken board by board, and its standard
error is the standard deviation of these paired differences divided by √boards.
"""

from collections.abc import Mapping, Sequence
from math import sqrt
from typing import Any

import numpy as np
from jaxtyping import Real
from scipy import stats

from experiments.open_questions.play import Games

INTERVAL = float(stats.norm.ppf(0.975))
"""Standard errors on both sides of a mean that make a 95% interval."""


def paired(games: Games, base: Games) -> dict[str, Any]:
    """How many shots more the first hunter needs than the second, on the boards both met.

    Raises:
        ValueError: they met different opponents.
    """
    if games.opponent != base.opponent:
        raise ValueError(f"{games.opponent.name} and {base.opponent.name} have different boards")
    both = min(len(games.shots), len(base.shots))
    more = games.shots[:both] - base.shots[:both]
    return {
        "hunter": games.hunter.name,
        "base": base.hunter.name,
        "opponent": games.opponent.name,
        **difference(more),
        "fewer": float((more < 0).mean()),
        "same": float((more == 0).mean()),
        "more": float((more > 0).mean()),
    }


def difference(more: Real[np.ndarray, " N"]) -> dict[str, float | int]:
    """Mean of paired differences, their standard deviation, and the 95% interval of the mean."""
    mean, sd = float(more.mean()), float(more.std(ddof=1))
    error = sd / sqrt(len(more))
    return {"games": len(more), "sd": sd, **within(mean, error)}


def within(mean: float, error: float) -> dict[str, float]:
    """A mean, its standard error and its 95% interval."""
    low, high = mean - INTERVAL * error, mean + INTERVAL * error
    return {"mean": mean, "se": error, "low": low, "high": high}


def told(
    played: Mapping[str, Games], pairs: Mapping[str, tuple[str, str]]
) -> dict[str, dict[str, Any]]:
    """Figures of hunters by name, and of pairs (hunter, base) of these names."""
    return {
        "hunters": {name: games.figures() for name, games in played.items()},
        "comparisons": {
            name: paired(played[hunter], played[base]) for name, (hunter, base) in pairs.items()
        },
    }


def every_pair(names: Sequence[str]) -> dict[str, tuple[str, str]]:
    """All pairs of names, the later against the earlier, by `later-earlier`."""
    return {
        f"{hunter} - {base}": (hunter, base)
        for number, hunter in enumerate(names)
        for base in names[:number]
    }
