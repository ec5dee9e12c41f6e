"""Random fire in closed form: no simulation, no layouts.

The shots of a random hunter on any fixed layout are the place of the last of n ship cells in a
random order of C cells (how-the-computer, "A yardstick: firing at random"):

    P(T ≤ t) = C(t, n) / C(C, n)          E[T] = C − (C − n)/(n + 1) = n·(C + 1)/(n + 1)

The ship cells cut the water into n + 1 heaps of equal mean size, and only the last heap is never
turned over.
"""

from fractions import Fraction
from math import comb

import numpy as np
from jaxtyping import Float64

from bsjax.game.game import Game


def mean(game: Game) -> Fraction:
    """Expected shots, exact: 95.389 for the classic game."""
    return Fraction(game.ship_cells * (game.cells + 1), game.ship_cells + 1)


def within(game: Game, shots: int) -> Fraction:
    """Probability that the fleet is sunk within `shots` shots, exact."""
    return Fraction(comb(shots, game.ship_cells), comb(game.cells, game.ship_cells))


def curve(game: Game) -> Float64[np.ndarray, " T"]:
    """P(T ≤ t) for t = 0 … C."""
    return np.array([float(within(game, t)) for t in range(game.cells + 1)])


def median(game: Game) -> int:
    """Fewest shots within which at least half the games are over."""
    return next(t for t in range(game.cells + 1) if 2 * within(game, t) >= 1)
