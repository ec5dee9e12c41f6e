"""What the search for a rule mixture found, and its figures as JSON values."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float64

from bsjax.evaluate.by_layout import Estimate
from bsjax.evaluate.credit import Credit
from bsjax.evaluate.hard_boards.layouts import ships_written, written
from bsjax.evaluate.hard_boards.pool import Pool
from bsjax.evaluate.hard_boards.report import rounded_up
from bsjax.evaluate.hard_boards.trial import Readings
from bsjax.solve.die_table import Faced
from bsjax.solve.matrix_game import Solution

Weights = Float64[np.ndarray, " S"]
"""A die over all S rules; they add up to 1."""


class Trial(NamedTuple):
    """A die, and a search for a board that is hard for it."""

    weights: Weights
    low: float
    """What the die wins on the worst board known, by the readings that it was made from."""
    thorough: bool
    known: int
    """Boards known to those who made the die."""
    held: Readings
    """On known boards where it is held down most, from the same games as below."""
    boards: list[int]
    """Where the descents ended; some may have been known."""
    readings: Readings
    """Of these boards, from fresh games."""
    games: int
    """Games of each hunter that the descents took."""

    @property
    def gain(self) -> float:
        """How much lower the search held the die than the boards known, on the same games."""
        return lowest(self.held) - lowest(self.readings)


def lowest(readings: Readings) -> float:
    """The lowest win rate."""
    return float(readings.value.min())


class Worst(NamedTuple):
    """The worst board of a die, from games that chose nothing."""

    board: int
    faced: Faced
    names: list[str]
    """Of the rules that come up, in the order of the die."""


class Mixed(NamedTuple):
    """What is left when no search finds more."""

    names: list[str]
    """Of all rules."""
    weights: Weights
    """The last die."""
    value: Float64[np.ndarray, "R S"]
    """What each rule wins on each board known."""
    hiding: Solution
    """Of this matrix; its rows are where to hide."""
    worst: Worst


def told(
    trials: Sequence[Trial], found: Mixed, pool: Pool, credit: Credit, settings: dict[str, Any]
) -> dict[str, Any]:
    """Result of a search for a mixture.

    * `die`: weight of each rule that comes up. `low`: the least it wins on any board known, by
      the readings of the matrix; those of the last search are in it too.
    * `worst`: `win_rate`, `se`, `worst_case` (in per cent, rounded up to a tenth), `mean_shots`,
      `games` of each rule, `board` (number), `ships`, `rules` (what each wins there) and
      `shares` of games over at each shot, from games that chose nothing.
    * `hiding`: `boards` with their `weight`, and what the best rule wins against them by readings
      that chose them (`high`).
    * `rounds`: every die and what its search found. `boards`: all boards, as
      `bsjax.evaluate.hard_boards.layouts.read` reads them. `payoff`: the matrix by rows.
    """
    game, names = pool.game, found.names
    order = np.argsort(-found.hiding.rows, kind="stable")
    return {
        "settings": settings,
        "game": str(game),
        "rules": names,
        "die": _die(names, found.weights),
        "low": float((found.value @ found.weights).min()),
        "worst": _worst(found.worst, pool, credit),
        "hiding": {
            "high": found.hiding.high,
            "boards": [
                {"number": row, "weight": float(found.hiding.rows[row])}
                for row in order.tolist()
                if found.hiding.rows[row] > 0
            ],
        },
        "rounds": [_trial(names, trial) for trial in trials],
        "boards": [
            {
                "board": written(game, entry.layout),
                "found_by": entry.found_by,
                "found_in": entry.stage,
            }
            for entry in pool.entries
        ],
        "payoff": np.round(found.value, 5).tolist(),
    }


def _die(names: list[str], weights: Weights) -> dict[str, float]:
    """The rules that come up, the likeliest first."""
    order = np.argsort(-weights, kind="stable").tolist()
    return {names[rule]: float(weights[rule]) for rule in order if weights[rule] > 0}


def _worst(worst: Worst, pool: Pool, credit: Credit) -> dict[str, Any]:
    faced, layout = worst.faced, pool.entries[worst.board].layout
    win, shots = faced.mean(credit), faced.mean(np.arange(len(credit), dtype=np.float64))
    rules = {}
    for name, row in zip(worst.names, faced.histograms, strict=True):
        own = Faced(np.ones(1), row[None])
        rules[name] = own.mean(credit)._asdict() | {
            "mean_shots": own.mean(np.arange(len(credit), dtype=np.float64)).value
        }
    return {
        "win_rate": win.value,
        "se": win.se,
        "worst_case": rounded_up(win.value),
        "mean_shots": shots.value,
        "games": int(faced.histograms[0].sum()),
        "board": worst.board,
        "ships": ships_written(pool.game, layout),
        "rules": rules,
        "shares": faced.shares.tolist(),
    }


def _trial(names: list[str], trial: Trial) -> dict[str, Any]:
    rows = zip(trial.boards, trial.readings.value, trial.readings.se, strict=True)
    return {
        "die": _die(names, trial.weights),
        "low": trial.low,
        "held": lowest(trial.held),
        "lowest": lowest(trial.readings),
        "thorough": trial.thorough,
        "known": trial.known,
        "games": trial.games,
        "found": [
            {"number": board, **Estimate(float(value), float(se))._asdict()}
            for board, value, se in rows
        ],
    }
