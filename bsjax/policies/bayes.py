"""Fire by what the layouts that agree with the answers say: the greedy rules over a posterior.

* `probability`: the cell most of them put a ship on.
* `information`: the cell that leaves the fewest of them to be expected, Σ (those that give an
  answer)² over the answers, divided by all; ties to the likelier hit.

What is left goes to the lowest cell, as in the notebook. A belief (`bsjax.posterior.beliefs`) says
how many layouts there are: counted exactly, enumerated, or drawn.
"""

from collections.abc import Callable, Sequence

import equinox as eqx
import jax.numpy as jnp
from jaxtyping import Array, Bool, Int32, Key, PyTree

from bsjax.game.observation import UNFIRED, Observation
from bsjax.policies.base import Policy
from bsjax.policies.book import written
from bsjax.policies.choose import Score, lowest_best_cell
from bsjax.posterior.answers import Answers, answers, expected_left, likeliest
from bsjax.posterior.beliefs import Belief
from bsjax.posterior.whole import Whole, positive

Rule = Callable[[Belief, Observation, PyTree], tuple[Sequence[Score], Whole]]
"""Scores of every cell from a view of a belief, most important first, and the mass of all."""


def probability(
    belief: Belief, observation: Observation, view: PyTree
) -> tuple[Sequence[Score], Whole]:
    """Ship mass."""
    found, total = seen_by(belief, observation.mark != UNFIRED, view)
    return likeliest(found), total


def information(
    belief: Belief, observation: Observation, view: PyTree
) -> tuple[Sequence[Score], Whole]:
    """Expected mass left, negated; then ship mass."""
    found, total = seen_by(belief, observation.mark != UNFIRED, view)
    return [*expected_left(belief.game, found, total), *likeliest(found)], total


def seen_by(belief: Belief, shot: Bool[Array, " C"], view: PyTree) -> tuple[Answers, Whole]:
    """What a shot at each cell not yet shot at would be answered, and the mass of all layouts."""
    masses = belief.masses(view)
    return answers(belief.game, belief.classes, masses.placement, shot), masses.total


class Greedy(Policy):
    """The best cell by a rule over a belief."""

    belief: Belief
    rule: Rule = eqx.field(static=True)

    @property
    def lanes(self) -> int:
        """Those of the belief."""
        return self.belief.lanes

    @property
    def bytes_per_game(self) -> int:
        """Those of the belief."""
        return self.belief.bytes_per_game

    def prepared(self, games: int) -> Policy:
        """With a book of its opening, if its belief rolls no dice."""
        return self if self.belief.rolls_dice else written(self, games)

    def act(
        self, key: Key[Array, ""], observation: Observation, carry: PyTree
    ) -> tuple[Int32[Array, ""], PyTree]:
        """The next cell, −1 if no layout is left to judge by; `carry` is unused."""
        view = self.belief.view(key, observation)
        scores, total = self.rule(self.belief, observation, view)
        cell = lowest_best_cell(scores, observation.mark == UNFIRED)
        return jnp.where(positive(total), cell, -1), carry
