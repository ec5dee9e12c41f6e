"""What a hunter is told, plane by plane after every shot, against a referee in plain Python."""

from functools import cache

import jax
import jax.numpy as jnp
import numpy as np
import oracles
import pytest

from bsjax.game.game import FEEDBACK, PRESETS, Game
from bsjax.game.observation import CLOSED, OPEN, WATER, Observation, afloat, blank, observe, tell
from bsjax.game.touching import open_water

GAMES = {
    "classic": (PRESETS["classic"], 30),
    "ten-ship": (PRESETS["ten-ship"], 30),
    "rectangle": (Game((7, 5), (4, 3, 2, 1)), 80),
    "crowded": (Game((5, 5), (3, 3, 2)), 300),
    "packed": (Game((5, 5), (4, 3, 3, 2, 2, 1)), 100),
    "no-side": (Game((6, 6), (3, 3, 2, 2), "no-side"), 80),
    "narrow": (Game((2, 8), (5, 2, 2, 1)), 80),
    "widest": (Game((16, 16), (8, 7, 6, 5, 5, 4, 4, 3, 3, 2, 2, 1)), 4),
}
PAUSES = 4
"""Shots that are none (cell −1), at random places in every game."""


def game_of(name, feedback):
    game, _ = GAMES[name]
    return Game(game.size, game.fleet, game.touching, feedback)


@cache
def orders(name):
    """Random boards and complete random orders of shots, half of them beside hits."""
    game, count = GAMES[name]
    boards = oracles.random_boards(game, count, seed=1)
    rng = np.random.default_rng(2)
    shots = np.full((count, game.cells + PAUSES), -1, np.int32)
    for i, board in enumerate(boards):
        places = np.sort(rng.permutation(game.cells + PAUSES)[: game.cells])
        shots[i, places] = oracles.random_order(game, board, rng, near=(0.0, 0.5, 0.9)[i % 3])
    return boards, shots


@cache
def transcripts(name, feedback):
    """What every shot did, and every plane of the observation after it: [game, shot, …]."""
    game = game_of(name, feedback)
    boards, shots = orders(name)
    games, readings = [], []
    for board, row in zip(boards, shots.tolist(), strict=True):
        known, steps = oracles.Known(game), []
        for shot, truth in zip(row, oracles.truths(game, board, row), strict=True):
            known.fire(shot, truth)
            shown = np.zeros(game.cells, bool)
            shown[list(truth.shown)] = True
            did = {"hit": truth.hit, "sunk": truth.sunk, "ship": np.int8(truth.ship)}
            steps.append({**did, "shown": shown, **known.planes()})
        readings += known.readings
        games.append({field: np.stack([step[field] for step in steps]) for field in steps[0]})
    return {field: np.stack([one[field] for one in games]) for field in games[0]}, readings


def listener(game):
    """The package's answer to every shot and its observation after it, for a batch of games."""

    def step(observation, shot):
        cell, hit, sunk, ship, shown = shot
        answer = tell(game, observation, hit, sunk, ship)
        shown = shown if game.feedback == "cells" else None
        observation = observe(game, observation, cell, answer, shown)
        return observation, (answer, observation)

    def one(*shots):
        return jax.lax.scan(step, blank(game), shots)[1]

    return jax.jit(jax.vmap(one))


@cache
def told(name, feedback):
    """The package's answers and observations for `transcripts`."""
    _, shots = orders(name)
    truth, _ = transcripts(name, feedback)
    truths = [truth[field] for field in ("hit", "sunk", "ship", "shown")]
    return jax.device_get(listener(game_of(name, feedback))(shots, *truths))


@pytest.mark.parametrize("feedback", FEEDBACK)
@pytest.mark.parametrize("name", GAMES)
def test_every_plane_after_every_shot(name, feedback):
    game = game_of(name, feedback)
    boards, shots = orders(name)
    expected, _ = transcripts(name, feedback)
    answers, seen = told(name, feedback)

    fired = shots >= 0
    codes = np.take_along_axis(expected["answer"], np.maximum(shots, 0)[..., None], -1)[..., 0]
    np.testing.assert_array_equal(answers[fired], codes[fired])
    for field, plane in seen._asdict().items():
        assert plane.dtype == expected[field].dtype, field
        np.testing.assert_array_equal(plane, expected[field], err_msg=field)

    # Soundness, from the boards alone: a closed hit lies on a ship with every cell fired at.
    ship = np.where(boards < 0, game.ships, boards)[:, None, :].astype(int)
    unfired = (seen.shot_at < 0).astype(int)
    alive = np.stack([(unfired * (ship == k)).sum(-1) > 0 for k in range(game.ships)], -1)
    alive = np.concatenate([alive, np.ones_like(alive[..., :1])], -1)
    on_alive = np.take_along_axis(alive, np.broadcast_to(ship, unfired.shape), -1)
    assert not (on_alive & (seen.mark == CLOSED)).any()
    # No more ships of a length are announced sunk than are sunk.
    for length in game.lengths:
        same = np.array([n == length for n in game.fleet])
        assert (
            (seen.sunk_at >= 0)[..., same].sum(-1) <= (~alive[..., :-1])[..., same].sum(-1)
        ).all()


@pytest.mark.parametrize("feedback", ["sunk", "size", "name"])
def test_the_boards_hold_ambiguous_sinks(feedback):
    """The comparison above would prove little if one line of hits always explained a sink."""
    sinks = [sink for name in ("crowded", "packed") for sink in transcripts(name, feedback)[1]]
    assert len(sinks) == 3 * GAMES["crowded"][1] + 6 * GAMES["packed"][1]
    assert all(sinks), "the ship that sank is always one of the readings"
    unlike = [sink for sink in sinks if len({len(ship) for ship in sink}) > 1]
    alike = [sink for sink in sinks if len(sink) > 1 and sink not in unlike]
    # Of several ships of one length, some lie in one line and some cross in the cell shot.
    rows = [{len({a // 5 for a in ship}) == 1 for ship in sink} for sink in alike]
    in_line, crossing = sum(len(row) == 1 for row in rows), sum(len(row) == 2 for row in rows)
    assert (len(unlike) > 400) == (feedback == "sunk")
    assert in_line > 5
    assert crossing > 20


@pytest.mark.parametrize("feedback", ["size", "name"])
@pytest.mark.parametrize("name", ["no-side", "ten-ship"])
def test_apart_from_each_other_every_sink_is_read(name, feedback):
    # Where no two ships touch by a side, hits in a line belong to one ship.
    _, sinks = transcripts(name, feedback)
    assert {len(sink) for sink in sinks} == {1}


@pytest.mark.parametrize("feedback", FEEDBACK)
def test_no_shot_changes_nothing(feedback):
    game = game_of("crowded", feedback)
    _, seen = told("crowded", feedback)
    states = jax.tree.map(lambda x: x[:, 9], seen)

    @jax.jit
    @jax.vmap
    def silence(observation, answer):
        shown = jnp.ones(game.cells, bool) if feedback == "cells" else None
        return observe(game, observation, jnp.int32(-1), answer, shown)

    for code in (-1, 0, 1, game.ships + 1, game.ships + 2):
        after = silence(states, jnp.full(len(states.shots), code, jnp.int8))
        for field, plane in jax.device_get(after)._asdict().items():
            np.testing.assert_array_equal(plane, getattr(states, field), err_msg=field)


def test_what_each_rule_tells():
    """E5, F5, G5 sink the submarine of the classic fleet, ship 3, alone on its water."""
    line = [oracles.cell(name) for name in ("E5", "F5", "A1", "G5")]
    board = np.full(100, -1, np.int8)
    board[[line[0], line[1], line[3]]] = 3
    codes = {
        "hit": [0, 0, -1, 0],
        "sunk": [0, 0, -1, 6],
        "size": [0, 0, -1, 3],
        "name": [0, 0, -1, 4],
        "cells": [0, 0, -1, 3],
        "hit-name": [10, 10, -1, 4],
    }
    sunk = {"hit": [], "sunk": [], "size": [2], "name": [3], "cells": [2], "hit-name": [3]}
    for feedback in FEEDBACK:
        game = Game(feedback=feedback)
        hit = board[line] == 3
        last = np.arange(4) == 3
        shown = last[:, None] & (board == 3)
        ship = np.where(hit, 3, -1).astype(np.int8)
        shots = (np.array(line, np.int32), hit, last, ship, shown)
        answers, seen = jax.device_get(listener(game)(*(x[None] for x in shots)))
        end = jax.tree.map(lambda x: x[0, -1], seen)
        assert answers[0].tolist() == codes[feedback]
        assert end.answer[line].tolist() == codes[feedback]
        assert end.shots == 4
        down = np.flatnonzero(end.sunk_at >= 0).tolist()
        assert down == sunk[feedback]
        assert end.sunk_at[down].tolist() == [3] * len(down)
        assert end.sunk_cell[down].tolist() == [line[3]] * len(down)
        assert np.flatnonzero(~afloat(jax.tree.map(jnp.asarray, end))).tolist() == down
        # Under `sunk` the last two hits could also be a destroyer.
        mark = OPEN if feedback in ("hit", "sunk") else CLOSED
        assert end.mark[line].tolist() == [mark, mark, WATER, mark]


def test_the_cells_rule_needs_the_cells():
    game = Game(feedback="cells")
    with pytest.raises(ValueError, match="sunk ship"):
        observe(game, blank(game), jnp.int32(0), jnp.int8(1))


@pytest.mark.parametrize("feedback", ["size", "cells"])
@pytest.mark.parametrize("name", ["crowded", "no-side", "ten-ship"])
def test_open_water_never_rules_out_a_ship(name, feedback):
    game = game_of(name, feedback)
    boards, _ = orders(name)
    _, seen = told(name, feedback)
    picked = jax.tree.map(lambda x: x[:, ::3], seen)
    possible = np.asarray(jax.jit(jax.vmap(jax.vmap(lambda o: open_water(game, o))))(picked))
    unfired = picked.shot_at < 0
    assert not (possible & ~unfired).any()
    assert possible[unfired & (boards >= 0)[:, None, :]].all()
    for i, t in np.ndindex(picked.shots.shape):
        proven = set(np.flatnonzero(unfired[i, t] & ~possible[i, t]).tolist())
        assert proven == oracles.proven_water(game, picked.mark[i, t])


def test_a_blank_observation():
    game = Game((7, 5), (3, 2))
    seen = jax.device_get(blank(game))
    planes = oracles.Known(game).planes()
    assert Observation._fields == tuple(planes)
    for field, plane in planes.items():
        np.testing.assert_array_equal(getattr(seen, field), plane)
        assert getattr(seen, field).dtype == plane.dtype
