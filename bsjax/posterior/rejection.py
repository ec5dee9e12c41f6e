"""Layouts that agree with what was told, by the definition: draw boards, keep those that do.

Every board is uniform over all layouts, and every shot is fired at it again; it is kept if it
answers all of them as told. Nothing is reasoned about, so this is the simplest reference there is.
It serves short histories only: one classic layout in five has a ship on E5, and every further hit
takes about as large a factor.
"""

from functools import lru_cache
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Int8, Int32, Key

from bsjax.game.firing import fire
from bsjax.game.game import Game
from bsjax.game.observation import Observation, blank
from bsjax.hide.base import boards
from bsjax.hide.uniform import Uniform
from bsjax.posterior.tables import tables

_LAUNCH = 1 << 14
"""Boards of one launch: a few megabytes."""


class Kept(NamedTuple):
    """Independent layouts from the posterior; K ships."""

    placement: Int32[np.ndarray, "S K"]
    """Placement of every ship (`bsjax.posterior.tables`)."""
    attempts: int
    """Boards drawn. S / `attempts` estimates the share of all layouts that agree."""


def rejection(game: Game, observation: Observation, key: Key[Array, ""], attempts: int) -> Kept:
    """Draw this many boards and keep those that answer every shot as told.

    Args:
        game: the rules.
        observation: what was told; contradictory answers keep no board.
        key: consumed; board i comes from `fold_in(key, i)`.
        attempts: boards to draw.

    Raises:
        ValueError: boards of this game are found too rarely (`bsjax.hide.uniform`).

    Cost: 1 µs a board of the classic game on one core, after 2 s of compilation.
    """
    run, start = _compiled(game), np.array(tables(game).start[:-1], np.int32)
    seen = jax.tree.map(jnp.asarray, observation)
    found = []
    for first in range(0, attempts, _LAUNCH):
        placement, agrees = run(seen, key, jnp.int32(first), jnp.int32(attempts - first))
        found.append(np.asarray(placement, np.int32)[np.asarray(agrees)] + start)
    found.append(np.zeros((0, game.ships), np.int32))
    return Kept(np.concatenate(found), attempts)


@lru_cache(maxsize=16)
def _compiled(game: Game):
    hider = Uniform(game)

    @jax.jit
    def run(
        told: Observation, key: Key[Array, ""], first: Int32[Array, ""], left: Int32[Array, ""]
    ):
        number = jnp.arange(_LAUNCH, dtype=jnp.int32)
        keys = jax.vmap(lambda i: jax.random.fold_in(key, first + i))(number)
        drawn = hider.place(keys, jnp.minimum(left, _LAUNCH), slots=_LAUNCH)
        agrees = _agrees(game, boards(game, drawn.placements), told)
        return drawn.placements, agrees & drawn.found & (number < left)

    return run


def _agrees(game: Game, board: Int8[Array, "N C"], told: Observation) -> Bool[Array, " N"]:
    """Which boards answer every shot as told."""
    # Cells in the order they were shot; those not shot come last and are never reached.
    order = jnp.argsort(jnp.where(told.shot_at < 0, game.cells, told.shot_at.astype(jnp.int32)))
    shoot = jax.vmap(lambda *state: fire(game, *state), in_axes=(0, 0, 0, None))

    def again(shot: Int32[Array, ""], state: tuple):
        return shoot(board, *state, order[shot])

    games = board.shape[0]
    left = jnp.broadcast_to(jnp.asarray(np.array(game.fleet, np.int8)), (games, game.ships))
    seen = jax.tree.map(lambda x: jnp.broadcast_to(x, (games, *x.shape)), blank(game))
    _, seen = jax.lax.fori_loop(0, told.shots.astype(jnp.int32), again, (left, seen))
    same = (seen.answer == told.answer[None]) & (seen.ship_at == told.ship_at[None])
    return same.all(1)
