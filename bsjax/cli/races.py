"""Races as JSON fields, and told to people."""

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bsjax.evaluate.by_layout import Estimate
    from bsjax.evaluate.paces import Pace
    from bsjax.evaluate.race import Rates

BOARDS = {"same_boards": "on the same boards", "other_boards": "each on a board of its own"}
"""How two hunters meet: JSON field, and what people call it."""
_SEEN = 0.0005
"""Shots that win less than this, or all but this, are left out of the printed table."""


def of_pace(histogram: list[int], pace: "Pace") -> dict[str, Any]:
    """Races of games against a pace."""
    import numpy as np

    from bsjax.evaluate.race import cost_of_a_shot, race

    games = np.array(histogram)
    told = {key: pace.origin[key] for key in ("games", "note")}
    return {
        "pace": {"name": pace.name, "mean": pace.mean, **told},
        **_rates(race(games, pace.times)),
        **_estimate("cost_of_a_shot", cost_of_a_shot(games, pace.times)),
    }


def of_hunters(own: Path, other: Path) -> dict[str, dict[str, Any]]:
    """Races of two hunters from the shots that each needed on every board."""
    import numpy as np

    from bsjax.evaluate.race import other_boards, same_boards

    mine, his = np.load(own), np.load(other)
    met = same_boards(mine, his)
    return {
        "same_boards": {
            **_rates(met.rates),
            **_estimate("more_shots", met.more),
            **{key: getattr(met, key) for key in ("games", "won", "tied")},
        },
        "other_boards": _rates(other_boards(mine, his)),
    }


def converted(pace: "Pace") -> list[dict[str, float]]:
    """What each number of shots wins against a pace."""
    from bsjax.evaluate.race import conversion

    found = conversion(pace.times)
    return [
        {"shots": shots, "win_rate": float(win), "one_more_costs": float(step)}
        for shots, (win, step) in enumerate(zip(*found, strict=True))
    ]


def sentence(told: dict[str, Any], opponent: str) -> str:
    """One line on races against an opponent."""
    parts = [
        f"wins {_percent(told, 'win_rate')} of races, moving first "
        f"{_percent(told, 'win_rate_first')}, second {_percent(told, 'win_rate_second')}"
    ]
    if "cost_of_a_shot" in told:
        points = 100 * told["cost_of_a_shot"]
        parts.append(f"one shot more in every game costs {points:.2f} points")
    if "more_shots" in told:
        parts.append(f"{told['more_shots']:+.3f}{_error(told, 'more_shots', 1, 3)} shots")
    return f"against {opponent}: {'; '.join(parts)}"


def table(rows: list[dict[str, float]]) -> list[str]:
    """What each number of shots wins, as lines."""
    told = [row for row in rows if _SEEN <= row["win_rate"] <= 1 - _SEEN]
    return [
        f"{'shots':>5} {'wins':>7}  one more costs (points)",
        *(
            f"{row['shots']:>5} {100 * row['win_rate']:6.2f}%  {100 * row['one_more_costs']:.2f}"
            for row in told
        ),
    ]


def _rates(rates: "Rates") -> dict[str, float | None]:
    return {
        **_estimate("win_rate", rates.win),
        **_estimate("win_rate_first", rates.first),
        **_estimate("win_rate_second", rates.second),
    }


def _estimate(name: str, estimate: "Estimate") -> dict[str, float | None]:
    """A mean and its error, null where one game has none."""
    return {
        name: estimate.value,
        f"{name}_se": None if math.isnan(estimate.se) else estimate.se,
    }


def _percent(told: dict[str, Any], name: str) -> str:
    return f"{100 * told[name]:.2f}%{_error(told, name, 100, 2)}"


def _error(told: dict[str, Any], name: str, factor: int, decimals: int) -> str:
    se = told[f"{name}_se"]
    return "" if se is None else f" ± {factor * se:.{decimals}f}"
