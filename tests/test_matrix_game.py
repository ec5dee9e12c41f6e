"""Matrix games: known ones, the other player's linear program, and slow generic optimizers."""

import numpy as np
import pytest
from scipy.optimize import linprog, minimize

from bsjax.solve.matrix_game import exact, first_order, judged, proximal, solve

ROCK_PAPER_SCISSORS = np.array([[0.0, 1, -1], [-1, 0, 1], [1, -1, 0]])


def any_game(rows, columns, seed):
    return np.random.default_rng(seed).random((rows, columns)).astype(np.float32)


def value_for_rows(payoff):
    """Value of the game from the other side: the rows' lottery against which columns get least."""
    rows, columns = payoff.shape
    found = linprog(
        [*np.zeros(rows), 1.0],
        A_ub=np.hstack([payoff.T.astype(float), -np.ones((columns, 1))]),
        b_ub=np.zeros(columns),
        A_eq=[[*np.ones(rows), 0.0]],
        b_eq=[1.0],
        bounds=[(0, None)] * rows + [(None, None)],
    )
    assert found.success
    return found.fun


def require_lotteries(*lotteries):
    for lottery in lotteries:
        assert (lottery >= 0).all()
        assert lottery.sum() == pytest.approx(1, abs=1e-12)


# --- exact ---------------------------------------------------------------------------------------


def test_rock_paper_scissors():
    found = exact(ROCK_PAPER_SCISSORS)
    assert found.rows == pytest.approx(np.full(3, 1 / 3))
    assert found.columns == pytest.approx(np.full(3, 1 / 3))
    assert found.low == pytest.approx(0, abs=1e-12)
    assert found.gap == pytest.approx(0, abs=1e-12)


def test_a_game_with_two_moves_each():
    found = exact(np.array([[2.0, -1], [-1, 1]]))
    assert found.rows == pytest.approx([0.4, 0.6])
    assert found.columns == pytest.approx([0.4, 0.6])
    assert (found.low, found.high) == pytest.approx((0.2, 0.2))
    # A column that is never better than another is not played.
    found = exact(np.array([[2.0, -1, 1.9], [-1, 1, -1.1]]))
    assert found.columns == pytest.approx([0.4, 0.6, 0])


@pytest.mark.parametrize("shape", [(1, 5), (5, 1), (7, 7), (3, 40), (40, 12)])
def test_random_games_have_the_value_of_the_other_side(shape):
    payoff = any_game(*shape, seed=sum(shape))
    found = exact(payoff)
    require_lotteries(found.rows, found.columns)
    assert found.gap == pytest.approx(0, abs=1e-6)
    assert found.low == pytest.approx(value_for_rows(payoff), abs=1e-6)
    assert found.low == pytest.approx(min(found.columns @ row for row in payoff.astype(float)))
    assert found.high == pytest.approx(max(found.rows @ col for col in payoff.T.astype(float)))


def test_any_two_lotteries_are_judged():
    rows, columns = np.array([1.0, 0, 1]), np.array([2.0, -1e-9, 0])
    found = judged(ROCK_PAPER_SCISSORS, rows, columns)
    assert (found.rows.tolist(), found.columns.tolist()) == ([0.5, 0, 0.5], [1, 0, 0])
    assert (found.low, found.high) == (-1, 0.5)


# --- first order ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("shape", "tolerance"), [((40, 60), 1e-4), ((9, 200), 1e-4), ((3, 3), 1e-5)]
)
def test_first_order_reaches_its_gap(shape, tolerance):
    payoff = any_game(*shape, seed=11)
    found, value = first_order(payoff, tolerance=tolerance), exact(payoff).low
    require_lotteries(found.rows, found.columns)
    # The gap was looked at in float32.
    assert -1e-12 <= found.gap <= tolerance + 1e-6
    assert found.low - 1e-7 <= value <= found.high + 1e-7


def test_first_order_stops_after_its_steps():
    payoff = any_game(60, 80, seed=12)
    value = exact(payoff).low
    few, many = (first_order(payoff, tolerance=0.0, steps=steps) for steps in (50, 1000))
    for found in (few, many):
        assert found.low - 1e-7 <= value <= found.high + 1e-7
    assert many.gap < few.gap / 5


def test_first_order_gains_from_a_good_start():
    payoff = any_game(60, 80, seed=13)
    best = exact(payoff)
    cold, warm = (first_order(payoff, steps=50, start=start) for start in (None, best.columns))
    assert warm.low > cold.low


def test_a_large_game_is_solved_by_steps(monkeypatch):
    payoff = any_game(20, 30, seed=14)
    small = solve(payoff)
    assert small.gap < 1e-6
    monkeypatch.setattr("bsjax.solve.matrix_game.EXACT", payoff.size - 1)
    large = solve(payoff, tolerance=1e-3)
    assert 1e-6 < large.gap <= 1e-3 + 1e-6
    assert large.low <= small.high + 1e-7


# --- near a centre -------------------------------------------------------------------------------


def divergence(rows, center):
    return float(rows @ np.log(rows / center))


def slowly_near(payoff, center, reach):
    """min over q of max over columns of (q · A) + KL(q ‖ centre) / η, by a generic optimizer."""
    payoff, count = payoff.astype(float), len(center)

    def told(x):
        q = np.maximum(x[:-1], 1e-12)
        return x[-1] + divergence(q, center) / reach

    def slope(x):
        q = np.maximum(x[:-1], 1e-12)
        return np.append((np.log(q / center) + 1) / reach, 1.0)

    found = minimize(
        told,
        np.append(center, (center @ payoff).max()),
        jac=slope,
        method="SLSQP",
        bounds=[(1e-12, 1)] * count + [(None, None)],
        constraints=[
            {"type": "eq", "fun": lambda x: x[:-1].sum() - 1},
            {"type": "ineq", "fun": lambda x: x[-1] - x[:-1] @ payoff},
        ],
        options={"maxiter": 500, "ftol": 1e-12},
    )
    assert found.success
    return found.fun, found.x[:-1]


@pytest.mark.parametrize("reach", [0.5, 5.0, 50.0])
@pytest.mark.parametrize("shape", [(5, 7), (8, 3), (12, 20)])
def test_proximal_equals_a_slow_optimizer(shape, reach):
    payoff = any_game(*shape, seed=21)
    center = np.random.default_rng(22).dirichlet(np.full(shape[0], 3.0))
    start = np.full(shape[1], 1 / shape[1])
    found = proximal(payoff, center, reach, start, tolerance=1e-6, steps=20_000)
    require_lotteries(found.rows, found.columns)
    value, rows = slowly_near(payoff, center, reach)
    assert found.bound - 2e-6 <= value <= found.worth + 2e-6
    assert found.worth - found.bound <= 1e-5
    # The distance is strictly convex: the rows are settled by the value up to its root.
    assert found.rows == pytest.approx(rows, abs=np.sqrt(reach * 2e-5))
    told = (found.rows @ payoff).max() + divergence(found.rows, center) / reach
    assert found.worth == pytest.approx(told, abs=2e-6)


def test_a_long_reach_is_the_game_itself_and_a_short_one_the_centre():
    payoff = any_game(10, 14, seed=23)
    center, start = np.full(10, 0.1), np.full(14, 1 / 14)
    value = exact(payoff).low
    gaps = []
    for reach in (30.0, 300.0, 3_000.0):
        found = proximal(payoff, center, reach, start, steps=20_000)
        # What a lottery is away from an even one is at most the logarithm of their number.
        assert value - 1e-6 <= found.worth
        assert found.bound <= value + np.log(10) / reach + 1e-6
        gaps.append((found.rows @ payoff).max() - value)
    assert max(gaps[1:]) < gaps[0]
    assert gaps[-1] < 1e-5
    near = proximal(payoff, center, 1e-3, start)
    assert near.rows == pytest.approx(center, abs=1e-3)
    assert near.worth == pytest.approx((center @ payoff).max(), abs=1e-3)


def test_columns_that_fill_up_change_nothing(monkeypatch):
    payoff = any_game(9, 33, seed=24) * np.float32(3) - np.float32(2)
    center, start = np.full(9, 1 / 9), np.full(33, 1 / 33)
    told = []
    for columns in (1, 8, 512):
        monkeypatch.setattr("bsjax.solve.matrix_game._COLUMNS", columns)
        told.append(proximal(payoff, center, 10.0, start))
    for other in told[1:]:
        assert other.columns.shape == (33,)
        assert other.columns == pytest.approx(told[0].columns, abs=1e-4)
        assert other.rows == pytest.approx(told[0].rows, abs=1e-5)
        assert other.worth == pytest.approx(told[0].worth, abs=2e-6)


def test_a_game_that_nobody_can_change_stays_at_the_centre():
    center = np.array([0.2, 0.3, 0.5])
    found = proximal(np.full((3, 4), 0.5, np.float32), center, 3.0, np.full(4, 0.25))
    assert found.rows == pytest.approx(center, abs=1e-6)
    assert found.worth == pytest.approx(0.5, abs=1e-6)
    alone = proximal(np.array([[0.1, 0.7]], np.float32), np.ones(1), 3.0, np.full(2, 0.5))
    assert alone.rows.tolist() == [1]
    assert alone.worth == pytest.approx(0.7, abs=1e-6)
    assert alone.worth - alone.bound <= 1e-5


# --- faults --------------------------------------------------------------------------------------


def test_faults_are_said_in_one_line():
    center, start = np.full(3, 1 / 3), np.full(3, 1 / 3)
    for method in (exact, first_order, solve, lambda p: proximal(p, center, 1.0, start)):
        with pytest.raises(ValueError, match=r"not the shape \(0, 3\)"):
            method(np.zeros((0, 3)))
        with pytest.raises(ValueError, match="finite payoffs"):
            method(np.array([[0.0, np.nan, 1.0]]))
    good = ROCK_PAPER_SCISSORS
    for wrong in (
        (np.array([0.5, 0.5, 0]), 1.0, start),
        (center, 0.0, start),
        (center, 1.0, 0 * start),
    ):
        with pytest.raises(ValueError, match="must be positive"):
            proximal(good, *wrong)
