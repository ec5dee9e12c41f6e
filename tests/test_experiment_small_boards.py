"""The small boards: the quick run, how rules are scored, and what the run refuses."""

import json
import os
import subprocess
import sys
from pathlib import Path

import jax
import numpy as np
import pytest

from bsjax.evaluate.by_layout import Estimate
from bsjax.evaluate.credit import shots_credit
from bsjax.evaluate.ties import with_ties
from bsjax.game.game import Game
from bsjax.policies.scores import probability
from bsjax.runtime import results
from bsjax.solve.tables import classes
from experiments.small_boards import rules, run
from experiments.small_boards.hand_written import compared

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "experiments" / "small_boards" / "results"
GOLDEN = json.loads((Path(__file__).parent / "golden" / "small_boards.json").read_text())
PARTS = ("graphs", "player_5x5", "joint_5x5", "self_play", "context", "regret")
"""Parts of the quick run that take seconds. `players` is quick as `player_5x5` is; the rules, each
a program of its own, are checked one by one below."""


@pytest.fixture(scope="module")
def quick(tmp_path_factory):
    """Results of the quick run; compiled programs are kept as those of the other tests are."""
    out = tmp_path_factory.mktemp("quick")
    words = [word for part in PARTS for word in ("--only", part)]
    kept = {
        "JAX_COMPILATION_CACHE_DIR": jax.config.jax_compilation_cache_dir,
        "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0.1",
        "JAX_PLATFORMS": "cpu",
    }
    command = [sys.executable, "-m", "experiments.small_boards.run", "--quick", "--out", str(out)]
    done = subprocess.run(
        [*command, *words], cwd=ROOT, env=os.environ | kept, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return {part: results.read(out / f"{part}.json") for part in PARTS}


@pytest.mark.parametrize("part", PARTS)
def test_results_carry_their_origin(quick, part):
    told = quick[part]
    assert {"command", "commit", "seed", "versions", "device", "time"} <= set(told["origin"])
    assert told["settings"]["quick"] is True


def test_graphs(quick):
    known = {(one["size"], tuple(one["fleet"]), one["moves"]): one for one in GOLDEN["boards"]}
    found = 0
    for one in quick["graphs"]["graphs"]:
        size = "x".join(map(str, one["size"]))
        assert one["fewest_shots"] == pytest.approx(one["fewest_shots_of_all"] / one["layouts"])
        assert sum(one["layers"]) == one["states"]
        if golden := known.get((size, tuple(one["fleet"]), one["rule"])):
            found += 1
            for what, name in (("states", "states"), ("moves", "moves_count"), ("edges", "edges")):
                assert one[what] == golden[name]
            assert one["layers"] == golden["layers"]
            assert [one["fewest_shots_of_all"], one["layouts"]] == golden["min_shots"]
    assert found == 2
    fewest = {tuple(one["fleet"]): one["fewest_shots"] for one in quick["graphs"]["graphs"]}
    assert fewest[2, 2] == pytest.approx(275 / 44)
    assert (fewest[2,], fewest[3,]) == (pytest.approx(4.5), pytest.approx(5.625))


def test_a_player(quick):
    told = quick["player_5x5"]["3x3"]
    assert told["states"] == 642
    assert told["worst"] <= 0.5 <= min(told["hunt"], told["hide"])
    assert max(told["hunt"], told["hide"]) <= told["joint"] + 1e-6 < 0.56
    assert (told["tried"], told["classes"]) == (7, 7)
    # No hider makes the fewest expected shots of a hunter less than the player's own need.
    assert told["fewest_by_layout"] <= told["mean_shots"] <= told["most_by_layout"]
    assert sum(told["holds_a_ship"]) == pytest.approx(4)
    assert sum(told["pace"]) == pytest.approx(1)
    assert (told["earliest"], told["latest"]) == (4, 8)
    assert [row["round"] for row in told["rounds"]] == [1, 2, 3, 4, 5, 6]


def test_exact_joint_replies(quick):
    told = quick["joint_5x5"]
    assert told["worst"] <= 0.5 <= min(told["hunt"], told["hide"]) <= told["joint"] + 1e-6
    assert told["joint"] <= told["joint_at_most"] <= told["joint"] + 1e-5
    assert told["tried"] <= told["classes"] == 7


def test_the_mixture_of_self_play(quick):
    (told,) = quick["self_play"]["boards"]
    curve, last = told["curve"], told["last"]
    assert curve[-1] == last
    assert last["number"] == 8
    assert told["tried"] == 32
    assert last["used"] <= last["pool"] <= 40
    assert told["gains_points"]["joint"] >= max(told["gains_points"].values()) - 1e-6
    assert told["shots_range"][0] <= told["mean_shots_on_own_hider"] <= told["shots_range"][1]


def test_what_context_is_worth(quick):
    told = quick["context"]["3x3"]
    best, player = (np.array(told["deadlines"][who]) for who in ("best", "player"))
    assert (best >= player - 1e-9).all()
    widest = told["widest_deadline"]
    assert widest["points"] == pytest.approx(100 * (best - player).max())
    np.testing.assert_allclose(player, np.cumsum(told["pace"]))
    gains = told["gains_points"]["together"]
    assert gains["nothing"] == 0
    # More is never worth less, and the ceiling bounds what acts through your own end alone.
    assert gains["memoryless"] <= gains["ships_hit"] + 1e-6
    assert gains["ships_hit"] <= gains["hits_counted"] + 1e-6
    assert gains["place"] <= gains["place_ships_hit"] + 1e-6
    assert gains["place_hits_counted"] <= gains["ceiling"] + 1e-6
    assert told["beside"]["place_shots_seen"]["here"] == gains["place_shots_seen"]


def test_the_learner(quick):
    (told,) = quick["regret"]["boards"]
    assert told["states"] == 158
    assert [mark["round"] for mark in told["curve"]] == [1, 30]
    first, last = (mark["lottery"]["joint"] for mark in told["curve"])
    assert 50 <= last < first
    assert told["lottery_and_all_pasts_differ"] < 1e-9
    assert told["tree"]["values_differ"] < 1e-9
    drawn = told["drawn"]
    assert abs(drawn["mean_shots"] - drawn["dice"]) < 0.2


# --- rules -------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def reference():
    """One who hides at random on 4×4 and hunts by the best reply to that."""
    return rules.reference(rules.stand_in(Game((4, 4), (3, 3, 2))))


def test_the_stand_in_needs_the_fewest_shots(reference):
    assert reference.player.shots.mean() == pytest.approx(8900 / 804)
    assert reference.size.sum() == 804
    assert len(reference.rows) == 103


def test_an_exact_rule(reference):
    """The heat map on every layout, against sums over all of them."""
    shares = with_ties(reference.listing, probability)
    told = rules._exact("heat map", shares, reference)
    shots, won = (
        shares @ credit for credit in (-shots_credit(reference.player.game), reference.race)
    )
    of = classes(reference.player.game).of
    # A layout that is turned at random is as fast as its class is on average.
    turned, raced = (np.bincount(of, what) / reference.size for what in (shots, won))
    assert told["shots_uniform"] == {"value": pytest.approx(shots.mean()), "se": 0.0}
    assert told["slowest"]["value"] == pytest.approx(turned.max())
    assert told["worst"]["value"] == pytest.approx(100 * raced.min())
    spread, every = told["by_layout"], turned[of]
    assert (spread["fewest"], spread["most"]) == (pytest.approx(every.min()), every.max())
    for name, share in (("tenth", 0.1), ("median", 0.5), ("ninetieth", 0.9)):
        assert spread[name] == pytest.approx(np.quantile(every, share))
    assert spread["noise"] == 0
    for times in (told["times"], told["times_worst"]):
        assert sum(times) == pytest.approx(1, abs=1e-5)
    assert np.array(told["times"]) @ np.arange(17) == pytest.approx(shots.mean(), abs=1e-4)
    # With its own fleet hidden where that helps, its worst layout costs no more.
    assert told["both_adversarial"]["value"] > told["worst"]["value"]


def test_a_rule_that_rolls_dice(reference):
    policy = rules.rule(reference.player.game, **rules.RULES["checkerboard by hand"])
    settings = rules.QUICK._replace(games=40)
    told = rules._played("checkerboard by hand", policy, reference, settings, 1)
    assert told["games_on_each"] == 40
    mean = np.array(told["times"]) @ np.arange(17)
    assert mean == pytest.approx(told["shots"]["value"], abs=1e-4)
    assert 11 < mean < 13
    assert told["worst"]["value"] < told["head_to_head"]["value"] < 50
    # The least of noisy readings is too low, so the slowest layout is measured anew.
    spread = told["by_layout"]
    assert spread["fewest"] < spread["tenth"] < spread["median"] < spread["ninetieth"]
    assert spread["ninetieth"] < told["slowest"]["value"] + 5 * told["slowest"]["se"]
    assert 0.1 < spread["noise"] < 0.4
    counted = np.array(told["times_worst"]) * settings.stages[-1][1]
    assert counted.sum() == pytest.approx(settings.stages[-1][1], abs=0.01)
    np.testing.assert_allclose(counted, counted.round(), atol=0.01)


@pytest.mark.parametrize(
    ("value", "se", "differs"),
    [(22.14, 0.0, False), (22.16, 0.0, True), (22.4, 0.1, False), (22.5, 0.1, True)],
)
def test_what_differs_from_the_published(value, se, differs):
    row = {"worst": rules._told(Estimate(value / 100, se / 100), 100)}
    told = compared(row, {"worst": 22.1})
    assert told["worst"]["differs"] is differs
    assert told["worst"]["off"] == pytest.approx(value - 22.1)


def test_layouts_are_written_by_their_ends(reference):
    assert rules.layout_text(reference.listing, 0) == "A1-C1 A2-C2 A3-B3"


# --- refusals ----------------------------------------------------------------------------------


def test_results_are_not_overwritten(tmp_path):
    there = tmp_path / "graphs.json"
    there.write_text("before")
    with pytest.raises(ValueError, match="--overwrite"):
        run.main(["--quick", "--only", "graphs", "--out", str(tmp_path)])
    assert there.read_text() == "before"


def test_a_quick_run_stays_out_of_the_results():
    with pytest.raises(ValueError, match="quick run does not write into results"):
        run.main(["--quick", "--overwrite", "--out", str(FOLDER)])


def test_an_unknown_part(capsys):
    with pytest.raises(SystemExit):
        run.main(["--only", "chess"])
    assert "chess" in capsys.readouterr().err
