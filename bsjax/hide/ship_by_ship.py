"""Place one ship after the other, each uniformly among the placements still open to it.

This is how most programs set up a board, and it is *not* uniform over layouts: a layout's chance
is the product of 1/(placements open) along the way. On the classic board the corner holds a ship
with probability 0.0740 instead of 0.0800 and a centre cell with 0.2223 instead of 0.2136. Ships
are placed in the order of the fleet. A board on which some ship has no placement left is started
afresh.
"""

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Int16, Int32, Key

from bsjax.game.game import Game
from bsjax.game.placements import fleet_tables
from bsjax.hide import fit
from bsjax.hide.attempts import bounded, until_found
from bsjax.hide.base import Hider, Placed, register

LIMIT = 10_000
"""Boards started before a draw gives up."""


@register("ship-by-ship", "ships placed one after the other, each uniformly where it still fits")
class ShipByShip(Hider):
    """Sequential placement in the order of the fleet.

    Raises:
        ValueError: the fleet does not fit.
    """

    def __init__(self, game: Game):
        self.game = game
        fit.require_layout(game)

    def place(self, keys: Key[Array, " N"], count: Int32[Array, ""], slots: int) -> Placed:
        """See `bsjax.hide.base`."""
        return until_found(self._attempt, keys, count, slots=slots, limit=LIMIT)

    def _attempt(self, key: Key[Array, ""]) -> tuple[Int16[Array, " K"], Bool[Array, ""]]:
        """One board, and whether no ship ran out of room."""
        cells, denied, counts = fleet_tables(self.game)
        bits = jax.random.bits(key, (self.game.ships,))
        taken = jnp.zeros(cells.shape[-1], jnp.uint32)
        stands = jnp.bool_(True)
        drawn = []
        for ship in range(self.game.ships):
            is_open = ((jnp.asarray(cells[ship]) & taken[None]) == 0).all(-1)
            is_open = is_open & (jnp.arange(is_open.shape[0]) < counts[ship])
            order = jnp.cumsum(is_open.astype(jnp.int32))
            # A throw-away word restarts the board: it carries no bias into the next attempt.
            rank, fair = bounded(bits[ship], jnp.maximum(order[-1], 1).astype(jnp.uint32))
            place = jnp.argmax(order > rank)
            stands = stands & fair & (order[-1] > 0)
            taken = taken | jnp.asarray(denied[ship])[place]
            drawn.append(place)
        return jnp.stack(drawn).astype(jnp.int16), stands
