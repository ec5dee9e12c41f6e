"""One game of a hunter: its state, and one shot."""

from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Int8, Key, PyTree

from bsjax.game.firing import fire
from bsjax.game.observation import UNFIRED, Observation, blank
from bsjax.policies.base import Policy
from bsjax.runtime import streams


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
