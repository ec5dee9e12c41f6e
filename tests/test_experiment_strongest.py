"""The strongest strategy: a quick run of every part, and the boards that a short program holds."""

import importlib
import json

import figure_checks
import numpy as np
import pytest
from PIL import Image

from bsjax.game.game import Game
from bsjax.policies.rewind import FINISHER, HUNT
from bsjax.posterior.listed import Listing
from bsjax.runtime import results
from bsjax.solve.tables import classes
from experiments.parts import plain
from experiments.strongest.settings import QUICK
from experiments.strongest.trap import one_each

SCRIPTS = figure_checks.scripts("strongest")
FILM, TABLES = "strongest_film", "strongest_tables"
PARTS = (
    "choices",
    "loops",
    "trap",
    "ten",
    "costs",
    "classic",
    "account",
    "worst",
    "variants",
    "example",
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Results of a quick run of all parts, in their order."""
    folder = tmp_path_factory.mktemp("strongest")
    run = importlib.import_module("experiments.strongest.run")
    assert tuple(run.PARTS) == PARTS
    for part, play in run.PARTS.items():
        told = {"settings": {"quick": True, **plain(getattr(QUICK, part))}}
        told |= play(QUICK, folder / "runs")
        results.write(folder / f"{part}.json", told, seed=QUICK.seed, overwrite=False)
    return folder


@pytest.fixture(scope="module")
def quick(folder):
    """What they say."""
    return {part: json.loads((folder / f"{part}.json").read_text()) for part in PARTS}


def test_one_place_of_the_longest_ship_for_each_layout_of_the_others():
    game = Game((4, 3), (3, 2, 2))
    known = one_each(game, 5)
    assert (known != one_each(game, 6)).any()
    assert (known == one_each(game, 5)).all()
    boards = Listing(game).boards(classes(game).row[known])

    def alike(board):
        """What is left of a board without its longest ship, the same for all its images."""
        ships = [frozenset(np.flatnonzero(board == ship).tolist()) for ship in (1, 2)]
        grid = np.arange(12).reshape(3, 4)
        images = (grid, grid[::-1], grid[:, ::-1], grid[::-1, ::-1])
        turned = ({frozenset(g.ravel()[list(s)].tolist()) for s in ships} for g in images)
        return min(tuple(sorted(tuple(sorted(s)) for s in one)) for one in turned)

    small = {alike(board) for board in boards}
    assert len(small) == len(boards)
    # Every layout of the small ships with room for the longest one is there.
    assert small == {alike(board) for board in Listing(game).boards()}


def test_runs_tell_how_they_went(quick):
    for one in (*quick["loops"]["boards"], quick["ten"], *quick["trap"]["runs"].values()):
        assert one["curve"][-1] == one["last"]
        assert one["rounds"] == one["last"]["number"] == 3
        assert one["tried"] == 12
        assert one["seconds"] > 0


def test_choices_differ_in_one_setting(quick):
    told = quick["choices"]
    assert set(told["closing"]) == {name for name, _ in QUICK.choices.closing}
    for one in (*told["closing"].values(), *told["strong"].values()):
        assert one["rounds"] == 2
    first, second = (one["curve"][0] for one in told["closing"].values())
    assert first["value"] == second["value"]
    assert all(0 < one["worst"] < 60 for one in told["strong"].values())


def test_a_program_that_holds_few_boards_believes_in_itself(quick):
    told = quick["trap"]
    runs = told["runs"]
    assert runs["one"]["known"] < runs["learning"]["known"] <= runs["all"]["known"]
    assert runs["all"]["known"] == told["classes"]
    assert runs["one"]["known"] + 3 * QUICK.trap.added >= runs["learning"]["known"]
    for name in ("one", "learning"):
        assert runs[name]["last"]["value"] > runs[name]["last"]["worst"]


def test_the_written_mixture_is_rebuilt(quick):
    told = quick["ten"]
    few, more = told["reduced"]
    assert few["hunts"] <= 2
    assert few["worst"] <= more["worst"] + 0.1
    written = told["written"]
    assert written["hunts"] == more["hunts"] <= written["rebuilt"] + written["hunts"]
    assert written["tree_bytes"] > 0
    assert sum(written["largest_shares"]) == pytest.approx(1)


def test_stored_hunts_play_again_what_was_evaluated(quick):
    told = quick["costs"]
    assert told["replay"] == {**told["replay"], "layouts": told["layouts"], "differ": 0}
    assert all(hunt["core_seconds"] > 0 for hunt in told["hunts"])


def test_shots_add_up(quick):
    classic, told = quick["classic"], quick["account"]
    assert sum(classic["histogram"]) == classic["games"] == QUICK.classic.games
    assert classic["races"]["strongest"]["win"]["value"] == pytest.approx(0.5)
    parts = sum(told[name]["mean"] for name in ("kept", "erased", "finisher", "final"))
    assert parts == pytest.approx(told["shots"]["mean"])
    assert told["on_path"] == told["games"] - told["lost"] == QUICK.account.looked_at
    for by in told["first_hit_by"].values():
        assert sum(by.values()) == pytest.approx(1)


def test_the_worst_board_is_played_again(quick):
    told = quick["worst"]
    assert told["win_rate"] <= 0.5 + 4 * told["se"]
    # The stages tell the lowest of many draws, the board that is kept was played again.
    lowest = min(stage["lowest"] for stage in told["stages"])
    assert told["win_rate"] <= lowest + 4 * told["se"]
    assert told["account"]["games"] == QUICK.worst.looked_at


def test_variants_play_the_same_boards(quick):
    told = quick["variants"]
    assert set(told["variants"]) == set(QUICK.variants.names)
    assert len(told["hard_boards"]) == QUICK.variants.boards
    for one in told["variants"].values():
        assert len(one["hard"]) == QUICK.variants.boards


def test_the_example_goes_back(quick):
    told = quick["example"]
    steps, board = told["steps"], told["board"]
    assert len({step["cell"] for step in steps}) == len(steps) == told["shots"]
    assert all(board[step["cell"]] == step["ship"] for step in steps)
    hits = {step["cell"] for step in steps if step["ship"] >= 0}
    assert hits == {cell for cell, ship in enumerate(board) if ship >= 0}
    erased = {cell for step in steps for cell in step["erased"]}
    by_hunt = {step["cell"] for step in steps if step["part"] == HUNT}
    assert erased
    assert erased <= by_hunt
    assert any(step["part"] == FINISHER for step in steps)


@pytest.mark.parametrize("name", [name for name in SCRIPTS if name not in (FILM, TABLES)])
def test_a_figure_is_drawn_the_same_twice(name, folder, tmp_path):
    figure_checks.is_drawn_the_same_twice(name, folder, tmp_path)


def test_the_film(folder, quick, tmp_path):
    steps = quick["example"]["steps"]
    (path,) = figure_checks.make(FILM, folder, tmp_path)
    with Image.open(path) as film:
        assert film.n_frames == len(steps) + sum(bool(s["erased"]) for s in steps)


def test_the_tables(folder, tmp_path):
    text = figure_checks.tables(TABLES, folder, tmp_path)
    assert text.count("\n## ") == 8


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_missing_result_ends_a_script_with_one_line(name, tmp_path):
    line = figure_checks.line_at_the_end(name, "strongest", tmp_path, tmp_path / "out")
    assert "is missing" in line
