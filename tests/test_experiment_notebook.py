"""The notebook's claims, on a quick run and on the stored results, and its figures."""

import importlib
import json
import os
import shutil
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import jax
import numpy as np
import pytest
from PIL import Image

from bsjax.runtime import results

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "experiments" / "notebook" / "results"
GOLDEN = {
    name: json.loads((Path(__file__).parent / "golden" / f"{name}.json").read_text())
    for name in ("notebook", "notebook_two_ships", "notebook_sampler", "habit_openings")
}
PARTS = ("one_ship", "two_ships", "rules", "habits", "sampler", "standard_fleet")
SCRIPTS = sorted(path.stem for path in (ROOT / "figures").glob("notebook_*.py"))
TABLES = "notebook_tables"


@pytest.fixture
def script():
    """Import a figure script by name."""
    return lambda name: importlib.import_module(f"figures.{name}")


def check_origins(folder):
    assert set(PARTS) <= {path.stem for path in folder.glob("*.json")}
    for name in PARTS:
        told = results.read(folder / f"{name}.json")
        assert {"command", "commit", "seed", "versions", "device", "time"} <= set(told["origin"])
        assert told["settings"]["seed"] == told["origin"]["seed"] == 0


def check_one_ship(folder):
    told, golden = results.read(folder / "one_ship.json"), GOLDEN["notebook"]
    assert told["placements"] == golden["placements_of_4"]
    covers = np.array(told["covers"]).reshape(10, 10)
    assert covers[0, 0] == golden["placements_of_4_over_corner"]
    # Across a cell lie as many placements as there are ways to slide over it, down likewise.
    ways = np.array([min(i, 9 - i, 3) + 1 for i in range(10)])
    assert (covers == ways[:, None] + ways).all()


def check_two_ships(folder):
    told = results.read(folder / "two_ships.json")
    posteriors = {case["history"]: case for case in GOLDEN["notebook_two_ships"]["posteriors"]}
    for one, history in zip(told["maps"], ("", "33:-1", "33:0"), strict=True):
        golden = posteriors[history]
        assert one["layouts"] == golden["layouts"]
        ship = {str(cell): n for cell, n in enumerate(one["ship"]) if n}
        assert ship == golden["ship"]
        assert one["equals_closed_form"]


def check_rules(folder):
    told = results.read(folder / "rules.json")
    golden = GOLDEN["notebook"]
    for case in GOLDEN["notebook_two_ships"]["rules"]:
        rule = told["rules"][case["rule"]]
        assert rule["histogram"] == golden["histograms"][case["rule"]]
        assert Fraction(rule["mean_exact"]) == Fraction(case["mean"])
        for what in ("median", "p95", "best", "worst", "fewer", "same", "more"):
            assert rule[what] == case[what]
        assert rule["difference"] == pytest.approx(
            rule["mean"] - told["rules"]["probability"]["mean"], abs=1e-9
        )
        assert rule["one_by_one"]["mismatches"] == 0
        assert rule["one_by_one"]["layouts"] == told["settings"]["checked"]
        assert all(rule["agrees"].values())
        assert rule.get("hunter", {"mismatches": 0})["mismatches"] == 0
        if case["rule"] != "probability":
            assert min(told["ties"]["differences"][case["rule"]]) > 0
    random = told["random"]
    assert {what: random[what] for what in ("mean", "median", "p95", "worst")} == {
        what: golden["random"][what] for what in ("mean", "median", "p95", "worst")
    }
    law = np.diff(random["curve"], prepend=0)
    for shots, share in golden["random"]["pmf"].items():
        assert law[int(shots)] == pytest.approx(share, abs=1e-11)


def check_habits(folder):
    told = results.read(folder / "habits.json")
    published = {tuple(row[:2]): row[2:] for row in GOLDEN["notebook_two_ships"]["habits"]}
    settings = told["settings"]
    assert len(told["rows"]) == len(settings["edges"]) * len(settings["touches"])
    uniform = published[0, 0][0]
    for row in told["rows"]:
        found = [row[what] for what in ("assumes_vs_habit", "knows_vs_uniform", "knows_vs_habit")]
        assert found == pytest.approx(published[row["a"], row["b"]], abs=1e-8)
        assert row["assumes_vs_uniform"] == pytest.approx(uniform, abs=1e-8)
    check, golden = told["prior_check"], GOLDEN["habit_openings"]["touching"]
    for ours, theirs in (("touching", "touching"), ("edge_squares", "edgeSquaresOf7")):
        assert check[ours]["uniform"] == pytest.approx(golden[theirs]["uniform"], rel=1e-12)
        assert check[ours]["habit"] == pytest.approx(golden[theirs]["human"], rel=1e-9)
    assert all(quoted["agrees_but_for_ties"] for quoted in told["quoted"])
    for one in told["quoted"]:
        assert one["least"] <= one["measured"] <= one["most"]


def check_openings(folder):
    openings = {(o["a"], o["b"]): o for o in results.read(folder / "habits.json")["openings"]}
    for golden in GOLDEN["notebook"]["openings"]:
        one = openings[golden["a"], golden["b"]]
        assert one["p_best"] == pytest.approx(golden["top"], abs=1e-9)
        assert one["p_d4"] == pytest.approx(golden["pD4"], abs=1e-9)
        assert one["best_names"] == golden["tiedSquares"]
        assert len(one["best"]) == golden["ties"]
        assert one["largest_difference_from_listing"] < 1e-12
    for golden in GOLDEN["habit_openings"]["openings"]:
        found = openings[golden["a"], golden["b"]]["p_ship"]
        np.testing.assert_allclose(found, golden["p"], rtol=0, atol=2e-9)


def check_sampler(folder):
    told, golden = results.read(folder / "sampler.json"), GOLDEN["notebook_sampler"]
    games = list(told["games"].values())
    assert [block["draws"] for block in games] == told["settings"]["draws"]
    for block, cases in zip(games, (golden["two_ships"], golden["five_ships"]), strict=True):
        assert [one["history"] for one in block["histories"]] == [c["history"] for c in cases]
        for one, case in zip(block["histories"], cases, strict=True):
            if "layouts" in case:
                assert one["layouts"] == case["layouts"]
            assert 0 < one["effective"] <= one["valid"] <= block["draws"]
            assert one["largest_in_standard_errors"] < 5
            # Shares of a sample are this close to the truth, and the estimate of a count is
            # unbiased.
            assert one["largest_difference"] < 5 * 0.5 / one["effective"] ** 0.5
            off = abs(one["layouts_estimated"] - one["layouts"])
            assert off <= 5 * one["layouts_standard_error"] + 1e-6 * one["layouts"]


def check_standard_fleet(folder):
    told = results.read(folder / "standard_fleet.json")
    hunters, games = told["hunters"], told["settings"]["standard_games"]
    for one in hunters.values():
        histogram = np.array(one["histogram"])
        assert histogram.sum() == one["games"] == games
        assert histogram @ np.arange(len(histogram)) == pytest.approx(one["mean"] * games)
    random = hunters["random"]
    assert abs(random["mean"] - told["random_mean"]) < 5 * random["se"]
    for name in ("gap", "gap exact"):
        one = told["comparisons"][name]
        means = [
            next(of["mean"] for of in hunters.values() if of["hunter"] == one[who])
            for who in ("hunter", "base")
        ]
        assert one["mean"] == pytest.approx(means[0] - means[1], abs=1e-9)


CHECKS = (
    check_origins,
    check_one_ship,
    check_two_ships,
    check_rules,
    check_habits,
    check_openings,
    check_sampler,
    check_standard_fleet,
)


@pytest.mark.parametrize("check", CHECKS)
def test_the_stored_results(check):
    check(FOLDER)


def test_the_stored_results_are_of_the_full_run():
    for name in PARTS:
        assert results.read(FOLDER / f"{name}.json")["settings"]["quick"] is False


def test_the_standard_fleet_is_as_the_write_up_has_it():
    told = results.read(FOLDER / "standard_fleet.json")
    assert told["settings"]["standard_games"] == 1_000
    for what, agreement in told["agrees"].items():
        for source, one in agreement.items():
            assert one["agrees"], f"{what}: {source} is off by {one['off']}"


def test_the_stored_grid_is_the_whole_one():
    found = {(row["a"], row["b"]) for row in results.read(FOLDER / "habits.json")["rows"]}
    assert found == {tuple(row[:2]) for row in GOLDEN["notebook_two_ships"]["habits"]}


@pytest.mark.parametrize(
    "case", GOLDEN["notebook_sampler"]["five_ships"], ids=lambda case: case["title"]
)
def test_the_write_ups_sampler_is_near_the_exact_posterior(case):
    """The notebook's own draws, another program, against the closed form."""
    from bsjax.game.game import Game
    from bsjax.game.history import observe_history, parse
    from bsjax.posterior.exact import exact

    game = Game(feedback="name")
    posterior = exact(game, observe_history(game, parse(game, case["history"])))
    p, sampled = posterior.p_ship[~posterior.shot], np.array(case["p"])[~posterior.shot]
    # The error of a share of effective draws, twice over: weights vary with the cell.
    error = 2 * np.sqrt(p * (1 - p) / case["effective"])
    assert (abs(p - sampled) <= 5 * error + 3e-6).all()
    if "layouts" in case:
        assert posterior.layouts_told_apart == case["layouts"]


def test_the_quick_run(tmp_path):
    """Compiled programs are kept between runs, as those of the other tests are."""
    kept = {
        "JAX_COMPILATION_CACHE_DIR": jax.config.jax_compilation_cache_dir,
        "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0.1",
    }
    done = subprocess.run(
        [sys.executable, "-m", "experiments.notebook.run", "--quick", "--out", tmp_path],
        cwd=ROOT,
        env=os.environ | {"JAX_PLATFORMS": "cpu"} | kept,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    for check in CHECKS:
        check(tmp_path)


def test_results_are_not_overwritten(tmp_path):
    from experiments.notebook import run

    there = tmp_path / "one_ship.json"
    there.write_text("before")
    with pytest.raises(ValueError, match="--overwrite"):
        run.main(["--quick", "--only", "one_ship", "--out", str(tmp_path)])
    assert there.read_text() == "before"


def test_a_quick_run_stays_out_of_the_results():
    from experiments.notebook import run

    with pytest.raises(ValueError, match="quick"):
        run.main(["--quick", "--overwrite", "--out", str(FOLDER)])


# --- figures -----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [name for name in SCRIPTS if name != TABLES])
def test_a_figure_is_drawn_the_same_twice(name, script, tmp_path):
    make = script("script").make
    first = make(script(name).figure, tmp_path / "first" / name, FOLDER)
    again = make(script(name).figure, tmp_path / "again" / name, FOLDER)
    assert [path.suffix for path in first] == [".svg", ".png"]
    for one, other in zip(first, again, strict=True):
        assert one.read_bytes() == other.read_bytes()
    with Image.open(first[1]) as image:
        assert "sha256" in image.info["Description"]


def test_the_tables(script, tmp_path):
    (path,) = script("script").make(script(TABLES).figure, tmp_path / TABLES, FOLDER)
    text = path.read_text()
    assert "| Lookahead: hits | 25.6986 | +0.1400 | +0.14 | 5,649 | 8,323 | 6,364 |" in text
    rows = [line for line in text.splitlines() if line.startswith("|")]
    assert len(rows) > 20


def test_a_rule_that_plays_otherwise_than_its_tree_is_not_drawn(script, tmp_path):
    shutil.copy(FOLDER / "rules.json", tmp_path)
    told = json.loads((tmp_path / "rules.json").read_text())
    told["rules"]["information"]["one_by_one"]["mismatches"] = 1
    (tmp_path / "rules.json").write_text(json.dumps(told))
    with pytest.raises(ValueError, match="the claim fails: information plays as its tree says"):
        script("script").make(script("notebook_shots").figure, tmp_path / "out", tmp_path)


# --- games one by one --------------------------------------------------------------------------


def test_games_one_by_one_find_a_tree_that_is_wrong():
    from bsjax.evaluate.tree import evaluate
    from bsjax.game.game import Game
    from bsjax.posterior.listed import Listing
    from experiments.notebook import one_by_one

    listing = Listing(Game((4, 4), (3, 2), feedback="name"))
    shots, rows = evaluate(listing, "information").shots, np.arange(0, len(listing), 11)
    assert one_by_one.check(listing, "information", shots, rows)["mismatches"] == 0
    shots[rows[3]] += 1
    assert one_by_one.check(listing, "information", shots, rows)["mismatches"] == 1
