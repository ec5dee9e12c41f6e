"""Loops of unequal length: as a plain loop of each game, whatever the batch."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from bsjax.runtime.unequal import until


def collatz(shared, state):
    number, turns = state
    return jnp.where(number % 2 == 0, number // 2, shared * number + 1), turns + 1


@pytest.mark.parametrize("games", [1, 2, 31, 700])
@pytest.mark.parametrize("stride", [1, 3])
def test_every_game_takes_its_own_turns(games, stride):
    rng = np.random.default_rng(games)
    start = np.where(rng.random(games) < 0.5, 1, rng.integers(1, 2000, games)).astype(np.int32)
    loop = until(lambda state: state[0] == 1, collatz, stride=stride)

    @jax.jit
    @jax.vmap
    def run(number):
        return loop(jnp.int32(3), (number, jnp.int32(0)))

    number, turns = run(jnp.asarray(start))
    assert (np.asarray(number) == 1).all()
    for first, found in zip(start.tolist(), np.asarray(turns).tolist(), strict=True):
        expected = 0
        while first != 1:
            first, expected = (first // 2 if first % 2 == 0 else 3 * first + 1), expected + 1
        assert found == expected
    one = loop(jnp.int32(3), (jnp.int32(start[0]), jnp.int32(0)))
    assert int(one[1]) == int(turns[0])


def test_batches_within_batches_are_one():
    start = np.arange(1, 13, dtype=np.int32).reshape(3, 4)
    loop = until(lambda state: state[0] == 1, collatz, stride=2)
    nested = jax.vmap(jax.vmap(lambda number: loop(jnp.int32(3), (number, jnp.int32(0)))[1]))
    flat = jax.vmap(lambda number: loop(jnp.int32(3), (number, jnp.int32(0)))[1])
    np.testing.assert_array_equal(nested(start).ravel(), flat(start.ravel()))
