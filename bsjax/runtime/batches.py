"""Functions that take a whole batch at once, called from code that is written for one game.

`vmap` turns a function of one game into one of many by doing every step for all games side by
side. Where the games of a batch are better served together, by one list of work that has as many
entries as all of them need, a function of the batch takes its place.
"""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from jax.custom_batching import custom_vmap
from jaxtyping import PyTree


def together(many: Callable[..., PyTree]) -> Callable[..., PyTree]:
    """A function of one game from a function of a batch.

    Args:
        many: takes `shared`, which all games have in common, and pytrees with a leading axis B on
            every array; returns a pytree with that axis.

    Returns:
        A function of `shared` and pytrees without the axis. Under `vmap`, nested or not, all
        games of all axes are one call of `many`.

    Raises:
        ValueError: `shared` differs between the games of a batch.
    """
    batched = custom_vmap(many)

    @batched.def_vmap
    def _(size: int, is_batched: Any, shared: PyTree, *given: PyTree) -> tuple[PyTree, PyTree]:
        if any(jax.tree.leaves(is_batched[0])):
            raise ValueError("what all games of a batch share differs between them")

        def flat(x: jax.Array, own: bool) -> jax.Array:
            whole = x if own else jnp.broadcast_to(x, (size, *x.shape))
            return whole.reshape(-1, *whole.shape[2:])

        found = batched(shared, *jax.tree.map(flat, given, tuple(is_batched[1:])))
        found = jax.tree.map(lambda x: x.reshape(size, -1, *x.shape[1:]), found)
        return found, jax.tree.map(lambda _: True, found)

    def one(shared: PyTree, *given: PyTree) -> PyTree:
        found = batched(shared, *jax.tree.map(lambda x: x[None], given))
        return jax.tree.map(lambda x: x[0], found)

    return one
