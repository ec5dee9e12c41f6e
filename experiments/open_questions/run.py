"""Runs the experiment: `python -m experiments.open_questions.run` (`experiments.parts`).

Each part answers one question. The games lie in run folders under `--work`: a part that was killed
goes on where it was, and games that were played are not played again.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from experiments.open_questions import draws, estimate, habits, information, lookahead, rollout
from experiments.open_questions.play import Runs
from experiments.open_questions.settings import FULL, QUICK, Settings
from experiments.parts import run_parts, stop_with_one_line

FOLDER = Path(__file__).parent

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


def main(words: Sequence[str] | None = None) -> None:
    """Compute the chosen parts and write their results.

    Raises:
        ValueError: a result exists, or a quick run was to go into `results/`.
    """
    run_parts(
        words,
        folder=FOLDER,
        about="Answer the open questions of the write-up on the standard fleet.",
        parts={name: _in_folders(part) for name, part in PARTS.items()},
        full=FULL,
        quick=QUICK,
    )


def _in_folders(part: Part) -> Callable[[Settings, Path], dict[str, Any]]:
    """The part with its games in run folders."""
    return lambda settings, work: part(Runs(work, settings.game(), settings.seed), settings)


if __name__ == "__main__":
    stop_with_one_line(FOLDER, main)
