"""Games in lockstep: each slot holds one game, every step is one shot in every slot.

Written for one game; `bsjax.runtime.lockstep` batches it and refills finished slots.
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Int8, Int16, Int32, Key, PyTree, UInt32

from bsjax.game.firing import fire
from bsjax.game.observation import UNFIRED, Observation, blank, closed
from bsjax.policies.base import Policy
from bsjax.runtime import lockstep, streams

STRIDE = 4
"""Shots between two refills: fewer idle slots against fewer refills."""


class GameState(NamedTuple):
    """One game in progress."""

    board: Int8[Array, " C"]
    """Ship on each cell, −1 for water."""
    left: Int8[Array, " K"]
    """Cells of each ship not hit yet."""
    observation: Observation
    carry: PyTree
    """State of the hunter."""
    dice: Key[Array, ""]
    """Key of the hunter's random choices; shot t uses `fold_in(dice, t)`."""
    legal: Bool[Array, ""]
    """Whether every shot so far went to a cell not fired at."""


class Played(NamedTuple):
    """What is kept of a finished game."""

    shots: Int16[Array, ""]
    """Shots until the fleet was sunk."""
    legal: Bool[Array, ""]
    """False if the hunter broke its contract; its shots then mean nothing."""
    shot_at: Int16[Array, " C"] | None
    """Order of the shots (−1 = not fired), or None where it was not asked for."""


def start(policy: Policy, board: Int8[Array, " C"], key: Key[Array, ""]) -> GameState:
    """A game before its first shot; `key` is the game's own (`streams.game_key`)."""
    game = policy.game
    return GameState(
        board=board,
        left=jnp.asarray(np.array(game.fleet, np.int8)),
        observation=blank(game),
        carry=policy.init(streams.stream(key, streams.OPENING)),
        dice=streams.stream(key, streams.DICE),
        legal=jnp.bool_(True),
    )


def finished(state: GameState) -> Bool[Array, ""]:
    """Whether the fleet is sunk or the game had to stop."""
    return (state.left == 0).all() | ~state.legal


def shoot(policy: Policy, state: GameState) -> GameState:
    """One shot; a finished game stays as it is."""
    observation = state.observation
    key = jax.random.fold_in(state.dice, observation.shots)
    cell, carry = policy.act(key, observation, state.carry)
    over = finished(state)
    legal = (cell >= 0) & (cell < policy.game.cells) & (observation.mark[cell] == UNFIRED)
    cell = jnp.where(over | ~legal, -1, cell)
    left, observation = fire(policy.game, state.board, state.left, observation, cell)
    return GameState(
        board=state.board,
        left=left,
        observation=observation,
        carry=jax.tree.map(lambda new, old: jnp.where(over, old, new), carry, state.carry),
        dice=state.dice,
        legal=state.legal & (legal | over),
    )


def play(
    policy: Policy,
    boards: Int8[Array, "N C"],
    key: Key[Array, ""],
    high: UInt32[Array, ""],
    low: UInt32[Array, ""],
    count: Int32[Array, ""],
    *,
    slots: int,
    record: bool,
) -> Played:
    """Play one game on each of the first `count` boards.

    Args:
        policy: the hunter, bound to its game.
        boards: ship on each cell, −1 for water.
        key: key of the run; game i of the batch is number (`high`, `low`) + i.
        high: upper word of the first game's number.
        low: lower word of it.
        count: games to play, at most N; results from there on are zero.
        slots: games advanced together; changes the speed, not the result.
        record: keep the order of the shots, 2·C bytes a game.
    """

    def begin(number: Int32[Array, ""]) -> GameState:
        own = streams.game_key(key, high, low, number.astype(jnp.uint32))
        state = start(policy, boards[number], own)
        # Beyond the last game there is no board, and nothing to hunt.
        there = number < count
        seen = jax.tree.map(
            lambda mine, other: jnp.where(there, mine, other),
            state.observation,
            closed(state.observation),
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
