"""Fire where most placements of the ships afloat could lie: the heat-map hunters.

`density` counts ship by ship, with open hits weighted so that a placement over more hits always
counts more (`bsjax.posterior.density`); ties are broken at random. Nobody wrote "extend the line"
into it: it comes out of the arithmetic.
"""

from jaxtyping import Array, Int32, Key, PyTree

from bsjax.game.observation import UNFIRED, Observation
from bsjax.policies.base import Policy, register
from bsjax.policies.choose import best_cell
from bsjax.posterior.density import density, digits, fits_one_word


@register("density", "the cell most placements of the ships afloat could cover, open hits first")
class Density(Policy):
    """The highest placement density, ties at random."""

    def act(
        self, key: Key[Array, ""], observation: Observation, carry: PyTree
    ) -> tuple[Int32[Array, ""], PyTree]:
        """The next cell; `carry` is unused."""
        game = self.game
        if fits_one_word(game):
            scores = [density(game, observation)]
        else:
            scores = list(digits(game, observation)[::-1])
        return best_cell(key, scores, observation.mark == UNFIRED), carry
