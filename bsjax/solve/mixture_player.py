"""The player that a mixture makes: he hunts by the die and hides by the lottery."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from bsjax.evaluate.hard_boards.layouts import Layouts, read
from bsjax.game.game import Game
from bsjax.game.symmetry import placement_images
from bsjax.hide.listed import Listed
from bsjax.policies.base import Policy
from bsjax.policies.die import Die


def die_of(mixture: Mapping[str, Any], hunters: Mapping[str, Policy]) -> Die:
    """The die of a result of `bsjax.solve.rule_mixture.mix`.

    Args:
        mixture: the result.
        hunters: by name, those of the die at least.

    Raises:
        ValueError: a hunter is missing.
    """
    missing = [name for name in mixture["die"] if name not in hunters]
    if missing:
        raise ValueError(f"the die has {', '.join(missing)}: give these hunters too")
    return Die.of([hunters[name] for name in mixture["die"]], list(mixture["die"].values()))


def hider_of(game: Game, mixture: Mapping[str, Any]) -> Listed:
    """The hider of a result of `bsjax.solve.rule_mixture.mix`: boards by weight, turned at random.

    Raises:
        ValueError: a board is none of this game.
    """
    boards = mixture["hiding"]["boards"]
    layouts = np.stack([read(game, mixture["boards"][one["number"]]["board"]) for one in boards])
    return turned(game, layouts, np.array([one["weight"] for one in boards]))


def turned(game: Game, layouts: Layouts, weights: np.ndarray) -> Listed:
    """A hider that draws a layout by weight and turns it at random.

    Args:
        game: the rules of the game.
        layouts: M of them.
        weights: of each, up to a factor.
    """
    images = [
        placement_images(game.size, length)[:, layouts[:, ship]].T
        for ship, length in enumerate(game.fleet)
    ]
    every = np.stack(images, axis=2).astype(np.int16)
    count = every.shape[1]
    shares = np.repeat(weights.astype(np.float32), count)
    return Listed(game, every.reshape(-1, game.ships), shares)
