"""Runs the experiment: `python -m experiments.classic_fleet.run` (`experiments.parts`).

Games lie in run folders under `--work`: a part that was killed goes on where it was, and what was
played is not played again.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from experiments.classic_fleet import hard_boards, luck, mixture, paces, strategies
from experiments.classic_fleet.settings import FULL, QUICK, Settings
from experiments.parts import Experiment, by_field

PARTS: dict[str, Callable[[Settings, Path], dict[str, Any]]] = {
    **by_field(
        {
            "paces": paces.run,
            "strategies": strategies.run,
            "hard_boards": hard_boards.run,
            "heat_maps": hard_boards.run,
            "luck": luck.run,
        }
    ),
    "mixture": lambda settings, work: mixture.run(
        settings.mixture, settings.strategies, settings.hard_boards, work
    ),
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
