"""Races, rules and the hardest boards of the classic fleet: a quick run, and what is refused."""

import importlib
import json
import math
import os
import shutil
import subprocess
import sys
from pathlib import Path

import figure_checks
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from bsjax import hide, policies
from bsjax.evaluate import paces
from bsjax.evaluate.hard_boards.crossplay import Heat
from bsjax.evaluate.hard_boards.layouts import read
from bsjax.evaluate.hard_boards.settings import Settings as Search
from bsjax.evaluate.massive import Run, simulate
from bsjax.game.game import Game
from bsjax.policies.strategies import MAPS, STRATEGIES
from bsjax.runtime import results, streams
from experiments.classic_fleet import hard_boards, luck, mixture, strategies
from experiments.classic_fleet.settings import FULL, QUICK
from experiments.parts import plain

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "experiments" / "classic_fleet" / "results"
PARTS = ("strategies", "hard_boards", "heat_maps", "mixture", "luck")
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
    """A quick run of all parts but the paces."""
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


def test_luck_tells_the_games_of_the_table_apart(quick, work):
    told = quick["luck"]
    both = [np.array(told[kind]["histogram"]) for kind in ("met", "missed")]
    table = QUICK.strategies._replace(games=told["games"])
    assert (both[0] + both[1] == strategies.uniform(told["name"], table, work)).all()
    assert told["met"]["share"] + told["missed"]["share"] == pytest.approx(1)
    assert told["met"]["mean"] < told["missed"]["mean"]
    credit = paces.load(told["pace"], GAME).credit
    for kind, counts in zip(("met", "missed"), both, strict=True):
        won = told[kind]["race"]["win"]["value"]
        assert won == pytest.approx(counts @ credit / counts.sum())


def test_the_first_set_is_what_the_first_misses_lie_on(tmp_path):
    """Slow oracle: up to its first hit a game fires at one set, which its shots give away."""
    name, games, seed = QUICK.luck.name, 200, 3
    simulate(Run(name, games, GAME, seed=seed, record=True), out=tmp_path / "games")
    order = np.load(tmp_path / "games" / "shot_at.npy")
    policy, hider = policies.make(name, GAME), hide.make("uniform", GAME)
    met = luck.first_set_meets(policy, hider, seed, games)
    keys = streams.board_keys(jax.random.key(seed), jnp.uint32(0), jnp.uint32(0), games)
    boards = np.asarray(hide.boards(GAME, hider.place(keys, jnp.int32(games), 64).placements))
    row, column = np.divmod(np.arange(GAME.cells), GAME.width)
    told_apart = 0
    for shots, board, meets in zip(order, boards, met, strict=True):
        fired = [cell for cell in np.argsort(shots).tolist() if shots[cell] >= 0]
        first_hit = next(place for place, cell in enumerate(fired) if board[cell] >= 0)
        early = fired[: first_hit + 1]
        sets = [
            number % 3 == number[early[0]] % 3
            for number in (row + column, row - column)
            if len(set(number[early] % 3)) == 1
        ]
        if len(sets) == 1:
            told_apart += 1
            assert (board[sets[0]] == 4).any() == meets
    assert told_apart > games / 2


def test_the_first_set_meets_the_2_in_two_games_of_three():
    games = 1 << 16
    met = luck.first_set_meets(
        policies.make("3-parity", GAME), hide.make("uniform", GAME), 0, games
    )
    assert met.shape == (games,)
    assert abs(met.mean() - 2 / 3) < 5 * math.sqrt(2 / 9 / games)
    with pytest.raises(ValueError, match="diagonals alone"):
        luck.first_set_meets(
            policies.make("smart-3-parity", GAME), hide.make("uniform", GAME), 0, games
        )


def test_every_figure_is_drawn_of_a_quick_run(quick, tmp_path):
    folder = tmp_path / "results"
    for part, told in quick.items():
        told = {"settings": {"quick": True, **plain(getattr(QUICK, part))}} | told
        results.write(folder / f"{part}.json", told, seed=0)
    shutil.copy(FOLDER / "paces.json", folder)
    for name in figure_checks.scripts("classic_fleet"):
        assert all(path.stat().st_size for path in figure_checks.make(name, folder, tmp_path))


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
