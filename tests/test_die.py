"""A die over hunters: every game is one hunter's, each as often as its weight says."""

import math

import jax
import jax.numpy as jnp
import numpy as np
import oracles
import pytest

from bsjax import hide, policies
from bsjax.evaluate.massive import Run, simulate
from bsjax.evaluate.race import pairings
from bsjax.game.game import Game
from bsjax.policies.die import Die
from bsjax.policies.patterns import rule
from bsjax.policies.playing import finished, shoot, start
from bsjax.runtime import streams

SMALL = Game((5, 4), (3, 2, 2))
GAMES = [SMALL, Game((4, 4), (2, 2), "no-side", "cells")]


def faces_of(game):
    """Hunters with notes of different kinds, and one without any."""
    return [
        policies.make("random", game),
        rule(game, "smart-three-parity", endgame="full"),
        rule(game, "checkerboard", finish="density"),
        policies.make("heat-map", game),
    ]


@jax.jit
def to_the_end(policy, boards, games):
    """Shots of each game from its own key."""
    state = jax.vmap(lambda board, key: start(policy, board, key))(boards, games)
    opening = state.carry
    state = jax.lax.while_loop(
        lambda state: ~jax.vmap(finished)(state).all(),
        jax.vmap(lambda one: shoot(policy, one)),
        state,
    )
    return state.legal, state.observation.shot_at, opening


class Told(policies.Policy):
    """The face of a die alone, with the key that the die would give it."""

    face: policies.Policy

    def init(self, key):
        return self.face.init(jax.random.split(key)[1])

    def act(self, key, observation, carry):
        return self.face.act(key, observation, carry)


@pytest.mark.parametrize("game", GAMES, ids=str)
def test_every_game_is_that_of_one_hunter(game):
    faces = faces_of(game)
    die, count = Die.of(faces, [1, 2, 3, 4]), 96
    boards = jnp.asarray(oracles.random_boards(game, count, seed=3))
    keys = jax.random.split(jax.random.key(4), count)
    legal, shot_at, (drawn, _) = jax.device_get(to_the_end(die, boards, keys))
    assert legal.all(), "every shot went to a cell not fired at"
    assert set(drawn.tolist()) == set(range(len(faces)))
    for number, face in enumerate(faces):
        alone = jax.device_get(to_the_end(Told(game, face), boards, keys))[1]
        own = drawn == number
        np.testing.assert_array_equal(shot_at[own], alone[own])
    for board, row in zip(boards, shot_at, strict=True):
        order = np.argsort(row)[-int((row >= 0).sum()) :]
        assert oracles.shots_to_sink_all(np.asarray(board), order) == len(order)


def test_hunters_come_up_as_their_weights_say():
    weights, games = np.array([5.0, 0.0, 3.0, 2.0]), 40_000
    die = Die.of(faces_of(SMALL), weights)
    keys = jax.random.split(jax.random.key(0), games)
    openings = jax.vmap(lambda key: streams.stream(key, streams.OPENING))(keys)
    drawn = np.asarray(jax.jit(jax.vmap(lambda key: die.init(key)[0]))(openings))
    share = weights / weights.sum()
    found = np.bincount(drawn, minlength=4) / games
    assert found[1] == 0
    error = np.sqrt(share * (1 - share) / games)
    assert (abs(found - share) <= 5 * error).all()


def test_a_die_finishes_as_its_hunters_do():
    """In a run, with slots that are refilled: the mean of a die is the weighted one."""
    faces = faces_of(SMALL)[:2]
    games, weights, hider = 6_000, [0.25, 0.75], hide.make("uniform", SMALL)

    def played(policy, seed):
        found = simulate(Run("die", games, SMALL, seed=seed), policy=policy, hider=hider)
        return found["mean"], found["se"], np.array(found["histogram"])

    mean, se, histogram = played(Die.of(faces, weights), 1)
    own = [played(face, seed) for seed, face in enumerate(faces, 2)]
    due = sum(w * one[0] for w, one in zip(weights, own, strict=True))
    error = math.hypot(se, *(w * one[1] for w, one in zip(weights, own, strict=True)))
    assert abs(mean - due) < 5 * error
    assert abs(own[0][0] - own[1][0]) > 10 * error, "the hunters differ"
    win = pairings(histogram, own[0][2]).win
    due = 0.25 * 0.5 + 0.75 * pairings(own[1][2], own[0][2]).win.value
    assert abs(win.value - due) < 5 * 2 * win.se


def test_what_is_no_die_is_said():
    faces = faces_of(SMALL)
    for given, weights, what in (
        ([], [], "0 hunters of 0 games"),
        ([*faces, policies.make("random", Game())], [1] * 5, "of 2 games"),
        (faces, [1, 1], "a weight of 0 or more for each"),
        (faces, [0, 0, 0, 0], "not all 0"),
        (faces, [1, -1, 1, 1], "0 or more"),
        (faces, [1, math.nan, 1, 1], "0 or more"),
        (faces, [1, math.inf, 1, 1], "not all 0"),
    ):
        with pytest.raises(ValueError, match=what):
            Die.of(given, weights)


def test_a_die_is_made_ready_as_its_hunters_are():
    class Ready(policies.Policy):
        games: int

        def act(self, key, observation, carry):
            return jnp.argmin(observation.shot_at).astype(jnp.int32), carry

        @property
        def lanes(self):
            return self.games + 1

        @property
        def bytes_per_game(self):
            return 10 * self.games

        def prepared(self, games):
            return Ready(self.game, games)

    die = Die.of([Ready(SMALL, 1), Ready(SMALL, 2)], [1, 1])
    assert (die.lanes, die.bytes_per_game) == (3, 30)
    assert [face.games for face in die.prepared(7).faces] == [7, 7]
