"""The likelihood of habits against all layouts of small games, weighed one by one."""

import itertools

import jax
import jax.numpy as jnp
import numpy as np
import oracles
import pytest
from test_exact import boards_of, consistent, game_of, histories, observation
from test_posterior_prior import habit_weights

from bsjax.game.game import FEEDBACK, Game
from bsjax.game.observation import blank
from bsjax.posterior.exact import count, exact
from bsjax.posterior.habit_counts import all_counts, habit_counts
from bsjax.posterior.habit_fit import BOUNDS, fit, maximum
from bsjax.posterior.leaves import TooManyLeavesError
from bsjax.posterior.likelihood import log_likelihood
from bsjax.posterior.prior import habit

GAMES = {
    "3,2": Game((5, 4), (3, 2)),
    "2,2": Game((4, 4), (2, 2)),
    "apart": Game((5, 4), (3, 2), "none"),
    "sides": Game((5, 5), (3, 3, 2), "no-side", "cells"),
    "four": Game((4, 4), (3, 2, 2, 1), "allowed", "hit-name"),
}
HABITS = [(0.0, 0.0), (0.4, 0.0), (0.3, 1.5), (-0.5, -0.7), (1.0, 2.0)]


def statistics(game, boards):
    """Edge squares and touching pairs of boards, read off the weights of two habits."""
    squares = np.log(habit_weights(game, boards, 1.0, 0.0))
    pairs = np.log(habit_weights(game, boards, 0.0, -1.0))
    return np.stack([squares, pairs], 1).round()


def stacked(game, cases):
    seen = [observation(game, board, cells) for board, cells in cases]
    return jax.tree.map(lambda *planes: np.stack(planes), *seen)


def listed(game, cases, a, b):
    """Value and gradient of the log-likelihood, from the layouts that agree with each game."""

    def moments(boards):
        own = statistics(game, boards)
        weights = np.exp(own @ [a, -b])
        return np.log(weights.sum()), weights @ own / weights.sum()

    board_log, board_mean = moments(boards_of(game))
    value, gradient = 0.0, np.zeros(2)
    for board, cells in cases:
        log, mean = moments(consistent(game, board, cells))
        value += log - board_log
        gradient += (mean - board_mean) * [1, -1]
    return value, gradient


# --- tables ------------------------------------------------------------------------------------


@pytest.mark.parametrize("feedback", FEEDBACK)
@pytest.mark.parametrize("name", ["five", "four", "four-sides", "dots", "narrow", "column", "one"])
def test_tables_count_the_layouts_that_agree(name, feedback):
    game = game_of(name, feedback)
    cases = list(histories(game, 6, seed=3))
    tables = habit_counts(game, stacked(game, cases))
    for table, (board, cells) in zip(tables, cases, strict=True):
        due = np.zeros_like(table)
        np.add.at(due, tuple(statistics(game, consistent(game, board, cells)).astype(int).T), 1)
        np.testing.assert_array_equal(table, due)


@pytest.mark.parametrize(
    "game", [game_of("four"), Game((6, 5), (4, 3, 3, 2, 2)), Game((6, 6), (3, 2, 2, 1), "none")]
)
def test_symmetry_leaves_the_table_of_the_empty_board_as_it_is(game):
    whole = habit_counts(game, jax.tree.map(lambda x: x[None], blank(game)))[0]
    np.testing.assert_array_equal(all_counts(game), whole)
    assert whole.sum() == count(game)["layouts_told_apart"]


def test_the_table_of_the_classic_board():
    table = all_counts(Game())
    assert table.sum() == 30_093_975_536
    # Layouts whose ships do not touch are those of the game in which they may not.
    assert table[:, 0].sum() == count(Game(touching="none"))["layouts_told_apart"]


def test_too_many_leaves_are_refused():
    with pytest.raises(TooManyLeavesError, match="the limit is 10"):
        all_counts(Game((7, 7), (4, 3, 3, 2)), budget=10)


# --- likelihood --------------------------------------------------------------------------------


@pytest.mark.parametrize("name", GAMES)
def test_value_and_gradient_by_listing(name):
    game = GAMES[name]
    cases = list(histories(game, 7, seed=5))
    likelihood = log_likelihood(game, stacked(game, cases))
    assert likelihood.games == 7
    for a, b in HABITS:
        value, gradient = likelihood.value_and_gradient(a, b)
        due, slope = listed(game, cases, a, b)
        assert value == pytest.approx(due, rel=1e-10, abs=1e-10)
        np.testing.assert_allclose(gradient, slope, rtol=1e-9, atol=1e-9)
    due = [likelihood.value_and_gradient(*habits)[0] for habits in HABITS]
    np.testing.assert_allclose(likelihood.values(np.array(HABITS)), due, rtol=1e-12)


@pytest.mark.parametrize("name", GAMES)
def test_jax_differentiates_it(name):
    game = GAMES[name]
    likelihood = log_likelihood(game, stacked(game, histories(game, 5, seed=6)))
    value_and_grad = jax.jit(jax.value_and_grad(likelihood, argnums=(0, 1)))
    hessian = jax.jit(jax.hessian(likelihood, argnums=(0, 1)))
    for a, b in HABITS:
        value, gradient = likelihood.value_and_gradient(a, b)
        found, slopes = value_and_grad(a, b)
        np.testing.assert_allclose(found, value, rtol=1e-5)
        np.testing.assert_allclose(slopes, gradient, rtol=1e-4, atol=1e-4)
        curvature = np.array(hessian(a, b))
        np.testing.assert_allclose(-curvature, likelihood.information(a, b), rtol=1e-3, atol=1e-3)
    habits = jnp.array(HABITS)
    many = jax.vmap(likelihood)(habits[:, 0], habits[:, 1])
    assert many.dtype == jnp.float32
    due = [likelihood.value_and_gradient(*own)[0] for own in HABITS]
    np.testing.assert_allclose(many, due, rtol=1e-5)


def test_jax_in_double_precision_is_numpy():
    game = GAMES["3,2"]
    likelihood = log_likelihood(game, stacked(game, histories(game, 5, seed=6)))
    jax.config.update("jax_enable_x64", True)
    try:
        found, slopes = jax.value_and_grad(likelihood, argnums=(0, 1))(0.3, 1.5)
        value, gradient = likelihood.value_and_gradient(0.3, 1.5)
        assert float(found) == pytest.approx(value, rel=1e-13)
        np.testing.assert_allclose(np.array(slopes), gradient, rtol=1e-12)
    finally:
        jax.config.update("jax_enable_x64", False)


def test_derivatives_by_differences():
    game = GAMES["four"]
    likelihood = log_likelihood(game, stacked(game, histories(game, 5, seed=8)))
    step = 1e-4
    for a, b in HABITS:
        gradient, information = likelihood.value_and_gradient(a, b)[1], likelihood.information(a, b)
        for k, (da, db) in enumerate(((step, 0), (0, step))):
            above = likelihood.value_and_gradient(a + da, b + db)
            below = likelihood.value_and_gradient(a - da, b - db)
            assert (above[0] - below[0]) / (2 * step) == pytest.approx(gradient[k], abs=1e-6)
            slope = (above[1] - below[1]) / (2 * step)
            np.testing.assert_allclose(-slope, information[k], atol=1e-6)


def test_it_is_the_ratio_of_two_exact_posteriors():
    """The other engine, with weights and factors, in the middle of games of two board sizes."""
    for game in (Game(fleet=(4, 3)), Game((7, 6), (4, 3, 2, 2), "no-side", "sunk")):
        cases = []
        for seed, shots in enumerate((5, 11)):
            board = oracles.random_boards(game, 1, seed)[0]
            order = oracles.random_order(game, board, np.random.default_rng(seed), near=0.9)
            cases.append((board, order[:shots]))
        likelihood = log_likelihood(game, stacked(game, cases))
        for a, b in ((0.3, 0.0), (0.5, 2.0)):
            prior = habit(game, a, b)
            board = exact(game, blank(game), prior)
            posteriors = [exact(game, observation(game, *case), prior) for case in cases]
            value, gradient = likelihood.value_and_gradient(a, b)
            due = sum(np.log(own.total / board.total) for own in posteriors)
            assert value == pytest.approx(due, rel=1e-9)
            width, height = game.size
            row, column = np.divmod(np.arange(game.cells), width)
            border = np.isin(row, (0, height - 1)) | np.isin(column, (0, width - 1))
            slope = sum((own.p_ship - board.p_ship)[border].sum() for own in posteriors)
            assert gradient[0] == pytest.approx(slope, rel=1e-9)


def test_some_of_the_games():
    game = GAMES["2,2"]
    likelihood = log_likelihood(game, stacked(game, histories(game, 6, seed=9)))
    parts = likelihood.of(slice(2)), likelihood.of(np.array([5, 4, 3, 2]))
    assert [part.games for part in parts] == [2, 4]
    values = [part.value_and_gradient(0.7, 0.2)[0] for part in parts]
    assert sum(values) == pytest.approx(likelihood.value_and_gradient(0.7, 0.2)[0])


def test_answers_that_contradict_themselves_are_named():
    game = Game((5, 4), (3, 2))
    seen = stacked(game, histories(game, 3, seed=1))
    answer, shot_at = seen.answer.copy(), seen.shot_at.copy()
    answer[1], shot_at[1] = -1, np.arange(game.cells)
    with pytest.raises(ValueError, match=r"no layout agrees with game 1 \(counted from 0\)"):
        log_likelihood(game, seen._replace(answer=answer, shot_at=shot_at))


def test_no_games_are_refused():
    game = Game((5, 4), (3, 2))
    none = jax.tree.map(lambda plane: plane[:0], stacked(game, histories(game, 1, seed=1)))
    with pytest.raises(ValueError, match="at least one observation"):
        log_likelihood(game, none)


# --- fit ---------------------------------------------------------------------------------------


def seen_whole(game, boards):
    """Every ship cell of the boards shot and named."""
    told = Game(game.size, game.fleet, game.touching, "hit-name")
    cases = [(board, np.flatnonzero(board >= 0).tolist()) for board in boards]
    return told, stacked(told, cases)


def drawn(game, games, a, b, seed):
    """Boards drawn from the listed layouts."""
    boards = boards_of(game)
    weights = habit_weights(game, boards, a, b)
    rng = np.random.default_rng(seed)
    return boards[rng.choice(len(boards), games, p=weights / weights.sum())]


@pytest.mark.parametrize("habits", [(0.6, 1.0), (-0.4, -0.3)])
def test_the_habit_of_many_boards_is_found(habits):
    game, games = Game((5, 5), (3, 3, 2)), 1500
    found = fit(*seen_whole(game, drawn(game, games, *habits, seed=2)))
    assert found.games == games
    assert found.at_bound == (False, False)
    assert abs(found.edge - habits[0]) < 5 * found.edge_error
    assert abs(found.touch - habits[1]) < 5 * found.touch_error
    # What is seen whole tells as much as the statistics vary: the Cramér-Rao bound.
    boards = boards_of(game)
    own = statistics(game, boards) * [1, -1]
    weights = habit_weights(game, boards, found.edge, found.touch)
    due = np.linalg.inv(np.cov(own.T, aweights=weights, ddof=0) * games)
    np.testing.assert_allclose(found.covariance, due, rtol=1e-6)
    np.testing.assert_allclose([found.edge_error, found.touch_error], np.diag(due) ** 0.5)


def test_the_maximum_is_one():
    game = GAMES["3,2"]
    likelihood = log_likelihood(game, stacked(game, histories(game, 30, seed=4)))
    found = maximum(likelihood)
    _, gradient = likelihood.value_and_gradient(found.edge, found.touch)
    np.testing.assert_allclose(gradient, 0, atol=1e-5)
    scan = [
        likelihood.value_and_gradient(a, b)[0]
        for a, b in itertools.product(np.linspace(-5, 5, 21), np.linspace(-5, 10, 21))
    ]
    assert found.log_likelihood >= max(scan)


def test_the_edge_alone():
    game = GAMES["3,2"]
    likelihood = log_likelihood(game, stacked(game, histories(game, 30, seed=4)))
    found = maximum(likelihood, touch=0)
    assert (found.touch, found.touch_error) == (0, 0)
    assert abs(likelihood.value_and_gradient(found.edge, 0.0)[1][0]) < 1e-5
    due = likelihood.information(found.edge, 0.0)[0, 0] ** -0.5
    assert found.edge_error == pytest.approx(due)
    assert found.covariance[1, 1] == 0


def test_few_games_are_kept_finite():
    """Ships that never touch: b grows to its bound, or to what a prior lets it."""
    game = Game((5, 5), (3, 3, 2))
    boards = drawn(game, 3, 0.0, 8.0, seed=1)
    assert not statistics(game, boards)[:, 1].any()
    likelihood = log_likelihood(*seen_whole(game, boards))
    found = maximum(likelihood)
    assert found.touch == BOUNDS[1][1]
    assert found.at_bound == (False, True)
    assert found.touch_error == np.inf
    assert np.isfinite(found.edge_error)
    held = maximum(likelihood, spread=(1.0, 2.0))
    assert held.at_bound == (False, False)
    assert 0 < held.touch < 6
    slope = likelihood.value_and_gradient(held.edge, held.touch)[1] / [held.edge, held.touch]
    np.testing.assert_allclose(slope, [1, 1 / 4], rtol=1e-4)
    assert held.touch_error < 2


@pytest.mark.parametrize(
    ("game", "options", "message"),
    [
        (GAMES["apart"], {}, "no two ships touch in this game, so b is not determined"),
        (GAMES["3,2"], {"spread": (1, 0)}, "must be above 0"),
        (GAMES["3,2"], {"bounds": ((1, 2), (0, 1))}, "must hold 0 between their ends"),
    ],
)
def test_fits_that_are_refused(game, options, message):
    seen = stacked(game, histories(game, 2, seed=1))
    with pytest.raises(ValueError, match=message):
        fit(game, seen, **options)
    assert np.isfinite(fit(game, seen, touch=0, spread=(1, 1)).edge_error)
