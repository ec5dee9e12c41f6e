"""Two shots ahead: judge a shot together with the best next one, for every answer to the first.

* `lookahead-hits`: the most expected hits of both shots.
* `lookahead-information`: the fewest layouts expected to be left after both.

Ties go to the likelier hit, then to the lowest cell (the notebook, "Looking two shots ahead").

Masses are those of layouts, not shares of those that give an answer, so a sum over the answers
needs no weights: if N(r) layouts answer r to the first shot, and m(r) of them have a ship on the
best next cell, the two shots hit N(hit) + Σ_r m(r) times in all layouts together.

Every answer to every first shot is a posterior of its own. Where each is counted anew, `candidates`
keeps them few: first shots are then only those that the one-shot rule likes best.
"""

from collections.abc import Sequence
from functools import partial

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Int8, Int32, PyTree

from bsjax.game.game import Game
from bsjax.game.observation import MISS, UNFIRED, Observation, afloat, tell
from bsjax.policies.bayes import seen_by
from bsjax.policies.choose import Score, best_cells, lowest_best_cell
from bsjax.posterior.answers import Answers, expected_left, likeliest
from bsjax.posterior.beliefs import Belief
from bsjax.posterior.whole import BASE_BITS, DIGIT_BITS, Whole, summed


class Lookahead(eqx.Module):
    """A rule (`bsjax.policies.bayes`) that looks two shots ahead."""

    game: Game = eqx.field(static=True)
    hits: bool = eqx.field(static=True)
    """Count hits; otherwise count layouts left."""
    candidates: int | None = eqx.field(static=True, default=None)
    """First shots to look at, the best by the one-shot rule; None looks at every cell."""

    def __check_init__(self):
        if self.game.feedback == "cells":
            raise ValueError("lookahead does not play feedback 'cells'; choose another rule")

    def __call__(
        self, belief: Belief, observation: Observation, view: PyTree
    ) -> tuple[Sequence[Score], Whole]:
        """Scores of every cell; those not looked at are worse than all others."""
        game, unfired = belief.game, observation.mark == UNFIRED
        found, total = seen_by(belief, observation.mark != UNFIRED, view)
        ship = likeliest(found)
        cells = jnp.arange(game.cells, dtype=jnp.int32)
        if self.candidates is not None:
            one_shot = ship if self.hits else [*expected_left(game, found, total), *ship]
            cells = best_cells(one_shot, unfired, self.candidates)
        best = jax.lax.map(partial(self._best_next, belief, observation, view), cells)
        if self.hits:
            best = summed([best, [word[cells] for word in ship]], BASE_BITS)
        looked_at = jnp.zeros(game.cells, bool).at[cells].set(True)
        scores = [jnp.zeros(game.cells, word.dtype).at[cells].set(word) for word in best]
        return [looked_at.astype(jnp.int32), *scores, *ship], total

    def _best_next(
        self, belief: Belief, observation: Observation, view: PyTree, cell: Int32[Array, ""]
    ) -> list[Array]:
        """The value of the best next shot, summed over the answers to a shot at `cell`."""
        number = jnp.arange(belief.game.cells, dtype=jnp.int32)
        unfired = (observation.mark == UNFIRED) & (number != cell)

        def after(answer: Int8[Array, ""], possible: Bool[Array, ""]) -> list[Array]:
            scores = self._value(*seen_by(belief, ~unfired, belief.after(view, cell, answer)))
            best = lowest_best_cell(scores, unfired)
            return [jnp.where(possible, score[best], 0).astype(score.dtype) for score in scores]

        answer, possible = _answers(belief.game, observation)
        every = jax.vmap(after)(answer, possible)
        bits = BASE_BITS if self.hits else DIGIT_BITS
        return summed([[word[row] for word in every] for row in range(len(answer))], bits)

    def _value(self, found: Answers, total: Whole) -> list[Array]:
        """What a shot is worth by its answers."""
        return likeliest(found) if self.hits else expected_left(self.game, found, total)


def _answers(game: Game, observation: Observation) -> tuple[Int8[Array, " R"], Bool[Array, " R"]]:
    """Codes of the answers that a shot can get, and whether any ship is left to give it."""
    every = range(game.ships)
    of_each_length = [game.fleet.index(length) for length in game.lengths]
    hits = every if game.feedback == "hit-name" else [0]
    sinks = {"hit": [], "sunk": [0], "size": of_each_length}.get(game.feedback, every)
    yes, no = jnp.bool_(True), jnp.bool_(False)
    told = partial(tell, game, observation, yes)
    codes = [jnp.int8(MISS), *(told(no, jnp.int8(ship)) for ship in hits)]
    codes += [told(yes, jnp.int8(ship)) for ship in sinks]
    possible = [yes] * (1 + len(hits))
    for ship in sinks:
        # A length all of whose ships are announced has no further sink.
        alike = np.array(game.fleet) == game.fleet[ship]
        left = (afloat(observation) & alike).any()
        possible.append(left if game.feedback == "size" else yes)
    return jnp.stack(codes), jnp.stack(possible)
