"""Runs the experiment: `python -m experiments.habits.run` (`experiments.parts`)."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from experiments.habits import fleet
from experiments.habits.settings import FLEETS, FULL, QUICK, Settings
from experiments.parts import Experiment, alone

PARTS: dict[str, Callable[[Settings], dict[str, Any]]] = {
    name: partial(fleet.run, name) for name in FLEETS
}
"""Name of each result file, and what computes it."""


EXPERIMENT = Experiment(
    folder=Path(__file__).parent,
    about="Learn known habits of placing ships from games.",
    parts=alone(PARTS),
    full=FULL,
    quick=QUICK,
)
main = EXPERIMENT.main

if __name__ == "__main__":
    EXPERIMENT.run()
