"""Runs the experiment: `python -m experiments.classic_fleet.run` (`experiments.parts`).

Games lie in run folders under `--work`: a part that was killed goes on where it was, and what was
played is not played again.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from experiments.classic_fleet import hard_boards, luck, mixture, paces, strategies
from experiments.classic_fleet.settings import FULL, QUICK, Settings
from experiments.parts import Experiment

PARTS: dict[str, Callable[[Settings, Path], dict[str, Any]]] = {
    "paces": lambda settings, work: paces.run(settings.paces, work),
    "strategies": lambda settings, work: strategies.run(settings.strategies, work),
    "hard_boards": lambda settings, work: hard_boards.run(settings.hard_boards, work),
    "heat_maps": lambda settings, work: hard_boards.run(settings.heat_maps, work),
    "mixture": lambda settings, work: mixture.run(
        settings.mixture, settings.strategies, settings.hard_boards, work
    ),
    "luck": lambda settings, work: luck.run(settings.luck, work),
}
"""Name of each result file, and what computes it."""

EXPERIMENT = Experiment(
    folder=Path(__file__).parent,
    about="Race on the classic fleet, and look for the hardest boards.",
    parts=PARTS,
    full=FULL,
    quick=QUICK,
)
main = EXPERIMENT.main

if __name__ == "__main__":
    EXPERIMENT.run()
