"""One game again, by its number: the same board, the same shots."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Int8, Int16, Key, UInt32

from bsjax.hide.base import Hider, boards
from bsjax.play.simulate import Simulator
from bsjax.policies.base import Policy
from bsjax.runtime import streams
from bsjax.runtime.memory import Bucket

_SLOTS = 1024


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
    return boards_of(hider, seed, number, 1)[0], shot_order(batch.shot_at[0])


def boards_of(hider: Hider, seed: int, first: int, games: int) -> Int8[np.ndarray, "N C"]:
    """Ship on each cell (−1 for water) in games first … first + games − 1.

    They are the boards that every hunter meets under this seed and hider.
    """
    high, low = map(jnp.uint32, streams.split_number(first))
    return np.asarray(_draw(hider, jax.random.key(seed), high, low, games))


@functools.partial(jax.jit, static_argnames="games")
def _draw(
    hider: Hider, key: Key[Array, ""], high: UInt32[Array, ""], low: UInt32[Array, ""], games: int
) -> Int8[Array, "N C"]:
    keys = streams.board_keys(key, high, low, games)
    placed = hider.place(keys, jnp.int32(games), min(games, _SLOTS))
    return boards(hider.game, placed.placements)


def shot_order(shot_at: Int16[np.ndarray, " C"]) -> list[int]:
    """Cells in the order they were fired at, from the number of the shot at each cell."""
    fired = np.flatnonzero(shot_at >= 0)
    return fired[np.argsort(shot_at[fired], kind="stable")].tolist()
