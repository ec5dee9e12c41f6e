"""Runs the experiment: `python -m experiments.how_the_computer.run` (`experiments.parts`)."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from experiments.how_the_computer import (
    density,
    finishing,
    game,
    patterns,
    placements,
    states,
    strategies,
    ties,
)
from experiments.how_the_computer.settings import FULL, QUICK, Settings
from experiments.parts import alone, run_parts, stop_with_one_line

FOLDER = Path(__file__).parent

PARTS: dict[str, Callable[[Settings], dict[str, Any]]] = {
    "placements": placements.run,
    "patterns": patterns.run,
    "finishing": finishing.run,
    "states": states.run,
    "density": density.run,
    "game": game.run,
    "strategies": strategies.run,
    "ties": ties.run,
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
        about="Measure every table and figure of the write-up again.",
        parts={name: alone(part) for name, part in PARTS.items()},
        full=FULL,
        quick=QUICK,
    )


if __name__ == "__main__":
    stop_with_one_line(FOLDER, main)
