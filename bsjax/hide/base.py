"""The contract of a hider, and the list of hiders by name.

A hider is a distribution over layouts: a pytree, bound to one `Game`, with one pure function

    place(keys, count, slots) -> Placed(placements int16[N, K], found bool[N])

that draws one layout per key. A draw depends on its own key alone, never on its neighbours in the
batch. `found` is False where the hider gave up.

To add one: write the module, decorate its constructor with `register`, import it in
`bsjax/hide/__init__.py`. The constructor refuses a game it cannot draw boards for.
"""

from abc import abstractmethod
from typing import NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Int8, Int16, Int32, Key

from bsjax.game.game import Game
from bsjax.game.placements import placement_masks
from bsjax.runtime.registry import Registry


class Placed(NamedTuple):
    """Layouts of a batch of N games."""

    placements: Int16[Array, "N K"]
    """Placement of each ship, an index into `bsjax.game.placements.placement_cells`."""
    found: Bool[Array, " N"]
    """Whether a layout was found; the placements mean nothing where it was not."""


class Hider(eqx.Module):
    """Base of all hiders; see the module docstring for the contract."""

    game: Game = eqx.field(static=True)

    @abstractmethod
    def place(self, keys: Key[Array, " N"], count: Int32[Array, ""], slots: int) -> Placed:
        """One layout for each of the first `count` keys.

        `slots` draws advance together, which changes the speed and no draw. The keys are
        consumed.
        """


def boards(game: Game, placements: Int16[Array, "N K"]) -> Int8[Array, "N C"]:
    """Ship on each cell, −1 for water."""

    def board(row: Int16[Array, " K"]) -> Int8[Array, " C"]:
        cells = jnp.full(game.cells, -1, jnp.int8)
        for ship, length in enumerate(game.fleet):
            covered = jnp.asarray(placement_masks(game.size, length))[row[ship]]
            cells = jnp.where(covered, jnp.int8(ship), cells)
        return cells

    return jax.vmap(board)(placements)


HIDERS: Registry[Hider] = Registry("hider")
register, names, describe, make = HIDERS.register, HIDERS.names, HIDERS.describe, HIDERS.make
