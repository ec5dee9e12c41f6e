"""Races, rules and the hardest boards of the classic fleet: a quick run, and what is refused."""

import importlib
import json
import math
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from bsjax.evaluate import paces
from bsjax.evaluate.hard_boards.crossplay import Heat
from bsjax.evaluate.hard_boards.layouts import read
from bsjax.evaluate.hard_boards.settings import Settings as Search
from bsjax.game.game import Game
from bsjax.policies.strategies import MAPS, STRATEGIES
from bsjax.runtime import results
from experiments.classic_fleet import hard_boards, mixture, strategies
from experiments.classic_fleet.settings import FULL, QUICK

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "experiments" / "classic_fleet" / "results"
PARTS = ("strategies", "hard_boards", "mixture")
GAME = Game()


def played(work, parts=PARTS):
    """What these parts write; games are kept under `work`."""
    run = importlib.import_module("experiments.classic_fleet.run")
    found = {part: json.loads(json.dumps(run.PARTS[part](QUICK, work))) for part in parts}
    assert all(one["game"] == str(GAME) for one in found.values())
    return found


@pytest.fixture(scope="module")
def work(tmp_path_factory):
    return tmp_path_factory.mktemp("classic_fleet")


@pytest.fixture(scope="module")
def quick(work):
    """A quick run of the three parts."""
    return played(work)


def test_the_table_of_strategies(quick):
    told = quick["strategies"]
    assert {row["name"] for row in told["strategies"]} == set(QUICK.strategies.names)
    means = [row["mean"] for row in told["strategies"]]
    assert means == sorted(means)
    credit = paces.load(told["pace"], GAME).credit
    for row in told["strategies"]:
        counts = np.array(row["histogram"])
        assert row["games"] == counts.sum() == QUICK.strategies.games
        assert row["mean"] == pytest.approx(counts @ np.arange(101) / counts.sum())
        assert row["race"]["win"]["value"] == pytest.approx(counts @ credit / counts.sum())
        assert row["about"]
        named = strategies.PUBLISHED.get(row["name"])
        assert row["published"]["worst"] == (named.worst if named else None)


def test_the_worst_boards(quick, work):
    told = quick["hard_boards"]
    rates = [row["win_rate"] for row in told["strategies"]]
    assert rates == sorted(rates, reverse=True)
    for row in told["strategies"]:
        board = read(GAME, " ".join(row["ships"].values()))
        assert len(board) == GAME.ships
        assert sum(row["histogram"]) == row["games"] == QUICK.hard_boards.search.games
        assert row["worst_case"] / 100 >= row["win_rate"]
        assert len(row["stages"]) == 5
        assert row["speed"]["published_hours"] > 0
    assert told["ranks"]["published"] == ["checkerboard"]
    # The boards that a mixture starts from: each hunter's worst is among them.
    boards = hard_boards.lowest_boards(QUICK.hard_boards, work, 2)
    assert 2 <= len(boards) <= 4
    worst = [read(GAME, " ".join(row["ships"].values())).tolist() for row in told["strategies"]]
    assert all(one in boards.tolist() for one in worst)


def test_games_of_the_published_search():
    search = Search(own=100, confirmed=10, cross=(Heat(2, 0.5), Heat(4, 0.0)), tournament=())
    cross = hard_boards.CROSS_BOARDS
    assert hard_boards.published_games(search) == 120 + 2 * cross + 4 * math.ceil(cross / 2)


def test_the_mixture_and_the_hider(quick):
    told = quick["mixture"]
    found, hiding = told["mixture"], told["hiding"]
    assert sum(found["die"].values()) == pytest.approx(1)
    assert set(found["die"]) <= set(QUICK.mixture.names)
    assert found["worst"]["worst_case"] / 100 >= found["worst"]["win_rate"]
    assert sum(one["weight"] for one in found["hiding"]["boards"]) == pytest.approx(1)
    rows = hiding["strategies"]
    assert {row["name"] for row in rows} == set(QUICK.strategies.names)
    table = {row["name"]: row for row in quick["strategies"]["strategies"]}
    for row in rows:
        assert row["uniform"] == table[row["name"]]["race"], "the games of the table, not new ones"
        gain = row["uniform"]["win"]["value"] - row["lottery"]["win"]["value"]
        assert row["gain"]["value"] == pytest.approx(gain)
    best = max(row["lottery"]["win"]["value"] for row in rows)
    assert hiding["best"]["lottery"]["win"]["value"] == best
    races = told["two_sided"]["races"]
    fastest = told["two_sided"]["fastest"]
    players = {(who, where) for who in ("die", fastest) for where in ("lottery", "uniform")}
    pairs = {frozenset(tuple(one[side].values()) for side in ("player", "other")) for one in races}
    assert len(races) == len(pairs) == 6
    assert set().union(*pairs) == players
    for one in races:
        both = one["first"]["value"] + one["second"]["value"]
        assert both / 2 == pytest.approx(one["win"]["value"])


def test_two_sided_races_are_between_what_each_hunts():
    """The die needs 20 shots against the lottery and 30 elsewhere, the other hunter 25 always."""

    def all_at(shots):
        return np.bincount([shots] * 5, minlength=101)

    times = {
        ("die", "lottery"): all_at(20),
        ("die", "uniform"): all_at(30),
        ("fast", "lottery"): all_at(25),
        ("fast", "uniform"): all_at(25),
    }
    won = {
        tuple(tuple(one[side].values()) for side in ("player", "other")): one["win"]["value"]
        for one in mixture.two_sided(times)
    }
    assert won == {
        # He hunts uniform boards (30), the other the lottery's (20).
        (("die", "lottery"), ("die", "uniform")): 0.0,
        (("die", "lottery"), ("fast", "lottery")): 1.0,
        (("die", "lottery"), ("fast", "uniform")): 0.0,
        (("die", "uniform"), ("fast", "lottery")): 1.0,
        (("die", "uniform"), ("fast", "uniform")): 0.0,
        (("fast", "lottery"), ("fast", "uniform")): 0.5,
    }


def test_parts_go_on_with_the_games_they_kept(quick, work, monkeypatch):
    """A second run of a part plays nothing that the first one kept, and tells the same."""
    monkeypatch.setattr(strategies, "simulate", None)
    monkeypatch.setattr(hard_boards, "search", None)
    again = played(work, ("strategies", "mixture"))
    assert again["strategies"] == quick["strategies"]
    speeds = [one["mixture"]["mixture"].pop("speed")["games_played"] for one in (quick, again)]
    assert speeds[0] > speeds[1] == 0
    assert again["mixture"] == quick["mixture"]


def test_full_settings():
    assert set(FULL.strategies.names) == {"random", *STRATEGIES, *MAPS}
    assert set(strategies.PUBLISHED) <= set(FULL.strategies.names)
    assert len(FULL.hard_boards.names) >= 12
    assert set(FULL.hard_boards.names) <= set(FULL.strategies.names)
    assert set(FULL.mixture.names) <= set(FULL.strategies.names)
    assert FULL.strategies.games >= 100_000
    assert min(FULL.mixture.search.games, FULL.hard_boards.search.games) >= 8_000


def test_a_quick_run_stays_out_of_the_results():
    run = importlib.import_module("experiments.classic_fleet.run")
    with pytest.raises(ValueError, match="quick"):
        run.main(["--quick", "--overwrite", "--out", str(FOLDER)])


@pytest.mark.slow
def test_the_quick_run_as_a_command(tmp_path):
    words = [sys.executable, "-m", "experiments.classic_fleet.run", "--quick", "--out", tmp_path]
    told = subprocess.run(words, cwd=ROOT, env=dict(os.environ), capture_output=True, text=True)
    assert told.returncode == 0, told.stderr[-2000:]
    assert {path.stem for path in tmp_path.glob("*.json")} == {"paces", *PARTS}
    for part in PARTS:
        told = results.read(tmp_path / f"{part}.json")
        assert {"command", "commit", "seed", "versions", "device", "time"} <= set(told["origin"])
        assert told["settings"]["quick"] is True
