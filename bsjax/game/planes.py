"""Shifts of a board plane along its rows and columns, as shifts of one flat array.

A plane of H×W cells is laid out with one empty column after each row, H·(W+1) entries in all.
Moving by one column is then a shift by 1 and moving by one row a shift by W+1, and whatever
leaves the board lands on an empty entry: no window ever wraps from one row into the next.
"""

import jax.numpy as jnp
from jaxtyping import Array, Num

from bsjax.game.game import Game


def padded(game: Game, plane: Num[Array, " C"]) -> Num[Array, " F"]:
    """The plane with a zero column after each row, flat: F = H·(W+1)."""
    grid = plane.reshape(game.height, game.width)
    return jnp.pad(grid, ((0, 0), (0, 1))).reshape(-1)


def unpadded(game: Game, flat: Num[Array, " F"]) -> Num[Array, " C"]:
    """The inverse of `padded`."""
    return flat.reshape(game.height, game.width + 1)[:, : game.width].reshape(-1)


def strides(game: Game) -> tuple[int, int]:
    """Shifts that move by one column and by one row."""
    return 1, game.width + 1


def ahead(flat: Num[Array, " F"], shift: int) -> Num[Array, " F"]:
    """Entry i takes the value of entry i + shift; zero beyond the end."""
    if shift >= flat.shape[0]:
        return jnp.zeros_like(flat)
    return jnp.pad(flat[shift:], (0, shift))


def behind(flat: Num[Array, " F"], shift: int) -> Num[Array, " F"]:
    """Entry i takes the value of entry i − shift; zero before the start."""
    if shift >= flat.shape[0]:
        return jnp.zeros_like(flat)
    return jnp.pad(flat[: flat.shape[0] - shift], (shift, 0))
