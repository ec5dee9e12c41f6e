"""The whole search for hard boards: what it finds, what it reports, and what kills it survives."""

import json
import math
import os
import signal
import subprocess
import sys
import time

import jax
import numpy as np
import pytest

from bsjax import policies
from bsjax.evaluate import random_fire
from bsjax.evaluate.credit import race_credit
from bsjax.evaluate.hard_boards import folder as journals
from bsjax.evaluate.hard_boards.crossplay import Heat
from bsjax.evaluate.hard_boards.descent import Round
from bsjax.evaluate.hard_boards.layouts import boards_of, canonical, drawn, read
from bsjax.evaluate.hard_boards.report import rounded_up
from bsjax.evaluate.hard_boards.search import search
from bsjax.evaluate.hard_boards.settings import Settings
from bsjax.evaluate.massive import Limits
from bsjax.evaluate.ties import with_ties
from bsjax.files import read_boards
from bsjax.game.game import Game
from bsjax.hide import layouts_of as placements_of
from bsjax.policies.hottest import Hottest, layouts_of
from bsjax.policies.patterns import rule
from bsjax.policies.scores import probability
from bsjax.posterior.listed import Listing

FOUR = Game((4, 4), (3, 3, 2))
SMALL = Settings(
    starts=(2, 1, 2),
    own=12_000,
    confirmed=12_000,
    rounds=(Round(8, 0.25), Round(32, 0.5), Round(96, 0.0)),
    confirm=256,
    cross=(Heat(64, 0.5), Heat(128, 0.0)),
    tournament=(Heat(64, 0.5), Heat(128, 0.5), Heat(256, 0.0)),
    games=2_000,
)


@pytest.fixture(scope="module")
def heat_map():
    """A hunter whose finishing times on every board are known exactly."""
    listing = Listing(FOUR)
    shares = with_ties(listing, probability)
    credit = race_credit(shares.mean(0))
    exact = dict(zip(map(bytes, canonical(FOUR, listing.layouts)), shares @ credit, strict=True))
    return Hottest(FOUR, layouts_of(FOUR)), credit, exact


def value_of(exact, board):
    layout = placements_of(FOUR, np.array(board, np.int8)[None])
    return exact[bytes(canonical(FOUR, layout)[0])]


def test_the_worst_board_of_a_hunter_is_found(heat_map):
    policy, credit, exact = heat_map
    hunters = {"heat": policy}
    given = drawn(jax.random.key(8), FOUR, 4)
    found = search(hunters, credit, SMALL._replace(seed=1), boards=given)
    told = found["hunters"]["heat"]
    true, worst = value_of(exact, told["board"]), min(exact.values())
    spread = np.std(list(exact.values()))
    assert true < worst + 0.1 * spread, "the board is (nearly) the worst of all"
    assert abs(told["win_rate"] - true) < 5 * told["se"]
    shots = np.repeat(np.arange(FOUR.cells + 1), told["histogram"])
    assert told["games"] == len(shots) == 2_000
    assert told["mean_shots"] == pytest.approx(shots.mean())
    assert told["win_rate"] == pytest.approx(credit[shots].mean())
    assert told["se"] == pytest.approx(credit[shots].std(ddof=1) / math.sqrt(2_000))
    assert 0 <= told["worst_case"] / 100 - told["win_rate"] < 0.001
    assert [s["stage"] for s in told["stages"]][2] == "first confirmed"
    for stage in told["stages"]:
        for one in stage["measured"]:
            board = boards_of(FOUR, read(FOUR, one["board"])[None])[0]
            assert abs(one["win_rate"] - value_of(exact, board)) < 5 * one["se"]
    assert found["boards"][told["number"]]["found_by"] == told["found_by"]


def test_hunters_share_their_boards_and_no_setting_of_the_machine_matters(heat_map, tmp_path):
    _, credit, _ = heat_map
    hunters = {name: rule(FOUR, "checkerboard", finish=name) for name in ("hand", "density")}
    tiny = SMALL._replace(own=2_000, confirmed=2_000, games=200)
    found = search(hunters, credit, tiny, out=tmp_path / "a")
    again = search(hunters, credit, tiny, limits=Limits(memory=1 << 20, slots=16))
    found.pop("speed"), again.pop("speed")
    assert json.dumps(found) == json.dumps(again)
    assert json.loads((tmp_path / "a" / "result.json").read_text()) == json.loads(json.dumps(found))
    by = {entry["found_by"] for entry in found["boards"]}
    assert by == {"hand", "density"}
    for told in found["hunters"].values():
        assert len(told["values"]["win_rate"]) > 10, "both met all boards in the tournament"
    other = search(hunters, credit, tiny._replace(seed=5))
    assert other["hunters"]["hand"]["win_rate"] != found["hunters"]["hand"]["win_rate"]
    # A result is a file of boards for the next search.
    boards = read_boards(tmp_path / "a" / "result.json", FOUR)
    assert len(boards) == len(found["boards"])


class Killed(Exception):
    pass


@pytest.mark.parametrize("common", [True, False])
def test_a_killed_search_ends_with_the_same_bits(heat_map, tmp_path, monkeypatch, common):
    _, credit, _ = heat_map
    hunters = {"rule": rule(FOUR, "checkerboard")}
    tiny = SMALL._replace(own=2_000, confirmed=2_000, games=200, common=common)
    search(hunters, credit, tiny, out=tmp_path / "whole")
    plain, counted = journals.Kept.add, [0]

    def dying(self, readings):
        counted[0] += 1
        if counted[0] % 9 == 0:
            raise Killed
        plain(self, readings)

    monkeypatch.setattr(journals.Kept, "add", dying)
    # A checkpoint at every reading, or at none: the journal is then as short as it can be.
    limits, kills = Limits(checkpoint=0.0), 0
    for attempt in range(40):
        try:
            search(hunters, credit, tiny, out=tmp_path / "b", resume=attempt > 0, limits=limits)
            break
        except Killed:
            kills += 1
            with open(tmp_path / "b" / journals.NAME, "ab") as stream:
                stream.write(b"half a row")
    assert kills > 2
    whole, again = ((tmp_path / n / "result.json").read_bytes() for n in ("whole", "b"))
    assert whole == again
    # A finished search replays to the same.
    monkeypatch.undo()
    search(hunters, credit, tiny, out=tmp_path / "b", resume=True)
    assert (tmp_path / "b" / "result.json").read_bytes() == whole
    with pytest.raises(ValueError, match="another run"):
        search(hunters, credit, tiny._replace(seed=9), out=tmp_path / "b", resume=True)
    os.truncate(tmp_path / "b" / journals.NAME, 32)
    with pytest.raises(ValueError, match="holds 1 of"):
        search(hunters, credit, tiny, out=tmp_path / "b", resume=True)


def test_the_value_reported_is_not_one_that_chose():
    """Random fire needs the same shots on every board: each reading is noise, and the lowest of
    many is too low. What is reported is not."""
    policy, pace = policies.make("random", FOUR), np.diff(random_fire.curve(FOUR), prepend=0.0)
    credit = race_credit(pace)
    seeds, off, lowest = range(12), [], []
    tiny = SMALL._replace(own=4_000, confirmed=2_000, games=200)
    for seed in seeds:
        found = search({"random": policy}, credit, tiny._replace(seed=seed))
        told = found["hunters"]["random"]
        off.append((told["win_rate"] - 0.5) / told["se"])
        assert abs(off[-1]) < 5
        for stage in told["stages"]:
            for one in stage["measured"]:
                assert abs(one["win_rate"] - 0.5) < 5 * one["se"]
        lowest.append(min(stage["lowest"] for stage in told["stages"]))
    assert abs(np.sum(off)) < 4 * math.sqrt(len(seeds)), "no bias"
    # The measurements that chose the boards are too low: the test would see it.
    assert np.mean(lowest) < 0.5 - 5 * np.std(lowest) / math.sqrt(len(seeds))


def test_bounds_are_rounded_up():
    assert rounded_up(0.3441) == 34.5
    assert rounded_up(0.344) == 34.4
    assert rounded_up(0.0) == 0.0


def test_what_is_wrong_is_said(heat_map, tmp_path):
    policy, credit, _ = heat_map
    other = policies.make("random", Game((4, 3), (3, 2)))
    for hunters in ({}, {"a": policy, "b": other}):
        with pytest.raises(ValueError, match="same game"):
            search(hunters, credit)
    for wrong, what in (
        (Settings(budget=0), "factor above 0"),
        (Settings(games=1), "2 games or more"),
        (Settings(rounds=(Round(8, 1.0), Round(8, 1.0))), "more than the one before"),
    ):
        with pytest.raises(ValueError, match=what):
            search({"a": policy}, credit, wrong)
    with pytest.raises(ValueError, match="add --out"):
        search({"a": policy}, credit, resume=True)
    with pytest.raises(ValueError, match="ships that meet"):
        search({"a": policy}, credit, boards=np.zeros((1, 3), np.int16))


COMMAND = ["hard-board", "checkerboard", "--budget", "0.002", "--games", "300", "--seed", "3"]


def test_the_command(tmp_path):
    def bsjax(*words):
        line = [sys.executable, "-m", "bsjax.cli", *COMMAND, *words]
        return subprocess.run(line, capture_output=True, text=True, check=True).stdout

    told = json.loads(bsjax("--json", "--out", str(tmp_path / "a")))
    game = Game()
    board = np.array(told["board"], np.int8)
    placements_of(game, board[None])
    assert told["games"] == 300
    assert 0 <= told["win_rate"] <= 1
    assert 0 < told["se"] < 0.05
    assert 17 <= told["mean_shots"] <= 100
    assert (read_boards(tmp_path / "a" / "result.json", game) == board).all(1).any()
    text = bsjax("--out", str(tmp_path / "a"), "--resume")
    assert f"≤ {told['worst_case']:.1f}%" in text
    assert told["ships"]["carrier"] in text
    assert len(text.strip().splitlines()) == 2 + game.height


@pytest.mark.slow
def test_kill_9_and_resume(tmp_path):
    def bsjax(out, *more):
        line = [sys.executable, "-m", "bsjax.cli", *COMMAND, "--budget", "0.02", "--out", str(out)]
        return subprocess.Popen([*line, *more], stdout=subprocess.DEVNULL)

    assert bsjax(tmp_path / "whole").wait() == 0
    held = tmp_path / "killed" / journals.NAME
    process = bsjax(tmp_path / "killed")
    while not (held.exists() and held.stat().st_size > 50_000) and process.poll() is None:
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    assert process.wait() != 0
    assert not (tmp_path / "killed" / "result.json").exists()
    assert bsjax(tmp_path / "killed", "--resume").wait() == 0
    whole, killed = ((tmp_path / n / "result.json").read_bytes() for n in ("whole", "killed"))
    assert whole == killed
