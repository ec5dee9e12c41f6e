"""Games in lockstep: each slot holds one game, every step is one shot in every slot.

Written for one game; `bsjax.runtime.lockstep` batches it and refills finished slots.
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Int8, Int16, Int32, Key

from bsjax.game.observation import impossible
from bsjax.policies.base import Policy
from bsjax.policies.playing import GameState, finished, shoot, start
from bsjax.runtime import lockstep

STRIDE = 4
"""Shots between two refills: fewer idle slots against fewer refills."""


class Played(NamedTuple):
    """What is kept of a finished game."""

    shots: Int16[Array, ""]
    """Shots until the fleet was sunk."""
    legal: Bool[Array, ""]
    """False if the hunter broke its contract; its shots then mean nothing."""
    shot_at: Int16[Array, " C"] | None
    """Order of the shots (−1 = not fired), or None where it was not asked for."""


def play(
    policy: Policy,
    boards: Int8[Array, "N C"],
    keys: Key[Array, " N"],
    count: Int32[Array, ""],
    *,
    slots: int,
    record: bool,
) -> Played:
    """Play one game on each of the first `count` boards.

    Args:
        policy: the hunter, bound to its game.
        boards: ship on each cell, −1 for water.
        keys: key of each game (`bsjax.runtime.streams.game_keys`).
        count: games to play, at most N; results from there on are zero.
        slots: games advanced together; changes the speed, not the result.
        record: keep the order of the shots, 2·C bytes a game.
    """

    def begin(number: Int32[Array, ""]) -> GameState:
        state = start(policy, boards[number], keys[number])
        # Beyond the last game there is no board, and nothing to hunt.
        there = number < count
        seen = jax.tree.map(
            lambda mine, other: jnp.where(there, mine, other),
            state.observation,
            impossible(state.observation),
        )
        return state._replace(legal=there, observation=seen)

    def keep(state: GameState) -> Played:
        seen = state.observation
        return Played(seen.shots, state.legal, seen.shot_at if record else None)

    return lockstep.run(
        begin,
        lambda state: shoot(policy, state),
        finished,
        keep,
        tasks=boards.shape[0],
        count=count,
        slots=slots,
        stride=STRIDE,
    )
