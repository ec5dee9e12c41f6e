"""Runs the experiment: `python -m experiments.habits.run`.

Each part writes one result file. A file that exists is an error unless `--overwrite` is given;
nothing is computed before that is known. `--quick` plays few games and never writes into
`results/`.
"""

import argparse
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from bsjax.runtime import devices, results
from experiments.habits import fleet
from experiments.habits.settings import FLEETS, FULL, QUICK, Settings

RESULTS = Path(__file__).parent / "results"

PARTS: dict[str, Callable[[Settings], dict[str, Any]]] = {
    name: partial(fleet.run, name) for name in FLEETS
}
"""Name of each result file, and what computes it."""


def main(words: Sequence[str] | None = None) -> None:
    """Compute the chosen parts and write their results.

    Raises:
        ValueError: a result exists, or a quick run was to go into `results/`.
    """
    chosen = _arguments(words)
    out = chosen.out or (Path(tempfile.mkdtemp(prefix="habits-")) if chosen.quick else RESULTS)
    if chosen.quick and out.resolve() == RESULTS.resolve():
        raise ValueError(f"a quick run does not write into {RESULTS.name}/; choose another --out")
    paths = {name: out / f"{name}.json" for name in chosen.only or PARTS}
    there = [path for path in paths.values() if path.exists()]
    if there and not chosen.overwrite:
        raise ValueError(f"{there[0]} exists; add --overwrite to replace this result")
    devices.use_all_cores()
    settings = QUICK if chosen.quick else FULL
    for name, path in paths.items():
        started = time.monotonic()
        found = PARTS[name](settings)
        told = {"settings": {"quick": chosen.quick, **settings._asdict()}, **found}
        results.write(path, told, seed=settings.seed, overwrite=chosen.overwrite)
        print(f"{name}: {time.monotonic() - started:.1f} s, {path}")


def _arguments(words: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m experiments.habits.run",
        description="Learn known habits of placing ships from games.",
    )
    parser.add_argument("--quick", action="store_true", help="few games, into --out")
    parser.add_argument("--overwrite", action="store_true", help="replace results that exist")
    parser.add_argument(
        "--only", action="append", choices=PARTS, metavar="PART", help=f"one of {', '.join(PARTS)}"
    )
    parser.add_argument(
        "--out", type=Path, help="folder of the result files; results/, or a new one if quick"
    )
    return parser.parse_args(words)


if __name__ == "__main__":
    try:
        main()
    except (ValueError, OSError) as error:
        sys.exit(f"habits: {' '.join(str(error).split())}")
