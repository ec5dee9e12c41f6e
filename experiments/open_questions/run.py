"""Runs the experiment: `python -m experiments.open_questions.run` (`experiments.parts`).

Each part answers one question. The games lie in run folders under `--work`: a part that was killed
goes on where it was, and games that were played are not played again.
"""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from experiments.open_questions import draws, estimate, habits, information, lookahead, rollout
from experiments.open_questions.play import Runs
from experiments.open_questions.settings import FULL, QUICK, Settings
from experiments.parts import Experiment

Part = Callable[[Runs, Settings], dict[str, Any]]

PARTS: dict[str, Part] = {
    "information": information.run,
    "lookahead": lookahead.run,
    "habits": habits.run,
    "estimate": estimate.run,
    "draws": draws.run,
    "rollout": rollout.run,
}
"""Name of each result file, and what computes it."""


def _with_games(part: Part, settings: Settings, work: Path) -> dict[str, Any]:
    """A part on the games kept in a folder."""
    return part(Runs(work, settings.game(), settings.seed), settings)


EXPERIMENT = Experiment(
    folder=Path(__file__).parent,
    about="Answer the open questions of the write-up on the standard fleet.",
    parts={name: partial(_with_games, part) for name, part in PARTS.items()},
    full=FULL,
    quick=QUICK,
)
main = EXPERIMENT.main

if __name__ == "__main__":
    EXPERIMENT.run()
