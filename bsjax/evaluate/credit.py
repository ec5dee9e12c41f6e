"""What it is worth to finish at a shot: in a race, or counted in shots.

A race between two hunters who do not see each other depends on their finishing times alone. Each
fires one shot a round, so a game of t shots wins against those that take longer and half of those
that take as long (classic-fleet, section 1).
"""

import numpy as np
from jaxtyping import Float64

from bsjax.game.game import Game

Credit = Float64[np.ndarray, " T"]
"""What finishing at shot 0, 1, … C is worth; T = C + 1."""


def shots_credit(game: Game) -> Credit:
    """Credit whose best reply needs the fewest shots: −t."""
    return -np.arange(game.cells + 1, dtype=np.float64)


def race_credit(pace: Float64[np.ndarray, " T"]) -> Credit:
    """Share of races won by finishing at each shot; finishing together counts half.

    Args:
        pace: share of the opponent's games that end at shot 0, 1, … C.

    Raises:
        ValueError: it is no distribution.
    """
    if (pace < 0).any() or abs(pace.sum() - 1) > 1e-9:
        raise ValueError(f"a pace is shares of games that add up to 1, these to {pace.sum():g}")
    return 1 - np.cumsum(pace) + pace / 2
