"""Loops that few of a batch's games go through for long.

Under `vmap` a `while_loop` takes as many turns of every game as any of them needs. Where most games
need none or one and some need hundreds, they are better served a few at a time.
"""

import functools
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, PyTree

from bsjax.runtime import lockstep
from bsjax.runtime.batches import together

_SHARE, _LEAST = 16, 32
"""Of a batch one game in `_SHARE` takes turns at once, but at least `_LEAST`."""


def until(
    done: Callable[[Any], Bool[Array, ""]],
    turn: Callable[[Any, Any], Any],
    *,
    stride: int,
) -> Callable[[PyTree, PyTree], PyTree]:
    """A loop of one game: take turns until it is done.

    Args:
        done: whether a state is final.
        turn: a turn, from what all games share and the state of one.
        stride: turns after which games that are done make room (`bsjax.runtime.lockstep`).

    Returns:
        A function of what is shared and a state that returns the final state.
    """

    def step(shared: PyTree, state: PyTree) -> PyTree:
        over = done(state)
        return jax.tree.map(lambda new, old: jnp.where(over, old, new), turn(shared, state), state)

    def many(shared: PyTree, states: PyTree) -> PyTree:
        over = jax.vmap(done)(states)
        games = len(over)
        order = jnp.argsort(over, stable=True)
        ended = lockstep.run(
            lambda number: jax.tree.map(lambda x: x[order[number]], states),
            functools.partial(step, shared),
            done,
            lambda state: state,
            tasks=games,
            count=(~over).sum(dtype=jnp.int32),
            slots=max(games // _SHARE, _LEAST),
            stride=stride,
        )
        target = jnp.where(over[order], games, order)
        return jax.tree.map(lambda x, y: x.at[target].set(y, mode="drop"), states, ended)

    return together(many)
