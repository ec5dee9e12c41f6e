"""Random choices among cells that cost less than one threefry draw per cell.

A key is spent once per decision; a hash of it and of the cell's number (`bsjax.runtime.hashed`)
then gives each cell its own 24 random bits.
"""

from collections.abc import Sequence

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float32, Int32, Key, UInt32

from bsjax.runtime.hashed import hashed

Score = Int32[Array, " C"]
"""A number above −2³¹ for each cell, larger is better."""

_INDEX_BITS = 8
"""Cells number at most 256, so a cell index fits beside 24 random bits in one word."""


def cell_bits(key: Key[Array, ""], cells: int) -> UInt32[Array, " C"]:
    """32 random bits for each of `cells` cells. The key is consumed."""
    return hashed(key, jnp.arange(cells, dtype=jnp.uint32))


def uniform_cell(key: Key[Array, ""], allowed: Bool[Array, " C"]) -> Int32[Array, ""]:
    """A uniformly random allowed cell; cell 0 if none is allowed. The key is consumed.

    Each allowed cell draws 24 bits and the largest wins; equal draws, one pair in 2²⁴, go to the
    later cell.
    """
    cells = allowed.shape[0]
    bits = cell_bits(key, cells) >> _INDEX_BITS << _INDEX_BITS
    ticket = jnp.where(allowed, bits | jnp.arange(cells, dtype=jnp.uint32), jnp.uint32(0))
    return (ticket.max() & jnp.uint32((1 << _INDEX_BITS) - 1)).astype(jnp.int32)


def by_shares(key: Key[Array, ""], cumulative: Float32[Array, " H"]) -> Int32[Array, ""]:
    """A number drawn by shares that are added up; the last of them is 1. The key is consumed."""
    found = jnp.searchsorted(cumulative, jax.random.uniform(key), side="right")
    return jnp.minimum(found, len(cumulative) - 1).astype(jnp.int32)


def best_cell(
    key: Key[Array, ""], scores: Sequence[Score], allowed: Bool[Array, " C"]
) -> Int32[Array, ""]:
    """A uniformly random one of the best allowed cells. The key is consumed.

    Cells are compared by the first score, those equal in it by the second, and so on.
    """
    return uniform_cell(key, _best(scores, allowed))


def lowest_best_cell(scores: Sequence[Score], allowed: Bool[Array, " C"]) -> Int32[Array, ""]:
    """The best allowed cell as in `best_cell`, ties to the lowest index; cell 0 if none is."""
    return jnp.argmax(_best(scores, allowed)).astype(jnp.int32)


def best_cells(
    scores: Sequence[Score], allowed: Bool[Array, " C"], count: int
) -> Int32[Array, " N"]:
    """The best allowed cells, best first; others where there are not so many."""

    def take(left: Bool[Array, " C"], _: None) -> tuple[Bool[Array, " C"], Int32[Array, ""]]:
        best = lowest_best_cell(scores, left)
        return left.at[best].set(False), best

    return jax.lax.scan(take, allowed, length=count)[1]


def _best(scores: Sequence[Score], allowed: Bool[Array, " C"]) -> Bool[Array, " C"]:
    for score in scores:
        masked = jnp.where(allowed, score, jnp.iinfo(jnp.int32).min)
        allowed = allowed & (masked == masked.max())
    return allowed
