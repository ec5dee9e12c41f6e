"""Runs the experiment: `python -m experiments.open_questions.run`.

Each part answers one question and writes one result file. A file that exists is an error unless
`--overwrite` is given; nothing is computed before that is known. The games lie in run folders
under `--work`: a part that was killed goes on where it was, and games that were played are not
played again. `--quick` plays few games on a small board and never writes into `results/`.
"""

import argparse
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from bsjax.runtime import devices, results
from experiments.open_questions import draws, estimate, habits, information, lookahead, rollout
from experiments.open_questions.play import Runs
from experiments.open_questions.settings import FULL, QUICK, Settings

HERE = Path(__file__).parent
RESULTS, WORK = HERE / "results", HERE / ".runs"

PARTS: dict[str, Callable[[Runs, Settings], dict[str, Any]]] = {
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
    chosen = _arguments(words)
    out = chosen.out or (
        Path(tempfile.mkdtemp(prefix="open-questions-")) if chosen.quick else RESULTS
    )
    work = chosen.work or (out / "runs" if chosen.quick else WORK)
    if chosen.quick and out.resolve() == RESULTS.resolve():
        raise ValueError(f"a quick run does not write into {RESULTS.name}/; choose another --out")
    paths = {name: out / f"{name}.json" for name in chosen.only or PARTS}
    there = [path for path in paths.values() if path.exists()]
    if there and not chosen.overwrite:
        raise ValueError(f"{there[0]} exists; add --overwrite to replace this result")
    devices.use_all_cores()
    settings = QUICK if chosen.quick else FULL
    runs = Runs(work, settings.game(), settings.seed)
    for name, path in paths.items():
        started = time.monotonic()
        found = PARTS[name](runs, settings)
        told = {"settings": {"quick": chosen.quick, **settings.as_json()}, **found}
        results.write(path, told, seed=settings.seed, overwrite=chosen.overwrite)
        print(f"{name}: {time.monotonic() - started:.1f} s, {path}")


def _arguments(words: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m experiments.open_questions.run",
        description="Answer the open questions of the write-up on the standard fleet.",
    )
    parser.add_argument("--quick", action="store_true", help="few games, into --out")
    parser.add_argument("--overwrite", action="store_true", help="replace results that exist")
    parser.add_argument(
        "--only", action="append", choices=PARTS, metavar="PART", help=f"one of {', '.join(PARTS)}"
    )
    parser.add_argument(
        "--out", type=Path, help="folder of the result files; results/, or a new one if quick"
    )
    parser.add_argument(
        "--work", type=Path, help="folder of the games; .runs/, or one in --out if quick"
    )
    return parser.parse_args(words)


if __name__ == "__main__":
    try:
        main()
    except (ValueError, OSError) as error:
        sys.exit(f"open_questions: {' '.join(str(error).split())}")
