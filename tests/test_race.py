"""Races: every rate against a double loop over games, its error against games drawn again."""

import math
from fractions import Fraction

import numpy as np
import pytest

from bsjax.evaluate.credit import race_credit
from bsjax.evaluate.race import (
    Rates,
    conversion,
    cost_of_a_shot,
    other_boards,
    pairings,
    race,
    same_boards,
)

TIMES = 13
"""Shots 0 to 12 of a small game."""
TIE = {"win": Fraction(1, 2), "first": Fraction(1), "second": Fraction(0)}


def won(own, other, tie):
    """What a race of two finishing times is worth, told slowly."""
    return Fraction(int(own < other)) + tie * int(own == other)


def values(rates):
    return [estimate.value for estimate in rates]


def drawn(seed, games, low=3, high=TIMES):
    return np.random.default_rng(seed).integers(low, high, games)


def histogram(shots):
    return np.bincount(shots, minlength=TIMES)


def test_a_race_against_a_pace_is_a_double_loop():
    own, other = drawn(0, 41), drawn(1, 29)
    rates = race(histogram(own), histogram(other) / 29)
    for name, tie in TIE.items():
        credit = [sum(won(x, y, tie) for y in other) / 29 for x in own]
        told = getattr(rates, name)
        assert told.value == pytest.approx(float(sum(credit) / 41), abs=1e-14)
        error = np.std([float(c) for c in credit], ddof=1) / math.sqrt(41)
        assert told.se == pytest.approx(error, rel=1e-12)


def test_every_pairing_is_a_double_loop():
    own, other = drawn(2, 37), drawn(3, 53, low=4)
    rates = pairings(histogram(own), histogram(other))
    for name, tie in TIE.items():
        table = [[won(x, y, tie) for y in other] for x in own]
        assert getattr(rates, name).value == float(sum(map(sum, table)) / (37 * 53))
        table = np.array(table, float)
        by_game = table.mean(1).var(ddof=1) / 37 + table.mean(0).var(ddof=1) / 53
        assert getattr(rates, name).se == pytest.approx(math.sqrt(by_game), rel=1e-12)


def test_the_same_boards_are_one_loop():
    own, other = drawn(4, 200), drawn(5, 200)
    met = same_boards(own.astype(np.int16), other.astype(np.int16))
    for name, tie in TIE.items():
        credit = [won(x, y, tie) for x, y in zip(own, other, strict=True)]
        told = getattr(met.rates, name)
        assert told.value == float(sum(credit) / 200)
        error = np.std([float(c) for c in credit], ddof=1) / math.sqrt(200)
        assert told.se == pytest.approx(error, rel=1e-12)
    assert met.more.value == (own - other).mean()
    assert met.more.se == pytest.approx((own - other).std(ddof=1) / math.sqrt(200), rel=1e-12)
    assert (met.games, met.won, met.tied) == (200, (own < other).sum(), (own == other).sum())


def test_other_boards_are_a_double_loop_without_its_diagonal():
    own, other = drawn(6, 60), drawn(7, 60)
    rates = other_boards(own.astype(np.int16), other.astype(np.int16))
    for name, tie in TIE.items():
        table = np.array([[won(x, y, tie) for y in other] for x in own])
        np.fill_diagonal(table, Fraction(0))
        assert getattr(rates, name).value == float(table.sum() / (60 * 59))
        board = (table.sum(1) + table.sum(0)).astype(float) / 59
        assert getattr(rates, name).se == pytest.approx(board.std(ddof=1) / math.sqrt(60))


def spread_and_errors(draw, rate, times=2_000):
    """Standard deviation of a rate over games drawn again, and its mean squared error told."""
    rng = np.random.default_rng(8)
    told = [rate(*draw(rng)) for _ in range(times)]
    return np.array([e.value for e in told]).std(), math.sqrt(np.mean([e.se**2 for e in told]))


def test_the_error_of_pairings_is_the_spread_of_games_drawn_again():
    def draw(rng):
        return histogram(rng.integers(3, TIMES, 40)), histogram(rng.integers(5, TIMES, 120))

    spread, error = spread_and_errors(draw, lambda own, other: pairings(own, other).win)
    # A standard deviation from 2,000 draws is known to 1/√4,000 of itself.
    assert abs(spread / error - 1) < 5 / math.sqrt(4_000)


@pytest.mark.parametrize("shared", [2, 6])
def test_the_error_of_other_boards_counts_what_hard_boards_do_to_both(shared):
    def draw(rng):
        hard = rng.integers(0, shared, 80)
        return hard + rng.integers(3, 7, 80), hard + rng.integers(3, 6, 80)

    spread, error = spread_and_errors(draw, lambda own, other: other_boards(own, other).win)
    assert abs(spread / error - 1) < 5 / math.sqrt(4_000)
    # Taken as independent games the same shots have another error.
    apart = spread_and_errors(
        draw, lambda own, other: pairings(histogram(own), histogram(other)).win, times=20
    )[1]
    assert error < (0.95 if shared == 2 else 0.7) * apart


def test_ones_own_pace_wins_exactly_half():
    games = histogram(drawn(9, 1_000))
    assert pairings(games, games).win.value == 0.5
    assert race(games, games / games.sum()).win.value == pytest.approx(0.5, abs=1e-15)
    shots = drawn(9, 100)
    assert same_boards(shots, shots).rates.win == (0.5, 0)


@pytest.mark.parametrize("how", ["pairings", "same_boards", "other_boards"])
def test_what_one_wins_the_other_loses(how):
    own, other = drawn(10, 90), drawn(11, 90, low=5)

    def rates(a, b) -> Rates:
        if how == "pairings":
            return pairings(histogram(a), histogram(b))
        return same_boards(a, b).rates if how == "same_boards" else other_boards(a, b)

    there, back = rates(own, other), rates(other, own)
    assert there.win.value + back.win.value == pytest.approx(1, abs=1e-15)
    assert there.first.value + back.second.value == pytest.approx(1, abs=1e-15)
    for mine, his in zip(there, (back.win, back.second, back.first), strict=True):
        assert mine.se == pytest.approx(his.se, rel=1e-12)
    assert there.win.value == pytest.approx((there.first.value + there.second.value) / 2)


def test_moving_first_and_second_average_to_the_same_round():
    games, pace = histogram(drawn(12, 500)), histogram(drawn(13, 700)) / 700
    rates = race(games, pace)
    assert sum(values(rates)[1:]) / 2 == pytest.approx(rates.win.value, abs=1e-15)
    assert rates.second.value < rates.win.value < rates.first.value


def test_billions_of_games_are_counted_exactly():
    own, other = np.zeros((2, TIMES), np.int64)
    own[[5, 6]] = 2_500_000_001, 2_499_999_999
    other[[5, 6]] = 2_499_999_999, 2_500_000_001
    rates = pairings(own, other)
    half = Fraction(2_500_000_001, 5_000_000_000)
    # Ahead if one needs 5 and the other 6; half of the two ties.
    exact = half**2 + half * (1 - half)
    assert rates.win.value == float(exact)
    assert rates.win.value != 0.5


def test_the_conversion_table():
    pace = histogram(drawn(14, 800)) / 800
    win, step = conversion(pace)
    np.testing.assert_array_equal(win, race_credit(pace))
    assert step[-1] == 0
    assert (step >= 0).all()
    assert step.sum() == pytest.approx(win[0] - win[-1])
    # One more shot meets half of the games that end now and half of those that end next.
    np.testing.assert_allclose(step[:-1], (pace[:-1] + pace[1:]) / 2, atol=1e-15)


def test_the_cost_of_a_shot_is_what_one_shot_more_in_every_game_costs():
    games, pace = histogram(drawn(15, 400, high=11)), histogram(drawn(16, 900)) / 900
    later = np.roll(games, 1)
    lost = race(games, pace).win.value - race(later, pace).win.value
    cost = cost_of_a_shot(games, pace)
    assert cost.value == pytest.approx(lost, abs=1e-15)
    step = conversion(pace).step[np.repeat(np.arange(TIMES), games)]
    assert cost.se == pytest.approx(step.std(ddof=1) / 20, rel=1e-9)


def test_one_game_has_no_error():
    one = histogram(np.array([7]))
    assert math.isnan(race(one, histogram(drawn(17, 9)) / 9).win.se)
    assert math.isnan(pairings(one, one).win.se)
    assert math.isnan(same_boards(np.array([7]), np.array([8])).rates.win.se)


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (lambda: race(np.zeros(5, int), np.eye(5)[0]), "no games"),
        (lambda: race(np.ones(5, int), np.eye(6)[0]), "games of up to 4 shots, a pace of 5"),
        (lambda: race(np.ones(5, int), np.ones(5)), "add up to 1"),
        (lambda: pairings(np.ones(5, int), np.zeros(5, int)), "no games"),
        (lambda: pairings(np.ones(5, int), np.ones(6, int)), "of up to 4 and of up to 5"),
        (lambda: same_boards(np.ones(5, int), np.ones(6, int)), "give both on the same boards"),
        (lambda: other_boards(np.ones(0, int), np.ones(0, int)), "give both on the same boards"),
        (lambda: other_boards(np.ones(1, int), np.ones(1, int)), "at least two"),
        (lambda: conversion(np.ones(5)), "add up to 1"),
        (lambda: cost_of_a_shot(np.zeros(5, int), np.eye(5)[0]), "no games"),
    ],
)
def test_refusals(call, told):
    with pytest.raises(ValueError, match=told):
        call()
