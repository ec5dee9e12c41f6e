"""Ties: rules that fire at another of the best cells than the lowest one.

Symmetric cells score alike, and which of them is fired at moves the mean of a rule by tenths of a
shot, as much as the rules differ. To tell one from the other, the rules are evaluated again with
their ties broken by random orders of the cells, the same orders for every rule.
"""

import numpy as np

from bsjax.game.game import Game
from bsjax.policies.scores import Score
from bsjax.posterior.masses import Block, Mass
from experiments.notebook.settings import Settings


def orders(game: Game, settings: Settings) -> list[np.ndarray]:
    """Random ranks of the cells, int64[C] each."""
    random = np.random.default_rng(settings.seed)
    return [random.permutation(game.cells) for _ in range(settings.orders)]


def ranked(score: Score, rank: np.ndarray) -> Score:
    """The score with ties to the cell of the highest rank."""

    def tables(block: Block) -> list[Mass]:
        return [*score(block), np.broadcast_to(rank, block.ship.shape)]

    return tables
