"""Runs an experiment part by part: `python -m experiments.NAME.run`.

Each part writes one result file. A file that exists is an error unless `--overwrite` is given;
nothing is computed before that is known. `--quick` plays few games and never writes into
`results/`.
"""

import argparse
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol, TypeVar

from bsjax.runtime import devices, results


class Settings(Protocol):
    """A NamedTuple of settings, one of which is the seed."""

    @property
    def seed(self) -> int:
        """Seed of everything random."""
        ...

    def _asdict(self) -> dict[str, Any]: ...


S = TypeVar("S", bound=Settings)


def run_parts(
    words: Sequence[str] | None,
    *,
    folder: Path,
    about: str,
    parts: Mapping[str, Callable[[S, Path], dict[str, Any]]],
    full: S,
    quick: S,
) -> None:
    """Compute the chosen parts of an experiment and write their results.

    Args:
        words: the command line, by default that of the process.
        folder: of the experiment; results go into `results/`, games that are kept into `.runs/`.
        about: one line on what the experiment does.
        parts: name of each result file, and what computes it from the settings and the folder in
            which games may be kept.
        full: settings of the results that are committed.
        quick: settings of `--quick`.

    Raises:
        ValueError: a result exists, or a quick run was to go into `results/`.
    """
    name, final = folder.name, folder / "results"
    chosen = _arguments(words, name, about, list(parts))
    out = chosen.out or (Path(tempfile.mkdtemp(prefix=f"{name}-")) if chosen.quick else final)
    work = chosen.work or (out / "runs" if chosen.quick else folder / ".runs")
    if chosen.quick and out.resolve() == final.resolve():
        raise ValueError(f"a quick run does not write into {final.name}/; choose another --out")
    paths = {part: out / f"{part}.json" for part in chosen.only or parts}
    there = [path for path in paths.values() if path.exists()]
    if there and not chosen.overwrite:
        raise ValueError(f"{there[0]} exists; add --overwrite to replace this result")
    devices.use_all_cores()
    settings = quick if chosen.quick else full
    for part, path in paths.items():
        started = time.monotonic()
        found = parts[part](settings, work)
        told = {"settings": {"quick": chosen.quick, **settings._asdict()}, **found}
        results.write(path, told, seed=settings.seed, overwrite=chosen.overwrite)
        print(f"{part}: {time.monotonic() - started:.1f} s, {path}")


def alone(part: Callable[[S], dict[str, Any]]) -> Callable[[S, Path], dict[str, Any]]:
    """A part that keeps no games."""
    return lambda settings, work: part(settings)


def stop_with_one_line(folder: Path, main: Callable[[], None]) -> None:
    """Run the entry point of an experiment; what the user can change ends with one line."""
    try:
        main()
    except (ValueError, OSError) as error:
        sys.exit(f"{folder.name}: {' '.join(str(error).split())}")


def _arguments(
    words: Sequence[str] | None, name: str, about: str, parts: list[str]
) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog=f"python -m experiments.{name}.run", description=about)
    parser.add_argument("--quick", action="store_true", help="few games, into --out")
    parser.add_argument("--overwrite", action="store_true", help="replace results that exist")
    parser.add_argument(
        "--only", action="append", choices=parts, metavar="PART", help=f"one of {', '.join(parts)}"
    )
    parser.add_argument("--out", type=Path, help="folder of the results; results/, or a new one")
    parser.add_argument("--work", type=Path, help="folder of games that are kept; .runs/")
    return parser.parse_args(words)
