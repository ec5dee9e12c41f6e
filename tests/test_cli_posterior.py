"""`bsjax posterior --plot`: the map it writes, and what it refuses in one line."""

import json
import sys

import numpy as np
import pytest
from PIL import Image

from bsjax import cli

SHOTS = "C3:hit B1:miss"
SMALL = ("posterior", "--size", "5x4", "--fleet", "3,2")


@pytest.fixture
def bsjax(monkeypatch, capsys):
    """Run a command in this process: exit code, standard output, standard error."""

    def run(*words):
        monkeypatch.setattr(sys, "argv", ["bsjax", *map(str, words)])
        with pytest.raises(SystemExit) as end:
            cli.main()
        said = capsys.readouterr()
        return end.value.code or 0, said.out, said.err

    return run


@pytest.mark.parametrize("name", ["map.png", "map.svg", "map.pdf", "MAP.PNG"])
def test_the_map_is_written(name, bsjax, tmp_path):
    path = tmp_path / name
    code, out, err = bsjax(*SMALL, "--shots", SHOTS, "--plot", path)
    assert (code, err) == (0, "")
    assert out == bsjax(*SMALL, "--shots", SHOTS)[1]
    start = {"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}[name.lower()[-3:]]
    assert path.read_bytes().startswith(start)
    if start == b"\x89PNG":
        with Image.open(path) as image:
            assert image.info["Description"] == SHOTS


def test_the_map_goes_with_json(bsjax, tmp_path):
    code, out, _ = bsjax(*SMALL, "--shots", SHOTS, "--plot", tmp_path / "map.png", "--json")
    assert code == 0
    assert len(json.loads(out)["p_ship"]) == 20
    assert (tmp_path / "map.png").exists()


def test_a_map_before_the_first_shot_and_after_the_last(bsjax, tmp_path):
    assert bsjax(*SMALL, "--plot", tmp_path / "first.png")[0] == 0
    shots = "A1:hit B1:sunk2 A2:hit B2:hit C2:sunk3"
    code, out, _ = bsjax(*SMALL, "--shots", shots, "--plot", tmp_path / "last.png")
    assert code == 0
    assert "best by" not in out
    assert (tmp_path / "last.png").exists()


def test_what_is_drawn(bsjax, tmp_path, monkeypatch):
    """The map gets the posterior, the history and the cells that the text names."""
    from bsjax.draw import heat

    drawn = []

    def keep(game, maps):
        drawn.append((game, maps))
        return heat_maps(game, maps)

    heat_maps = heat.heat_maps
    monkeypatch.setattr(heat, "heat_maps", keep)
    _, out, _ = bsjax(*SMALL, "--shots", SHOTS, "--plot", tmp_path / "map.svg", "--json")
    told, ((game, (one,)),) = json.loads(out), drawn
    assert one.p_ship.tolist() == told["p_ship"]
    assert [shot.cell for shot in one.history] == [12, 1]
    for rule, cells in (("probability", one.likeliest), ("information", one.telling)):
        letter, row = told["best"][rule]
        assert cells == [(int(row) - 1) * game.width + "ABCDE".index(letter)]
    assert one.title == "After 2 shots"
    assert f"{told['layouts_told_apart']} layouts left" in one.note


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("map.jpg", "end the name of a drawing with .png or .svg or .pdf"),
        ("map", "end the name of a drawing with"),
        ("nowhere/map.png", "there is no folder"),
        ("folder.svg", "cannot be written: Is a directory"),
    ],
)
def test_a_file_that_cannot_be_written_is_one_line(name, reason, bsjax, tmp_path):
    (tmp_path / "folder.svg").mkdir()
    code, out, err = bsjax(*SMALL, "--shots", SHOTS, "--plot", tmp_path / name)
    assert (code, out) == (2, "")
    assert err.startswith("bsjax: ")
    assert err.count("\n") == 1
    assert reason in err


def test_a_file_name_is_judged_before_the_shots(bsjax, tmp_path):
    """Nothing is computed for a drawing that cannot be made."""
    _, _, err = bsjax(*SMALL, "--shots", "A1:hit A1:miss", "--plot", tmp_path / "map.bmp")
    assert "end the name" in err


def test_methods_agree(bsjax):
    shots = ("--shots", "E5:hit F5:hit G5:sunk3 B2:miss", "--json")
    exact = json.loads(bsjax("posterior", *shots)[1])
    drawn = json.loads(bsjax("posterior", *shots, "--method", "sample", "--seed", 3)[1])
    density = json.loads(bsjax("posterior", *shots, "--method", "density")[1])
    error = np.array(drawn["p_ship_se"])
    gap = np.abs(np.array(drawn["p_ship"]) - exact["p_ship"])
    assert (gap <= 5 * error + 1e-9).all()
    assert (error > 0).sum() > 50
    told, se = drawn["layouts_told_apart"], drawn["layouts_told_apart_se"]
    assert abs(told - exact["layouts_told_apart"]) < 5 * se
    assert drawn["enough"]
    assert drawn["effective_draws"] >= 10_000
    assert sum(density["p_ship"]) == pytest.approx(17)
    assert density["best"] == {"density": exact["best"]["probability"]}


def test_a_fleet_too_large_to_count_is_drawn(bsjax):
    code, out, err = bsjax("posterior", "--game", "ten-ship", "--shots", "E5:hit")
    assert (code, out) == (2, "")
    assert "leaves here, about" in err
    assert "--method sample" in err
    code, out, _ = bsjax("posterior", "--game", "ten-ship", "--shots", "E5:hit", "--method=sample")
    assert code == 0
    assert "layouts left" in out
    assert "±" in out


@pytest.mark.parametrize("method", ["exact", "sample"])
def test_a_contradiction_names_its_shot(method, bsjax):
    shots = "A1:miss C1:miss A3:miss C3:miss"
    words = ("posterior", "--size", "3x3", "--fleet", "2,2", "--shots", shots, "--method", method)
    code, _, err = bsjax(*words)
    assert code == 2
    assert err.startswith("bsjax: shot ")
    assert "cannot be true" in err


def test_unknown_methods_and_draws(bsjax):
    assert "choose one of exact, sample, density" in bsjax("posterior", "--method", "magic")[2]
    assert "at least one" in bsjax("posterior", "--method", "sample", "--draws", 0)[2]
