"""A pace from its published figures: the smoothest finishing times that have them all.

Published are the mean, the win shares of four games and how soon 95% of the games are over. Many
distributions have these. Taken is the one whose logarithm bends most evenly: the sum of squared
third differences of log p(t) is the least. A normal law has none at all, so this is as close to a
bell as the figures allow, positive everywhere, and nothing else is put in.

The rest of what was published is not used and tells how good the guess is: the median, the 5% at
the other end, and what a shot more costs near the middle.
"""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from jaxtyping import Float64

from bsjax.game.game import Game

_ROUNDS = 100
_CLOSE = 1e-12
"""Largest error of a figure that is met."""
_STILL = 1e-6
"""Largest change of log p in a last round; beyond it rounding decides."""
_SEEN = 1e-6
"""Shares below this do not hold back a step."""


class Published(NamedTuple):
    """What a pace is known by."""

    mean: float
    """Shots of a game, on average."""
    win: Mapping[int, float]
    """Share of races won by a game of so many shots: of the pace's games, those that take longer
    and half of those that take as long."""
    within: Mapping[int, float]
    """Share of games over within so many shots."""


def smoothest(game: Game, published: Published) -> Float64[np.ndarray, " T"]:
    """Shares of games over at shot 0, 1, … C that have all these figures.

    Newton steps for log p: each solves the least-bending change under the figures made linear.

    Args:
        game: no game is over before all its ship cells are hit.
        published: the figures, met to a rounding error.

    Raises:
        ValueError: no smooth distribution has these figures.
    """
    shots = np.arange(game.ship_cells, game.cells + 1)
    rows = [np.ones(len(shots)), shots.astype(np.float64)]
    rows += [(shots > at) + (shots == at) / 2 for at in published.win]
    rows += [(shots <= at).astype(np.float64) for at in published.within]
    figures = np.array(rows)
    wanted = np.array([1.0, published.mean, *published.win.values(), *published.within.values()])
    bend = np.diff(np.eye(len(shots)), 3, axis=0)
    bend = bend.T @ bend
    spread = (published.mean - game.ship_cells) / 3
    log = -(((shots - published.mean) / spread) ** 2) / 2
    log -= np.log(np.exp(log).sum())
    for _ in range(_ROUNDS):
        share = np.exp(log)
        slope, off = figures * share, wanted - figures @ share
        corner = np.zeros((len(wanted), len(wanted)))
        system = np.block([[bend, slope.T], [slope, corner]])
        step = np.linalg.solve(system, np.concatenate([-bend @ log, off]))[: len(shots)]
        largest = abs(step[share > _SEEN]).max()
        if abs(off).max() < _CLOSE and largest < _STILL:
            return np.concatenate([np.zeros(game.ship_cells), share / share.sum()])
        # Far from the figures a full step overshoots: shares change by at most a factor of e.
        log = log + step * min(1.0, 1 / largest)
    raise ValueError("no smooth distribution was found that has all these figures")
