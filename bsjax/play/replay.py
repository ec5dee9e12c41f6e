"""One game again, by its number: the same board, the same shots."""

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Int8, Int16

from bsjax.hide.base import Hider, boards
from bsjax.play.simulate import Simulator
from bsjax.policies.base import Policy
from bsjax.runtime import streams
from bsjax.runtime.memory import Bucket


def replay(
    policy: Policy, hider: Hider, seed: int, number: int
) -> tuple[Int8[np.ndarray, " C"], list[int]]:
    """Board and shots of game `number` of a run.

    Returns:
        The ship on each cell (−1 for water), and the cells in the order they were fired at.

    Raises:
        ValueError: the number is out of range, or the game has no board.
    """
    simulator = Simulator(
        policy, hider, seed, Bucket(1, 1), record=True, on=(jax.local_devices()[0],)
    )
    (batch,) = simulator.play(number, 1)
    assert batch.shot_at is not None
    return board_of(hider, seed, number), shot_order(batch.shot_at[0])


def board_of(hider: Hider, seed: int, number: int) -> Int8[np.ndarray, " C"]:
    """Ship on each cell of the board of game `number`."""
    high, low = streams.split_number(number)
    key = streams.game_key(jax.random.key(seed), jnp.uint32(high), jnp.uint32(low), jnp.uint32(0))
    keys = streams.stream(key, streams.BOARD)[None]
    placed = jax.jit(lambda keys: hider.place(keys, jnp.int32(1), 1))(keys)
    return np.asarray(boards(hider.game, placed.placements)[0])


def shot_order(shot_at: Int16[np.ndarray, " C"]) -> list[int]:
    """Cells in the order they were fired at, from the number of the shot at each cell."""
    fired = np.flatnonzero(shot_at >= 0)
    return fired[np.argsort(shot_at[fired], kind="stable")].tolist()
