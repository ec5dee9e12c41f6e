"""The figures of the small boards on the stored results: drawn the same twice, or one line why not;
and what they compute."""

import json
import shutil

import figure_checks
import numpy as np
import pytest

from bsjax.game.game import Game
from bsjax.posterior.listed import Listing
from figures import (
    small_boards_cliff,
    small_boards_finishing,
    small_boards_flatness,
    small_boards_hiding,
    small_boards_tables,
    small_boards_worst,
)

EXPERIMENT = "small_boards"
SCRIPTS = figure_checks.scripts(EXPERIMENT)
FOLDER = figure_checks.results_of(EXPERIMENT)
TABLES = "small_boards_tables"


def test_there_is_a_script_for_every_figure():
    assert len(SCRIPTS) == 8


@pytest.mark.parametrize("name", [name for name in SCRIPTS if name != TABLES])
def test_a_figure_is_drawn_the_same_twice(name, tmp_path):
    figure_checks.is_drawn_the_same_twice(name, FOLDER, tmp_path)


def test_the_tables(tmp_path):
    text = figure_checks.tables(TABLES, FOLDER, tmp_path)
    assert text.count("\n## ") == 6
    for told in ("180,655,921", "275/44", "heat map", "CFR⁺"):
        assert told in text
    assert text.count("\n|") > 80


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_missing_result_ends_a_script_with_one_line(name, tmp_path):
    line = figure_checks.line_at_the_end(name, EXPERIMENT, tmp_path, tmp_path / "out")
    assert "is missing" in line


def test_a_claim_that_fails_ends_a_script_before_it_draws(tmp_path):
    for name in ("players", "player_5x5"):
        shutil.copy(FOLDER / f"{name}.json", tmp_path)
    told = json.loads((tmp_path / "player_5x5.json").read_text())
    held = told["5x5"]["holds_a_ship"]
    held[0], held[12] = held[0] - 0.2, held[12] + 0.2
    (tmp_path / "player_5x5.json").write_text(json.dumps(told))
    name = "small_boards_hiding"
    line = figure_checks.line_at_the_end(name, EXPERIMENT, tmp_path, tmp_path / "out")
    assert line.startswith("small_boards_hiding: the claim fails: 5×5: more often")


# --- what they compute -------------------------------------------------------------------------


def test_a_uniform_hider():
    plane = small_boards_hiding.uniform(Game((3, 3), (2, 2)))
    boards = Listing(Game((3, 3), (2, 2))).boards()
    assert plane.shape == (9,)
    assert plane[4] == pytest.approx((boards[:, 4] >= 0).sum() / 44)
    assert plane.sum() == pytest.approx(4)


def test_ships_of_a_written_layout():
    cells = [list(ship) for ship in small_boards_worst.ships("A1-C1 E2-E4 D5-E5")]
    assert cells == [[0, 1, 2], [9, 14, 19], [23, 24]]
    with pytest.raises(ValueError, match="A1-D1 is a ship of length 3"):
        small_boards_worst.ships("A1-D1 E2-E4 D5-E5")


def test_labels_stand_apart_and_stay_near():
    rng = np.random.default_rng(0)
    for _ in range(50):
        places = np.sort(rng.uniform(0, 2, rng.integers(1, 15))).tolist()
        moved = np.array(small_boards_cliff.apart(places, 0.1))
        assert (np.diff(moved) > 0.1 - 1e-9).all()
        assert moved.mean() == pytest.approx(np.mean(places))
        assert np.abs(moved - places).max() <= 0.1 * len(places) / 2
    assert small_boards_cliff.apart([0.0, 1.0, 2.0], 0.5) == [0.0, 1.0, 2.0]


def test_the_slowest_layout_is_the_one_that_was_measured():
    board = {
        "player_by_layout": {"most": 14.4},
        "rules": [
            {"rule": "a", "by_layout": {"fewest": 9.0, "most": 18.9}, "slowest": {"value": 18}}
        ],
    }
    told = small_boards_flatness.spreads(board)
    assert told["a"] == {"fewest": 9.0, "most": 18}
    assert told[small_boards_flatness.PLAYER]["most"] == 14.4


def test_expected_shots():
    assert small_boards_finishing.mean([0.0, 0.25, 0.0, 0.75]) == 2.5


def test_a_cell_tells_its_error_and_the_published_figure():
    one = {
        "worst": {"value": 20.0, "se": 0.12},
        "shots": {"value": 14.424, "se": 0.0},
        "published": {"worst": {"published": 22.1, "off": -2.1, "differs": True}},
    }
    assert small_boards_tables.cell(one, "worst") == "20.0 ± 0.12 (22.1*)"
    assert small_boards_tables.cell(one, "shots") == "14.42"


def test_numbers_of_the_tables():
    assert small_boards_tables.points(0.5068) == "0.68"
    assert small_boards_tables.points(0.50013) == "0.013"
    assert small_boards_tables.number(None) == ""
    assert small_boards_tables.number(22_010, True) == "22,010"
    curve = [{"number": 1}, {"number": 100}, {"number": 270}]
    assert small_boards_tables.nearest(curve, 281) == {"number": 270}
