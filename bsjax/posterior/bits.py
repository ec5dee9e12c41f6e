"""Bits of 32-bit words: packed from flags, counted, and chosen among uniformly.

The r-th set bit is found by counting: first the word by running totals, then the bit by five
halvings. Everything is elementwise over the draws, 16 or more of which a processor does at once.
"""

from collections.abc import Sequence

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, UInt32

from bsjax.game.placements import WORD


def pack(bits: Bool[Array, "*n 32"]) -> UInt32[Array, "*n"]:
    """Bits as words, the first one lowest."""
    place = jnp.arange(WORD, dtype=jnp.uint32).reshape(*(1,) * (bits.ndim - 1), WORD)
    return (bits.astype(jnp.uint32) << place).sum(-1, dtype=jnp.uint32)


def pick(
    words: Sequence[UInt32[Array, "*n"]], bits: UInt32[Array, "*n"]
) -> tuple[UInt32[Array, "*n"], UInt32[Array, "*n"]]:
    """A uniformly random set bit.

    Args:
        words: the words, up to 2¹⁶ bits set in all.
        bits: 32 random bits each.

    Returns:
        How many bits are set, and the number of the one picked: 32·word + bit. It means nothing
        if none is set. No bit is likelier than another by more than one part in 2³² / count.

    Cost: 45 operations and 6 a word.
    """
    before, count = [], jnp.zeros_like(bits)
    for word in words:
        before.append(count)
        count = count + jax.lax.population_count(word)
    rank = _below(bits, count)
    chosen, passed, base = words[0], before[0], jnp.zeros_like(bits)
    for number in range(1, len(words)):
        beyond = rank >= before[number]
        chosen = jnp.where(beyond, words[number], chosen)
        passed = jnp.where(beyond, before[number], passed)
        base = jnp.where(beyond, jnp.uint32(WORD * number), base)
    return count, base + set_bit(chosen, rank - passed)


def _below(bits: UInt32[Array, "*n"], bound: UInt32[Array, "*n"]) -> UInt32[Array, "*n"]:
    """⌊bits · bound / 2³²⌋ for bound ≤ 2¹⁶; JAX has no 64-bit product by default."""
    return ((bits >> 16) * bound + ((bits & 0xFFFF) * bound >> 16)) >> 16


def set_bit(word: UInt32[Array, "*n"], rank: UInt32[Array, "*n"]) -> UInt32[Array, "*n"]:
    """Place of the set bit that has `rank` set bits below it."""
    place = jnp.zeros_like(word)
    for width in (16, 8, 4, 2, 1):
        low = jax.lax.population_count(word & ((1 << width) - 1))
        above = rank >= low
        rank = jnp.where(above, rank - low, rank)
        word = jnp.where(above, word >> width, word)
        place = jnp.where(above, place + width, place)
    return place
