"""Races: what share of them a hunter wins, and how sure that is.

Both players fire one shot a round and neither sees the other, so a race is decided by two
finishing times. The fairest count lets both shoot in the same round and calls a finish in the same
round half a win. At a table somebody moves first, and then a finish in the same round is his: the
mean of moving first and second is the same-round figure, exactly.

Four comparisons, by what is known of the opponent:

* `race`: a fixed pace. Only the hunter's own games carry an error.
* `pairings`: two histograms of games of their own. Every game of one meets every game of the other.
* `same_boards`: two hunters on the same boards, game by game, and their difference in shots.
* `other_boards`: hunters that met the same boards, each of them on another board than the other,
  as at a table. Every pairing of two different boards.

Games are counted in whole numbers of any size; only a pace is floats.
"""

import math
from typing import NamedTuple

import numpy as np
from jaxtyping import Float64, Int, Int64

from bsjax.evaluate.by_layout import Estimate, means
from bsjax.evaluate.credit import race_credit

_WORTH = (1, 2, 0)
"""Half wins that a finish in the same round is worth: in the same round, moving first, second."""


class Rates(NamedTuple):
    """Shares of races won, each with its standard error."""

    win: Estimate
    """Both shoot in the same round; finishing together counts half."""
    first: Estimate
    """Moving first: finishing together wins."""
    second: Estimate
    """Moving second: finishing together loses."""


class SameBoards(NamedTuple):
    """Two hunters on the same boards, game by game."""

    rates: Rates
    more: Estimate
    """Shots that the first needs more than the second."""
    games: int
    won: int
    """Games in which the first was faster."""
    tied: int


class Conversion(NamedTuple):
    """What shots are worth against a pace."""

    win: Float64[np.ndarray, " T"]
    """Share of races won by a game of 0, 1, … C shots."""
    step: Float64[np.ndarray, " T"]
    """What it loses if it takes one shot more; 0 at C shots, the last."""


def race(histogram: Int64[np.ndarray, " T"], pace: Float64[np.ndarray, " U"]) -> Rates:
    """Races of a hunter's games against a fixed pace.

    Args:
        histogram: his games over at shot 0, 1, … C.
        pace: share of the opponent's games over at each shot (`bsjax.evaluate.paces`).

    Raises:
        ValueError: no games, another number of shots, or the pace is no distribution.
    """
    _check(histogram)
    if len(histogram) != len(pace):
        raise ValueError(f"games of up to {len(histogram) - 1} shots, a pace of {len(pace) - 1}")
    credit = race_credit(pace)
    rates = (credit, credit + pace / 2, credit - pace / 2)
    return Rates(*(_worth(histogram, credit) for credit in rates))


def pairings(own: Int64[np.ndarray, " T"], other: Int64[np.ndarray, " U"]) -> Rates:
    """Every game of one hunter against every game of another, the games independent.

    The standard error counts the luck of both: the variance of a two-sample U statistic, from the
    spread of what each game of a hunter wins against all games of the other.

    Args:
        own: games of the first over at shot 0, 1, … C.
        other: games of the second. Of other boards: both on the same ones are `other_boards`.

    Raises:
        ValueError: no games, or another number of shots.
    """
    games, others = _check(own), _check(other)
    if len(own) != len(other):
        raise ValueError(f"games of up to {len(own) - 1} and of up to {len(other) - 1} shots")

    def rate(worth: int) -> Estimate:
        mine = _mean(own, _later(other, worth), 2 * others)
        his = _mean(other, _earlier(own, worth), 2 * games)
        return Estimate(mine.value, math.hypot(mine.se, his.se))

    return Rates(*map(rate, _WORTH))


def same_boards(own: Int[np.ndarray, " N"], other: Int[np.ndarray, " M"]) -> SameBoards:
    """Two hunters on the same boards, game by game.

    Args:
        own: shots of the first on each board.
        other: shots of the second on the same boards.

    Raises:
        ValueError: no games, or not as many of one as of the other.
    """
    _check_pair(own, other)
    more = own.astype(np.int64) - other
    games, won, tied = len(more), int((more < 0).sum()), int((more == 0).sum())

    def rate(worth: int) -> Estimate:
        return _estimate(2 * won + worth * tied, 4 * won + worth**2 * tied, games, 2)

    difference = _estimate(int(more.sum()), int((more**2).sum()), games, 1)
    return SameBoards(Rates(*map(rate, _WORTH)), difference, games, won, tied)


def other_boards(own: Int[np.ndarray, " N"], other: Int[np.ndarray, " M"]) -> Rates:
    """Every pairing of two different boards, by hunters that met the same ones.

    Board i counts twice, under the first hunter and under the second. Both games on it are long if
    it is a hard one, so their luck is not independent: the standard error is from the spread of
    what both win and lose together.

    Args:
        own: shots of the first on each board.
        other: shots of the second on the same boards.

    Raises:
        ValueError: fewer than two games, or not as many of one as of the other.
    """
    games = _check_pair(own, other)
    if games < 2:
        raise ValueError(f"{games} game: pairs of two different boards need at least two")
    times = max(int(own.max()), int(other.max())) + 1
    mine, his = np.bincount(own, minlength=times), np.bincount(other, minlength=times)
    kinds, counts = np.unique(own.astype(np.int64) * times + other, return_counts=True)
    x, y = kinds // times, kinds % times

    def rate(worth: int) -> Estimate:
        # Half wins of both games on a board, less those of the pair on the board itself.
        wins = _later(his, worth)[x] + _earlier(mine, worth)[y]
        wins -= 2 * (2 * (x < y) + worth * (x == y)).astype(object)
        # A board wins with either of its games: the sum of the two means is twice the win rate,
        # and its spread over boards is that of the win rate itself.
        both = _mean(counts, wins, 2 * (games - 1))
        return Estimate(both.value / 2, both.se)

    return Rates(*map(rate, _WORTH))


def conversion(pace: Float64[np.ndarray, " T"]) -> Conversion:
    """What a game of each number of shots wins against a pace, and what one shot more costs it.

    Args:
        pace: share of the opponent's games over at shot 0, 1, … C.

    Raises:
        ValueError: the pace is no distribution.
    """
    win = race_credit(pace)
    return Conversion(win, np.append(win[:-1] - win[1:], 0.0))


def cost_of_a_shot(histogram: Int64[np.ndarray, " T"], pace: Float64[np.ndarray, " T"]) -> Estimate:
    """Win rate lost if every game took one shot more: d(win rate) / d(mean shots), negated.

    A game at the middle of the pace loses more than a very short or a very long one.

    Args:
        histogram: a hunter's games over at shot 0, 1, … C.
        pace: share of the opponent's games over at each shot.

    Raises:
        ValueError: no games, or the pace is no distribution.
    """
    _check(histogram)
    return _worth(histogram, conversion(pace).step)


def _worth(histogram: Int64[np.ndarray, " T"], credit: Float64[np.ndarray, " T"]) -> Estimate:
    """Mean credit of games, and its standard error; NaN for one game."""
    value, se = means(histogram[None], credit)
    return Estimate(float(value[0]), float(se[0]) if histogram.sum() > 1 else math.nan)


def _later(histogram: np.ndarray, worth: int) -> np.ndarray:
    """Half wins of finishing at each shot against all these games."""
    counts = histogram.astype(object)
    return 2 * (counts.sum() - np.cumsum(counts)) + worth * counts


def _earlier(histogram: np.ndarray, worth: int) -> np.ndarray:
    """Half wins of all these games against one that ends at each shot."""
    counts = histogram.astype(object)
    return 2 * (np.cumsum(counts) - counts) + worth * counts


def _mean(histogram: np.ndarray, values: np.ndarray, unit: int) -> Estimate:
    """Mean of whole numbers by shot over games, in this unit."""
    counts = histogram.astype(object)
    total, squares = int((counts * values).sum()), int((counts * values**2).sum())
    return _estimate(total, squares, int(counts.sum()), unit)


def _estimate(total: int, squares: int, games: int, unit: int) -> Estimate:
    """Mean and standard error of values with this sum and sum of squares; NaN for one game."""
    if games == 1:
        return Estimate(total / unit, math.nan)
    variance = (squares * games - total * total) / (games * games * (games - 1) * unit * unit)
    return Estimate(total / (games * unit), math.sqrt(variance))


def _check(histogram: np.ndarray) -> int:
    games = sum(int(n) for n in histogram)
    if games == 0:
        raise ValueError("no games: nothing to race")
    return games


def _check_pair(own: np.ndarray, other: np.ndarray) -> int:
    if len(own) != len(other) or len(own) == 0:
        raise ValueError(
            f"{len(own)} games of one hunter, {len(other)} of the other: give both on the same "
            f"boards"
        )
    return len(own)
