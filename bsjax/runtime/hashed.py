"""Many random words from one key, cheaper than one threefry draw each.

A key is spent once; an integer hash of it and of a number then gives each number its own 32 random
bits. The hash is the two-round multiply-xorshift finalizer with the constants of the lowbias32
search (Wellons, "Prospecting for hash functions", 2018), with the second key word mixed in between
the rounds.
"""

import jax
import jax.numpy as jnp
from jaxtyping import Array, Key, UInt32


def hashed(key: Key[Array, ""], number: UInt32[Array, "*n"]) -> UInt32[Array, "*n"]:
    """32 random bits for each number. The key is consumed.

    Cost: 11 integer operations a word.
    """
    words = jax.random.key_data(key)
    x = words[0] + number * jnp.uint32(0x9E3779B9)
    x = (x ^ (x >> 16)) * jnp.uint32(0x7FEB352D)
    x = x ^ words[1]
    x = (x ^ (x >> 15)) * jnp.uint32(0x846CA68B)
    return x ^ (x >> 16)
