"""Runs the experiment: `python -m experiments.distilled.run` (`experiments.parts`).

Trainings and games lie under `--work`: a part that was killed goes on where it was, and the parts
share what was trained.
"""

from pathlib import Path

from experiments.distilled import beyond, calibration, classic, rewound, small, symmetry
from experiments.distilled.settings import FULL, QUICK
from experiments.parts import Experiment, by_field

PARTS = by_field(
    {
        "classic": classic.run,
        "calibration": calibration.run,
        "four_by_four": small.run,
        "five_by_five": small.run,
        "rewound": rewound.run,
        "symmetry": symmetry.run,
        "beyond": beyond.run,
    }
)
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
