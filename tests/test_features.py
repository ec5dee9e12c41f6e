"""What a network sees: every plane against the rules in words, and on turned boards."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import oracles
import pytest
from oracles import CLOSED, OPEN, UNFIRED, WATER

from bsjax.game.game import FEEDBACK, PRESETS, Game
from bsjax.game.observation import Observation
from bsjax.game.symmetry import cell_images
from bsjax.learn.features import NUMBERS, PLACES, PLANES, features, places, turned

GAMES = {
    "classic": PRESETS["classic"],
    "rectangle": Game((7, 5), (4, 3, 2, 1, 1), feedback="hit-name"),
    "no touching": Game((8, 8), (4, 3, 2, 2), "none", "cells"),
    "unannounced": Game((6, 6), (3, 2, 2), feedback="sunk"),
    "two words": Game((12, 9), (8, 7, 6, 5, 4)),
    "line": Game((1, 9), (4, 2), feedback="hit"),
}


def observation(planes):
    return Observation(**{name: jnp.asarray(plane) for name, plane in planes.items()})


def slow(game, planes):
    """The features of one observation, cell by cell."""
    mark, shots = planes["mark"], int(planes["shots"])
    w = 1 + 2 * sum(game.fleet)
    counts = oracles.digits(game, mark, planes["sunk_at"])
    density = sum(float(w) ** h * row for h, row in enumerate(counts))
    out = np.zeros((len(PLANES), game.cells))
    for c in range(game.cells):
        out[:3, c] = [mark[c] == kind for kind in (WATER, OPEN, CLOSED)]
        if mark[c] != UNFIRED:
            age = shots - int(planes["shot_at"][c])
            out[3:5, c] = age / game.cells, 1 / age
        for ship, length in enumerate(game.fleet):
            out[5, c] += (planes["sunk_cell"][ship] == c) * length / 8
            out[6, c] += (planes["ship_at"][c] == ship) * length / 8
        if mark[c] == UNFIRED:
            out[7, c] = counts[0, c] / w
            out[8, c] = np.log1p(density[c]) / 10
    free = density * (mark == UNFIRED)
    out[9] = free / max(free.max(), 1)
    afloat = [n for k, n in enumerate(game.fleet) if planes["sunk_at"][k] < 0]
    numbers = [afloat.count(n) / 4 for n in range(1, 9)]
    return out, [*numbers, shots / game.cells, game.width / 16, game.height / 16]


@pytest.mark.parametrize("name", GAMES)
def test_planes_are_what_they_are_called(name):
    game = GAMES[name]
    planes = oracles.random_positions(game, 40, seed=1)
    found, numbers = jax.jit(jax.vmap(partial(features, game)))(observation(planes))
    assert found.shape == (40, len(PLANES), game.cells)
    assert numbers.shape == (40, len(NUMBERS))
    assert found.dtype == numbers.dtype == np.float32
    for i in range(40):
        expected, told = slow(game, {key: plane[i] for key, plane in planes.items()})
        np.testing.assert_allclose(found[i], expected, rtol=3e-6, atol=1e-7)
        np.testing.assert_allclose(numbers[i], told, rtol=1e-6)


def test_places_are_rows_and_columns():
    found = places((3, 2))
    assert found.dtype == np.float32
    assert found.shape == (6, len(PLACES))
    np.testing.assert_array_equal(found[:, 0], [0, 0, 0, 1, 1, 1])
    np.testing.assert_array_equal(found[:, 1], [0, 0.5, 1, 0, 0.5, 1])
    np.testing.assert_array_equal(places((1, 4))[:, 1], 0)
    assert (found[:, 2] == 1).all()


@pytest.mark.parametrize("feedback", FEEDBACK)
@pytest.mark.parametrize("size", [(6, 6), (7, 4)])
def test_a_turned_observation_is_that_of_the_turned_game(size, feedback):
    game = Game(size, (3, 3, 2), feedback=feedback)
    images, rng = cell_images(size), np.random.default_rng(2)
    turn = jax.jit(partial(turned, game))
    for board in oracles.random_boards(game, 12, seed=3):
        order = oracles.random_order(game, board, rng, near=0.6)
        fired = order[: rng.integers(oracles.shots_to_sink_all(board, order))]
        told = oracles.Known(game)
        for shot, truth in zip(fired, oracles.truths(game, board, fired), strict=True):
            told.fire(shot, truth)
        for g, image in enumerate(images):
            there = [int(np.flatnonzero(image == shot)[0]) for shot in fired]
            other = oracles.Known(game)
            for shot, truth in zip(there, oracles.truths(game, board[image], there), strict=True):
                other.fire(shot, truth)
            found = turn(observation(told.planes()), jnp.int32(g))
            for name, plane in other.planes().items():
                np.testing.assert_array_equal(getattr(found, name), plane, err_msg=name)


@pytest.mark.parametrize("name", ["classic", "rectangle", "no touching"])
def test_features_turn_with_the_board(name):
    game = GAMES[name]
    seen = observation(oracles.random_positions(game, 10, seed=4))
    see = jax.jit(jax.vmap(partial(features, game)))
    planes, numbers = see(seen)
    for g, image in enumerate(cell_images(game.size)):
        turn = jax.vmap(partial(turned, game), in_axes=(0, None))
        other, told = see(turn(seen, jnp.int32(g)))
        np.testing.assert_array_equal(other, np.asarray(planes)[:, :, image])
        np.testing.assert_array_equal(told, numbers)
