"""Best replies: known optima, plain recursion, and the hunts they imply played out."""

import json
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from test_knowledge import TINY, PlainStates
from test_simulate import bsjax
from typer.testing import CliRunner

from bsjax.cli import app
from bsjax.cli import load as load_commands
from bsjax.evaluate.credit import race_credit, shots_credit
from bsjax.evaluate.tree import evaluate
from bsjax.game.game import Game
from bsjax.game.replay import play_history
from bsjax.solve.best_reply import best_reply, finishing, folded, pace_of
from bsjax.solve.hunts import ByChoice
from bsjax.solve.knowledge import build
from bsjax.solve.tables import orbits


@cache
def graph(size, fleet, rule="finish"):
    return build(Game(size, fleet), rule)


OPTIMA = [
    ((3, 3), (2, 2), "finish", Fraction(275, 44)),
    ((3, 3), (2, 2), "all", Fraction(275, 44)),
    ((4, 4), (3, 3, 2), "finish", Fraction(8900, 804)),
    ((4, 4), (3, 3, 2), "all", Fraction(8894, 804)),
    ((4, 4), (3, 2), "all", 8.753788),
    ((4, 4), (2, 2), "all", 8.669643),
    ((4, 4), (3,), "all", 5.625),
    ((5, 4), (3,), "all", 6.227273),
    ((3, 3), (2,), "all", 4.5),
]


@pytest.mark.parametrize(("size", "fleet", "rule", "shots"), OPTIMA)
def test_fewest_shots_are_the_known_ones(size, fleet, rule, shots):
    states = graph(size, fleet, rule)
    reply = best_reply(states, shots_credit(states.game))
    assert -reply.value == pytest.approx(float(shots), abs=5e-7)
    # The hunt it implies, played on every layout, needs just as many.
    played = reply.play().figures()
    assert played.layouts == len(states.tables.listing)
    if isinstance(shots, Fraction):
        assert played.mean == shots
    assert float(played.mean) == pytest.approx(-reply.value, abs=1e-12)


@pytest.mark.parametrize("rule", ["finish", "all"])
@pytest.mark.parametrize("game", TINY, ids=str)
def test_values_equal_plain_recursion(game, rule):
    states, plain = build(game, rule), PlainStates(game, rule)
    listing = states.tables.listing
    # Any hider who turns his board, any credit that falls with the shots.
    rng = np.random.default_rng(7)
    weights = folded(listing, rng.random(len(listing)) ** 3)
    credit = np.sort(rng.random(game.cells + 1))[::-1].copy()
    row = {
        frozenset(
            frozenset(np.flatnonzero(board == ship).tolist()) for ship in range(game.ships)
        ): weight
        for board, weight in zip(listing.boards(), weights, strict=True)
    }
    expected = plain.value(credit, [row[layout] for layout in plain.layouts])
    reply = best_reply(states, credit, weights)
    assert reply.value == pytest.approx(expected, rel=1e-12)
    shots = reply.play().shots
    assert (weights * credit[shots]).sum() / weights.sum() == pytest.approx(expected, rel=1e-12)
    turned = finishing(listing, shots)
    assert turned.sum(1) == pytest.approx(1)
    assert (weights @ (turned @ credit)) / weights.sum() == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("rule", ["finish", "all"])
def test_the_stored_hunt_keeps_the_rule(rule):
    game = Game((3, 3), (2, 2))
    states, plain = graph((3, 3), (2, 2), rule), PlainStates(game, rule)
    found = best_reply(states, shots_credit(game)).play(keep_tree=True)
    listing, tree = states.tables.listing, found.tree
    assert tree is not None
    for board, shots in zip(listing.boards(), found.shots, strict=True):
        fired, hits, left = [], [], set(range(len(plain.layouts)))
        own = frozenset(frozenset(np.flatnonzero(board == k).tolist()) for k in range(2))
        me = plain.layouts.index(own)
        while (cell := tree.next_cell(play_history(game, board, fired))) is not None:
            assert len(left) == 1 or cell in plain.allowed(left, hits)
            told = plain.answer(me, hits, cell)
            left = {i for i in left if plain.answer(i, hits, cell) == told}
            fired.append(cell)
            hits += [cell] if told != "miss" else []
        assert len(fired) == shots


def test_no_known_rule_beats_the_best_reply():
    states = graph((4, 4), (3, 3, 2), "all")
    listing = states.tables.listing
    best = -best_reply(states, shots_credit(states.game), choices=False).value
    for rule in ("probability", "information", "lookahead-hits"):
        assert float(evaluate(listing, rule).figures().mean) >= best


def test_a_race_reply_wins_at_least_what_the_fewest_shots_win():
    states = graph((4, 4), (3, 3, 2))
    game, listing = states.game, states.tables.listing
    shots = best_reply(states, shots_credit(game)).play().shots
    pace = pace_of(game, shots)
    credit = race_credit(pace)
    assert (credit[shots]).mean() == pytest.approx(0.5)
    reply = best_reply(states, credit)
    assert 0.5 <= reply.value < 0.52
    assert credit[reply.play().shots].mean() == pytest.approx(reply.value, rel=1e-12)
    # A hider who lies where the hunt is slow is won against less often by that hunt.
    hard = (finishing(listing, shots) @ credit < 0.5).astype(float)
    assert best_reply(states, credit, hard).value >= (credit[shots] @ hard) / hard.sum()


def test_pages_in_many_pieces_give_the_same(monkeypatch):
    game = Game((4, 4), (3,))
    whole = best_reply(build(game), shots_credit(game))
    monkeypatch.setattr("bsjax.solve.pages.MOST", 50)
    monkeypatch.setattr("bsjax.solve.front.CHUNK", 40)
    monkeypatch.setattr("bsjax.solve.knowledge._STATES", 7)
    monkeypatch.setattr("bsjax.solve.children._STATES", 5)
    small = build(game)
    assert sum(layer.pages.total for layer in small.layers) > 40
    pieces = best_reply(small, shots_credit(game), workers=3)
    assert pieces.value == whole.value
    assert (pieces.play().shots == whole.play().shots).all()


def test_faults_are_said_in_one_line():
    states = graph((3, 3), (2, 2))
    credit = shots_credit(states.game)
    with pytest.raises(ValueError, match="give one for each of 0 to 9 shots"):
        best_reply(states, credit[:-1])
    with pytest.raises(ValueError, match="3 weights for 44 layouts"):
        best_reply(states, credit, np.ones(3))
    with pytest.raises(ValueError, match="0 or more"):
        best_reply(states, credit, -np.ones(44))
    with pytest.raises(ValueError, match="average them first"):
        best_reply(states, credit, np.arange(1.0, 45))
    with pytest.raises(ValueError, match="kept no choices"):
        best_reply(states, credit, choices=False).play()
    reply = best_reply(states, credit)
    assert reply.choice is not None
    with pytest.raises(ValueError, match="made up its mind"):
        evaluate(states.tables.listing, ByChoice(states, reply.choice), prior=np.ones(44))
    with pytest.raises(ValueError, match="add up to 1"):
        race_credit(np.ones(10))
    listing = states.tables.listing
    mean = folded(listing, np.arange(1.0, 45))
    assert mean.sum() == pytest.approx(44 * 45 / 2)
    assert len(np.unique(mean)) <= len(np.unique(orbits(listing)))


def test_command(tmp_path):
    load_commands()
    run = CliRunner().invoke
    game = ["--size", "3x3", "--fleet", "2,2", "--moves", "all"]
    told = json.loads(run(app, ["reply", *game, "--json"]).stdout)
    assert told["expected_shots"] == 6.25
    assert told["mean_fraction"] == "275/44"
    assert run(app, ["solve", "--graph", *game, "--out", str(tmp_path)]).exit_code == 0
    stored = ["reply", *game, "--graph", str(tmp_path)]
    assert "6.250000 shots (275/44)" in run(app, stored).stdout
    raced = json.loads(run(app, [*stored, "--objective", "race", "--json"]).stdout)
    assert raced["win_rate"] == 0.5
    assert "wins 50.000% of races" in run(app, [*stored, "--objective", "race"]).stdout
    # A reply that is saved can be played: it needs 275/44 shots on a random layout.
    file = str(tmp_path / "reply.npz")
    assert run(app, [*stored, "--save", file]).exit_code == 0
    hunted = ["--size", "3x3", "--fleet", "2,2", "--games", "4000", "--json"]
    for words in (["simulate", "--player", file], ["race", file, "--save", file + ".json"]):
        played = json.loads(bsjax(*words, *hunted).stdout)
        assert abs(played["mean"] - 6.25) < 5 * played["se"]
    assert "ends in .npz" in str(run(app, [*stored, "--save", "reply.json"]).exception)
    refused = bsjax("simulate", "--player", file, *hunted, "--posterior", "exact")
    assert refused.returncode == 2
    assert "leave out" in refused.stderr
    other = run(app, ["reply", *game[:-1], "finish", "--graph", str(tmp_path)])
    assert "not 3x3 {2,2}" in str(other.exception)
    assert "--objective" in str(run(app, ["reply", *game, "--objective", "luck"]).exception)
