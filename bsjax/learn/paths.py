"""The path of a hunt: the cells it fires at for as long as all of them are water.

Hunts of a lottery differ most before anything is hit, so a network that is shown the path can play
any of them, seen or not: it needs to learn what a path is, not each hunt. A path is a number for
each cell, 1 for the first shot, 0 where the hunt would not fire, so it is turned like a board.
"""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Int16, PyTree

from bsjax.game.firing import fire
from bsjax.game.observation import UNFIRED, Observation, blank
from bsjax.learn.targets import Teacher

_State = tuple[Observation, PyTree, Bool[Array, ""], Int16[Array, " C"]]


@eqx.filter_jit
def paths_of(teacher: Teacher) -> Int16[Array, "H C"] | None:
    """The paths of the hunts that a teacher tells apart; None if it tells none apart.

    A path ends where the hunt knows that a ship must have been hit.

    Args:
        teacher: any.

    Cost: a game of C shots for each hunt, all in lockstep.
    """
    if teacher.shares is None:
        return None
    game = teacher.game
    water = jnp.full(game.cells, -1, jnp.int8)
    fleet = jnp.asarray(np.array(game.fleet, np.int8))
    key = jax.random.key(0)

    hunts = jnp.arange(len(teacher.shares), dtype=jnp.int32)
    # Hunts in lockstep inside the loop over shots, as in a lesson.
    begun = jax.vmap(lambda hunt: teacher.begin(hunt, water))(hunts)

    def one(state: _State, number: Int16[Array, ""]) -> _State:
        seen, carry, going, path = state
        label, thoughts = teacher.label(key, seen, carry)
        cell = jnp.argmax(label.moves).astype(jnp.int32)
        going = going & label.known & (seen.mark[cell] == UNFIRED)
        fired = jnp.where(going, cell, -1)
        _, seen = fire(game, water, fleet, seen, fired)
        path = path.at[cell].set(jnp.where(going, number, path[cell]))
        return seen, teacher.after(seen, fired, carry, thoughts), going, path

    def shot(states: PyTree, number: Int16[Array, ""]) -> tuple[PyTree, None]:
        return jax.vmap(one, in_axes=(0, None))(states, number), None

    first = blank(game), jnp.bool_(True), jnp.zeros(game.cells, jnp.int16)
    seen, going, path = jax.tree.map(lambda x: jnp.repeat(x[None], len(hunts), 0), first)
    numbers = jnp.arange(1, game.cells + 1, dtype=jnp.int16)
    (_, _, _, path), _ = jax.lax.scan(shot, (seen, begun, going, path), numbers)
    return path
