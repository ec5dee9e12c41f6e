"""How a run of self-play is set up, what it tells, and how its hunts depart from the hider."""

from typing import NamedTuple

import numpy as np

from bsjax.game.game import Game
from bsjax.solve.by_trial import Style
from bsjax.solve.recipes import Recipe
from bsjax.solve.snapshot import EVEN
from bsjax.solve.tables import classes

_BLURS = (0.0, 0.1, 0.3, 0.6)
"""Spread of the logarithm of the weights of a belief, of which one is drawn for each hunt."""
_EVENS = (0, 0, EVEN // 10, EVEN // 2)
"""Share of the uniform hider in it, in parts of `EVEN`."""
_INFORMATION = (0.0, 0.0, 0.25, 0.5)
"""Share of information in the score."""


class Settings(NamedTuple):
    """What decides a run, but for its length."""

    hunts: int = 12
    """Hunts tried in each round."""
    tried: int = 4
    """Cells tried out at a node, by the hunts that try."""
    trying: float = 0.9
    """Share of hunts that try cells out; the others are quick."""
    quick: int = 0
    """Rounds before the first in which hunts try cells out."""
    sharpness: float = 100.0
    """The hider of a round hides in a layout in proportion to e^(−`sharpness` · win rate): with
    100, a percentage point makes a factor of e. It grows with the rounds from the 15th on. On a
    board of few classes the hider of the matrix game joins in; with 0 he is alone."""
    step: float = 3.0
    """The averaged hider goes `step` / (round + 30) of the way to the hider of each round."""
    pool: int = 800
    """Most hunts that are kept; the least used go first."""
    snapshot: int = 1
    """Rounds between two snapshots of the hider."""
    added: int = 0
    """Of a run that does not know all classes: the worst ones that it learns of in each round."""
    seed: int = 0


DEFAULT = Settings()
LARGE = Settings(hunts=16, tried=2, trying=0.25, quick=15, step=8.0, pool=1000)
"""For boards on which a hunt that tries costs as much as many quick ones. Quick hunts make the
mixture even, and then better ones make it fast (`experiments/strongest`, `choices`)."""
LARGE_BOARD = 20_000
"""Layouts from which `LARGE` suits a board."""


class Round(NamedTuple):
    """What a round came to. Win rates are shares of races."""

    number: int
    """Rounds so far, this one included."""
    worst: float
    """Of the mixture on its worst layout against its own pace."""
    value: float
    """Of the mixture on its worst layout against the pace of the loop: the value of the game."""
    gap: float
    """How far the mixture and the hider of the round are from that value, together."""
    reply: float
    """Of the best hunt of the pool against the averaged hider and the pace of the loop."""
    mean: float
    """Expected shots of the mixture against the averaged hider."""
    slowest: float
    """Expected shots on the slowest layout."""
    pool: int
    """Hunts in the pool."""
    used: int
    """Hunts in the mixture."""


def settings_for(game: Game) -> Settings:
    """Settings that suit the size of a game."""
    return DEFAULT if len(classes(game).of) < LARGE_BOARD else LARGE


def styled(settings: Settings, game: Game, number: int) -> list[Recipe]:
    """Recipes of the hunts of a round.

    Args:
        settings: of the run.
        game: what is played.
        number: rounds before.
    """
    rng = np.random.default_rng([settings.seed, number])
    snap = number - number % settings.snapshot
    found = []
    for _ in range(settings.hunts):
        first, information = int(rng.integers(game.cells)), float(rng.choice(_INFORMATION))
        tries = rng.random() < settings.trying and number >= settings.quick
        tried = settings.tried if tries else 1
        blur, even = float(rng.choice(_BLURS)), int(rng.choice(_EVENS))
        style, seed = Style(first, information, tried), int(rng.integers(1 << 31))
        found.append(Recipe(snap, number + 1, style, blur, even, seed))
    return found
