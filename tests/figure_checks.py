"""What every figure script must do, on the stored results of its experiment."""

import importlib
from itertools import pairwise
from pathlib import Path

import pytest
from PIL import Image

ROOT = Path(__file__).parents[1]
LARGEST = 200_000
"""Bytes of a PNG at most."""


def results_of(experiment):
    """Folder of the stored results of an experiment."""
    return ROOT / "experiments" / experiment / "results"


def scripts(experiment):
    """Names of the scripts that draw an experiment."""
    return sorted(path.stem for path in (ROOT / "figures").glob(f"{experiment}_*.py"))


def script(name):
    """A figure script by its name."""
    return importlib.import_module(f"figures.{name}")


def make(name, folder, out):
    """What a script writes from the results in a folder."""
    return script("script").make(script(name).figure, out / name, folder)


def is_drawn_the_same_twice(name, folder, out):
    first, again = (make(name, folder, out / run) for run in ("first", "again"))
    assert [path.suffix for path in first] == [".svg", ".png"]
    for one, other in zip(first, again, strict=True):
        assert one.read_bytes() == other.read_bytes()
    with Image.open(first[1]) as image:
        assert "sha256" in image.info["Description"]
    assert first[1].stat().st_size < LARGEST


def tables(name, folder, out):
    """The document a script writes; every row of a table has as many cells as the one before."""
    (path,) = make(name, folder, out)
    text = path.read_text()
    for before, after in pairwise(text.splitlines()):
        if before.startswith("|") and after.startswith("|"):
            assert before.count("|") == after.count("|"), after
    return text


def line_at_the_end(name, experiment, folder, out):
    """The one line that a script ends with; it draws nothing."""
    words = ["--results", str(folder), "--out", str(out)]
    with pytest.raises(SystemExit) as end:
        script("script").main(script(name).__file__, experiment, script(name).figure, words)
    assert not out.exists()
    line = str(end.value.code)
    assert "\n" not in line
    return line
