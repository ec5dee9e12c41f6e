"""Every layout equally likely: independent placements, thrown away until none overlap.

Each ship draws one of its placements uniformly and on its own; the attempt stands if no two ships
meet. An accepted attempt is uniform over all layouts, whatever their number: 39% of the attempts
stand for the classic fleet, one in thousands for ten ships that may not touch.
"""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Int16, Int32, Key

from bsjax.game.game import Game
from bsjax.game.placements import fleet_tables
from bsjax.hide import fit
from bsjax.hide.attempts import bounded, until_found
from bsjax.hide.base import Hider, Placed, register

PATIENCE = 60
"""Attempts per draw before giving up, in units of 1/acceptance: missed once in e⁶⁰ draws."""


@register("uniform", "every layout equally likely")
class Uniform(Hider):
    """Uniform over all layouts of the game.

    Raises:
        ValueError: the fleet does not fit, or fits too rarely to be found by rejection.
    """

    limit: int = eqx.field(static=True)

    def __init__(self, game: Game):
        self.game = game
        self.limit = int(PATIENCE / fit.acceptance(game))

    def place(self, keys: Key[Array, " N"], count: Int32[Array, ""], slots: int) -> Placed:
        """See `bsjax.hide.base`."""
        return until_found(self._attempt, keys, count, slots=slots, limit=self.limit)

    def _attempt(self, key: Key[Array, ""]) -> tuple[Int16[Array, " K"], Bool[Array, ""]]:
        """One independent placement per ship, and whether they make a layout."""
        cells, denied, counts = fleet_tables(self.game)
        bits = jax.random.bits(key, (self.game.ships,))
        drawn, fair = bounded(bits, jnp.asarray(counts.astype(np.uint32)))
        taken = meets = jnp.zeros(cells.shape[-1], jnp.uint32)
        for ship in range(self.game.ships):
            meets = meets | (jnp.asarray(cells[ship])[drawn[ship]] & taken)
            taken = taken | jnp.asarray(denied[ship])[drawn[ship]]
        return drawn.astype(jnp.int16), fair.all() & (meets == 0).all()
