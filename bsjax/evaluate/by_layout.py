"""Finishing times of a hunter on every layout: what a race and a worst case are made of.

A hunter that rolls dice is played many times on every layout (`by_layout`): a histogram of whole
numbers, of games that are numbered, so no batch size changes a result. Hunters whose only dice are
those between equal cells are followed exactly (`bsjax.evaluate.ties`), those without dice by the
tree pass.

**The lowest of many noisy readings is too low.** `lowest` therefore looks for the worst layout in
stages, each with more games on fewer layouts, and measures the last one left on games of its own.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import PartitionSpec
from jaxtyping import Array, Bool, Float64, Int8, Int32, Int64, Key, UInt32

from bsjax.evaluate.massive import Limits, Run, size_of
from bsjax.game.symmetry import cell_images
from bsjax.play.games import play
from bsjax.policies import Policy
from bsjax.posterior.listed import Listing
from bsjax.runtime import devices, streams
from bsjax.runtime.memory import Bucket

AXIS = "games"
_DEFAULT = Limits()
_MANY = 1 << 30
"""Games for which the launches are sized."""


def by_layout(
    key: Key[Array, ""],
    policy: Policy,
    listing: Listing,
    games: int,
    *,
    rows: Int64[np.ndarray, " R"] | None = None,
    turned: bool = True,
    limits: Limits = _DEFAULT,
    progress: Callable[[int, int], None] | None = None,
) -> Int64[np.ndarray, "R T"]:
    """Games over at shot 0, 1, … C on each layout.

    Args:
        key: consumed; game g on row r has the number g·R + r, so more games go on with the same.
        policy: the hunter.
        listing: layouts of his game.
        games: games on each layout.
        rows: rows of the listing to play on, all by default.
        turned: turn the board at random in every game. One row stands for all its turned layouts.
        limits: memory and slots; they change no result.
        progress: called after every launch with the games played and all games.

    Raises:
        ValueError: another game, no games, or the hunter fired at a cell twice.
    """
    if policy.game != listing.game:
        raise ValueError(f"the hunter plays {policy.game}, the layouts are of {listing.game}")
    rows = np.arange(len(listing)) if rows is None else rows
    if games < 1 or len(rows) < 1:
        raise ValueError(f"{games} games on {len(rows)} layouts: play at least one on one")
    total = games * len(rows)
    mesh = devices.mesh(AXIS)
    bucket = size_of(policy, Run("", _MANY, policy.game), limits, devices=mesh.size)
    images = cell_images(policy.game.size)
    images = jnp.asarray(images if turned else images[:1], jnp.int32)
    # Room for many games on all rows: one compiled program however few of them are asked for.
    boards = jnp.asarray(listing.boards())
    asked = jnp.zeros(max(len(listing), len(rows)), jnp.int32).at[: len(rows)].set(rows)
    histogram = np.zeros((len(rows), policy.game.cells + 1), np.int64)
    launch = bucket.games * mesh.size
    for first in range(0, total, launch):
        count = min(launch, total - first)
        high, low = map(np.uint32, streams.split_number(first))
        words = high, low, *map(np.int32, (len(rows), first % len(rows), count))
        tables = boards, images, asked
        found, legal = _launch(policy, *tables, key, *words, bucket=bucket, mesh=mesh)
        if not np.asarray(legal).all():
            raise ValueError("the hunter fired at a cell twice")
        histogram += np.asarray(found)[:, : len(rows)].sum(0, dtype=np.int64)
        if progress is not None:
            progress(first + count, total)
    return histogram


@partial(jax.jit, static_argnames=("bucket", "mesh"))
def _launch(
    policy: Policy,
    boards: Int8[Array, "M C"],
    images: Int32[Array, "G C"],
    asked: Int32[Array, " R"],
    key: Key[Array, ""],
    high: UInt32[Array, ""],
    low: UInt32[Array, ""],
    rows: Int32[Array, ""],
    row: Int32[Array, ""],
    count: Int32[Array, ""],
    *,
    bucket: Bucket,
    mesh: jax.sharding.Mesh,
) -> tuple[Int32[Array, "D R T"], Bool[Array, " D"]]:
    """`count` games from number (`high`, `low`), the first on this one of the first rows asked for,
    on all devices."""

    def local(
        policy: Policy, boards: Array, images: Array, asked: Array, key: Array, *words: Array
    ):
        high, low, rows, row, count = words
        share = -(-count // mesh.size)
        skipped = jax.lax.axis_index(AXIS) * share
        mine = jnp.clip(count - skipped, 0, share)
        first = low + skipped.astype(jnp.uint32)
        carried = high + (first < low).astype(jnp.uint32)
        number = jnp.arange(bucket.games, dtype=jnp.int32)
        place = (row + skipped + number) % rows
        keys = streams.board_keys(key, carried, first, bucket.games)
        turn = jax.vmap(lambda own: jax.random.randint(own, (), 0, images.shape[0]))(keys)
        dealt = jnp.take_along_axis(boards[asked[place]], images[turn], axis=1)
        played = play(policy, dealt, key, carried, first, mine, slots=bucket.slots, record=False)
        valid, times = number < mine, policy.game.cells + 1
        # Games past the share are counted nowhere: their bin is out of range and dropped.
        bins = asked.shape[0] * times
        at = jnp.where(valid, place * times + played.shots.astype(jnp.int32), bins)
        counts = jnp.zeros(bins, jnp.int32).at[at].add(1, mode="drop")
        return counts.reshape(1, -1, times), (played.legal | ~valid).all()[None]

    whole, split = PartitionSpec(), PartitionSpec(AXIS)
    mapped = jax.shard_map(
        local, mesh=mesh, in_specs=(whole,) * 10, out_specs=split, check_vma=False
    )
    return mapped(policy, boards, images, asked, key, high, low, rows, row, count)


class Estimate(NamedTuple):
    """A mean over games."""

    value: float
    se: float
    """Standard error; 0 where the value is exact."""


def means(
    histogram: Int64[np.ndarray, "R T"], credit: Float64[np.ndarray, " T"]
) -> tuple[Float64[np.ndarray, " R"], Float64[np.ndarray, " R"]]:
    """Mean credit of the games on each layout, and its standard error."""
    games = histogram.sum(1)
    value = histogram @ credit / games
    spread = histogram @ credit**2 / games - value**2
    return value, np.sqrt(np.maximum(spread, 0) / np.maximum(games - 1, 1))


def over_layouts(
    histogram: Int64[np.ndarray, "R T"],
    credit: Float64[np.ndarray, " T"],
    weights: Float64[np.ndarray, " R"],
) -> Estimate:
    """Mean credit against a hider with these weights, up to a factor."""
    value, se = means(histogram, credit)
    share = weights / weights.sum()
    return Estimate(float(share @ value), float(np.sqrt(share**2 @ se**2)))


class Stage(NamedTuple):
    """A step of the search for the worst layout."""

    keep: int
    """Layouts that go on, the worst so far."""
    games: int
    """Further games on each of them."""


class Lowest(NamedTuple):
    """The layout on which a hunter does worst."""

    row: int
    """Row of the listing."""
    estimate: Estimate
    """Its mean credit, from games that did not choose it."""
    games: int
    """Those games."""
    runner_up: float
    """Mean credit of the next worst layout of the last choice, from all its games."""
    histogram: Int64[np.ndarray, " T"]
    """Those games by their shots."""


def lowest(
    key: Key[Array, ""],
    policy: Policy,
    listing: Listing,
    credit: Float64[np.ndarray, " T"],
    found: Int64[np.ndarray, "R T"],
    rows: Int64[np.ndarray, " R"],
    stages: Sequence[Stage],
    *,
    limits: Limits = _DEFAULT,
) -> Lowest:
    """The layout with the lowest mean credit, found in stages.

    Args:
        key: consumed; must not be the one that `found` was played with.
        policy: the hunter.
        listing: layouts of his game.
        credit: what finishing at each shot is worth.
        found: games on these rows (`by_layout`).
        rows: rows of the listing.
        stages: the last one keeps one layout and measures it.
        limits: memory and slots; they change no result.

    Raises:
        ValueError: the last stage keeps more than one layout.
    """
    if not stages or stages[-1].keep != 1:
        raise ValueError("the last stage measures the layout that is left: keep one")
    runner_up = np.inf
    fresh = found
    for number, stage in enumerate(stages):
        value, _ = means(found, credit)
        order = np.argsort(value, kind="stable")
        if len(order) > 1:
            runner_up = float(value[order[1]])
        rows, found = rows[order[: stage.keep]], found[order[: stage.keep]]
        own = jax.random.fold_in(key, number)
        fresh = by_layout(own, policy, listing, stage.games, rows=rows, limits=limits)
        found = found + fresh
    estimate = over_layouts(fresh, credit, np.ones(1))
    return Lowest(int(rows[0]), estimate, stages[-1].games, runner_up, fresh[0])
