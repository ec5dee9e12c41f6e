"""Every figure script on the stored results: it draws, the same bits each time, or says why not."""

import importlib
import json
import shutil
from pathlib import Path

import pytest
from PIL import Image

ROOT = Path(__file__).parents[1]
SCRIPTS = sorted(path.stem for path in (ROOT / "figures").glob("how_the_computer_*.py"))
FOLDER = ROOT / "experiments" / "how_the_computer" / "results"
FILM, TABLES = "how_the_computer_film", "how_the_computer_tables"


@pytest.fixture
def script():
    """Import a figure script by name."""
    return lambda name: importlib.import_module(f"figures.{name}")


def test_there_is_a_script_for_every_figure():
    assert len(SCRIPTS) == 11


@pytest.mark.parametrize("name", [name for name in SCRIPTS if name not in (FILM, TABLES)])
def test_a_figure_is_drawn_the_same_twice(name, script, tmp_path):
    make = script("script").make
    first = make(script(name).figure, tmp_path / "first" / name, FOLDER)
    again = make(script(name).figure, tmp_path / "again" / name, FOLDER)
    assert [path.suffix for path in first] == [".svg", ".png"]
    for one, other in zip(first, again, strict=True):
        assert one.read_bytes() == other.read_bytes()
    svg, png = first
    assert "sha256" in svg.read_text()
    with Image.open(png) as image:
        assert "sha256" in image.info["Description"]
    assert png.stat().st_size < 200_000


def test_the_film(script, tmp_path):
    (path,) = script("script").make(script(FILM).figure, tmp_path / FILM, FOLDER)
    assert path.stat().st_size < 1_500_000
    played = json.loads((FOLDER / "game.json").read_text())["played"]
    with Image.open(path) as film:
        assert b"sha256" in film.info["comment"]
        # A frame per shot and one before the first.
        assert film.n_frames == 1 + max(game["shots"] for game in played.values())


def test_the_tables(script, tmp_path):
    (path,) = script("script").make(script(TABLES).figure, tmp_path / TABLES, FOLDER)
    text = path.read_text()
    assert "30,093,975,536" in text
    assert "| 6 | D5 | hit, sunk | Line | Hunt |" in text
    widths = [line.count("|") for line in text.splitlines() if line.startswith("|")]
    assert min(widths) > 2


def test_a_missing_result_ends_a_script_with_one_line(script, tmp_path):
    opening = script("how_the_computer_opening")
    with pytest.raises(SystemExit) as end:
        script("script").main(
            opening.__file__, "how_the_computer", opening.figure, ["--results", str(tmp_path)]
        )
    assert "density.json is missing" in str(end.value.code)
    assert "\n" not in str(end.value.code)


def test_a_claim_that_fails_ends_a_script_before_it_draws(script, tmp_path):
    opening = script("how_the_computer_opening")
    shutil.copy(FOLDER / "density.json", tmp_path)
    told = json.loads((tmp_path / "density.json").read_text())
    told["opening"]["density"][0] = 11
    (tmp_path / "density.json").write_text(json.dumps(told))
    words = ["--results", str(tmp_path), "--out", str(tmp_path / "out")]
    with pytest.raises(SystemExit) as end:
        script("script").main(opening.__file__, "how_the_computer", opening.figure, words)
    assert str(end.value.code).startswith("how_the_computer_opening: the claim fails: 10 positions")
    assert not (tmp_path / "out").exists()
