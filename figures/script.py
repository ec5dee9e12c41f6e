"""What every figure script does: read results, check what the figure says, draw, save.

    python -m figures.NAME [--results DIR] [--out DIR]

A script reads result files only and computes nothing that takes time. It states the claims of its
caption before it draws; the first one that fails, like a missing result, ends the script with one
line and exit code 1. The hashes of the files read go into the figure's description.
"""

import argparse
import hashlib
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Protocol

from bsjax.runtime import results

ROOT = Path(__file__).parents[1]
OUT = ROOT / "figures" / "out"


class Drawn(Protocol):
    """What a script makes: anything that can be saved under a path without an ending."""

    def save(self, stem: Path, note: str = "") -> list[Path]:
        """Write the files and say which."""
        ...


class Results:
    """The result files of one experiment; remembers what was read."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.read_from: dict[str, str] = {}

    def read(self, name: str) -> dict[str, Any]:
        """One result file.

        Raises:
            ValueError: it is missing, corrupt or of another format.
        """
        path = self.folder / f"{name}.json"
        told = results.read(path)
        self.read_from[path.name] = hashlib.sha256(path.read_bytes()).hexdigest()
        return told

    def note(self) -> str:
        """Names and hashes of the files read."""
        return "; ".join(f"{name} sha256 {digest}" for name, digest in self.read_from.items())


class Text:
    """A document in Markdown."""

    def __init__(self, text: str):
        self.text = text

    def save(self, stem: Path, note: str = "") -> list[Path]:
        """Write `stem`.md, with the note as a comment at its end."""
        stem.parent.mkdir(parents=True, exist_ok=True)
        path = stem.with_name(stem.name + ".md")
        path.write_text(f"{self.text}\n<!-- {note} -->\n", encoding="utf-8")
        return [path]


def claim(holds: bool, text: str) -> None:
    """Refuse to draw a figure that says what its input does not.

    Raises:
        ValueError: the claim does not hold.
    """
    if not holds:
        raise ValueError(f"the claim fails: {text}")


def make(figure: Callable[[Results], Drawn], stem: Path, folder: Path) -> list[Path]:
    """Draw a figure from the results in `folder` and save it as `stem` with its endings."""
    found = Results(folder)
    return figure(found).save(stem, found.note())


def main(
    file: str,
    experiment: str,
    figure: Callable[[Results], Drawn],
    words: Sequence[str] | None = None,
) -> None:
    """Run a script: its name is that of the figure."""
    name = Path(file).stem
    parser = argparse.ArgumentParser(prog=f"python -m figures.{name}")
    folder = ROOT / "experiments" / experiment / "results"
    parser.add_argument("--results", type=Path, default=folder, help="folder of the result files")
    parser.add_argument("--out", type=Path, default=OUT, help="folder of the figures")
    chosen = parser.parse_args(words)
    try:
        written = make(figure, chosen.out / name, chosen.results)
    except (ValueError, OSError) as error:
        sys.exit(f"{name}: {' '.join(str(error).split())}")
    for path in written:
        print(f"{path} ({path.stat().st_size:,} bytes)")
