"""Numbered games, batch after batch, sharded over all devices.

One compiled program per (game, hunter, hider, bucket) draws the boards, plays them and counts
their shots, all on the devices. The host hands out ranges of game numbers and adds the counts up
in 64 bits, so a result depends on the seed and the game numbers alone, never on batch size,
devices or pauses.
"""

import functools
import time
from collections.abc import Iterator
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import PartitionSpec
from jaxtyping import Array, Bool, Int16, Int32, Int64, Key, UInt32

from bsjax.hide.base import Hider, boards
from bsjax.play.games import Played, play
from bsjax.policies.base import Policy
from bsjax.runtime import devices, streams
from bsjax.runtime.memory import Bucket

AXIS = "games"
LAUNCH_SECONDS = 5.0
"""Length of one launch, so that progress and checkpoints never wait long for a slow hunter."""


class Batch(NamedTuple):
    """Results of a range of game numbers, in order."""

    first: int
    games: int
    histogram: Int64[np.ndarray, " T"]
    """Games by number of shots, T = C + 1."""
    shots: Int16[np.ndarray, " n"] | None
    """Shots of each game, where asked for."""
    shot_at: Int16[np.ndarray, "n C"] | None
    """Order of the shots (−1 = not fired), where asked for."""


class Launched(NamedTuple):
    """What one launch leaves on the devices; every array leads with the device axis D."""

    histogram: Int32[Array, "D T"]
    fine: Bool[Array, " D"]
    played: Played


@functools.partial(jax.jit, static_argnames=("bucket", "record", "mesh"))
def _sharded(
    policy: Policy,
    hider: Hider,
    key: Key[Array, ""],
    high: UInt32[Array, ""],
    low: UInt32[Array, ""],
    count: Int32[Array, ""],
    *,
    bucket: Bucket,
    record: bool,
    mesh: jax.sharding.Mesh,
) -> Launched:
    """Draw and play `count` games, each device its share of the numbers."""

    def local(policy: Policy, hider: Hider, key: Array, high: Array, low: Array, count: Array):
        share = -(-count // mesh.size)
        skipped = jax.lax.axis_index(AXIS) * share
        mine = jnp.clip(count - skipped, 0, share)
        first = low + skipped.astype(jnp.uint32)
        carried = high + (first < low).astype(jnp.uint32)
        keys = streams.board_keys(key, carried, first, bucket.games)
        placed = hider.place(keys, mine, bucket.slots)
        layouts = boards(policy.game, placed.placements)
        own = streams.game_keys(key, carried, first, bucket.games)
        played = play(policy, layouts, own, mine, slots=bucket.slots, record=record)
        valid = jnp.arange(bucket.games) < mine
        bins = policy.game.cells + 1
        # Games past the share are counted nowhere: their bin is out of range and dropped.
        slot = jnp.where(valid, played.shots, bins).astype(jnp.int32)
        histogram = jnp.zeros(bins, jnp.int32).at[slot].add(1, mode="drop")
        fine = ((placed.found & played.legal) | ~valid).all()
        return jax.tree.map(lambda x: x[None], Launched(histogram, fine, played))

    whole, split = PartitionSpec(), PartitionSpec(AXIS)
    mapped = jax.shard_map(
        local, mesh=mesh, in_specs=(whole,) * 6, out_specs=split, check_vma=False
    )
    return mapped(policy, hider, key, high, low, count)


class _Pace:
    """Games per launch: as many as take about `LAUNCH_SECONDS`, within bounds."""

    def __init__(self, least: int, most: int):
        self.most = most
        self.games = min(least, most)
        self.start()

    def start(self) -> None:
        """Launches follow from now on; the length found before is kept."""
        self._since = time.monotonic()

    def count(self, games: int) -> None:
        """A launch of this many games has ended."""
        now = time.monotonic()
        fitting = int(games / max(now - self._since, 1e-3) * LAUNCH_SECONDS)
        # Grow step by step: the first launches also wait for what was started before them.
        self.games = max(min(fitting, 4 * self.games, self.most), 1)
        self._since = now


class Simulator:
    """Plays ranges of numbered games of one hunter against one hider.

    Args of the constructor:
        policy: the hunter.
        hider: draws the boards; same game as the hunter.
        seed: seed of the run.
        bucket: static sizes per device; change the speed, not the results.
        shots: hand out the shots of every game.
        record: hand out the order of the shots of every game.
        on: devices, by default all local ones.

    Attributes:
        compile_seconds: time spent compiling (or loading from the compilation cache).
    """

    def __init__(
        self,
        policy: Policy,
        hider: Hider,
        seed: int,
        bucket: Bucket,
        *,
        shots: bool = False,
        record: bool = False,
        on: tuple[devices.Device, ...] | None = None,
    ):
        if policy.game != hider.game:
            raise ValueError(f"the hunter plays {policy.game}, the hider {hider.game}")
        self.policy, self.hider, self.bucket = policy, hider, bucket
        self.mesh = devices.mesh(AXIS, on)
        self.key = jax.random.key(seed)
        self._shots = shots
        self._pace = _Pace(bucket.slots * self.mesh.size, self.most)
        started = time.perf_counter()
        self.program = _sharded.lower(
            *self._arguments(0, 0), bucket=bucket, record=record, mesh=self.mesh
        ).compile()
        self.compile_seconds = time.perf_counter() - started

    @property
    def most(self) -> int:
        """Games that one launch can play."""
        return self.bucket.games * self.mesh.size

    def play(self, first: int, games: int) -> Iterator[Batch]:
        """Play games first … first + games − 1, launch by launch.

        The next launch is already running while a batch is handed out.

        Raises:
            ValueError: the hider found no board, or the hunter fired at a cell twice.
        """
        pace = self._pace
        pace.start()
        ahead: tuple[int, int, Launched] | None = None
        start, end = first, first + games
        while start < end or ahead is not None:
            running, count = None, min(pace.games, end - start)
            if count > 0:
                running = start, count, self.program(*self._arguments(start, count))
            if ahead is not None:
                batch = self._collect(*ahead)
                pace.count(batch.games)
                yield batch
            ahead, start = running, start + count

    def _collect(self, first: int, count: int, launched: Launched) -> Batch:
        if not np.asarray(launched.fine).all():
            raise ValueError(
                f"in games {first} to {first + count - 1} no board was found, or the hunter fired "
                f"at a cell twice"
            )
        share = -(-count // self.mesh.size)
        taken = [min(share, max(count - d * share, 0)) for d in range(self.mesh.size)]

        def joined(rows: Array) -> np.ndarray:
            host = np.asarray(rows)
            return np.concatenate([host[d, :n] for d, n in enumerate(taken)])

        order = launched.played.shot_at
        return Batch(
            first=first,
            games=count,
            histogram=np.asarray(launched.histogram).astype(np.int64).sum(0),
            shots=joined(launched.played.shots) if self._shots else None,
            shot_at=None if order is None else joined(order),
        )

    def _arguments(self, first: int, count: int) -> tuple:
        high, low = streams.split_number(first)
        words = np.uint32(high), np.uint32(low), np.int32(count)
        return self.policy, self.hider, self.key, *words
