"""A hider that draws from a list of boards, with weights: boards from a file, or hard boards."""

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float32, Int8, Int16, Int32, Key

from bsjax.game.game import Game
from bsjax.game.placements import placement_masks
from bsjax.hide.base import Hider, Placed


class Listed(Hider):
    """One of the listed layouts, drawn with probability proportional to its weight."""

    layouts: Int16[Array, "M K"]
    cumulative: Float32[Array, " M"]

    def __init__(
        self,
        game: Game,
        layouts: Int16[np.ndarray, "M K"],
        weights: Float32[np.ndarray, " M"] | None = None,
    ):
        if len(layouts) == 0:
            raise ValueError("a list of boards needs at least one board")
        share = np.ones(len(layouts)) if weights is None else np.asarray(weights, np.float64)
        if not (share >= 0).all() or share.sum() <= 0:
            raise ValueError("the weights of listed boards must be 0 or more, not all 0")
        self.game = game
        self.layouts = jnp.asarray(layouts)
        self.cumulative = jnp.asarray(np.cumsum(share) / share.sum(), jnp.float32)

    def place(self, keys: Key[Array, " N"], count: Int32[Array, ""], slots: int) -> Placed:
        """See `bsjax.hide.base`."""
        del slots
        drawn = jax.vmap(jax.random.uniform)(keys)
        rows = jnp.searchsorted(self.cumulative, drawn, side="right")
        rows = jnp.minimum(rows, len(self.layouts) - 1)
        return Placed(self.layouts[rows], jnp.arange(keys.shape[0]) < count)


def layouts_of(game: Game, boards: Int8[np.ndarray, "M C"]) -> Int16[np.ndarray, "M K"]:
    """Placement of each ship on boards that give the ship on each cell (−1 for water).

    Raises:
        ValueError: the cells of a ship are not one of its placements.
    """
    layouts = np.zeros((len(boards), game.ships), np.int16)
    for ship, length in enumerate(game.fleet):
        masks = placement_masks(game.size, length)
        number = {mask.tobytes(): index for index, mask in enumerate(masks)}
        for row, board in enumerate(boards):
            found = number.get((board == ship).tobytes())
            if found is None:
                raise ValueError(
                    f"board {row + 1}: ship {game.ship_names[ship]} is not a straight line of "
                    f"{length} cells"
                )
            layouts[row, ship] = found
    return layouts
