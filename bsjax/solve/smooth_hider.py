"""The hider that the hunts of self-play reply to.

The hider of a matrix game over a few hundred hunts hides in about as many classes of layouts, those
on which just these hunts happen to be slow. On a board of many classes he jumps from round to
round, and a hunt that believes in him learns little that holds for long. The hider of a round
therefore hides in every class, the more often the fewer races the mixture wins there: the logit
response of smooth fictitious play (Fudenberg and Levine, The Theory of Learning in Games, 1998,
chapter 4).

Where classes are few he comes close to the best one only in part: among classes that are equally
good for him, he cannot tell how often each is to be chosen. So the hider of the matrix game joins
in, the more the more hunts were tried for each class.

Both are averaged over rounds, with steps that get smaller. If they are small from the start, the
hunts reply for long to hiders that are past. All of this is measured in `experiments/strongest`
(`choices`).
"""

import numpy as np
from jaxtyping import Bool, Float64, Int64

from bsjax.solve.self_play_settings import Settings

LATER = 30
"""The step of a round is `Settings.step` / (round + `LATER`)."""
_LEAST_STEP = 0.003
_SHARPER = 15
"""Rounds from which on the hider gets sharper, in proportion to their number: as the mixture gets
even, what it wins in different places differs less, and less by chance."""
_TOLD = 4
"""The hider of the matrix game joins in once there are fewer classes than this many for each hunt
that was tried: from there on his shares mean something."""


def averaged(
    hider: Float64[np.ndarray, " O"],
    rows: Float64[np.ndarray, " O"],
    settings: Settings,
    number: int,
) -> Float64[np.ndarray, " O"]:
    """A step towards the hider of a round.

    Args:
        hider: share of each of O classes.
        rows: that of the hider of the round.
        settings: of the run.
        number: rounds so far, this one included.
    """
    step = max(settings.step / (number + LATER), _LEAST_STEP)
    return (1 - step) * hider + step * rows


def of_round(
    won: Float64[np.ndarray, " O"],
    rows: Float64[np.ndarray, " O"],
    size: Int64[np.ndarray, " O"],
    known: Bool[np.ndarray, " O"],
    settings: Settings,
    number: int,
) -> Float64[np.ndarray, " O"]:
    """The hider of a round.

    Args:
        won: share of races that the mixture wins on each of O classes.
        rows: the hider of the matrix game.
        size: layouts of each class.
        known: classes he may hide in.
        settings: of the run.
        number: rounds so far, this one included.
    """
    if settings.sharpness == 0:
        return rows
    won = np.where(known, won, np.inf)
    sharpness = settings.sharpness * max(1, number / _SHARPER)
    liked = size * np.exp(-sharpness * (won - won.min()))
    exact = max(0.0, 1 - int(known.sum()) / (_TOLD * number * settings.hunts))
    return exact * rows + (1 - exact) * liked / liked.sum()
