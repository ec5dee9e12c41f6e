"""Sets of placements as rows of 32-bit words.

Every ship starts at a word of its own, so that its placements are a slice of whole words: 25 words
hold the 760 placements of the classic fleet. The intersection of two sets is one `and` a word, the
size of a set one population count a word, and its r-th member a few steps of bisection.
"""

from functools import lru_cache
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Int32, UInt32

from bsjax.game.game import Game
from bsjax.game.placements import WORD, packed
from bsjax.posterior.bits import pack as pack_bits
from bsjax.posterior.bits import set_bit
from bsjax.posterior.tables import tables


class Words(NamedTuple):
    """Sets of placements of a game; W words, K ships, G placements, C cells."""

    start: tuple[int, ...]
    """First word of each ship, and W: K + 1 entries."""
    number: Int32[np.ndarray, " W32"]
    """Placement of each bit, G where there is none."""
    meets: UInt32[np.ndarray, "G1 W"]
    """What cannot stand together with each placement; nothing for "none"."""
    through: UInt32[np.ndarray, "C1 W"]
    """What covers each cell; nothing for "no cell"."""
    ship: UInt32[np.ndarray, "K W"]
    """What places each ship."""


@lru_cache(maxsize=16)
def words(game: Game) -> Words:
    """The sets of a game, W·4 bytes each."""
    table = tables(game)
    counts = np.diff(table.start)
    start = np.append(0, np.cumsum(-(-counts // WORD)))
    number = np.full(start[-1] * WORD, table.start[-1], np.int32)
    for ship, count in enumerate(counts):
        first = start[ship] * WORD
        number[first : first + count] = np.arange(count) + table.start[ship]
    made = Words(
        tuple(start.tolist()),
        number,
        packed(np.pad(table.meets[:, :-1], ((0, 0), (0, 1)))[:, number]),
        packed(table.masks.T[:, number]),
        packed(table.ship[number] == np.arange(game.ships)[:, None])
        & packed(number < table.start[-1]),
    )
    for part in made[1:]:
        part.setflags(write=False)
    return made


def pack(game: Game, chosen: Bool[Array, " G1"]) -> UInt32[Array, " W"]:
    """A set from one flag per placement, the last for "none", which is in no set."""
    return pack_bits(chosen.at[-1].set(False)[words(game).number].reshape(-1, WORD))


def unpack(game: Game, chosen: UInt32[Array, " W"], ship: int) -> Bool[Array, " P"]:
    """Which placements of a ship are in a set."""
    start, count = words(game).start, int(np.diff(tables(game).start)[ship])
    own = chosen[start[ship] : start[ship + 1], None] >> jnp.arange(WORD, dtype=jnp.uint32)[None]
    return (own & 1).astype(bool).reshape(-1)[:count]


def size(chosen: UInt32[Array, " W"]) -> Int32[Array, ""]:
    """Members of a set."""
    return jax.lax.population_count(chosen).astype(jnp.int32).sum()


def member(game: Game, chosen: UInt32[Array, " W"], rank: Int32[Array, ""]) -> Int32[Array, ""]:
    """The member of this rank, from 0, in the order of numbers; G if there are not so many."""
    counts = jax.lax.population_count(chosen).astype(jnp.int32)
    behind = jnp.cumsum(counts)
    row = jnp.minimum((behind <= rank).sum(dtype=jnp.int32), len(chosen) - 1)
    below = rank - (behind[row] - counts[row])
    bit = set_bit(chosen[row], below.astype(jnp.uint32)).astype(jnp.int32)
    found = jnp.asarray(words(game).number)[row * WORD + bit]
    return jnp.where(rank < behind[-1], found, tables(game).start[-1])
