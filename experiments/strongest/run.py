"""Runs the experiment: `python -m experiments.strongest.run` (`experiments.parts`).

The long run of `ten` comes first: what the parts after it play are its hunts, rebuilt once. All of
them go on where they were killed.
"""

from pathlib import Path

from experiments.parts import Experiment, by_field
from experiments.strongest import (
    account,
    choices,
    classic,
    costs,
    example,
    loops,
    ten,
    trap,
    variants,
    worst,
)
from experiments.strongest.settings import FULL, QUICK

PARTS = by_field(
    {
        "choices": choices.run,
        "loops": loops.run,
        "trap": trap.run,
        "ten": ten.run,
        "costs": costs.run,
        "classic": classic.run,
        "account": account.run,
        "worst": worst.run,
        "variants": variants.run,
        "example": example.run,
    }
)
"""Name of each result file, and what computes it."""

EXPERIMENT = Experiment(
    folder=Path(__file__).parent,
    about="Grow a mixture for three ships by self-play, and play it on the classic board.",
    parts=PARTS,
    full=FULL,
    quick=QUICK,
)
main = EXPERIMENT.main

if __name__ == "__main__":
    EXPERIMENT.run()
