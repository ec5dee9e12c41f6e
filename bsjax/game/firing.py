"""A shot at a board, answered by the rules."""

import jax.numpy as jnp
from jaxtyping import Array, Int8, Int32

from bsjax.game.game import Game
from bsjax.game.observation import Observation, numbers, observe, tell


def fire(
    game: Game,
    board: Int8[Array, " C"],
    left: Int8[Array, " K"],
    observation: Observation,
    cell: Int32[Array, ""],
) -> tuple[Int8[Array, " K"], Observation]:
    """Fire at `cell` (−1: no shot) and answer by the rules; returns `left` and what is known."""
    ship = jnp.where(cell >= 0, board[cell], jnp.int8(-1))
    target = numbers(game.ships) == ship
    left = left - target.astype(jnp.int8)
    sunk = (target & (left == 0)).any()
    answer = tell(game, observation, ship >= 0, sunk, ship)
    shown = (board == ship) if game.feedback == "cells" else None
    return left, observe(game, observation, cell, answer, shown)
