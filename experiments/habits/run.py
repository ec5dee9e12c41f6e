"""Runs the experiment: `python -m experiments.habits.run` (`experiments.parts`)."""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from experiments.habits import fleet
from experiments.habits.settings import FLEETS, FULL, QUICK, Settings
from experiments.parts import alone, run_parts, stop_with_one_line

FOLDER = Path(__file__).parent

PARTS: dict[str, Callable[[Settings], dict[str, Any]]] = {
    name: partial(fleet.run, name) for name in FLEETS
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
        about="Learn known habits of placing ships from games.",
        parts={name: alone(part) for name, part in PARTS.items()},
        full=FULL,
        quick=QUICK,
    )


if __name__ == "__main__":
    stop_with_one_line(FOLDER, main)
