"""The figures of the classic fleet on the stored results: drawn the same twice, or one line why
not; and what they compute."""

import json
import shutil

import figure_checks
import numpy as np
import pytest

from bsjax import draw
from bsjax.policies.strategies import MAPS, STRATEGIES
from figures import (
    classic_fleet_pace,
    classic_fleet_spread,
    classic_fleet_tables,
    classic_fleet_worst_boards,
)
from figures import classic_fleet_speed_and_safety as scatter

EXPERIMENT = "classic_fleet"
SCRIPTS = figure_checks.scripts(EXPERIMENT)
FOLDER = figure_checks.results_of(EXPERIMENT)
TABLES = "classic_fleet_tables"


def test_there_is_a_script_for_every_figure():
    assert len(SCRIPTS) == 9


@pytest.mark.parametrize("name", [name for name in SCRIPTS if name != TABLES])
def test_a_figure_is_drawn_the_same_twice(name, tmp_path):
    figure_checks.is_drawn_the_same_twice(name, FOLDER, tmp_path)


def test_the_tables(tmp_path):
    text = figure_checks.tables(TABLES, FOLDER, tmp_path)
    assert text.count("\n## ") == 10
    for name in (*STRATEGIES, *MAPS):
        assert f"| `{name}` |" in text
    assert text.count("\n|") > 150


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_missing_result_ends_a_script_with_one_line(name, tmp_path):
    line = figure_checks.line_at_the_end(name, EXPERIMENT, tmp_path, tmp_path / "out")
    assert "is missing" in line


def test_a_claim_that_fails_ends_a_script_before_it_draws(tmp_path):
    shutil.copy(FOLDER / "paces.json", tmp_path)
    told = json.loads((tmp_path / "paces.json").read_text())
    told["paces"]["reconstruction"]["win"][1]["win"] += 0.001
    (tmp_path / "paces.json").write_text(json.dumps(told))
    name = "classic_fleet_pace"
    line = figure_checks.line_at_the_end(name, EXPERIMENT, tmp_path, tmp_path / "out")
    assert line == "classic_fleet_pace: the claim fails: 46 shots win 51.2%"


# --- what they compute -------------------------------------------------------------------------


def test_what_it_takes_to_play():
    kinds = {name: scatter.kind_of(name) for name in (*STRATEGIES, *MAPS)}
    assert set(kinds.values()) < set(scatter.KINDS)
    for name, kind in kinds.items():
        assert (kind == scatter.MAP) == name.startswith("heat-map")
        # Names end in what takes a machine, unless the rule is a heat map.
        assert (kind == scatter.COMPUTER) == name.endswith("computer")
    assert kinds["smart-3-parity"] == scatter.HAND
    assert kinds["3-parity-count"] == kinds["3-parity-densest"] == scatter.COUNT
    assert kinds["3-parity-count-computer"] == scatter.COMPUTER


def test_shots_beyond_a_table_win_all_or_nothing():
    pace = {"conversion": {"shots": [40, 41], "win": [0.7, 0.6], "step": [0.1, 0.2]}}
    assert classic_fleet_pace.at(pace, 41) == (0.6, 0.2)
    assert classic_fleet_pace.at(pace, 39) == (1.0, 0.0)
    assert classic_fleet_pace.at(pace, 42) == (0.0, 0.0)


def test_shares_of_games():
    assert classic_fleet_spread.shares([0, 1, 3]).tolist() == [0, 0.25, 0.75]


def test_a_ship_that_is_not_straight_is_not_drawn():
    layout = np.full(100, -1)
    for ship, length in enumerate((5, 4, 3, 3, 2)):
        layout[20 * ship : 20 * ship + length] = ship
    _, (board,) = draw.strip((10, 10), [draw.Panel()])
    classic_fleet_worst_boards.put(board, layout.tolist())
    layout[[80, 81]], layout[[89, 90]] = -1, 4
    with pytest.raises(ValueError, match="ship 4 lies on 2 cells in a line"):
        classic_fleet_worst_boards.put(board, layout.tolist())


def test_pairs_that_agree_with_the_published_order():
    rows = [
        {"name": "a", "published_worst": 0.37, "win_rate": 0.36},
        {"name": "b", "published_worst": 0.36, "win_rate": 0.37},
        {"name": "c", "published_worst": 0.28, "win_rate": 0.365},
        {"name": "d", "published_worst": None, "win_rate": 0.5},
    ]
    # a and b differ by no more than noise; a and c are the other way round.
    assert classic_fleet_tables.agreement(rows) == (2, 1, ["`a` and `c`"])


def test_numbers_of_the_tables():
    assert classic_fleet_tables.number(None) == ""
    assert classic_fleet_tables.number(0.474, 100) == "47.4"
    assert classic_fleet_tables.bound(0.368) == "≤ 36.8"
    assert classic_fleet_tables.percent({"value": 0.5, "se": 0.001}) == "50.00 ± 0.10"
