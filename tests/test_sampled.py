"""Posteriors drawn on the host, against exact ones; what grows, and what is refused."""

import jax
import jax.numpy as jnp
import numpy as np
import oracles
import pytest
from test_exact import game_of, histories, observation
from test_samplers import GOLDEN, classic_histories

from bsjax.game.game import FEEDBACK, PRESETS, Game
from bsjax.game.history import Shot, observe_history
from bsjax.game.observation import blank
from bsjax.posterior.exact import exact
from bsjax.posterior.perfect import perfect
from bsjax.posterior.prior import habit
from bsjax.posterior.rejection import rejection
from bsjax.posterior.sampled import sampled

BOARDS = ["five", "five-apart", "four-sides", "dots", "mixed"]


def key(number=0):
    return jax.random.key(number)


def close(found, due):
    """A sampled posterior and the exact one."""
    share = 1 / np.sqrt(found.effective)
    assert abs(found.total - due.total) <= 5 * found.total_error + 1e-5 * due.total
    errors = found.p_ship - due.p_ship
    known = found.p_ship_error > 0
    rare = np.minimum(due.p_ship, 1 - due.p_ship) * found.effective < 20
    scaled = errors[known & ~rare] / found.p_ship_error[known & ~rare]
    assert (np.abs(scaled) < 5.5).all()
    assert (np.abs(errors) <= 10 * share).all()
    for mine, exactly in ((found.counts.hit_ship, due.hit_ship), (found.counts.sunk, due.sunk)):
        p, q = mine / found.total, exactly / due.total
        assert (np.abs(p - q) <= 6 * share * np.sqrt(q * (1 - q)) + 20 * share**2).all()
    left = np.array(found.counts.squares(), np.float64) / found.total**2
    assert (np.abs(left - np.array(due.squares(), np.float64) / due.total**2) <= 6 * share).all()
    return scaled


@pytest.mark.parametrize("feedback", FEEDBACK)
@pytest.mark.parametrize("name", BOARDS)
def test_sampled_is_near_exact(name, feedback):
    game = game_of(name, feedback)
    for board, cells in histories(game, 4, seed=len(name)):
        seen = observation(game, board, cells)
        found = sampled(game, seen, key(8), draws=4096)
        close(found, exact(game, seen))
        assert found.enough
        assert found.valid <= found.draws


def test_golden_histories():
    game = Game(feedback="name")
    errors = []
    for case, seen in zip(GOLDEN["cases"], classic_histories(), strict=True):
        found = sampled(game, seen, key(9))
        assert abs(found.total - case["layouts"]) <= 5 * found.total_error + 1e-5 * case["layouts"]
        errors.append(close(found, exact(game, seen)))
    errors = np.concatenate(errors)
    assert 0.8 < np.sqrt((errors**2).mean()) < 1.2


@pytest.mark.parametrize(("edge", "touch"), [(0.5, 0.0), (0.3, 1.5)])
def test_sampled_habits(edge, touch):
    game = game_of("five")
    prior = habit(game, edge, touch)
    for board, cells in histories(game, 4, seed=10):
        seen = observation(game, board, cells)
        close(sampled(game, seen, key(10), draws=4096, prior=prior), exact(game, seen, prior))


def test_it_draws_until_the_sample_is_worth_enough():
    """Eight ships that barely fit: most draws run out of room."""
    game = Game((6, 6), (3, 2, 2, 1, 1, 1, 1, 1), "none")
    board = oracles.random_boards(game, 1, seed=2)[0]
    water = np.flatnonzero(board < 0)[::2].tolist()
    seen = observation(game, board, water)
    found = sampled(game, seen, key(11), draws=512, effective=2000)
    assert found.draws > 2000
    assert found.draws % 512 == 0
    assert found.valid < found.draws / 2
    assert found.enough
    assert found.effective >= 2000
    close(found, sampled(game, seen, key(12), effective=50_000).counts)
    short = sampled(game, seen, key(11), draws=512, effective=2000, most=512)
    assert short.draws == 512
    assert not short.enough
    again = sampled(game, seen, key(11), draws=512, effective=2000)
    np.testing.assert_array_equal(found.p_ship, again.p_ship)


def test_ten_ships():
    """Too large to be counted; the empty board looks the same in all eight positions."""
    game = PRESETS["ten-ship"]
    found = sampled(game, blank(game), key(13), effective=5000)
    assert found.p_ship.sum() == pytest.approx(game.ship_cells, rel=1e-6)
    plane, error = found.p_ship.reshape(10, 10), found.p_ship_error.reshape(10, 10)
    for turned, spread in ((plane.T, error.T), (plane[::-1], error[::-1])):
        assert (np.abs(turned - plane) <= 5.5 * np.hypot(spread, error)).all()
    assert found.layouts_alike == pytest.approx(found.total / (2 * 6 * 24))
    board = oracles.random_boards(game, 1, seed=3)[0]
    order = oracles.random_order(game, board, np.random.default_rng(3), near=0.9)
    later = sampled(game, observation(game, board, order[:50]), key(14))
    assert later.total < found.total / 1e6
    np.testing.assert_allclose(later.p_ship[order[:50]], (board >= 0)[order[:50]], atol=1e-9)


@pytest.mark.parametrize(
    ("size", "fleet", "shots", "message"),
    [
        ((4, 4), (3, 2), "A1:hit D4:hit D1:hit", "none of 1,024 draws agrees"),
        ((3, 3), (3, 3), "B2:miss B1:miss B3:hit", "none of 1,024 draws agrees"),
        ((3, 3), (3, 2), "A1:hit A2:miss B1:miss", "no layout agrees"),
        ((3, 3), (3,), "A1:miss B2:miss C3:miss", "no layout agrees"),
    ],
)
def test_impossible_answers_are_refused(size, fleet, shots, message):
    game = Game(size, fleet)
    tokens = [token.split(":") for token in shots.split()]
    told = [Shot(oracles.cell(cell, size[0]), 0 if word == "hit" else -1) for cell, word in tokens]
    seen = observe_history(game, tuple(told))
    with pytest.raises(ValueError, match=message) as caught:
        sampled(game, seen, key(15), draws=512, most=1024)
    assert "\n" not in str(caught.value)
    with pytest.raises(ValueError, match="no layout agrees"):
        perfect(game, seen, key(15), 10)
    assert len(rejection(game, seen, key(15), 500).placement) == 0


def test_observations_on_the_device_will_do():
    game = Game((5, 5), (3, 2))
    seen = jax.tree.map(jnp.asarray, blank(game))
    assert sampled(game, seen, key(), draws=1024).draws == 1024
    assert len(perfect(game, seen, key(), 5)) == 5


def test_settings_that_do_not_fit_are_refused():
    game, other = Game((4, 3), (3, 2)), habit(Game((5, 5), (3, 3, 2)), 0.5)
    with pytest.raises(ValueError, match="a round of 0 draws"):
        sampled(game, blank(game), key(), draws=0)
    for run in (sampled, lambda *args, prior: perfect(*args, 5, prior)):
        with pytest.raises(ValueError, match=r"the prior is of 5x5 \{3,3,2\}"):
            run(game, blank(game), key(), prior=other)
