"""Runs the experiment: `python -m experiments.distilled.run` (`experiments.parts`).

Trainings and games lie under `--work`: a part that was killed goes on where it was, and the parts
share what was trained.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from experiments.distilled import beyond, calibration, classic, small, symmetry
from experiments.distilled.settings import FULL, QUICK, Settings
from experiments.parts import Experiment

PARTS: dict[str, Callable[[Settings, Path], dict[str, Any]]] = {
    "classic": lambda settings, work: classic.run(settings.classic, work),
    "calibration": lambda settings, work: calibration.run(settings.calibration, work),
    "four_by_four": lambda settings, work: small.run(settings.four_by_four, work),
    "five_by_five": lambda settings, work: small.run(settings.five_by_five, work),
    "symmetry": lambda settings, work: symmetry.run(settings.symmetry, work),
    "beyond": lambda settings, work: beyond.run(settings.beyond, work),
}
"""Name of each result file, and what computes it."""

EXPERIMENT = Experiment(
    folder=Path(__file__).parent,
    about="Teach small networks what strong players play, and judge them by play.",
    parts=PARTS,
    full=FULL,
    quick=QUICK,
)
main = EXPERIMENT.main

if __name__ == "__main__":
    EXPERIMENT.run()
