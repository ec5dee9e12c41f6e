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
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

from bsjax.runtime import devices, results
from bsjax.runtime.origin import commit


class Settings(Protocol):
    """A NamedTuple of settings, one of which is the seed."""

    @property
    def seed(self) -> int:
        """Seed of everything random."""
        ...

    def _asdict(self) -> dict[str, Any]: ...


S = TypeVar("S", bound=Settings)


@dataclass(frozen=True)
class Experiment(Generic[S]):
    """An experiment: its folder, its parts and its settings."""

    folder: Path
    """Results go into its `results/`, games that are kept into its `.runs/`."""
    about: str
    """One line on what it does."""
    parts: Mapping[str, Callable[[S, Path], dict[str, Any]]]
    """Name of each result file, and what computes it from the settings and the folder in which
    games may be kept."""
    full: S
    """Settings of the results that are committed. A field that is named as a part and is a
    NamedTuple holds all settings of that part."""
    quick: S
    """Settings of `--quick`."""

    def main(self, words: Sequence[str] | None = None) -> None:
        """Compute the chosen parts and write their results.

        Args:
            words: the command line, by default that of the process.

        Raises:
            ValueError: a result exists, or a quick run was to go into `results/`.
        """
        name, final = self.folder.name, self.folder / "results"
        chosen = self._arguments(words)
        out = chosen.out or (Path(tempfile.mkdtemp(prefix=f"{name}-")) if chosen.quick else final)
        work = chosen.work or (out / "runs" if chosen.quick else self.folder / ".runs")
        if chosen.quick and out.resolve() == final.resolve():
            raise ValueError(f"a quick run does not write into {final.name}/; choose another --out")
        paths = {part: out / f"{part}.json" for part in chosen.only or self.parts}
        there = [path for path in paths.values() if path.exists()]
        if there and not chosen.overwrite:
            raise ValueError(f"{there[0]} exists; add --overwrite to replace this result")
        devices.use_all_cores()
        # Before a part writes files of the checkout, such as players.
        commit()
        settings = self.quick if chosen.quick else self.full
        for part, path in paths.items():
            started = time.monotonic()
            found = self.parts[part](settings, work)
            own = getattr(settings, part, None)
            own = own if hasattr(own, "_asdict") else settings
            told = {"settings": {"quick": chosen.quick, **plain(own)}, **found}
            results.write(path, told, seed=settings.seed, overwrite=chosen.overwrite)
            print(f"{part}: {time.monotonic() - started:.1f} s, {path}")

    def run(self) -> None:
        """As `main`; what the user can change ends with one line."""
        try:
            self.main()
        except (ValueError, OSError) as error:
            sys.exit(f"{self.folder.name}: {' '.join(str(error).split())}")

    def _arguments(self, words: Sequence[str] | None) -> argparse.Namespace:
        prog, names = f"python -m experiments.{self.folder.name}.run", list(self.parts)
        one_of = f"one of {', '.join(names)}"
        parser = argparse.ArgumentParser(prog=prog, description=self.about)
        parser.add_argument("--quick", action="store_true", help="few games, into --out")
        parser.add_argument("--overwrite", action="store_true", help="replace results that exist")
        parser.add_argument("--only", action="append", choices=names, metavar="PART", help=one_of)
        parser.add_argument("--out", type=Path, help="folder of results; results/, or a new one")
        parser.add_argument("--work", type=Path, help="folder of games that are kept; .runs/")
        return parser.parse_args(words)


def plain(value: Any) -> Any:
    """Settings within settings as dictionaries."""
    if hasattr(value, "_asdict"):
        return {name: plain(field) for name, field in value._asdict().items()}
    return [plain(one) for one in value] if isinstance(value, tuple) else value


def alone(
    parts: Mapping[str, Callable[[S], dict[str, Any]]],
) -> dict[str, Callable[[S, Path], dict[str, Any]]]:
    """Parts that keep no games."""
    return {name: lambda settings, work, part=part: part(settings) for name, part in parts.items()}


def by_field(
    parts: Mapping[str, Callable[[Any, Path], dict[str, Any]]],
) -> dict[str, Callable[[Any, Path], dict[str, Any]]]:
    """Parts that take the field of the settings that is named as they are."""

    def one(name: str) -> Callable[[Any, Path], dict[str, Any]]:
        return lambda settings, work: parts[name](getattr(settings, name), work)

    return {name: one(name) for name in parts}
