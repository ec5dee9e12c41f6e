"""Runs the experiment: `python -m experiments.strongest.run` (`experiments.parts`).

The long run of `ten` comes first: what the parts after it play are its hunts, rebuilt once. All of
them go on where they were killed.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from experiments.parts import Experiment
from experiments.strongest import (
    account,
    classic,
    costs,
    example,
    loops,
    ten,
    trap,
    variants,
    worst,
)
from experiments.strongest.settings import FULL, QUICK, Settings

PARTS: dict[str, Callable[[Settings, Path], dict[str, Any]]] = {
    "loops": lambda settings, work: loops.run(settings.loops, work),
    "trap": lambda settings, work: trap.run(settings.trap, work),
    "ten": lambda settings, work: ten.run(settings.ten, work),
    "costs": lambda settings, work: costs.run(settings.costs, work),
    "classic": lambda settings, work: classic.run(settings.classic, work),
    "account": lambda settings, work: account.run(settings.account, work),
    "worst": lambda settings, work: worst.run(settings.worst, work),
    "variants": lambda settings, work: variants.run(settings.variants, work),
    "example": lambda settings, work: example.run(settings.example, work),
}
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
