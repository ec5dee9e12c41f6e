"""Layouts drawn from habits against the weights of all layouts of small boards."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy import stats
from test_hide import draw, every_layout
from test_posterior_prior import habit_weights

from bsjax import hide
from bsjax.game.game import Game
from bsjax.game.habits import edge_squares, near
from bsjax.hide.habit import Habit
from bsjax.posterior.habit_counts import all_counts

SMALL = [
    Game((4, 3), (3, 2, 1)),
    Game((4, 4), (2, 2, 1), "no-side"),
    Game((5, 3), (3, 1, 1), "none"),
    Game((3, 3), (1, 1)),
    Game((5, 2), (2,)),
]
HABITS = [(0.0, 0.0), (0.2, 2.0), (1.0, 0.0), (-0.7, 1.0), (0.3, -0.4)]


def drawn(hider, games, seed=0, slots=512):
    keys = jax.random.split(jax.random.key(seed), games)
    placed = jax.jit(lambda keys: hider.place(keys, jnp.int32(games), slots))(keys)
    assert bool(placed.found.all())
    return np.asarray(placed.placements)


@pytest.mark.parametrize("habit", HABITS, ids=str)
@pytest.mark.parametrize("game", SMALL, ids=str)
def test_layouts_come_by_weight(game, habit):
    layouts = every_layout(game)
    weights = habit_weights(game, np.asarray(hide.boards(game, jnp.asarray(layouts))), *habit)
    share = weights / weights.sum()
    # As many games as are expected to draw the least likely layout ten times, or so.
    games = int(min(10 / share.min(), 60_000))
    number = {row.tobytes(): i for i, row in enumerate(layouts)}
    rows = drawn(Habit(game, *habit), games)
    seen = np.bincount([number[row.tobytes()] for row in rows], minlength=len(layouts))
    common = share * games >= 5
    seen = np.append(seen[common], seen[~common].sum())
    due = np.append(share[common], share[~common].sum()) * games
    seen, due = seen[due > 0], due[due > 0]
    chi2 = ((seen - due) ** 2 / due).sum()
    low, high = stats.chi2.ppf([1e-5, 1 - 1e-5], len(due) - 1)
    assert low < chi2 < high


@pytest.mark.parametrize("name", ["habit-mild", "habit-strong"])
def test_the_classic_boards_of_registered_habits(name):
    """Means of both statistics against the exact table of all layouts."""
    game, games = Game(), 20_000
    edge, touch = {"habit-mild": (0.2, 2.0), "habit-strong": (1.0, 2.0)}[name]
    rows = draw(name, game, games, seed=3)
    squares = sum(edge_squares(game.size, n)[rows[:, k]] for k, n in enumerate(game.fleet))
    pairs = sum(
        near(game, a, b)[rows[:, i], rows[:, j]].astype(int)
        for i, a in enumerate(game.fleet)
        for j, b in enumerate(game.fleet[:i])
    )
    table = all_counts(game)
    e, t = np.indices(table.shape)
    weights = table * np.exp(edge * e - touch * t)
    weights /= weights.sum()
    for seen, statistic in ((squares, e), (pairs, t)):
        mean = (weights * statistic).sum()
        spread = ((weights * statistic**2).sum() - mean**2) ** 0.5
        assert abs(seen.mean() - mean) < 5 * spread / games**0.5


def test_no_habit_is_uniform():
    """The same marginals as the uniform hider: the corner of the classic board."""
    game, games = Game(), 50_000
    boards = np.asarray(hide.boards(game, jnp.asarray(drawn(Habit(game, 0, 0), games)))) >= 0
    share = 2407483864 / 30_093_975_536
    error = (share * (1 - share) / (4 * games)) ** 0.5
    assert abs(boards[:, [0, 9, 90, 99]].mean() - share) < 5 * error


def test_draws_depend_on_their_key_alone():
    hider = Habit(Game((6, 6), (3, 2, 2)), 0.5, 2)
    whole = drawn(hider, 300, slots=64)
    np.testing.assert_array_equal(whole, drawn(hider, 300, slots=7))
    keys = jax.random.split(jax.random.key(0), 300)
    part = hider.place(keys[100:120], jnp.int32(20), 32).placements
    np.testing.assert_array_equal(whole[100:120], part)


def test_habits_of_one_game_share_their_program():
    game, traced = Game((6, 6), (3, 2, 2)), []

    @jax.jit
    def place(hider, keys):
        traced.append(hider)
        return hider.place(keys, jnp.int32(10), 8)

    keys = jax.random.split(jax.random.key(0), 10)
    for edge in (0.1, 0.15, 0.2):
        assert bool(place(Habit(game, edge, 1.0), keys).found.all())
    assert len(traced) == 1


@pytest.mark.parametrize(
    ("game", "edge", "touch", "message"),
    [
        (Game(), float("nan"), 0, "two finite numbers"),
        (Game(), 0, float("inf"), "two finite numbers"),
        (Game(), 0, -9, "too few attempts stand: none of 1,048,576"),
        (Game((3, 3), (3, 3, 3), "none"), 0, 0, "does not fit on 3x3"),
    ],
)
def test_habits_that_are_refused(game, edge, touch, message):
    with pytest.raises(ValueError, match=message):
        Habit(game, edge, touch)
