"""Can a player estimate the habit from earlier games, and after how many?

An opponent places ships by exp(a·edge squares). A player saw n of its boards, takes the a that
fits them best (`bsjax.posterior.habit_fit.maximum`, b = 0) and plays the next game by the exact
posterior under it. The board of a game is known at its end. Two estimates are compared: maximum
likelihood, and the mode with a normal prior on a. With no earlier game both take a = 0, which is
to assume uniform placement.

**What it costs** to assume a' where a is true is measured on a grid of a' on the same boards, and
taken to be linear between them; estimates beyond the ends of the grid count as the ends. With
w_g the mean weight of grid point g over the replicates and S_g its shots on a board, the expected
shots after n games are the mean of Σ w_g S_g over boards. Their error is that of this mean over
boards and that of the mean over replicates, which are independent.

**One number suffices.** With b = 0 the likelihood of boards depends on n and the sum of their edge
squares alone, so every sum is fitted once.
"""

from math import hypot, sqrt
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float64, Int64

from bsjax.play.replay import boards_of
from bsjax.posterior.habit_fit import maximum
from bsjax.posterior.likelihood import LogLikelihood, log_likelihood
from experiments.habits.transcripts import shown
from experiments.open_questions.compare import difference, within
from experiments.open_questions.habits import features
from experiments.open_questions.hunters import Hunter, Opponent
from experiments.open_questions.play import Runs
from experiments.open_questions.settings import Settings

EARLIER = 1
"""Added to the seed: earlier games are other games than those played."""
ESTIMATES = ("likelihood", "prior")
NEAR = 0.1
"""An estimate is as good as knowledge if it gives away no more than this share of the saving."""


def run(runs: Runs, settings: Settings) -> dict[str, Any]:
    """Every opponent."""
    rows = [against(runs, settings, a) for a in settings.truths]
    return {"game": str(settings.game()), "spread": settings.spread, "near": NEAR, "rows": rows}


def against(runs: Runs, settings: Settings, truth: float) -> dict[str, Any]:
    """One opponent: what every assumption costs, what is estimated, and both together."""
    opponent, grid = Opponent(truth), np.array(settings.assumed)
    hunters = [Hunter("probability", "exact", edge=a) for a in settings.assumed]
    played = [runs.play(hunter, settings.assumed_games, opponent) for hunter in hunters]
    shots = np.stack([games.shots for games in played], 1).astype(np.float64)
    known, uniform = (settings.assumed.index(a) for a in (truth, 0.0))
    seen = earlier(settings, opponent)
    estimates = {}
    for name in ESTIMATES:
        spread = (settings.spread, 1.0) if name == "prior" else None
        found = [estimated(seen, games, spread) for games in settings.earlier]
        estimates[name] = [
            {"games": games}
            | spread_of(values, truth, grid)
            | expected(values, grid, shots, known, uniform)
            for games, values in zip(settings.earlier, found, strict=True)
        ]
    saving = shots[:, uniform] - shots[:, known]
    return {
        "edge": truth,
        "boards": len(shots),
        "replicates": settings.replicates,
        "assumed": [
            {"edge": a, "more_than_knowing": difference(shots[:, g] - shots[:, known])}
            | games.figures()
            for g, (a, games) in enumerate(zip(settings.assumed, played, strict=True))
        ],
        "saving": difference(saving),
        "estimates": estimates,
        "after": {name: after(rows, float(saving.mean())) for name, rows in estimates.items()},
    }


class Earlier(NamedTuple):
    """Earlier games of R replicates."""

    squares: Int64[np.ndarray, "R n"]
    """Edge squares of every board."""
    likelihood: LogLikelihood
    """Of one board with each number of edge squares."""
    row: dict[int, int]
    """Its game, by number of edge squares."""


def earlier(settings: Settings, opponent: Opponent) -> Earlier:
    """The earlier games of every replicate."""
    game, most = settings.game(), max(settings.earlier)
    count = settings.replicates * most
    boards = boards_of(opponent.hider(game), settings.seed + EARLIER, 0, count)
    squares = features(game, boards)[0]
    kinds, first = np.unique(squares, return_index=True)
    likelihood = log_likelihood(*shown(game, boards[first]))
    row = {kind: number for number, kind in enumerate(kinds.tolist())}
    return Earlier(squares.reshape(settings.replicates, most), likelihood, row)


def estimated(
    found: Earlier, games: int, spread: tuple[float, float] | None
) -> Float64[np.ndarray, " R"]:
    """The estimate of a from the first games of every replicate."""
    if games == 0:
        return np.zeros(len(found.squares))
    squares = found.squares[:, :games]
    _, first, which = np.unique(squares.sum(1), return_index=True, return_inverse=True)
    rows = [np.array([found.row[kind] for kind in own]) for own in squares[first].tolist()]
    fits = [maximum(found.likelihood.of(own), touch=0, spread=spread).edge for own in rows]
    return np.array(fits)[which]


def spread_of(
    values: Float64[np.ndarray, " R"], truth: float, grid: Float64[np.ndarray, " G"]
) -> dict[str, Any]:
    """Where the estimates lie."""
    quantiles = np.quantile(values, (0.025, 0.1, 0.5, 0.9, 0.975)).tolist()
    return {
        "estimate": {
            "mean": float(values.mean()),
            "sd": float(values.std(ddof=1)),
            "off": float(((values - truth) ** 2).mean() ** 0.5),
            **dict(zip(("p2.5", "p10", "median", "p90", "p97.5"), quantiles, strict=True)),
            "beyond_the_grid": float(((values < grid[0]) | (values > grid[-1])).mean()),
        }
    }


def weights(
    values: Float64[np.ndarray, " R"], grid: Float64[np.ndarray, " G"]
) -> Float64[np.ndarray, "R G"]:
    """Linear interpolation between the points of the grid: rows add up to 1."""
    unit = np.eye(len(grid))
    return np.stack([np.interp(values, grid, unit[g]) for g in range(len(grid))], 1)


def expected(
    values: Float64[np.ndarray, " R"],
    grid: Float64[np.ndarray, " G"],
    shots: Float64[np.ndarray, "N G"],
    known: int,
    uniform: int,
) -> dict[str, Any]:
    """Expected shots with the estimate, and how many more than with knowledge and with none."""
    weight = weights(values, grid)

    def mean(of: Float64[np.ndarray, "N G"]) -> dict[str, float]:
        boards, replicates = of @ weight.mean(0), weight @ of.mean(0)
        errors = [own.std(ddof=1) / sqrt(len(own)) for own in (boards, replicates)]
        return within(float(boards.mean()), float(hypot(*errors)))

    return {
        "shots": mean(shots),
        "more_than_knowing": mean(shots - shots[:, [known]]),
        "more_than_uniform": mean(shots - shots[:, [uniform]]),
    }


def after(rows: list[dict[str, Any]], saving: float) -> dict[str, int | None]:
    """Fewest earlier games from which on an estimate helps, and from which it is nearly knowledge.

    It helps if the 95% interval of what it needs more than assuming uniform is below 0, then and
    with more games.
    """
    helps = [row["more_than_uniform"]["high"] < 0 for row in rows]
    near = [row["more_than_knowing"]["mean"] <= NEAR * saving for row in rows]
    return {what: _first(rows, holds) for what, holds in (("helps", helps), ("near", near))}


def _first(rows: list[dict[str, Any]], holds: list[bool]) -> int | None:
    """Games of the first row from which on it holds."""
    for number, row in enumerate(rows):
        if all(holds[number:]):
            return row["games"]
    return None
