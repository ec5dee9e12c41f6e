"""Many games on each of given boards, boards × games in one lockstep: histograms of whole numbers.

Game g on row r of R boards has the number g·R + r, and its dice and its turn come from that number
alone, so no batch size and no device count changes a result, and more games go on with the same.

**The same games on every board.** With `common`, the dice and the turn come from g instead: game g
is the same on all boards, up to what the board answers. Differences between boards are then less
noisy wherever a hunter does alike on them, and a row is independent of the rows beside it.
"""

from collections.abc import Callable
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import PartitionSpec
from jaxtyping import Array, Bool, Int8, Int32, Int64, Key, UInt32

from bsjax.evaluate.massive import Limits, Run, size_of
from bsjax.game.symmetry import cell_images
from bsjax.play.games import Played, play
from bsjax.policies.base import Policy
from bsjax.runtime import devices, streams
from bsjax.runtime.memory import Bucket

AXIS = "games"
MANY = 1 << 30
"""Games for which the launches are sized."""
_DEFAULT = Limits()


def by_board(
    key: Key[Array, ""],
    policy: Policy,
    boards: Int8[np.ndarray, "R C"],
    games: int,
    *,
    first: int = 0,
    turned: bool = True,
    common: bool = False,
    room: int = 1,
    sized: int = MANY,
    limits: Limits = _DEFAULT,
    progress: Callable[[int, int], None] | None = None,
) -> Int64[np.ndarray, "R T"]:
    """Games over at shot 0, 1, … C on each board.

    Args:
        key: consumed by the games first … first + games − 1 of these boards.
        policy: the hunter.
        boards: ship on each cell, −1 for water; nothing is checked.
        games: games on each board.
        first: number of the first game on each board.
        turned: turn the board at random in every game. One board stands for all its turned ones.
        common: play the same games on every board.
        room: rows that the compiled program has room for at least; changes no result.
        sized: games that a launch is sized for; changes no result.
        limits: memory and slots; they change no result.
        progress: called after every launch with the games played and all games.

    Raises:
        ValueError: no games, or the hunter fired at a cell twice.
    """
    rows = len(boards)
    if games < 1 or rows < 1:
        raise ValueError(f"{games} games on {rows} boards: play at least one on one")
    mesh = devices.mesh(AXIS)
    bucket = size_of(policy, Run("", sized, policy.game), limits, devices=mesh.size)
    images = cell_images(policy.game.size)
    images = jnp.asarray(images if turned else images[:1], jnp.int32)
    # One compiled program however few boards are asked for.
    table = np.full((max(rows, room), policy.game.cells), -1, np.int8)
    table[:rows] = boards
    table = jnp.asarray(table)
    histogram = np.zeros((rows, policy.game.cells + 1), np.int64)
    launch, total = bucket.games * mesh.size, games * rows
    for done in range(0, total, launch):
        count, number = min(launch, total - done), first * rows + done
        high, low = map(np.uint32, streams.split_number(number // rows if common else number))
        words = high, low, *map(np.int32, (rows, number % rows, count)), np.bool_(common)
        found, legal = _launch(policy, table, images, key, *words, bucket=bucket, mesh=mesh)
        if not np.asarray(legal).all():
            raise ValueError("the hunter fired at a cell twice")
        histogram += np.asarray(found)[:, :rows].sum(0, dtype=np.int64)
        if progress is not None:
            progress(done + count, total)
    return histogram


@partial(jax.jit, static_argnames=("bucket", "mesh"))
def _launch(
    policy: Policy,
    boards: Int8[Array, "R C"],
    images: Int32[Array, "G C"],
    key: Key[Array, ""],
    high: UInt32[Array, ""],
    low: UInt32[Array, ""],
    rows: Int32[Array, ""],
    row: Int32[Array, ""],
    count: Int32[Array, ""],
    common: Bool[Array, ""],
    *,
    bucket: Bucket,
    mesh: jax.sharding.Mesh,
) -> tuple[Int32[Array, "D R T"], Bool[Array, " D"]]:
    """`count` games from number (`high`, `low`), the first of them on board `row`, on all
    devices."""

    def local(policy: Policy, boards: Array, images: Array, key: Array, *words: Array):
        high, low, rows, row, count, common = words
        share = -(-count // mesh.size)
        skipped = jax.lax.axis_index(AXIS) * share
        mine = jnp.clip(count - skipped, 0, share)
        number = skipped + jnp.arange(bucket.games, dtype=jnp.int32)
        place = row + number
        ahead = jnp.where(common, place // rows, number).astype(jnp.uint32)
        keys = jax.vmap(lambda n: streams.game_key(key, high, low, n))(ahead)
        played = _played(policy, boards, images, keys, place % rows, mine, bucket.slots)
        valid, times = jnp.arange(bucket.games) < mine, policy.game.cells + 1
        # Games past the share are counted nowhere: their bin is out of range and dropped.
        bins = boards.shape[0] * times
        at = jnp.where(valid, place % rows * times + played.shots.astype(jnp.int32), bins)
        counts = jnp.zeros(bins, jnp.int32).at[at].add(1, mode="drop")
        return counts.reshape(1, -1, times), (played.legal | ~valid).all()[None]

    whole, split = PartitionSpec(), PartitionSpec(AXIS)
    mapped = jax.shard_map(
        local, mesh=mesh, in_specs=(whole,) * 10, out_specs=split, check_vma=False
    )
    return mapped(policy, boards, images, key, high, low, rows, row, count, common)


def _played(
    policy: Policy,
    boards: Int8[Array, "R C"],
    images: Int32[Array, "G C"],
    keys: Key[Array, " N"],
    rows: Int32[Array, " N"],
    count: Int32[Array, ""],
    slots: int,
) -> Played:
    """The first `count` games, each with a key and a row of its own."""
    own = jax.vmap(lambda key: streams.stream(key, streams.BOARD))(keys)
    turn = jax.vmap(lambda key: jax.random.randint(key, (), 0, images.shape[0]))(own)
    dealt = jnp.take_along_axis(boards[rows], images[turn], axis=1)

    return play(policy, dealt, keys, count, slots=slots, record=False)
