"""The experiment's claims, on a quick run and on the stored results, and its figure."""

import importlib
import os
import subprocess
import sys
from pathlib import Path

import jax.numpy as jnp
import numpy as np
import pytest

from bsjax import hide
from bsjax.game.game import Game
from bsjax.game.habits import edge_squares, near
from bsjax.game.history import observe_history, play_history
from bsjax.posterior.habit_counts import all_counts
from bsjax.runtime import results

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "experiments" / "habits" / "results"
FLEETS = {"two_ships": Game(fleet=(4, 3)), "classic": Game()}


def information(game, edge, touch):
    """What one board tells of (a, b): the covariance of (e, −t) over all layouts."""
    table = all_counts(game)
    e, t = np.indices(table.shape)
    weights = (table * np.exp(edge * e - touch * t)).ravel()
    return np.cov(np.stack([e.ravel(), -t.ravel()]), aweights=weights, ddof=0)


def check(folder):
    for name, game in FLEETS.items():
        told = results.read(folder / f"{name}.json")
        assert {"command", "commit", "seed", "versions", "device", "time"} <= set(told["origin"])
        assert told["game"] == str(game)
        habits = [(one["edge"], one["touch"]) for one in told["opponents"]]
        assert habits == [(0, 0), (0.2, 2), (0.5, 2), (1, 0)]
        for one in told["opponents"]:
            check_opponent(game, one, told["settings"])


def check_opponent(game, one, settings):
    due = information(game, one["edge"], one["touch"])
    np.testing.assert_allclose(one["board"]["information"], due, rtol=1e-6, atol=1e-9)
    assert 0.9 < one["finished_like_boards"] <= 1
    for known in (one["board"], *one["stopped"].values()):
        # A transcript stopped tells less than the board.
        assert known["information"][0][0] <= due[0, 0] * (1 + 1e-9)
        for name in ("both", "prior", "edge"):
            rows = known[name]
            assert [row["games"] for row in rows] == list(settings["games"])
            for row in rows:
                assert 2 <= row["replicates"] <= settings["replicates"]
                assert row["edge"]["p10"] <= row["edge"]["median"] <= row["edge"]["p90"]


def test_the_stored_results():
    check(FOLDER)
    for name in FLEETS:
        told = results.read(FOLDER / f"{name}.json")
        assert told["settings"]["quick"] is False
        for one in told["opponents"]:
            for known in (one["board"], *one["stopped"].values()):
                check_many_games(one, known)


def check_many_games(one, known):
    """With 100 games the estimate is near, with the spread and coverage that it promises."""
    row, promised = known["both"][-1], np.linalg.inv(known["information"])[0, 0] / 100
    edge, replicates = row["edge"], row["replicates"]
    assert row["games"] == 100
    assert edge["at_bound"] == 0
    assert abs(edge["bias"]) < 5 * edge["bias_error"]
    ratio = edge["spread"] ** 2 / promised
    assert abs(ratio - 1) < 5 * (2 / (replicates - 1)) ** 0.5
    for covers in (edge["covers"], row["region_covers"]):
        assert abs(covers - 0.95) < 5 * (0.95 * 0.05 / replicates) ** 0.5


def test_the_quick_run(tmp_path):
    words = [sys.executable, "-m", "experiments.habits.run", "--quick", "--out", str(tmp_path)]
    env = os.environ | {"JAX_PLATFORMS": "cpu"}
    done = subprocess.run(words, cwd=ROOT, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    check(tmp_path)


def test_transcripts_are_what_the_rules_answer():
    from experiments.habits import transcripts

    game = FLEETS["two_ships"]
    boards, cells = transcripts.play(game, "density", (0.2, 2.0), 5, 3)
    seen = transcripts.seen(game, jnp.asarray(boards), jnp.asarray(cells[:, :20]))
    for row, (board, order) in enumerate(zip(boards, cells, strict=True)):
        due = observe_history(game, play_history(game, board, order[:20][order[:20] >= 0]))
        for name, plane in due._asdict().items():
            np.testing.assert_array_equal(getattr(seen, name)[row], plane)
    told, whole = transcripts.shown(game, boards)
    assert told.feedback == "hit-name"
    np.testing.assert_array_equal(np.asarray(whole.shot_at) >= 0, boards >= 0)


def test_opponents_have_their_habit():
    from experiments.habits import transcripts

    game, habit = FLEETS["two_ships"], (1.0, 0.0)
    boards, _ = transcripts.play(game, "random", habit, 2_000, 1)
    rows = hide.layouts_of(game, boards)
    squares = sum(edge_squares(game.size, n)[rows[:, k]] for k, n in enumerate(game.fleet))
    table = all_counts(game)
    e, t = np.indices(table.shape)
    weights = table * np.exp(e)
    mean = (weights * e).sum() / weights.sum()
    error = (information(game, *habit)[0, 0] / len(boards)) ** 0.5
    assert abs(squares.mean() - mean) < 5 * error
    assert near(game, 4, 3)[rows[:, 0], rows[:, 1]].any()
    assert t.max() == 1


def test_results_are_not_overwritten(tmp_path):
    from experiments.habits import run

    there = tmp_path / "classic.json"
    there.write_text("before")
    with pytest.raises(ValueError, match="--overwrite"):
        run.main(["--quick", "--only", "classic", "--out", str(tmp_path)])
    assert there.read_text() == "before"
    with pytest.raises(ValueError, match="quick"):
        run.main(["--quick", "--overwrite", "--out", str(FOLDER)])


def test_the_figure_is_drawn_the_same_twice(tmp_path):
    make = importlib.import_module("figures.script").make
    figure = importlib.import_module("figures.habits").figure
    first = make(figure, tmp_path / "first" / "habits", FOLDER)
    again = make(figure, tmp_path / "again" / "habits", FOLDER)
    assert [path.suffix for path in first] == [".svg", ".png"]
    for one, other in zip(first, again, strict=True):
        assert one.read_bytes() == other.read_bytes()
