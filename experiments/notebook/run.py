"""Runs the experiment: `python -m experiments.notebook.run` (`experiments.parts`)."""

from collections.abc import Callable
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
from experiments.parts import Experiment, alone

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


EXPERIMENT = Experiment(
    folder=Path(__file__).parent,
    about="Measure every map, table and chart of the write-up again.",
    parts=alone(PARTS),
    full=FULL,
    quick=QUICK,
)
main = EXPERIMENT.main

if __name__ == "__main__":
    EXPERIMENT.run()
