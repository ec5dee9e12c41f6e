"""Independent layouts from posteriors, against all layouts of small games and exact counts."""

import jax
import numpy as np
import pytest
from test_exact import boards_of, consistent, game_of, histories, observation
from test_posterior_prior import habit_weights
from test_samplers import GOLDEN, classic_histories

from bsjax.game.game import FEEDBACK, Game
from bsjax.game.history import observe_history, parse
from bsjax.game.observation import blank
from bsjax.game.placements import placement_masks
from bsjax.posterior.exact import exact
from bsjax.posterior.perfect import perfect
from bsjax.posterior.prior import habit
from bsjax.posterior.rejection import rejection
from bsjax.posterior.tables import tables

BOARDS = ["five", "five-apart", "four-sides", "dots", "mixed"]


def key(number=0):
    return jax.random.key(number)


def rows_of(game, boards):
    """Placements of listed layouts, int[M, K]."""
    found = []
    for k, length in enumerate(game.fleet):
        masks = placement_masks(game.size, length).astype(np.float32)
        uses = (boards == k).astype(np.float32) @ masks.T == length
        found.append(uses.argmax(1) + tables(game).start[k])
    return np.stack(found, 1)


def even(game, left, placement, weights=None):
    """Chi-square of drawn layouts against the listed ones; none but those is drawn."""
    weights = np.ones(len(left)) if weights is None else weights
    number = {tuple(row): i for i, row in enumerate(rows_of(game, left).tolist())}
    seen = np.bincount([number[tuple(row)] for row in placement.tolist()], minlength=len(left))
    due = len(placement) * weights / weights.sum()
    # Layouts that are rare are counted together.
    rare = due < 5
    seen, due = (np.append(x[~rare], x[rare].sum()) for x in (seen, due))
    seen, due = seen[due > 0], due[due > 0]
    distance, degrees = ((seen - due) ** 2 / due).sum(), len(due) - 1
    assert distance < degrees + 5 * np.sqrt(2 * degrees) + 10
    assert distance > degrees - 5 * np.sqrt(2 * degrees) - 1e-9


@pytest.mark.parametrize("feedback", FEEDBACK)
@pytest.mark.parametrize("name", BOARDS)
def test_perfect_draws_are_even(name, feedback):
    game = game_of(name, feedback)
    for board, cells in histories(game, 4, seed=len(name)):
        left = consistent(game, board, cells)
        even(game, left, perfect(game, observation(game, board, cells), key(1), 10_000))


@pytest.mark.parametrize(("edge", "touch"), [(0.5, 0.0), (0.3, 1.5), (-0.4, -0.7)])
@pytest.mark.parametrize("name", ["five", "four", "dots"])
def test_perfect_draws_follow_a_habit(name, edge, touch):
    game = game_of(name)
    prior = habit(game, edge, touch)
    for board, cells in histories(game, 3, seed=6):
        left = consistent(game, board, cells)
        found = perfect(game, observation(game, board, cells), key(2), 10_000, prior)
        even(game, left, found, habit_weights(game, left, edge, touch))


def test_perfect_draws_of_five_ships():
    game, draws = Game(feedback="name"), 1000
    masks, errors = tables(game).masks[:, :-1], []
    for case, seen in zip(GOLDEN["cases"], classic_histories(), strict=True):
        share = np.array(case["p_ship"])
        found = masks[perfect(game, seen, key(3), draws)].any(1).mean(0)
        sure = np.minimum(share, 1 - share) < 1e-6
        np.testing.assert_allclose(found[sure], share[sure], atol=1e-6)
        likely = draws * np.minimum(share, 1 - share) > 20
        errors.append(((found - share) / np.sqrt(share * (1 - share) / draws + 1e-30))[likely])
    errors = np.concatenate(errors)
    assert np.abs(errors).max() < 5.5
    assert 0.85 < np.sqrt((errors**2).mean()) < 1.15


def test_perfect_draws_come_in_random_order():
    game = Game((5, 5), (3, 3, 2))
    found = perfect(game, blank(game), key(4), 4000)
    first = tables(game).masks[found[:2000], :-1].any(1).mean(0)
    second = tables(game).masks[found[2000:], :-1].any(1).mean(0)
    assert np.abs(first - second).max() < 5 * np.sqrt(0.5 / 2000)
    np.testing.assert_array_equal(found, perfect(game, blank(game), key(4), 4000))


@pytest.mark.parametrize("feedback", FEEDBACK)
def test_rejection_keeps_what_agrees(feedback):
    game = game_of("five", feedback)
    attempts = 30_000
    for board, cells in histories(game, 3, seed=7):
        cells = cells[:4]
        left = consistent(game, board, cells)
        kept = rejection(game, observation(game, board, cells), key(5), attempts)
        share = len(left) / len(boards_of(game))
        assert kept.attempts == attempts
        spread = np.sqrt(attempts * share * (1 - share)) + 1e-9
        assert abs(len(kept.placement) - attempts * share) < 5 * spread + 1
        even(game, left, kept.placement)


def test_rejection_of_ships_of_one_cell():
    game = game_of("dots")
    left = boards_of(game)
    kept = rejection(game, blank(game), key(6), 20_000)
    assert len(kept.placement) == 20_000
    even(game, left, kept.placement)


def test_rejection_agrees_with_the_exact_posterior():
    game = Game()
    seen = observe_history(game, parse(game, "E5:hit E6:miss B2:miss"))
    found, due = rejection(game, seen, key(7), 40_000), exact(game, seen)
    masks = tables(game).masks[:, :-1]
    p = masks[found.placement].any(1).mean(0)
    spread = np.sqrt(due.p_ship * (1 - due.p_ship) / len(found.placement))
    assert (np.abs(p - due.p_ship) <= 5 * spread + 1e-9).all()
