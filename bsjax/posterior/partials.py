"""Some ships placed: how a partial branches, and when it is a leaf, on the device.

As in `bsjax.posterior.leaves`, for one partial at a time and batched by `vmap`: hits are explained
first, then the ship with the fewest free placements is placed, until at most three are free. Sets
of placements are words (`bsjax.posterior.words`).
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Int32, UInt32

from bsjax.game.game import Game
from bsjax.posterior.evidence import Evidence
from bsjax.posterior.leaves import FREE
from bsjax.posterior.plan import Plan
from bsjax.posterior.tables import tables
from bsjax.posterior.words import pack, size, words


class Partials(NamedTuple):
    """Some of the ships placed, N rows; K ships."""

    owner: Int32[Array, " N"]
    """Game."""
    place: Int32[Array, "N K"]
    """Placement of every ship, G for those not placed."""
    ways: Int32[Array, " N"]
    """Ways to name the interchangeable ships."""


class Sets(NamedTuple):
    """Evidence of B games as sets of placements, W words each."""

    allowed: UInt32[Array, "B W"]
    free: UInt32[Array, "B W"]
    hits: Int32[Array, "B H"]


def sets_of(game: Game, evidence: Evidence) -> Sets:
    """The evidence of B games, a leading axis on every field, as sets."""
    allowed, free = (
        jax.vmap(lambda chosen: pack(game, chosen))(part)
        for part in (evidence.allowed, evidence.free)
    )
    return Sets(allowed, free, evidence.hits)


def nothing(game: Game, rows: int) -> Partials:
    """Room for partials, none of which places a ship."""
    none = tables(game).start[-1]
    return Partials(
        jnp.zeros(rows, jnp.int32),
        jnp.full((rows, game.ships), none, jnp.int32),
        jnp.ones(rows, jnp.int32),
    )


def options_of(
    game: Game, plan: Plan, sets: Sets, one: Partials
) -> tuple[UInt32[Array, " W"], Int32[Array, " K"], Int32[Array, ""]]:
    """Placements with which a partial branches, choices of each ship's name, and branches.

    A partial that is a leaf already (a game before its first step) has one branch, to itself.
    """
    pieces, table = words(game), tables(game)
    waiting = one.place == table.start[-1]
    alike = waiting[None] & (plan.first[:, None] == plan.first)
    turn = waiting & ~(alike & np.tri(game.ships, k=-1, dtype=bool)).any(1)
    bare = _bare(game, sets, one)
    hit = sets.hits[one.owner, bare.argmax()]
    taken = met(game, one)
    own = jnp.asarray(pieces.ship)
    whose = jnp.where(turn[:, None], own, 0)
    explaining = sets.allowed[one.owner] & ~taken & jnp.asarray(pieces.through)[hit] & _any(whose)
    free = sets.free[one.owner] & ~taken
    counts = jnp.where(waiting, jax.vmap(lambda part: size(free & part))(own), table.start[-1])
    placing = free & own[counts.argmin()]
    leaf = ~bare.any() & (waiting.sum() <= FREE)
    chosen = jnp.where(bare.any(), explaining, jnp.where(leaf, jnp.uint32(0), placing))
    choices = jnp.where(bare.any(), alike.sum(1, dtype=jnp.int32), 1)
    return chosen, choices, jnp.where(leaf, 1, size(chosen))


def group_of(game: Game, plan: Plan, sets: Sets, one: Partials) -> Array:
    """Group of a partial if it is a leaf, −1 otherwise; int16."""
    waiting = one.place == tables(game).start[-1]
    found = jnp.asarray(plan.group)[set_number(waiting)]
    return jnp.where(_bare(game, sets, one).any(), jnp.int16(-1), found)


def set_number(waiting: Bool[Array, " K"]) -> Int32[Array, ""]:
    """A set of ships as a number, ship k in bit k."""
    bits = jnp.left_shift(1, np.arange(len(waiting), dtype=np.int32))
    return jnp.where(waiting, bits, 0).sum()


def _bare(game: Game, sets: Sets, one: Partials) -> Bool[Array, " H"]:
    """Hits that no ship placed covers."""
    hits = sets.hits[one.owner]
    covered = jnp.asarray(tables(game).masks)[one.place[:, None], hits[None]].any(0)
    return (hits < game.cells) & ~covered


def met(game: Game, one: Partials) -> UInt32[Array, " W"]:
    """What cannot stand together with the ships placed."""
    return _any(jnp.asarray(words(game).meets)[one.place])


def _any(sets: UInt32[Array, "N W"]) -> UInt32[Array, " W"]:
    """The union of some sets."""
    return jax.lax.reduce(sets, np.uint32(0), jax.lax.bitwise_or, (0,))
