"""Figures of a histogram, and random fire in closed form."""

import math
from fractions import Fraction

import numpy as np
import pytest

from bsjax.evaluate import random_fire
from bsjax.evaluate.summary import quantile, summarize, within
from bsjax.game.game import Game


def test_summary_equals_numpy_on_the_games_themselves():
    shots = np.random.default_rng(0).integers(17, 101, 5_000)
    summary = summarize(np.bincount(shots, minlength=101))
    assert summary.games == 5_000
    assert summary.mean == pytest.approx(shots.mean(), rel=1e-14)
    assert summary.se == pytest.approx(shots.std(ddof=1) / math.sqrt(5_000), rel=1e-12)
    ranked = np.sort(shots)
    for share, told in ((0.5, summary.median), (0.1, summary.p10), (0.9, summary.p90)):
        assert told == ranked[math.ceil(share * 5_000) - 1]
    assert (summary.best, summary.worst) == (shots.min(), shots.max())
    assert within(np.bincount(shots), 50) == pytest.approx((shots <= 50).mean())


def test_billions_of_games_are_counted_exactly():
    histogram = np.zeros(101, np.int64)
    histogram[40], histogram[41] = 2_500_000_001, 2_499_999_999
    summary = summarize(histogram)
    assert summary.games == 5_000_000_000
    assert summary.mean == (40 * 2_500_000_001 + 41 * 2_499_999_999) / 5_000_000_000
    assert summary.median == 40
    assert summary.se == pytest.approx(0.5 / math.sqrt(5e9), rel=1e-9)


def test_quantiles_do_not_stumble_over_rounding():
    assert quantile(np.array([0] + [1] * 20), 0.95) == 19
    assert quantile(np.array([0, 1]), 0.95) == 1


def test_no_games_is_an_error():
    with pytest.raises(ValueError, match="no games"):
        summarize(np.zeros(101, np.int64))


def test_random_fire_on_the_classic_board():
    """The write-up's 95.4, 97 and 4.8%."""
    game = Game()
    assert random_fire.mean(game) == 100 - Fraction(83, 18)
    assert random_fire.median(game) == 97
    assert round(100 * float(random_fire.within(game, 85)), 1) == 4.8
    curve = random_fire.curve(game)
    assert curve[16] == 0
    assert curve[100] == 1
    shots = np.arange(101)
    assert (shots[1:] * np.diff(curve)).sum() == pytest.approx(float(random_fire.mean(game)))


def test_random_fire_by_brute_force():
    """Every order of a 2×3 board's cells, with two of them ships."""
    import itertools

    game = Game((3, 2), (2,))
    last = [max(order.index(0), order.index(1)) + 1 for order in itertools.permutations(range(6))]
    assert random_fire.mean(game) == Fraction(sum(last), len(last))
    for shots in range(7):
        share = Fraction(sum(t <= shots for t in last), len(last))
        assert random_fire.within(game, shots) == share
