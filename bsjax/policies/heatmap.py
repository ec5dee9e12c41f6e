"""Fire where most placements of the ships afloat could lie: the heat-map hunters.

`density` counts ship by ship, with open hits weighted so that a placement over more hits always
counts more (`bsjax.posterior.density`). Nobody wrote "extend the line" into it: it comes out of
the arithmetic.

Ties matter: broken at random, as in how-the-computer, the hunter needs 0.29 shots more on the
classic game than broken by the lowest cell (`experiments/how_the_computer`, `ties`).
"""

from typing import Literal

import equinox as eqx
from jaxtyping import Array, Int32, Key, PyTree

from bsjax.game.game import Game
from bsjax.game.observation import UNFIRED, Observation
from bsjax.policies.base import Policy, register
from bsjax.policies.choose import best_cell, lowest_best_cell
from bsjax.posterior.density import density, digits, fits_one_word


class Density(Policy):
    """The highest placement density; ties at random or to the lowest cell."""

    ties: Literal["random", "lowest"] = eqx.field(static=True, default="random")

    def act(
        self, key: Key[Array, ""], observation: Observation, carry: PyTree
    ) -> tuple[Int32[Array, ""], PyTree]:
        """The next cell; `carry` is unused."""
        game = self.game
        if fits_one_word(game):
            scores = [density(game, observation)]
        else:
            scores = list(digits(game, observation)[::-1])
        unfired = observation.mark == UNFIRED
        if self.ties == "lowest":
            return lowest_best_cell(scores, unfired), carry
        return best_cell(key, scores, unfired), carry


@register("density", "the cell most placements of the ships afloat could cover, open hits first")
def _random_ties(game: Game) -> Policy:
    return Density(game, ties="random")


@register("density-lowest", "as density, ties to the lowest cell instead of at random")
def _lowest_ties(game: Game) -> Policy:
    return Density(game, ties="lowest")
