"""A student of a listable game as a lottery over fixed hunts, which decides its races exactly.

A latent is a fixed hunt. It is played on every layout and then turned at random. A student that was
taught single hunts has as many latents, and the lottery over them is the student himself. One that
draws its moves has four billion: the lottery is over some of them, and a reply wins more against it
than against the student. The figure falls as latents are added.

A student does not play his teacher's hunts to the letter, so their shares suit him no longer.
`weighed` finds those that do best on the layout where they do worst.
"""

from collections.abc import Iterator

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Float64, Int16, Int32, Int64, UInt8

from bsjax.evaluate.fixed_hunts import ByPolicy
from bsjax.evaluate.front import Front, fire, keep, opening
from bsjax.learn.hunter import Hunter, Latent
from bsjax.posterior.listed import Listing
from bsjax.solve.mixing import Opponent
from bsjax.solve.moves import Rule
from bsjax.solve.player import Player
from bsjax.solve.pool import Compact, compacted, members
from bsjax.solve.tables import classes

_ROWS = 1 << 20
"""Layouts of all hunts that are followed together."""
_ROUND = 256
"""New paths between two lotteries."""
_EXCHANGED = 3
"""Most cells of a path that are exchanged."""
_TRACE = 1e-9
"""Share of a hunt that is new to a lottery, before the first matrix game."""


def as_player(
    hunter: Hunter,
    listing: Listing,
    hider: Float64[np.ndarray, " M"],
    rule: Rule,
    latents: int,
    seed: int,
) -> Player:
    """The student as a player.

    Args:
        hunter: draws a latent for each game.
        listing: all layouts.
        hider: share of each layout, the same for turned layouts: how the player hides.
        rule: moves that replies to him keep to.
        latents: hunts drawn, if the student has more than can be told apart.
        seed: of the draws.

    Raises:
        ValueError: no latents, or another game.

    Cost: a decision for every node of every hunt, about 900 a hunt on 4×4 {3,3,2}.
    """
    pool = lottery_of(hunter, listing, latents, seed)
    times = pool.times(listing.game.cells)[classes(listing.game).of]
    return Player(listing.game, rule, hider, times, np.zeros(0), [])


def weighed(
    hunter: Hunter,
    listing: Listing,
    hider: Float64[np.ndarray, " M"],
    *,
    tried: int = 0,
    seed: int = 0,
) -> Hunter:
    """The hunts and shares that win most races on their worst layout, at their own pace.

    A network that learned to follow paths follows new ones, too. Some are tried: paths of the
    lottery so far, drawn by their shares, with a few cells exchanged. What is of no use is dropped.

    Args:
        hunter: of single hunts.
        listing: all layouts.
        hider: share of each layout, the same for turned layouts, which makes the pace.
        tried: new paths, in rounds of `_ROUND`.
        seed: of the new paths.

    Raises:
        ValueError: it tells no hunts apart, or another game.

    Cost: a decision for every node of every hunt, and a few matrix games a round.
    """
    if hunter.every is None:
        raise ValueError("this hunter was taught no single hunts; there is nothing to weigh")
    rng, paths = np.random.default_rng(seed), np.asarray(hunter.paths)
    pool = lottery_of(hunter, listing, 1, 0)
    met = Opponent(
        hider[classes(listing.game).row] * pool.size,
        np.ones(len(pool.size), bool),
        listing.game.cells,
    )
    pool, _ = met.reduced(pool, len(paths))
    paths = paths[pool.number]
    for first in range(0, tried, _ROUND):
        count = min(_ROUND, tried - first)
        drawn = paths[rng.choice(len(paths), count, p=pool.share)]
        new = np.stack([_exchanged(path, rng) for path in drawn])
        found = lottery_of(_playing(hunter, new, np.ones(count)), listing, 1, 0).finishing
        paths = np.concatenate([paths, new])
        number, share = np.arange(len(paths)), np.append(pool.share, np.zeros(count))
        joined = np.concatenate([pool.finishing, found])
        share = (share + _TRACE) / (share + _TRACE).sum()
        pool, _ = met.reduced(Compact(pool.size, joined, number, share, share), len(paths))
        paths = paths[pool.number]
    return _playing(hunter, paths, pool.share)


def _exchanged(path: Int16[np.ndarray, " C"], rng: np.random.Generator) -> Int16[np.ndarray, " C"]:
    """A path with one to three of its cells exchanged for any others."""
    new = path.copy()
    for _ in range(rng.integers(1, _EXCHANGED, endpoint=True)):
        one, other = rng.choice(np.flatnonzero(new)), rng.integers(len(new))
        new[one], new[other] = new[other], new[one]
    return new


def _playing(
    hunter: Hunter, paths: Int16[np.ndarray, "H C"], share: Float64[np.ndarray, " H"]
) -> Hunter:
    """The same network with other hunts."""
    added_up = jnp.asarray(np.cumsum(share) / share.sum(), jnp.float32)
    return eqx.tree_at(lambda one: (one.shares, one.paths), hunter, (added_up, jnp.asarray(paths)))


def lottery_of(hunter: Hunter, listing: Listing, latents: int, seed: int) -> Compact:
    """When each hunt of a student finishes on every layout, and how often he plays it.

    Args:
        hunter: draws a latent for each game.
        listing: all layouts.
        latents: hunts drawn, if the student has more than can be told apart.
        seed: of the draws.

    Raises:
        ValueError: no latents, or another game.
    """
    if latents < 1:
        raise ValueError(f"{latents} latents: draw at least one")
    if hunter.game != listing.game:
        raise ValueError(f"the hunter plays {hunter.game}, the layouts are of {listing.game}")
    drawn, share = hunter.every, hunter.shares
    if drawn is None or share is None:
        keys = jax.random.split(jax.random.key(seed), latents)
        drawn, share = jax.jit(jax.vmap(hunter.init))(keys), np.arange(1, latents + 1) / latents
    drawn = jax.device_get(drawn)
    of, size, _ = classes(listing.game)
    same, count, found = members(of, size), len(share), []
    at_once = max(_ROWS // len(listing), 1)
    for first in range(0, count, at_once):
        some = jax.tree.map(lambda x, at=slice(first, first + at_once): x[at], drawn)
        found += [compacted(shots, same) for shots in _shots(hunter, listing, some)]
    weight = np.diff(np.asarray(share, np.float64), prepend=0)
    return Compact(size, np.stack(found), np.arange(count), weight, weight)


class _Lottery(ByPolicy):
    """One root for every latent, all of them followed in the same pass."""

    def __init__(self, listing: Listing, hunter: Hunter, latents: Latent):
        super().__init__(listing, hunter)
        seen, _ = self.state
        self.state = jax.tree.map(lambda x: np.repeat(x, len(latents.turn), 0), seen), latents


def _shots(hunter: Hunter, listing: Listing, latents: Latent) -> UInt8[np.ndarray, "H M"]:
    """Shots of some hunts on every layout."""
    found = np.zeros((len(latents.turn), len(listing)), np.uint8)
    for hunt, row, shots in _ended(hunter, listing, latents):
        found[hunt, row] = shots
    return found


def _ended(
    hunter: Hunter, listing: Listing, latents: Latent
) -> Iterator[tuple[Int64[np.ndarray, " E"], Int32[np.ndarray, " E"], int]]:
    """Which hunts end on which layouts, after how many shots."""
    game, count = listing.game, len(latents.turn)
    one = opening(listing, listing.everything())
    front = Front(
        left=one.left.take(np.tile(np.arange(len(listing)), count)),
        start=np.arange(count + 1) * len(listing),
        open=np.repeat(one.open, count, 0),
        hits=np.repeat(one.hits, count, 0),
        announced=np.repeat(one.announced, count, 0),
    )
    lottery, hunt, shots = _Lottery(listing, hunter, latents), np.arange(count), 0
    while len(front.open):
        cell = lottery.cells(front)
        children = fire(listing, front, cell)
        hunt, shots = hunt[children.parent], shots + 1
        over = children.front.hits == game.ship_cells
        ended = keep(children.front, over)
        yield np.repeat(hunt[over], ended.size), ended.left.row, shots
        lottery.follow(cell, children, ~over)
        front, hunt = keep(children.front, ~over), hunt[~over]
