"""The open questions: how games are compared, split, kept and learned from, and the results."""

import importlib
import json
import os
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import jax
import numpy as np
import pytest
from PIL import Image

from bsjax import hide
from bsjax.game.game import Game
from bsjax.game.history import observe_history, play_history
from bsjax.play.replay import boards_of
from bsjax.posterior.exact import exact
from bsjax.posterior.habit_fit import fit
from bsjax.posterior.listed import Listing
from bsjax.runtime import results
from experiments.habits.transcripts import shown
from experiments.notebook.habits import features as listed_features
from experiments.notebook.habits import weights as listed_weights
from experiments.open_questions import compare, estimate, habits, hunters, phases
from experiments.open_questions.hunters import UNIFORM, Hunter, Opponent
from experiments.open_questions.play import Games, Runs
from experiments.open_questions.settings import FULL, QUICK

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "experiments" / "open_questions" / "results"
PARTS = ("information", "lookahead", "habits", "estimate", "draws", "rollout")
SCRIPTS = sorted(path.stem for path in (ROOT / "figures").glob("open_questions_*.py"))
TABLES = "open_questions_tables"
GAME = QUICK.game()


# --- comparing ---------------------------------------------------------------------------------


def played(shots, name="density", opponent=UNIFORM):
    shots = np.array(shots)
    return Games(Hunter(name), opponent, shots, np.zeros((len(shots), 1), np.int16), {})


def test_differences_are_paired():
    rng = np.random.default_rng(0)
    base = rng.integers(20, 70, 200)
    more = rng.integers(-3, 5, 200)
    told = compare.paired(played(base + more, "information"), played(base))
    assert told["games"] == 200
    assert told["mean"] == pytest.approx(more.mean())
    assert told["sd"] == pytest.approx(np.std(more, ddof=1))
    assert told["se"] == pytest.approx(np.std(more, ddof=1) / 200**0.5)
    assert (told["high"] - told["low"]) / 2 == pytest.approx(1.959964 * told["se"], rel=1e-6)
    assert told["fewer"] == (more < 0).mean()
    assert told["same"] == (more == 0).mean()
    assert told["more"] == (more > 0).mean()


def test_only_the_boards_both_met_are_compared():
    told = compare.paired(played([5, 6, 9, 100]), played([4, 4, 4]))
    assert (told["games"], told["mean"]) == (3, pytest.approx(8 / 3))


def test_boards_of_different_opponents_are_not_compared():
    with pytest.raises(ValueError, match=r"habit-a0\.2 and uniform have different boards"):
        compare.paired(played([1, 2], opponent=Opponent(0.2)), played([1, 2]))


def test_every_pair_is_named_once():
    pairs = compare.every_pair(["a", "b", "c"])
    assert pairs == {"b - a": ("b", "a"), "c - a": ("c", "a"), "c - b": ("c", "b")}


# --- phases ------------------------------------------------------------------------------------


def slow_phases(board, order):
    """Misses and events of one game, shot by shot."""
    ships = board.max() + 1
    left = np.bincount(board[board >= 0], minlength=ships)
    whole, found, sunk = left.copy(), {"search": 0, "finish": 0}, 0
    found |= {f"search_{k}": 0 for k in range(ships)}
    for number, cell in enumerate(order, 1):
        ship = board[cell]
        if ship < 0:
            finishing = ((left < whole) & (left > 0)).any()
            found["finish" if finishing else "search"] += 1
            if not finishing:
                found[f"search_{sunk}"] += 1
            continue
        found.setdefault("first_hit", number)
        left[ship] -= 1
        if left[ship] == 0:
            sunk += 1
            found[f"sunk_{sunk}"] = number
    return found


@pytest.mark.parametrize("rule", ["random", "density"])
def test_phases_of_games_shot_by_shot(rule, tmp_path):
    runs = Runs(tmp_path, GAME, 3)
    games = runs.play(Hunter(rule), 40)
    boards = runs.boards(UNIFORM, 40)
    found = phases.phases(boards, games.shot_at)
    for row, board in enumerate(boards):
        fired = np.flatnonzero(games.shot_at[row] >= 0)
        order = fired[np.argsort(games.shot_at[row][fired])]
        due = slow_phases(board, order)
        assert {name: values[row] for name, values in found.items()} == due
        assert due["search"] + due["finish"] + GAME.ship_cells == games.shots[row]
        assert due[f"sunk_{GAME.ships}"] == games.shots[row]


def test_phases_are_the_same_in_chunks(monkeypatch, tmp_path):
    runs = Runs(tmp_path, GAME, 3)
    boards, shot_at = runs.boards(UNIFORM, 40), runs.play(Hunter("random"), 40).shot_at
    whole = phases.phases(boards, shot_at)
    monkeypatch.setattr(phases, "_CHUNK", 7)
    for name, values in phases.phases(boards, shot_at).items():
        np.testing.assert_array_equal(values, whole[name])


# --- run folders -------------------------------------------------------------------------------


def test_games_are_kept_and_gone_on_with(tmp_path):
    hunter = Hunter("random")
    few = Runs(tmp_path / "a", GAME, 0).play(hunter, 10)
    more = Runs(tmp_path / "a", GAME, 0).play(hunter, 25)
    again = Runs(tmp_path / "b", GAME, 0).play(hunter, 25)
    np.testing.assert_array_equal(more.shots, again.shots)
    np.testing.assert_array_equal(more.shot_at, again.shot_at)
    np.testing.assert_array_equal(few.shots, again.shots[:10])
    stamp = more.shot_at.filename
    before = Path(stamp).stat().st_mtime_ns
    fewer = Runs(tmp_path / "a", GAME, 0).play(hunter, 5)
    np.testing.assert_array_equal(fewer.shots, again.shots[:5])
    assert Path(stamp).stat().st_mtime_ns == before
    told = more.figures()
    assert told["mean"] == pytest.approx(more.shots.mean())
    assert told["games"] == 25
    assert told["commit"]
    # A longer run that was killed leaves a header that promises more rows than there are.
    with open(stamp, "r+b") as stream:
        header = {"descr": "<i2", "fortran_order": False, "shape": (1000, GAME.cells)}
        np.lib.format.write_array_header_1_0(stream, header)
    cut = Runs(tmp_path / "a", GAME, 0).play(hunter, 25)
    np.testing.assert_array_equal(cut.shot_at, again.shot_at)


def test_all_hunters_meet_the_same_boards(tmp_path):
    runs = Runs(tmp_path, GAME, 5)
    opponent = Opponent(0.7)
    boards = runs.boards(opponent, 12)
    for hunter in (Hunter("random"), Hunter("density"), Hunter("random", feedback="name")):
        games = runs.play(hunter, 12, opponent)
        hit = (games.shot_at >= 0) & (boards >= 0)
        assert (hit.sum(1) == GAME.ship_cells).all()
        # The last shot of every game sinks the last ship.
        last = games.shot_at == games.shot_at.max(1, keepdims=True)
        assert (boards[last] >= 0).all()


def test_names_tell_all_settings():
    every = [
        Hunter("density"),
        Hunter("probability", "exact"),
        Hunter("probability", "exact", edge=0.2),
        Hunter("probability", "exact", edge=0.2, touch=2.0),
        Hunter("probability", "exact", edge=-0.2),
        Hunter("probability", "exact", ties="random"),
        Hunter("probability", "exact", feedback="name"),
        Hunter("probability", "sample", 1_500),
        Hunter("probability", "sample", 300),
        hunters.rollout(FULL.rollout),
        hunters.rollout(FULL.rollout | {"margin": 2.0}),
        hunters.rollout(FULL.rollout | {"draws": 64}),
    ]
    names = [hunter.name for hunter in every]
    assert len(set(names)) == len(names)
    assert names[3] == "probability-exact-a0.2-b2"
    assert (UNIFORM.name, Opponent(0.5, 2.0).name) == ("uniform", "habit-a0.5-b2")


def test_the_rollout_has_the_settings():
    policy = hunters.rollout(QUICK.rollout).policy(GAME)
    options = QUICK.rollout
    assert policy.belief.draws == options["draws"]
    for name in ("worlds", "candidates", "share", "margin"):
        assert getattr(policy, name) == options[name]


def test_random_ties_fire_at_any_of_the_best_cells_and_no_other():
    policy = Hunter("probability", "exact", ties="random").policy(GAME)
    act = jax.jit(lambda keys, seen: jax.vmap(lambda key: policy.act(key, seen, ())[0])(keys))
    board = boards_of(hide.make("uniform", GAME), 1, 0, 1)[0]
    water = np.flatnonzero(board < 0)
    for cells in ((), (12,), tuple(water[:3].tolist())):
        observation = observe_history(GAME, play_history(GAME, board, cells))
        ship = np.where(observation.shot_at >= 0, -1, exact(GAME, observation).ship)
        keys = jax.random.split(jax.random.key(len(cells)), 64)
        fired = set(np.asarray(act(keys, observation)).tolist())
        best = set(np.flatnonzero(ship == ship.max()).tolist())
        assert fired <= best
        assert len(fired) > 1 or len(best) == 1


# --- habits ------------------------------------------------------------------------------------


def test_exact_means_of_boards():
    listing = Listing(GAME)
    edge, touch = listed_features(listing)
    rows = np.arange(0, len(listing), 7)
    found = habits.features(GAME, listing.boards(rows))
    np.testing.assert_array_equal(found[0], edge[rows])
    np.testing.assert_array_equal(found[1], touch[rows])
    for opponent in (UNIFORM, Opponent(0.5), Opponent(0.3, 2.0)):
        share = listed_weights((edge, touch), *opponent)
        due = habits.due(GAME, opponent)
        assert due["edge_squares"] == pytest.approx(np.average(edge, weights=share), rel=1e-9)
        assert due["touching_pairs"] == pytest.approx(np.average(touch, weights=share), rel=1e-9)
        on = (listing.boards(np.arange(len(listing))) >= 0).astype(np.float64)
        chances = np.average(on, axis=0, weights=share)
        np.testing.assert_allclose(habits.chances(GAME, opponent), chances, rtol=1e-6)


@pytest.mark.parametrize("opponent", [UNIFORM, Opponent(0.5), Opponent(0.5, 2.0)])
def test_boards_follow_the_habit(opponent, tmp_path):
    settings = QUICK._replace(checked=4_000)
    told = habits.check(Runs(tmp_path, GAME, 0), settings, opponent)
    due = told["edge_squares"]["exactly"]
    assert told["edge_squares_by_marginals"] == pytest.approx(due, rel=1e-6)
    for what in ("edge_squares", "touching_pairs"):
        assert abs(told[what]["in_standard_errors"]) < 5
    assert told["largest_cell_in_standard_errors"] < 5


def test_boards_of_another_habit_are_found_out(tmp_path, monkeypatch):
    settings = QUICK._replace(checked=4_000)
    due = habits.due(GAME, Opponent(0.3))
    monkeypatch.setattr(habits, "due", lambda game, opponent: due)
    told = habits.check(Runs(tmp_path, GAME, 0), settings, Opponent(0.5))
    assert told["edge_squares"]["in_standard_errors"] > 5


# --- estimates ---------------------------------------------------------------------------------

GRID = np.array([-0.5, 0.0, 0.5, 1.0])


def test_weights_interpolate():
    values = np.array([-2.0, -0.5, -0.1, 0.0, 0.3, 1.0, 7.0])
    weight = estimate.weights(values, GRID)
    np.testing.assert_allclose(weight.sum(1), 1)
    assert (weight >= 0).all()
    np.testing.assert_allclose(weight @ GRID, np.clip(values, -0.5, 1.0))


def test_expected_shots_mix_what_assumptions_cost():
    rng = np.random.default_rng(1)
    shots = rng.normal(40, 8, (300, 1)) + rng.normal(0, 3, (300, 4)) + 9 * (GRID - 0.5) ** 2
    values = rng.normal(0.4, 0.3, 500)
    told = estimate.expected(values, GRID, shots, known=2, uniform=1)
    cost = shots.mean(0)
    each = np.interp(values, GRID, cost)
    assert told["shots"]["mean"] == pytest.approx(each.mean())
    assert told["more_than_knowing"]["mean"] == pytest.approx(each.mean() - cost[2])
    assert told["more_than_uniform"]["mean"] == pytest.approx(each.mean() - cost[1])
    # The error, against resampling boards and replicates.
    means = []
    for _ in range(2_000):
        own = rng.integers(0, 300, 300)
        mean = (shots[own] - shots[own][:, [2]]).mean(0)
        means.append(np.interp(rng.choice(values, 500), GRID, mean).mean())
    assert told["more_than_knowing"]["se"] == pytest.approx(np.std(means), rel=0.15)


def test_a_certain_estimate_is_an_assumption():
    rng = np.random.default_rng(2)
    shots = rng.normal(40, 8, (200, 4))
    told = estimate.expected(np.full(50, 0.5), GRID, shots, known=2, uniform=1)
    assert told["more_than_knowing"]["mean"] == pytest.approx(0, abs=1e-12)
    assert told["more_than_knowing"]["se"] == pytest.approx(0, abs=1e-12)
    saved = compare.difference(shots[:, 2] - shots[:, 1])
    assert told["more_than_uniform"]["se"] == pytest.approx(saved["se"])


@pytest.mark.parametrize("spread", [None, (0.5, 1.0)])
def test_estimates_are_fits_of_the_boards(spread):
    opponent = Opponent(0.5)
    settings = QUICK._replace(replicates=6, earlier=(0, 2, 5))
    found = estimate.earlier(settings, opponent)
    boards = boards_of(opponent.hider(GAME), settings.seed + estimate.EARLIER, 0, 30)
    assert (estimate.estimated(found, 0, spread) == 0).all()
    for games in (2, 5):
        values = estimate.estimated(found, games, spread)
        for row in range(6):
            own = boards.reshape(6, 5, -1)[row, :games]
            due = fit(*shown(GAME, own), touch=0, spread=spread).edge
            assert values[row] == pytest.approx(due, abs=1e-4)


def test_after_how_many_games():
    def row(games, high, mean):
        return {
            "games": games,
            "more_than_uniform": {"high": high},
            "more_than_knowing": {"mean": mean},
        }

    rows = [row(0, 0.0, 3.0), row(1, -0.1, 1.0), row(2, 0.1, 0.4), row(5, -0.5, 0.2)]
    assert estimate.after(rows, 3.0) == {"helps": 5, "near": 5}
    assert estimate.after(rows[:3], 3.0) == {"helps": None, "near": None}


# --- results -----------------------------------------------------------------------------------


def check_origins(folder):
    for name in PARTS:
        told = results.read(folder / f"{name}.json")
        assert {"command", "commit", "seed", "versions", "device", "time"} <= set(told["origin"])
        assert told["settings"]["seed"] == told["origin"]["seed"]


def check_comparisons(folder):
    """Differences are those of the means where both hunters met as many boards."""
    for name in ("information", "lookahead", "draws", "rollout"):
        told = results.read(folder / f"{name}.json")
        by_name = {(one["hunter"], one["opponent"]): one for one in told["hunters"].values()}
        for one in told["comparisons"].values():
            hunter, base = (by_name[one[who], one["opponent"]] for who in ("hunter", "base"))
            assert one["games"] == min(hunter["games"], base["games"])
            assert one["fewer"] + one["same"] + one["more"] == pytest.approx(1)
            assert one["se"] == pytest.approx(one["sd"] / one["games"] ** 0.5)
            if hunter["games"] == base["games"]:
                assert one["mean"] == pytest.approx(hunter["mean"] - base["mean"], abs=1e-9)


def check_information(folder):
    told = results.read(folder / "information.json")
    ships = len(told["settings"]["fleet"])
    for name, parts in told["phases"].items():
        whole = told["comparisons"][name]["mean"]
        assert parts["search"]["mean"] + parts["finish"]["mean"] == pytest.approx(whole, abs=1e-9)
        assert parts[f"sunk_{ships}"]["mean"] == pytest.approx(whole, abs=1e-9)
        search = sum(parts[f"search_{k}"]["mean"] for k in range(ships))
        assert search == pytest.approx(parts["search"]["mean"], abs=1e-9)


def check_habits(folder):
    told = results.read(folder / "habits.json")
    for row in told["rows"]:
        mean = row["means"]
        saved = mean["assumes_vs_habit"] - mean["knows_vs_habit"]
        assert row["saving"]["mean"] == pytest.approx(saved, abs=1e-9)
        lost = mean["knows_vs_uniform"] - mean["assumes_vs_uniform"]
        assert row["cost"]["mean"] == pytest.approx(lost, abs=1e-9)
        assert ("effective" in row) == (row["posterior"] == "sample") == (row["touch"] > 0)
        for position in (one for who in row.get("effective", {}).values() for one in who):
            assert 0 < position["p10"] <= position["median"] <= position["draws"] * (1 + 1e-5)
    for one in told["boards"]:
        for what in ("edge_squares", "touching_pairs"):
            assert abs(one[what]["in_standard_errors"]) < 5
        assert one["largest_cell_in_standard_errors"] < 5


def check_estimate(folder):
    told = results.read(folder / "estimate.json")
    for row in told["rows"]:
        costs = {one["edge"]: one["more_than_knowing"]["mean"] for one in row["assumed"]}
        assert costs[row["edge"]] == 0
        assert costs[0.0] == pytest.approx(row["saving"]["mean"])
        for rows in row["estimates"].values():
            assert rows[0]["more_than_uniform"]["mean"] == pytest.approx(0, abs=1e-9)
            for one in rows:
                difference = one["more_than_knowing"]["mean"] - one["more_than_uniform"]["mean"]
                assert difference == pytest.approx(row["saving"]["mean"], abs=1e-9)
                found = one["estimate"]
                shares = [found[q] for q in ("p2.5", "p10", "median", "p90", "p97.5")]
                assert all(a <= b for a, b in pairwise(shares))


def check_rollout(folder):
    told = results.read(folder / "rollout.json")
    whole = told["judged"]["gain"] + told["base - probability"]["mean"]
    assert told["judged - probability"]["mean"] == pytest.approx(whole)
    assert told["rollout"] == told["settings"]["rollout"]


CHECKS = (
    check_origins,
    check_comparisons,
    check_information,
    check_habits,
    check_estimate,
    check_rollout,
)


@pytest.mark.parametrize("check", CHECKS)
def test_the_stored_results(check):
    check(FOLDER)


def test_the_stored_results_are_of_the_full_run():
    for name in PARTS:
        told = results.read(FOLDER / f"{name}.json")
        assert told["settings"]["quick"] is False
        assert told["game"] == str(Game())


@pytest.mark.slow
def test_the_quick_run(tmp_path, script):
    """Compiled programs are kept between runs, as those of the other tests are."""
    kept = {
        "JAX_COMPILATION_CACHE_DIR": jax.config.jax_compilation_cache_dir,
        "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0.1",
    }
    done = subprocess.run(
        [sys.executable, "-m", "experiments.open_questions.run", "--quick", "--out", tmp_path],
        cwd=ROOT,
        env=os.environ | {"JAX_PLATFORMS": "cpu"} | kept,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    for check in CHECKS:
        check(tmp_path)
    for name in SCRIPTS:
        if name != TABLES:
            script("script").make(script(name).figure, tmp_path / name, tmp_path)


def test_a_part_is_computed_from_its_folders(tmp_path):
    """The numbers of draws, twice: the second time nothing is played."""
    from experiments.open_questions import draws

    settings = QUICK._replace(numbers=((16, 20),), ties_games=20)
    first = draws.run(Runs(tmp_path, GAME, 0), settings)
    shots = sorted(tmp_path.rglob("shots.npy"))
    assert len(shots) == 3
    stamps = [path.stat().st_mtime_ns for path in shots]
    again = draws.run(Runs(tmp_path, GAME, 0), settings)
    assert json.dumps(first) == json.dumps(again)
    assert [path.stat().st_mtime_ns for path in shots] == stamps


# --- figures -----------------------------------------------------------------------------------


@pytest.fixture
def script():
    """Import a figure script by name."""
    return lambda name: importlib.import_module(f"figures.{name}")


@pytest.mark.parametrize("name", [name for name in SCRIPTS if name != TABLES])
def test_a_figure_is_drawn_the_same_twice(name, script, tmp_path):
    make = script("script").make
    first = make(script(name).figure, tmp_path / "first" / name, FOLDER)
    again = make(script(name).figure, tmp_path / "again" / name, FOLDER)
    for one, other in zip(first, again, strict=True):
        assert one.read_bytes() == other.read_bytes()
    with Image.open(first[1]) as image:
        assert "sha256" in image.info["Description"]


def test_the_tables(script, tmp_path):
    (path,) = script("script").make(script(TABLES).figure, tmp_path / TABLES, FOLDER)
    text = path.read_text()
    assert text.count("\n## ") == 7
    assert text.count("| Yes") + text.count("| No") >= 5


def test_an_answer_that_the_results_do_not_give_is_not_written(script):
    tables = script(TABLES)
    more = {"mean": 0.5, "low": 0.1, "high": 0.9}
    assert tables.verdict(more) == "more"
    assert tables.verdict({"mean": -0.5, "low": -0.9, "high": -0.1}) == "fewer"
    assert tables.verdict({"mean": 0.5, "low": -0.1, "high": 1.1}) == "unclear"
    told = tables.phrase(more, "the one", "the other")
    assert told == "the one needs 0.50 ± 0.40 shots more than the other"
    with pytest.raises(ValueError, match="rollout judged needs fewer shots: it is more"):
        tables.says("rollout judged", more)
