"""The best-reply loop: it closes its gap, goes on with the same bits, and its player holds."""

import json
from functools import cache, partial

import numpy as np
import pytest
from test_knowledge import PlainStates
from test_simulate import bsjax
from typer.testing import CliRunner

from bsjax.cli import app
from bsjax.cli import load as load_commands
from bsjax.evaluate.credit import race_credit
from bsjax.evaluate.tree import evaluate
from bsjax.game.game import Game
from bsjax.solve.best_reply import best_reply, finishing, folded
from bsjax.solve.exploit import exploited, hiding, win_rates
from bsjax.solve.found import Options, found_in, rows_in, weights_of, worth_in
from bsjax.solve.hunts import ByCells, Writing
from bsjax.solve.knowledge import build
from bsjax.solve.loop import loop
from bsjax.solve.player import Player, load, save
from bsjax.solve.pool import Pool
from bsjax.solve.settle import Plan, settled
from bsjax.solve.tables import classes
from bsjax.solve.walk import Hunts, valued
from bsjax.solve.written import ByValues, written

SMALL = Game((3, 3), (2, 2))
NONE = Plan(rounds=0)
"""Without joint replies: the lottery of the loop."""


@cache
def graph(game=SMALL, rule="finish"):
    return build(game, rule)


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """30 rounds on 3×3 {2,2}."""
    out, told = tmp_path_factory.mktemp("loop"), []
    found = loop(graph(), Options(rounds=30), out / "run", quiet=True, told=told.append)
    return found, told, out / "run"


def any_player(game, seed, hunts=3):
    """A player who hides and hunts by no reason: warm hunts, turned at random, all kept."""
    states, (of, size, _) = graph(game), classes(game)
    rng = np.random.default_rng(seed)
    listing = states.tables.listing
    found = valued(states, rng.random((len(size), game.cells + 1))[of])
    weights, cells = rng.dirichlet(np.ones(hunts)), []
    times = np.zeros((len(listing), game.cells + 1))
    for number, weight in enumerate(weights):
        one = Hunts(np.full(1, -1), np.full(1, 0.1), np.full(1, number, np.uint64))
        writing = Writing(ByValues(found, one))
        times += weight * finishing(listing, evaluate(listing, writing).shots)
        cells.append(writing.written())
    hider = folded(listing, rng.dirichlet(np.ones(len(listing))))
    return Player(game, "finish", hider, times, weights, cells)


# --- the loop ------------------------------------------------------------------------------------


def test_it_closes_its_gap(small):
    found, told, _ = small
    assert [line["round"] for line in told] == list(range(1, len(told) + 1))
    assert found.state.history == told
    last = told[-1]
    assert abs(last["worth"] - 0.5) < 1e-3
    assert abs(last["low"] - 0.5) < 1e-3
    assert found.state.hider.sum() == pytest.approx(1)
    # Whoever is asked for is worth no less than what the pool knows of him.
    assert all(line["asked"] >= line["promised"] - 2e-3 for line in told)
    # Worth at the pace, by an exact best reply.
    credit = race_credit(found.state.pace / found.state.pace.sum())
    worth = best_reply(graph(), credit, weights_of(SMALL, found.state.hider)).value
    assert abs(worth - 0.5) < 1e-3


def test_its_player_is_near_perfect(small):
    player = settled(small[0], NONE)
    result = exploited(graph(), player)
    assert result.worst > 0.499
    assert min(result.hunt, result.hide) >= 0.5 - 1e-9
    assert max(result.hunt, result.hide) < 0.501
    assert max(result.hunt, result.hide) <= result.joint < 0.505
    assert (result.tried, result.classes) == (7, 7)
    # It always finishes in 4 to 8 shots.
    often = (player.finishing > 0).any(0)
    assert np.flatnonzero(often).tolist() == [4, 5, 6, 7, 8]
    assert player.finishing.sum(1) == pytest.approx(1)
    assert player.pace.sum() == pytest.approx(1)
    # Its pace is its own: half of the races against itself are won.
    assert win_rates(player, player.pace) @ player.hider == pytest.approx(0.5)


def test_a_fixed_firing_order_wins_nothing_on_its_worst_layout(small):
    credit = race_credit(settled(small[0], NONE).pace)
    boards = graph().tables.listing.boards() >= 0
    rng = np.random.default_rng(1)
    for last in range(9):
        order = rng.permutation(9)
        order[[8, np.flatnonzero(order == last)[0]]] = last, order[8]
        shots = np.where(boards, np.argsort(order) + 1, 0).max(1)
        assert shots.max() == 9
        assert credit[shots].min() == pytest.approx(0, abs=1e-12)


def test_all_moves_close_the_gap_too(tmp_path):
    states = graph(Game((3, 2), (2,)), "all")
    found = loop(states, Options(rounds=30, variants=16), tmp_path / "run", quiet=True)
    result = exploited(states, settled(found, NONE))
    assert result.worst > 0.499
    assert 0.5 - 1e-9 <= result.hunt < 0.501


def test_it_stops_on_a_gap(tmp_path):
    options = Options(rounds=30, gap=0.02, variants=16)
    found = loop(graph(), options, tmp_path / "run", quiet=True)
    told = found.state.history
    assert 1 < len(told) < 30
    gaps = [max(line["worth"] - 0.5, 0.5 - line["low"]) for line in told]
    assert gaps[-1] <= 0.02 < min(gaps[:-1])
    result = json.loads((tmp_path / "run" / "result.json").read_text())
    assert result == {"rounds": len(told), "history": told}
    # A closed loop has nothing more to do, and a smaller gap makes it go on.
    again = loop(graph(), options, tmp_path / "run", resume=True, quiet=True)
    assert again.state.history == told
    more = loop(graph(), options._replace(gap=0.005), tmp_path / "run", resume=True, quiet=True)
    assert more.state.round > len(told)


def test_it_goes_on_with_the_same_bits(tmp_path):
    options = Options(rounds=6, variants=8, pool=24)
    whole = loop(graph(), options, tmp_path / "whole", quiet=True)
    for rounds in range(7):
        part = options._replace(rounds=rounds)
        loop(graph(), part, tmp_path / "parts", resume=rounds > 0, quiet=True)
    names = ("hunts.npy", "worth.npy", "checkpoint.json", "result.json")
    for name in names:
        assert (tmp_path / "whole" / name).read_bytes() == (tmp_path / "parts" / name).read_bytes()
    assert len(whole.pool.number) == 24
    # What is in the folder is what the loop gave.
    kept = found_in(graph(), tmp_path / "parts")
    for a, b in ((kept.state, whole.state), (kept.pool, whole.pool)):
        assert all(np.array_equal(x, y) for x, y in zip(a, b, strict=True))
    rows = rows_in(tmp_path / "whole" / "hunts.npy")
    assert (rows[kept.pool.number] == kept.pool.finishing).all()
    assert (rows.sum(2) == classes(SMALL).size).all()


def test_a_killed_round_is_played_again(tmp_path):
    options = Options(rounds=5, variants=8)
    loop(graph(), options, tmp_path / "whole", quiet=True)

    class Killed(Exception):
        pass

    def stop(told):
        if told["round"] == 3:
            raise Killed

    with pytest.raises(Killed):
        loop(graph(), options, tmp_path / "broken", quiet=True, told=stop)
    # Rows that no checkpoint counts are cut off.
    with open(tmp_path / "broken" / "hunts.npy", "ab") as stream:
        stream.write(b"\1" * 777)
    assert found_in(graph(), tmp_path / "broken").state.round == 3
    loop(graph(), options, tmp_path / "broken", resume=True, quiet=True)
    for name in ("hunts.npy", "worth.npy", "checkpoint.json", "result.json"):
        a, b = (tmp_path / run / name for run in ("whole", "broken"))
        assert a.read_bytes() == b.read_bytes()


def test_joint_replies_as_rows_lower_what_they_win(small):
    alone = exploited(graph(), settled(small[0], NONE))
    hardened = exploited(graph(), settled(small[0], Plan()))
    assert hardened.joint - 0.5 < 0.75 * (alone.joint - 0.5)
    assert hardened.joint >= max(hardened.hunt, hardened.hide) - 1e-9
    # A hider who moves as well is better still.
    moved = exploited(graph(), settled(small[0], Plan(rounds=12, moves=True)))
    assert moved.joint < hardened.joint
    with pytest.raises(ValueError, match="leave out how many are tried"):
        settled(small[0], Plan(tried=1, moves=True))


def test_few_joint_replies_and_small_passes_are_of_use(small):
    alone = exploited(graph(), settled(small[0], NONE))
    few = exploited(graph(), settled(small[0], Plan(rounds=6, tried=5, rows=2), memory=1))
    assert few.joint < alone.joint


# --- its hunts -----------------------------------------------------------------------------------


def test_its_hunts_can_be_written_down(small):
    found, _, out = small
    player = settled(found, NONE, written_to=(Options(), out))
    listing = graph().tables.listing
    times = np.zeros_like(player.finishing)
    for weight, hunt in zip(player.weights, player.hunts, strict=True):
        times += weight * finishing(listing, evaluate(listing, ByCells(hunt)).shots)
    assert times == pytest.approx(player.finishing, abs=1e-12)
    assert exploited(graph(), player).worst > 0.499
    # Those that settling found as well.
    more = settled(found, Plan(rounds=2), written_to=(Options(), out))
    times = np.zeros_like(player.finishing)
    for weight, hunt in zip(more.weights, more.hunts, strict=True):
        times += weight * finishing(listing, evaluate(listing, ByCells(hunt)).shots)
    assert times == pytest.approx(more.finishing, abs=1e-12)
    # Any hunt that was found, of the opening too.
    of = partial(worth_in, out)
    numbers = np.array([0, 1, 63, 64, 99, 127, 128, 64 * found.state.round + 63])
    rows, (_, size, row) = rows_in(out / "hunts.npy"), classes(SMALL)
    assert len(rows) == numbers[-1] + 1
    for number, hunt in zip(numbers, written(graph(), Options(), of, numbers), strict=True):
        times = finishing(listing, evaluate(listing, ByCells(hunt)).shots)[row]
        assert (np.rint(times * size[:, None]) == rows[number]).all()
    # A few of them are a lottery of their own; the times stay those of all.
    few = settled(found, Plan(rounds=0, kept=5), written_to=(Options(), out))
    assert (len(few.hunts), few.weights.sum()) == (5, pytest.approx(1))
    assert few.finishing == pytest.approx(settled(found, NONE).finishing)


def test_a_pool_says_what_its_hunts_win():
    rng = np.random.default_rng(2)
    size, count = np.array([4, 8, 1]), 300
    finished = np.stack([rng.multinomial(n, np.full(7, 1 / 7), count) for n in size], 1)
    finished, share = finished.astype(np.uint8), rng.dirichlet(np.ones(count))
    pool = Pool(size, finished, np.arange(count), share, share)
    credit = rng.random(7)
    won = pool.payoff(credit)
    assert won.shape == (3, count)
    for hunt in (0, 255, 256, 299):
        for orbit in range(3):
            told = finished[hunt, orbit] @ credit / size[orbit]
            assert won[orbit, hunt] == pytest.approx(told, rel=1e-6)
    assert pool.times() == pytest.approx(np.einsum("h,hot->ot", share, finished) / size[:, None])
    assert pool.times(np.eye(count)[7]) == pytest.approx(finished[7] / size[:, None])


def test_a_pool_keeps_the_hunts_that_are_used():
    finished = np.arange(6, dtype=np.uint8)[:, None, None] * np.ones((1, 2, 4), np.uint8)
    used = np.array([0.5, 0.0, 0.3, 0.2])
    pool = Pool(np.array([8, 8]), finished[:4], np.arange(4), used, used)
    # Two of the new hunts are known: one from before, one is the other again.
    more = pool.joined(finished[[4, 2, 4, 5]], 10, 5)
    assert more.number.tolist() == [0, 2, 3, 10, 13]
    assert (more.finishing == finished[[0, 2, 3, 4, 5]]).all()
    assert more.share.tolist() == [0.5, 0.3, 0.2, 0, 0]
    assert more.used.tolist() == [0.5, 0.3, 0.2, 0.25, 0.25]
    less = pool.joined(finished[[4]], 10, 2)
    assert less.number.tolist() == [0, 10]
    assert less.share.tolist() == [1, 0]
    mixed = more.mixed(np.array([0, 0, 0, 0, 1.0]))
    assert mixed.used == pytest.approx([0.45, 0.27, 0.18, 0.225, 1.225])
    part = more.part(np.array([0, 3]))
    assert (part.number.tolist(), part.share.tolist()) == ([0, 10], [1, 0])
    assert more.most_used(2).number.tolist() == [0, 2]


# --- exploitability ------------------------------------------------------------------------------


@pytest.mark.parametrize("game", [SMALL, Game((4, 2), (2, 1)), Game((3, 2), (2,))], ids=str)
def test_exploitability_equals_plain_recursion(game):
    player, states = any_player(game, 3), graph(game)
    plain, listing = PlainStates(game, "finish"), states.tables.listing
    row = {
        frozenset(frozenset(np.flatnonzero(b == ship).tolist()) for ship in range(game.ships)): at
        for at, b in enumerate(listing.boards())
    }
    weights = [player.hider[row[layout]] for layout in plain.layouts]
    times = player.finishing
    reply = [plain.value(race_credit(pace), weights) for pace in [player.pace, *times]]

    def beats(mine, other):
        """Races won by one time against another, by all pairs of shots."""
        shots = range(game.cells + 1)
        return sum(
            mine[a] * other[b] * (1 if a < b else 0.5 if a == b else 0)
            for a in shots
            for b in shots
        )

    result = exploited(states, player)
    assert result.hunt == pytest.approx(reply[0], rel=1e-12)
    assert result.joint == pytest.approx(max(reply[1:]), rel=1e-12)
    assert reply[1 + result.joint_layout] == pytest.approx(result.joint, rel=1e-12)
    hides = [beats(player.pace, own) for own in times]
    assert hiding(player) == pytest.approx(hides)
    assert result.hide == pytest.approx(max(hides))
    assert hides[result.hide_layout] == pytest.approx(result.hide)
    wins = [beats(own, player.pace) for own in times]
    assert win_rates(player, player.pace) == pytest.approx(wins)
    assert result.worst == pytest.approx(min(wins))
    assert wins[result.worst_layout] == pytest.approx(result.worst)
    # One who imitates wins half; one who does both does as well as one who does either.
    assert min(result.hunt, result.hide) >= 0.5 - 1e-9
    assert result.joint >= max(result.hunt, result.hide) - 1e-9
    assert player.hider @ wins == pytest.approx(0.5)
    assert (result.tried, result.classes) == (len(classes(game).row),) * 2


# --- players as files ----------------------------------------------------------------------------


def test_a_player_comes_back(tmp_path):
    for player in (any_player(SMALL, 5), any_player(Game((4, 2), (2, 1)), 6)):
        save(player, tmp_path / "player.npz")
        back = load(tmp_path / "player.npz")
        assert (back.game, back.rule) == (player.game, player.rule)
        for name in ("hider", "finishing", "weights"):
            assert getattr(back, name) == pytest.approx(getattr(player, name), abs=1e-12)
        assert all(np.array_equal(a, b) for a, b in zip(back.hunts, player.hunts, strict=True))
        assert back.shots == pytest.approx(player.finishing @ np.arange(player.game.cells + 1.0))
        save(back, tmp_path / "again.npz")
        assert (tmp_path / "again.npz").read_bytes() == (tmp_path / "player.npz").read_bytes()
        # Hunts may be missing.
        save(player._replace(weights=np.zeros(0), hunts=[]), tmp_path / "few.npz")
        assert load(tmp_path / "few.npz").hunts == []


def test_a_damaged_player_is_refused(tmp_path):
    player, path = any_player(SMALL, 7), tmp_path / "player.npz"
    save(player, path)
    whole = path.read_bytes()

    def require_refused():
        with pytest.raises(ValueError, match=r"holds no player .* bsjax solve --out"):
            load(path)

    for content in (b"", b"text", whole[:100], whole[:-30]):
        path.write_bytes(content)
        require_refused()
    refused = 0
    for at in range(0, len(whole), 41):
        # A byte that nobody reads, such as a date, may change.
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 0xFF]) + whole[at + 1 :])
        try:
            back = load(path)
        except ValueError:
            refused += 1
        else:
            assert (back.finishing == player.finishing).all()
            assert all(np.array_equal(a, b) for a, b in zip(back.hunts, player.hunts, strict=True))
    assert refused > len(whole) / 41 / 2
    with open(path, "wb") as stream:
        np.save(stream, np.zeros(3))
    require_refused()
    path.unlink()
    require_refused()

    path.write_bytes(whole)
    with np.load(path) as held:
        fields = dict(held)
    wrong = {
        "size": np.array([2, 1]),
        "rule": np.array("some"),
        "hider": fields["hider"][:-1],
        "finishing": 2 * fields["finishing"],
        "weights": fields["weights"][:-1],
        "cells": fields["cells"][:-1],
    }
    for name, value in wrong.items():
        with open(path, "wb") as stream:
            np.savez_compressed(stream, **fields | {name: value})
        require_refused()
    del fields["fleet"]
    with open(path, "wb") as stream:
        np.savez_compressed(stream, **fields)
    require_refused()


# --- faults and commands -------------------------------------------------------------------------


def test_faults_are_said_in_one_line(small, tmp_path):
    for fault in (
        {"variants": 0},
        {"pool": 64},
        {"reach": 0.0},
        {"coldest": 0.1},
        {"damping": 1.5},
        {"seed": -1},
    ):
        with pytest.raises(ValueError, match=f"{next(iter(fault))} .* is out of range for 3x3"):
            loop(graph(), Options(**fault), tmp_path / "run", quiet=True)
    assert not (tmp_path / "run").exists()
    _, _, out = small
    with pytest.raises(ValueError, match="--resume"):
        loop(graph(), Options(rounds=31), out, quiet=True)
    with pytest.raises(ValueError, match="holds another run: variants was 64, now 8"):
        loop(graph(), Options(variants=8), out, resume=True, quiet=True)
    with pytest.raises(ValueError, match="holds no loop"):
        found_in(graph(), tmp_path)
    for other in (graph(Game((3, 2), (2,))), graph(Game((3, 3), (2,))), graph(SMALL, "all")):
        with pytest.raises(ValueError, match="not of this game"):
            found_in(other, out)


def test_command(tmp_path):
    load_commands()
    run = CliRunner().invoke
    words = ["solve", "--size", "3x3", "--fleet", "2,2", "--out", str(tmp_path), "--rounds"]
    line = run(app, [*words, "8"])
    assert line.exit_code == 0, line
    assert "player of 3x3 {2,2}" in line.stdout
    told = json.loads(run(app, [*words, "9", "--resume", "--json"]).stdout)
    assert 0.498 < told["worst"] <= 0.5 <= told["hunt"] < 0.501
    assert (told["tried"], told["classes"], told["rounds"]) == (7, 7, 9)
    assert 6.2 < told["fewest"] <= told["mean"] <= told["most"] < 6.5
    player = load(tmp_path / "player.npz")
    assert exploited(graph(), player).joint == pytest.approx(told["joint"], abs=1e-9)
    assert "--out DIR" in str(run(app, words[:5]).exception)
    assert run(app, ["solve", "--graph", *words[1:5], "--out", str(tmp_path / "g")]).exit_code == 0
    stored = ["--states", str(tmp_path / "g")]
    again = run(app, [*words, "9", "--resume", "--json", *stored])
    assert json.loads(again.stdout) == told
    other = run(app, [*words, "9", "--resume", "--moves", "all", *stored])
    assert "moves finish, not 3x3" in str(other.exception)
    game = words[1:5]
    kept = ["--player", str(tmp_path / "player.npz")]
    assert "a reply that hunts wins 50.0" in run(app, ["reply", *game, *kept]).stdout
    replied = json.loads(run(app, ["reply", *game, *kept, "--json"]).stdout)
    assert replied["joint"] == pytest.approx(told["joint"], abs=1e-9)
    assert replied["hunts"] == told["hunts"] == len(player.hunts) > 3
    played = ["simulate", "--games", "4000", *kept, "--json"]
    # A simulation takes all cores, which only a fresh process can.
    result = json.loads(bsjax(*played, *game).stdout)
    assert result["policy"].startswith("player player.npz")
    uniform = player.shots.mean()
    assert abs(result["mean"] - uniform) < 5 * result["se"]
    assert "give its --size and --fleet" in bsjax(*played).stderr


def test_a_fixed_order_of_fire_wins_nothing_on_its_worst_layout(small):
    player = settled(small[0], NONE)
    boards = graph().tables.listing.boards() >= 0
    # Whatever cell comes last, some layout has a ship there: all nine are fired at.
    assert boards.any(0).all()
    assert player.pace[:4].sum() == 0
    assert player.pace[4:9].sum() == pytest.approx(1)
    assert race_credit(player.pace)[9] == pytest.approx(0, abs=1e-12)
