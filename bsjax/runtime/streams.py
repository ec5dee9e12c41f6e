"""Random streams: every game has its own key, so that nothing else can change its result.

The key of game i under a seed is `fold_in(fold_in(key(seed), i // 2³²), i mod 2³²)`. From it come
the game's board, the hunter's opening state and the hunter's dice, each a stream of its own, so
the same game number has the same board under every hunter.
"""

import jax
import jax.numpy as jnp
from jaxtyping import Array, Key, UInt32

BOARD, OPENING, DICE = 0, 1, 2
"""Streams of one game: its layout, the hunter's `init`, the hunter's `act`."""


def split_number(first: int) -> tuple[int, int]:
    """High and low 32-bit words of a game number below 2⁶⁴."""
    if not 0 <= first < 2**64:
        raise ValueError(f"game number {first} is not between 0 and 2^64 - 1")
    return first >> 32, first & 0xFFFFFFFF


def game_key(
    key: Key[Array, ""], high: UInt32[Array, ""], low: UInt32[Array, ""], offset: UInt32[Array, ""]
) -> Key[Array, ""]:
    """Key of the game `offset` places after the one numbered `high` · 2³² + `low`."""
    number = low + offset
    carried = high + (number < low).astype(jnp.uint32)
    return jax.random.fold_in(jax.random.fold_in(key, carried), number)


def game_keys(
    key: Key[Array, ""], high: UInt32[Array, ""], low: UInt32[Array, ""], games: int
) -> Key[Array, " N"]:
    """Keys of `games` games from the one numbered `high` · 2³² + `low` on."""
    offsets = jnp.arange(games, dtype=jnp.uint32)
    return jax.vmap(lambda offset: game_key(key, high, low, offset))(offsets)


def board_keys(
    key: Key[Array, ""], high: UInt32[Array, ""], low: UInt32[Array, ""], games: int
) -> Key[Array, " N"]:
    """Keys of the boards of `games` games from the one numbered `high` · 2³² + `low` on."""
    return jax.vmap(lambda own: stream(own, BOARD))(game_keys(key, high, low, games))


def stream(key: Key[Array, ""], which: int) -> Key[Array, ""]:
    """One of the streams of a game."""
    return jax.random.fold_in(key, which)
