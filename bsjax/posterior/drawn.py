"""A belief that draws layouts: any fleet, any prior, and the cost set by the number of draws.

Weights of draws are whole numbers (`bsjax.posterior.estimates`), so masses are too, and a result
depends on the key alone.
"""

from typing import NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float32, Int8, Int32, Key

from bsjax.game.observation import Observation, observe, tell
from bsjax.posterior import evidence
from bsjax.posterior.beliefs import Belief, Masses
from bsjax.posterior.estimates import placement_sums, scaled
from bsjax.posterior.importance import Draws, draw
from bsjax.posterior.prior import Prior
from bsjax.posterior.tables import tables
from bsjax.posterior.whole import split

DRAWS = 1500
"""Draws a decision, as in the notebook."""
_ROUNDS = 16
"""Rounds of draws at most, if not one of them agrees with the observation."""


class View(NamedTuple):
    """What one game was told, and layouts that agree with it; S draws, K ships."""

    observation: Observation
    placement: Int32[Array, "S K"]
    weight: Int32[Array, " S"]
    unit: Float32[Array, ""]
    """Layouts that a weight of 1 stands for: the mean weight estimates how many are left."""
    left: Float32[Array, " G1"]
    """Cells of every placement not fired at."""


class Drawn(Belief):
    """The posterior by importance sampling (`bsjax.posterior.importance`)."""

    draws: int = eqx.field(static=True, default=DRAWS)
    prior: Prior | None = eqx.field(static=True, default=None)

    def __check_init__(self):
        if self.draws < 1:
            raise ValueError(f"{self.draws} draws: take at least one")

    @property
    def rolls_dice(self) -> bool:
        """Whether a view depends on the key."""
        return True

    @property
    def lanes(self) -> int:
        """The draws."""
        return self.draws

    @property
    def bytes_per_game(self) -> int:
        """About 40 bytes a draw and ship."""
        return 40 * self.draws * self.game.ships

    def view(self, key: Key[Array, ""], observation: Observation) -> View:
        """Fresh draws; further rounds of them while none agrees with the observation."""
        game = self.game
        seen = evidence.read(game, observation, self.prior)

        def round_(number: Int32[Array, ""]) -> Draws:
            own = jax.random.fold_in(key, number)
            return draw(game, seen, own, self.draws, self.prior)

        def lost(state: tuple[Int32[Array, ""], Draws]):
            # Where no placement is allowed there is no game, and nothing to find.
            return (state[1].weight == 0).all() & (state[0] < _ROUNDS) & seen.allowed.any()

        first = jnp.int32(1), round_(jnp.int32(0))
        _, found = jax.lax.while_loop(lost, lambda s: (s[0] + 1, round_(s[0])), first)
        unfired = ~jnp.pad(seen.shot, (0, 1))
        left = jnp.asarray(tables(game).masks, jnp.float32) @ unfired.astype(jnp.float32)
        weight, unit = scaled(found.weight)
        return View(observation, found.placement, weight, unit / self.draws, left)

    def after(self, view: View, cell: Int32[Array, ""], answer: Int8[Array, ""]) -> View:
        """The draws that give this answer."""
        covers = jnp.asarray(tables(self.game).masks)[:, cell]
        here = covers[view.placement]
        sunk = (here & (view.left == 1)[view.placement]).any(1)
        ship = here.argmax(1).astype(jnp.int8)

        def told(hit: Array, sunk: Array, ship: Array) -> Int8[Array, ""]:
            return tell(self.game, view.observation, hit, sunk, ship)

        same = jax.vmap(told)(here.any(1), sunk, ship) == answer
        return view._replace(
            observation=observe(self.game, view.observation, cell, answer),
            weight=jnp.where(same, view.weight, 0),
            left=view.left - covers.astype(jnp.float32),
        )

    def masses(self, view: View) -> Masses:
        """Weights of the draws."""
        sums = placement_sums(self.game, view.placement, view.weight)
        return self._masses(split(sums), view.unit)
