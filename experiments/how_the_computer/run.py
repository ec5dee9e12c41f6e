"""Runs the experiment: `python -m experiments.how_the_computer.run` (`experiments.parts`)."""

from collections.abc import Callable
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
from experiments.parts import Experiment, alone

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


EXPERIMENT = Experiment(
    folder=Path(__file__).parent,
    about="Measure every table and figure of the write-up again.",
    parts=alone(PARTS),
    full=FULL,
    quick=QUICK,
)
main = EXPERIMENT.main

if __name__ == "__main__":
    EXPERIMENT.run()
