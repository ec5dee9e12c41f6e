"""Posteriors under a prior against all layouts of small games, weighed one by one."""

import json
from pathlib import Path

import numpy as np
import oracles
import pytest
from test_exact import answers, boards_of, game_of, histories, observation

from bsjax.game.game import Game
from bsjax.game.observation import blank
from bsjax.game.placements import placement_masks
from bsjax.posterior import three_body
from bsjax.posterior.exact import exact
from bsjax.posterior.prior import Prior, habit

GOLDEN = json.loads((Path(__file__).parent / "golden" / "habit_openings.json").read_text())


@pytest.mark.parametrize("name", ["five", "four-sides", "dots", "one"])
def test_prior_weights(name):
    game = game_of(name)
    rng = np.random.default_rng(4)
    weights = [rng.random(len(placement_masks(game.size, n))) for n in game.fleet]
    weights[-1][0] = 0
    boards = boards_of(game)
    prior = np.ones(len(boards))
    for k, length in enumerate(game.fleet):
        match = ((boards == k)[:, None, :] == placement_masks(game.size, length)).all(2)
        prior *= weights[k][match.argmax(1)]
    for board, cells in histories(game, 8, seed=2):
        codes, _ = answers(game, np.concatenate([board[None], boards]), cells)
        fits = prior * (codes[1:] == codes[0]).all(1)
        posterior = exact(game, observation(game, board, cells), weights)
        assert posterior.total == pytest.approx(fits.sum(), rel=1e-9)
        np.testing.assert_allclose(posterior.ship, fits @ (boards >= 0), rtol=1e-9, atol=1e-12)
        if fits.sum() > 0:
            assert len(posterior.squares()) == game.cells


def test_equal_weights_count():
    game = game_of("five")
    weights = [np.full(len(placement_masks(game.size, n)), 2.0) for n in game.fleet]
    for board, cells in histories(game, 5, seed=3):
        seen = observation(game, board, cells)
        counted, weighed = exact(game, seen), exact(game, seen, weights)
        np.testing.assert_allclose(weighed.ship, 8.0 * counted.ship, rtol=1e-12)
        np.testing.assert_allclose(weighed.sunk, 8.0 * counted.sunk, rtol=1e-12)
        with pytest.raises(ValueError, match="counts no layouts"):
            _ = weighed.layouts_alike


def habit_weights(game, boards, edge, touch):
    """exp(edge·(ship squares on the border) − touch·(pairs of ships next to each other))."""
    width, height = game.size
    border = [
        r in (0, height - 1) or c in (0, width - 1) for r in range(height) for c in range(width)
    ]
    near = np.array(
        [
            [max(oracles.spread(game.size, a, b)) <= 1 for b in range(game.cells)]
            for a in range(game.cells)
        ]
    )
    squares = (boards[:, border] >= 0).sum(1)
    own = [boards == k for k in range(game.ships)]
    pairs = sum(
        ((own[i] @ near) & own[j]).any(1).astype(int) for i in range(game.ships) for j in range(i)
    )
    return np.exp(edge * squares - touch * pairs)


@pytest.mark.parametrize("feedback", ["size", "name", "hit-name"])
@pytest.mark.parametrize("name", ["five", "five-sides", "four", "mixed", "pair", "one"])
def test_habits(name, feedback):
    game, prior = game_of(name, feedback), None
    boards = boards_of(game)
    for edge, touch in ((0.4, 0.0), (0.3, 1.5), (-0.5, -0.7)):
        prior = habit(game, edge, touch)
        weights = habit_weights(game, boards, edge, touch)
        for board, cells in histories(game, 4, seed=12):
            codes, _ = answers(game, np.concatenate([board[None], boards]), cells)
            fits = weights * (codes[1:] == codes[0]).all(1)
            posterior = exact(game, observation(game, board, cells), prior)
            assert posterior.total == pytest.approx(fits.sum(), rel=1e-9)
            np.testing.assert_allclose(posterior.ship, fits @ (boards >= 0), rtol=1e-9, atol=1e-9)
            for k, length in enumerate(game.fleet):
                masks = placement_masks(game.size, length).astype(np.float32)
                uses = (boards == k).astype(np.float32) @ masks.T == length
                np.testing.assert_allclose(
                    posterior.placements[k], fits @ uses, rtol=1e-9, atol=1e-9
                )


@pytest.mark.parametrize("opening", GOLDEN["openings"], ids=lambda o: f"a={o['a']} b={o['b']}")
def test_golden_openings(opening):
    game = Game(fleet=(4, 3))
    posterior = exact(game, blank(game), habit(game, opening["a"], opening["b"]))
    np.testing.assert_allclose(posterior.p_ship, opening["p"], rtol=0, atol=1e-8)


def test_a_uniform_prior_is_a_count_on_five_ships():
    """Both ways to weigh, on a late history of the classic game."""
    game = Game()
    board = oracles.random_boards(game, 1, seed=5)[0]
    order = oracles.random_order(game, board, np.random.default_rng(5), near=0.9)
    seen = observation(game, board, order[:45])
    counted = exact(game, seen)
    flat = [np.ones(len(placement_masks(game.size, n))) for n in game.fleet]
    closed = exact(game, seen, flat)
    size = sum(map(len, flat))
    full = exact(game, seen, Prior(game, flat, np.ones((size, size))))
    assert counted.layouts_told_apart > 0
    for weighed in (closed, full):
        assert weighed.total == pytest.approx(counted.layouts_told_apart, rel=1e-12)
        np.testing.assert_allclose(weighed.hit, counted.hit, rtol=1e-9, atol=1e-6)


def test_three_body_is_the_sum_over_triples():
    rng = np.random.default_rng(0)
    f = [rng.random((3, places)) for places in (4, 5, 6)]
    factors = [rng.random(shape) for shape in ((4, 5), (4, 6), (5, 6))]
    found = three_body.derivatives(f, factors)
    for k, (i, j) in enumerate(((1, 2), (0, 2), (0, 1))):
        names = "pqr"
        due = np.einsum(f"n{names[i]},n{names[j]},pq,pr,qr->n{names[k]}", f[i], f[j], *factors)
        np.testing.assert_allclose(found[k], due, rtol=1e-12)


def _one_pair(kernel):
    """Another factor between the first two ships than between the others."""
    kernel[:17, 17:34] = kernel[17:34, :17] = 2.0
    return kernel


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda w, k: (w[:1], None), "weights for 1 ships"),
        (lambda w, k: ([w[0][1:], *w[1:]], None), "has 17 placements"),
        (lambda w, k: ([-w[0], *w[1:]], None), "negative or not finite"),
        (lambda w, k: (w, k[1:, 1:]), r"factors for \(50, 50\) pairs"),
        (lambda w, k: (w, -k), "a factor of a pair is negative"),
        (lambda w, k: (w, k + np.tri(51)), "not symmetric"),
        (lambda w, k: (w, _one_pair(k)), "differ between ships"),
    ],
)
def test_priors_that_do_not_fit(change, message):
    game = Game((4, 3), (2, 2, 2))
    weights = [np.ones(17) for _ in game.fleet]
    with pytest.raises(ValueError, match=message):
        Prior(game, *change(weights, np.ones((51, 51))))


def test_a_prior_of_another_fleet_is_refused():
    game = Game((4, 3), (3, 2))
    with pytest.raises(ValueError, match=r"the prior is of 4x3 \{2,3\}"):
        exact(game, blank(game), habit(Game((4, 3), (2, 3)), 0.5))
    exact(game, blank(game), habit(Game((4, 3), (3, 2), feedback="name"), 0.5))
