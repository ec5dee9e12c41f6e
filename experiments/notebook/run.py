"""Runs the experiment: `python -m experiments.notebook.run` (`experiments.parts`)."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from experiments.notebook import (
    five_ships,
    habits,
    one_ship,
    rules,
    sampler,
    standard_fleet,
    two_ships,
)
from experiments.notebook.settings import FULL, QUICK, Settings
from experiments.parts import alone, run_parts, stop_with_one_line

FOLDER = Path(__file__).parent

PARTS: dict[str, Callable[[Settings], dict[str, Any]]] = {
    "one_ship": one_ship.run,
    "two_ships": two_ships.run,
    "rules": rules.run,
    "habits": habits.run,
    "five_ships": five_ships.run,
    "sampler": sampler.run,
    "standard_fleet": standard_fleet.run,
}
"""Name of each result file, and what computes it."""


def main(words: Sequence[str] | None = None) -> None:
    """Compute the chosen parts and write their results.

    Raises:
        ValueError: a result exists, or a quick run was to go into `results/`.
    """
    run_parts(
        words,
        folder=FOLDER,
        about="Measure every map, table and chart of the write-up again.",
        parts={name: alone(part) for name, part in PARTS.items()},
        full=FULL,
        quick=QUICK,
    )


if __name__ == "__main__":
    stop_with_one_line(FOLDER, main)
