"""Which ship explains each hit, and what the announcements prove.

Under `size` a sink of length k is k hits in a line through the cell just shot, none of them shot
later. The hits of a game are read in rounds: a round begins when every hit before it is explained,
and ends when the hits of the round are as many as the cells of the ships announced sunk in it. No
hit then belongs to a ship afloat, so the ships sunk in the round are lines that share its hits out.
That is the truth, up to the rare case of several ways to do so: the first one is taken, ships in
the order of the fleet, lines across before lines down, those that reach furthest ahead first.

**Proof of a big ship.** Big are the ships that a private fleet of small ones has not. While a
round goes on, the announcements prove that one of its hits is on a big ship as soon as

* a sink of a length that no small ship has is announced;
* all hits but those known to be on big ships are as many as the small ships have cells, and a
  small ship is afloat (eight hits with small ships afloat, for two 3s and a 2);
* no choice of lines for the small ships sunk in the round, and of places for those afloat, explains
  its hits: disjoint, on no cell that is a miss or explained, and with a cell not fired at for each
  ship afloat. A small ship afloat need not lie on any hit, and then may lie anywhere.

The second follows from the third and costs less. The choices are searched depth first: the ships
sunk have their lines, and the first hit that is left takes any small ship afloat.
"""

from functools import lru_cache, partial
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Int8, Int32, UInt32

from bsjax.game.game import Game
from bsjax.game.observation import CLOSED, HIT, OPEN, UNFIRED, Observation, afloat
from bsjax.game.placements import WORD, packed
from bsjax.policies.sets import plane, runs, words
from bsjax.posterior.bits import pack
from bsjax.runtime.unequal import until


class Reading(NamedTuple):
    """What the announcements say so far."""

    owner: Int8[Array, " C"]
    """Ship that explains each hit of the rounds that are over, −1 elsewhere."""
    round_over: Bool[Array, ""]
    """Every hit is explained by a sink."""
    proof: Bool[Array, ""]
    """A hit of this round is on a big ship."""


class Search(NamedTuple):
    """Depth-first search over the ships that explain the hits of a round; K ships, W words."""

    depth: Int32[Array, ""]
    """Ships that have a place; −1 when nothing is left to try."""
    tried: Int32[Array, " K1"]
    """Last candidate tried at each depth."""
    used: UInt32[Array, "K1 W"]
    """Cells of the ships that have a place."""
    left: UInt32[Array, "K1 W"]
    """Hits of the round that none of them explains."""
    free: Bool[Array, "K1 K"]
    """Ships without a place."""
    place: UInt32[Array, "K W"]
    """Cells of each ship that has a place."""
    done: Bool[Array, ""]
    """Everything is explained."""
    sunk: Bool[Array, " K"]
    """Ships that must be lines of hits; this and what follows stays as it is."""
    afloat: Bool[Array, " K"]
    """Ships that may explain the rest."""
    cell: Int32[Array, " K"]
    """Where each ship was sunk."""
    on_time: UInt32[Array, "K W"]
    """Hits of the round up to the sink of each ship."""
    water: UInt32[Array, " W"]
    """Cells not fired at."""
    blocked: UInt32[Array, " W"]
    """Misses and explained hits."""


def big_ships(game: Game, private: Game) -> tuple[bool, ...]:
    """Which ships of a game a private game has not.

    Raises:
        ValueError: the private game is no smaller part of the game, or a length is in both.
    """
    rest = list(game.fleet)
    for length in private.fleet:
        if length not in rest:
            raise ValueError(f"the fleet of {private} is no part of that of {game}")
        rest.remove(length)
    if not rest or set(rest) & set(private.fleet):
        raise ValueError(
            f"{game} needs ships beside those of {private}, all of other lengths: a sink must tell "
            f"whose it is"
        )
    return tuple(length in rest for length in game.fleet)


def read(
    game: Game,
    big: tuple[bool, ...],
    observation: Observation,
    owner: Int8[Array, " C"],
) -> Reading:
    """What the announcements say after the latest shot.

    Args:
        game: under `size`, touching allowed.
        big: which ships are big.
        observation: what was told.
        owner: as read before that shot; −1 everywhere at first.

    Cost: a search of a few steps, of some hundreds at the worst; each looks at all placements of
    all ships through a cell, and those of all games of a batch are one list of work.
    """
    is_big = np.array(big)
    length = jnp.asarray(np.array(game.fleet, np.int32))
    hit = observation.answer >= HIT
    of_round, explained = hit & (owner < 0), hit & (owner >= 0)
    known = (owner[None] == jnp.arange(game.ships, dtype=jnp.int8)[:, None]).any(1)
    sunk = observation.sunk_at >= 0
    pending, small_afloat = sunk & ~known, ~sunk & ~is_big
    over = of_round.sum(dtype=jnp.int32) == jnp.where(pending, length, 0).sum(dtype=jnp.int32)
    on_big = explained & jnp.asarray(is_big)[jnp.maximum(owner, 0)]
    full = (hit & ~on_big).sum(dtype=jnp.int32) >= int(np.where(is_big, 0, game.fleet).sum())
    proof = (pending & is_big).any() | (full & small_afloat.any())
    wanted = of_round.any() & (over | ~proof)
    found = _search(game, observation, of_round, pending, small_afloat & ~over, wanted)
    bit = jnp.arange(WORD, dtype=jnp.uint32)[None, None]
    place = (found.place[:, :, None] >> bit & jnp.uint32(1)) > 0
    own = place.reshape(game.ships, -1)[:, : game.cells] & pending[:, None] & over
    number = jnp.arange(game.ships, dtype=jnp.int8)[:, None]
    owner = jnp.maximum(owner, jnp.where(own, number, jnp.int8(-1)).max(0))
    return Reading(owner, over, ~over & (proof | (found.depth < 0)))


def marks(observation: Observation, reading: Reading) -> Int8[Array, " C"]:
    """Marks in which every hit that a sink explains is closed."""
    return jnp.where(reading.owner >= 0, jnp.int8(CLOSED), observation.mark)


def coverable(game: Game, observation: Observation, reading: Reading) -> Bool[Array, " C"]:
    """Cells that a ship afloat can cover, with cells not fired at and hits that may be its own."""
    mark, left = marks(observation, reading), afloat(observation)
    water, fits = words((mark == UNFIRED) | (mark == OPEN)), jnp.zeros(game.cells, bool)
    for length in game.lengths:
        own = np.array([n == length for n in game.fleet])
        on_run = plane(game, runs(game, water, length, False))
        on_run = on_run | plane(game, runs(game, water, length, True))
        fits = fits | (on_run & (left & own).any())
    return fits


def _search(
    game: Game,
    observation: Observation,
    hits: Bool[Array, " C"],
    sunk: Bool[Array, " K"],
    afloat: Bool[Array, " K"],
    wanted: Bool[Array, ""],
) -> Search:
    """Places for ships that explain these hits; its depth is −1 if there are none.

    Args:
        game: the rules.
        observation: what was told.
        hits: the hits to explain.
        sunk: ships that are a line of them.
        afloat: ships that may explain the rest.
        wanted: otherwise nothing is searched.
    """
    ships = game.ships
    ships, unfired = game.ships, observation.mark == UNFIRED
    left = _packed(hits)
    none, rows = jnp.zeros((ships, len(left)), jnp.uint32), jnp.zeros_like(left)[None]
    rows = jnp.tile(rows, (ships + 1, 1))
    free = jnp.ones((ships + 1, ships), bool)
    search = Search(
        depth=jnp.int32(0),
        tried=jnp.full(ships + 1, -1, jnp.int32),
        used=rows,
        left=rows.at[0].set(left),
        free=free,
        place=none,
        done=~wanted | _goal(sunk, free[0], left),
        sunk=sunk,
        afloat=afloat,
        cell=observation.sunk_cell.astype(jnp.int32),
        on_time=_packed(hits[None] & (observation.shot_at[None] <= observation.sunk_at[:, None])),
        water=_packed(unfired),
        blocked=_packed(~(unfired | hits)),
    )
    loop = until(lambda search: search.done | (search.depth < 0), partial(_advance, game), stride=4)
    return loop(jnp.asarray(_table(game)), search)


def _goal(
    sunk: Bool[Array, " K"], free: Bool[Array, " K"], left: UInt32[Array, " W"]
) -> Bool[Array, ""]:
    """Every ship sunk has a line, and no hit is left."""
    return ~(sunk & free).any() & (left == 0).all()


def _advance(game: Game, table: UInt32[Array, "C K D W"], search: Search) -> Search:
    """Give the next ship its next place, or take the last one back."""
    ships, number = game.ships, jnp.arange(game.ships, dtype=jnp.int32)
    alike = np.array([[j < k and game.fleet[j] == n for j in range(ships)] for k, n in _each(game)])
    used, left, free = (rows[search.depth] for rows in (search.used, search.left, search.free))
    waiting = search.sunk & free
    of_sunk = waiting.any()
    # Of ships that are alike only the first is tried.
    fresh = search.afloat & free
    fresh = fresh & ~(alike & fresh[None]).any(1)
    asked = jnp.where(of_sunk, number == waiting.argmax(), fresh)
    cell = jnp.where(of_sunk, search.cell, _lowest(left))
    place = table[jnp.maximum(cell, 0), number]
    closed = jnp.where(of_sunk, ~search.on_time, search.blocked[None]) | used[None]
    fits = (place != 0).any(-1) & ((place & closed[:, None]) == 0).all(-1)
    fits &= of_sunk | ((place & search.water[None, None]) != 0).any(-1)
    candidates = table.shape[1] * table.shape[2]
    order = jnp.arange(candidates, dtype=jnp.int32)
    ahead = (asked[:, None] & fits).reshape(-1) & (order > search.tried[search.depth])
    chosen, found = ahead.argmax().astype(jnp.int32), ahead.any()
    ship, own = chosen // table.shape[2], place.reshape(candidates, -1)[chosen]
    left, free = left & ~own, free & (number != ship)
    here = jnp.arange(ships + 1, dtype=jnp.int32)
    now, then = (here == search.depth) & found, (here == search.depth + 1) & found
    below, given = then[:, None], (number == ship)[:, None] & found
    return search._replace(
        depth=search.depth + jnp.where(found, 1, -1),
        tried=jnp.where(now, chosen, jnp.where(then, -1, search.tried)),
        used=jnp.where(below, (used | own)[None], search.used),
        left=jnp.where(below, left[None], search.left),
        free=jnp.where(below, free[None], search.free),
        place=jnp.where(given, own[None], search.place),
        done=found & _goal(search.sunk, free, left),
    )


def _each(game: Game) -> list[tuple[int, int]]:
    """Ships by number, with their lengths."""
    return list(enumerate(game.fleet))


@lru_cache(maxsize=32)
def _table(game: Game) -> UInt32[np.ndarray, "C K D W"]:
    """Cells of the placements of each ship through each cell, empty where it leaves the board."""
    longest, row, column = max(game.fleet), *np.divmod(np.arange(game.cells), game.width)
    masks = np.zeros((game.cells, game.ships, 2 * longest, game.cells), bool)
    for k, length in enumerate(game.fleet):
        for down, (at, end, stride) in enumerate(
            ((column, game.width, 1), (row, game.height, game.width))
        ):
            # A ship of one cell lies down and across alike.
            for before in range(length if down == 0 or length > 1 else 0):
                inside = np.flatnonzero((at >= before) & (at - before + length <= end))
                for step in range(length):
                    own = inside + (step - before) * stride
                    masks[inside, k, down * longest + before, own] = True
    table = packed(masks)
    table.setflags(write=False)
    return table


def _packed(planes: Bool[Array, "*n C"]) -> UInt32[Array, "*n W"]:
    """Sets of cells as words."""
    cells = planes.shape[-1]
    width = [(0, 0)] * (planes.ndim - 1) + [(0, -cells % WORD)]
    return pack(jnp.pad(planes, width).reshape(*planes.shape[:-1], -1, WORD))


def _lowest(words: UInt32[Array, " W"]) -> Int32[Array, ""]:
    """The first cell of a set; anything if it is empty."""
    word = (words != 0).argmax().astype(jnp.int32)
    # The bits below the lowest one that is set.
    below = ~words[word] & (words[word] - jnp.uint32(1))
    return word * WORD + jax.lax.population_count(below).astype(jnp.int32)
