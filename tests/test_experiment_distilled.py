"""Students of strong players: a quick run of the experiment, and its figures."""

import importlib
import json

import figure_checks
import numpy as np
import pytest

from bsjax.learn.files import load_stored
from bsjax.runtime import results
from experiments.distilled import beyond, calibration, classic
from experiments.distilled.settings import FULL, QUICK
from experiments.distilled.students import Student
from experiments.parts import plain

EXPERIMENT = "distilled"
SCRIPTS = figure_checks.scripts(EXPERIMENT)
TABLES = "distilled_tables"


@pytest.fixture(scope="module")
def work(tmp_path_factory):
    return tmp_path_factory.mktemp("distilled")


def played(part, work):
    """What a part writes."""
    run = importlib.import_module("experiments.distilled.run")
    return json.loads(json.dumps(run.PARTS[part](QUICK, work)))


@pytest.fixture(scope="module")
def quick(work):
    """The parts that the figures read."""
    run = importlib.import_module("experiments.distilled.run")
    return {part: played(part, work) for part in run.PARTS}


@pytest.fixture(scope="module")
def folder(quick, tmp_path_factory):
    """The same as result files."""
    out = tmp_path_factory.mktemp("results")
    for part, found in quick.items():
        settings = {"quick": True, **plain(getattr(QUICK, part))}
        results.write(out / f"{part}.json", {"settings": settings, **found}, seed=0)
    return out


def test_students_and_teacher_play_the_same_boards(quick, work):
    told = quick["classic"]
    (student,) = told["students"]
    boards = QUICK.classic.boards
    assert told["teacher"]["games"] == student["paired"]["games"] == boards
    assert student["games"] == classic.SPEED_GAMES * boards
    assert student["paired"]["teacher"] == pytest.approx(told["teacher"]["mean"])
    assert student["curve"][-1][0] == student["steps"]
    assert student["positions"] == student["steps"] * QUICK.classic.students[0].games
    assert told["teacher"]["race"]["win"]["value"] == pytest.approx(0.5)
    stored = load_stored(work / "classic" / "classic.hunter")
    assert stored.hunter.game == QUICK.classic.game
    assert stored.card["taught"]["posterior"] == "boards"


def test_a_part_that_is_asked_for_again_trains_nothing(quick, work):
    again = played("calibration", work)
    assert again == quick["calibration"]


def test_maps_are_chances(quick):
    told = quick["calibration"]
    game = classic.Game(QUICK.calibration.size, QUICK.calibration.fleet)
    assert sum(told["exact"]) == pytest.approx(game.ship_cells, abs=1e-4)
    for one in told["students"]:
        heat = np.array(one["heat"])
        assert ((heat > 0) & (heat < 1)).all()
        assert 0 < one["error"] < 0.5
    seen = calibration.after(game, QUICK.calibration.history)
    assert int(seen.shots) == 2


def test_a_teacher_is_harder_to_exploit_than_his_student(quick):
    told = quick["four_by_four"]
    (student,) = told["students"]
    assert student["joint"] >= student["hunt"] - 1e-9
    assert student["joint"] > told["teacher"]["joint"]
    assert student["hunts"] >= 1
    assert told["teacher"]["joint"] == pytest.approx(0.50156, abs=1e-4)


def test_settings_are_those_of_the_text():
    assert FULL.classic.boards >= 20_000
    assert FULL.classic.game == classic.Game()
    assert len(FULL.four_by_four.students) >= 3
    assert FULL.symmetry.seeds == 3
    assert FULL.rewound.game == classic.Game()
    assert Student("swift", 8).plan.steps == 8


def test_a_step_of_the_search_goes_down_the_slope():
    nowhere = np.zeros(3)
    state = beyond._State(nowhere, nowhere, nowhere, nowhere, [])
    after = state.after(np.array([2.0, -1.0, 0.0]), 0.1, 40.0)
    np.testing.assert_allclose(after.at, [-0.1, 0.1, 0.0], atol=1e-6)
    assert after.curve == [40.0]
    assert abs(after.mean).max() < 0.1


def test_a_rewind_and_its_student_are_judged_alike(quick, work):
    told = quick["rewound"]
    (student,) = told["students"]
    assert student["paired"]["teacher"] == pytest.approx(told["teacher"]["mean"])
    for one in (student, told["teacher"]):
        assert 0 <= one["hard_board"]["win_rate"] < 0.6
        assert one["games"] == QUICK.rewound.boards
    stored = load_stored(work / "rewound" / "rewind.hunter")
    assert stored.hunter.paths.shape == (QUICK.rewound.hunts, 100)
    assert stored.hunter.temperature == 1


def test_every_seed_is_trained_both_ways(quick):
    assert len(quick["symmetry"]["rows"]) == QUICK.symmetry.seeds


def test_a_search_that_is_asked_for_again_plays_nothing(quick, work):
    told = quick["beyond"]
    assert len(told["curve"]) == QUICK.beyond.steps
    assert told["paired"]["games"] == QUICK.beyond.judged
    assert played("beyond", work)["curve"] == told["curve"]


# --- figures -------------------------------------------------------------------------------------


def test_there_is_a_script_for_every_figure():
    assert len(SCRIPTS) == 6


@pytest.mark.parametrize("name", [name for name in SCRIPTS if name != TABLES])
def test_a_figure_is_drawn_the_same_twice(name, folder, tmp_path):
    figure_checks.is_drawn_the_same_twice(name, folder, tmp_path)


def test_the_tables(quick, folder, tmp_path):
    text = figure_checks.tables(TABLES, folder, tmp_path)
    (student,) = quick["four_by_four"]["students"]
    assert f"| {100 * student['joint']:.2f} |" in text
    assert text.count("| swift |") == 4


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_missing_result_ends_a_script_with_one_line(name, tmp_path):
    line = figure_checks.line_at_the_end(name, EXPERIMENT, tmp_path, tmp_path / "out")
    assert "is missing" in line
