"""Layouts by their edge squares and touching pairs, counted exactly.

The weight that a habit gives to the layouts that agree with a history is a finite sum,

    Z(history; a, b) = Σ N(e, t)·exp(a·e − b·t),

with N(e, t) the layouts that agree, have e edge squares and t touching pairs. The table N is whole
numbers and knows no a and b: counted once, it gives Z and all its derivatives at every habit.

Every leaf (`bsjax.posterior.leaves`) with three free ships has one of them placed in all ways, so
that two stay free, i and j. The ships placed have e₀ edge squares and t₀ touching pairs among
them. A free placement p has e(p) edge squares and touches t(p) of the ships placed; let A_t be the
0/1 vector of the free placements of ship i with t(p) = t, and B_s that of ship j. Then

    N(e₀ + e + e', t₀ + t + s + w)  +=  Σ A_t(p)·K_w(p, q)·B_s(q)      over e(p) = e, e(q) = e'

with K_0(p, q) = 1 if p and q stand apart, K_1(p, q) = 1 if they touch and may stand together. The
sums over p are one matrix product for a launch of leaves, those over q one for each leaf.

**Exactness.** All entries are whole numbers, and every sum is at most P_i·P_j ≤ 480² < 2²⁴, so
float32 is exact. Leaves are added up in 64-bit integers.

**Empty board.** It looks the same under all symmetries of the board (`bsjax.game.symmetry`), and
so do e and t. Of the leaves whose first placed ships are images of each other one is counted, as
often as there are: an eighth of the work on a square.
"""

from functools import lru_cache, partial
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float32, Int32, Int64

from bsjax.game.game import Game
from bsjax.game.habits import edge_squares, near
from bsjax.game.observation import Observation, blank
from bsjax.game.symmetry import placement_images
from bsjax.posterior.evidence import Evidence, read_many
from bsjax.posterior.groups import LAUNCHES, columns, launches, runs
from bsjax.posterior.leaves import FREE, LEAVES, Leaves, cut
from bsjax.posterior.tables import tables

_BLOCK = 1 << 11
"""Leaves with three free ships whose third ship is placed together."""

Parts = tuple[tuple[int, int, int], ...]


def habit_counts(
    game: Game, observations: Observation, *, budget: int = LEAVES
) -> Int64[np.ndarray, "B E T"]:
    """Layouts that agree with each history, by edge squares and touching pairs.

    Args:
        game: the rules.
        observations: B histories as their players know them (leading axis on every field).
            Contradictory answers give a table of zeros.
        budget: leaves allowed for all histories together; see `bsjax.posterior.leaves`.

    Returns:
        N[b, e, t], ships told apart, with e up to the cells of the fleet and t up to all pairs of
        ships. Its sum over e and t is `ExactPosterior.layouts_told_apart`.

    Raises:
        ValueError: there are too many leaves (`TooManyLeavesError`).

    Cost: 1.5 ms a leaf with three free ships of the classic game on two cores. Games of the
        density hunter take 0.8 s after 10 shots, 4 ms after 20, 0.2 ms after 30.
    """
    evidence = read_many(game, observations)
    return _counts(game, evidence, cut(game, evidence, budget=budget))


@lru_cache(maxsize=16)
def all_counts(game: Game, *, budget: int = LEAVES) -> Int64[np.ndarray, "E T"]:
    """All layouts of a game by edge squares and touching pairs: `habit_counts` of no shots.

    Raises:
        ValueError: there are too many leaves (`TooManyLeavesError`).

    Cost: 3 s for the classic game on two cores the first time, nothing after it.
    """
    evidence = read_many(game, jax.tree.map(lambda x: np.asarray(x)[None], blank(game)))
    leaves = cut(game, evidence, budget=budget)
    counts = _counts(game, evidence, _one_of_each_orbit(game, leaves))[0]
    counts.setflags(write=False)
    return counts


def _one_of_each_orbit(game: Game, leaves: Leaves) -> Leaves:
    """Leaves of the empty board without images of each other, with their multiplicities."""
    start = tables(game).start
    placed = np.flatnonzero(np.all(leaves.place < start[-1], axis=0))
    if not len(placed):
        return leaves
    ship = int(placed[0])
    # An orbit is named after its lowest placement.
    first = placement_images(game.size, game.fleet[ship]).min(0)
    own = leaves.place[:, ship] - start[ship]
    rows = first[own] == own
    size = np.bincount(first, minlength=len(first))[own[rows]]
    return Leaves(leaves.observation[rows], leaves.place[rows], leaves.ways[rows] * size)


def _counts(game: Game, evidence: Evidence, leaves: Leaves) -> Int64[np.ndarray, "B E T"]:
    """The tables of B histories from their leaves."""
    pairs = game.ships * (game.ships - 1) // 2
    # A launch has room for more pairs than there are.
    counts = np.zeros((len(evidence.shot), game.ship_cells + 1, pairs + 2 * game.ships), np.int64)
    three = (leaves.place == tables(game).start[-1]).sum(1) == FREE
    _add(counts, game, evidence, Leaves(*(column[~three] for column in leaves)))
    rows = three.nonzero()[0]
    for at in range(0, len(rows), _BLOCK):
        some = Leaves(*(column[rows[at : at + _BLOCK]] for column in leaves))
        _add(counts, game, evidence, _place_one(game, evidence, some))
    return counts[:, :, : pairs + 1]


def _place_one(game: Game, evidence: Evidence, leaves: Leaves) -> Leaves:
    """Place the longest free ship of every leaf in all ways: it has the fewest."""
    table = tables(game)
    none = table.start[-1]
    ship = np.where(leaves.place == none, np.array(game.fleet), 0).argmax(1)
    is_free = evidence.free[leaves.observation, :-1] & (table.ship[:-1] == ship[:, None])
    for placed in leaves.place.T:
        is_free &= ~table.meets[placed, :-1]
    row, chosen = is_free.nonzero()
    place = leaves.place[row]
    place[np.arange(len(row)), ship[row]] = chosen
    return Leaves(leaves.observation[row], place, leaves.ways[row])


def _add(
    counts: Int64[np.ndarray, "B E T"], game: Game, evidence: Evidence, leaves: Leaves
) -> None:
    """Add the layouts of leaves with at most two free ships to the tables.

    All launches are queued before the first result is read.
    """
    edges, touches = _statistics(game)
    squares = edges[leaves.place].sum(1)
    pairs = np.zeros(len(squares), np.int64)
    for i, own in enumerate(leaves.place.T):
        for other in leaves.place.T[:i]:
            pairs += touches[own, other]
    waiting = leaves.place == tables(game).start[-1]
    free = waiting @ (1 << np.arange(game.ships))
    key = free, leaves.observation, squares, pairs, leaves.ways
    order = np.lexsort(key[::-1])
    queued = []
    for group in np.split(order, np.diff(free[order]).nonzero()[0] + 1):
        ships = waiting[group[0]].nonzero()[0].tolist() if len(group) else []
        if not ships:
            np.add.at(counts, tuple(part[group] for part in key[1:4]), leaves.ways[group])
            continue
        for rows in launches(group):
            queued.append((rows, ships, _queue(game, evidence, leaves, rows, ships)))
    for rows, ships, launch in queued:
        heads = runs(*(part[rows] for part in key)).nonzero()[0]
        found = np.add.reduceat(np.asarray(launch)[: len(rows)], heads, axis=0, dtype=np.int64)
        first = rows[heads]
        found *= leaves.ways[first][:, None, None]
        observation, ts = leaves.observation[first][:, None], np.arange(found.shape[2])
        for part, edge in enumerate(_edges(game, ships)):
            where = observation, squares[first][:, None] + edge, pairs[first][:, None] + ts
            np.add.at(counts, where, found[:, part])


def _queue(
    game: Game, evidence: Evidence, leaves: Leaves, rows: np.ndarray, ships: list[int]
) -> Int32[Array, "N D T"]:
    """Queue one launch on the device: ways to lay the free ships, see `_launch`."""
    size = next(size for size in reversed(LAUNCHES) if size >= len(rows))
    behind = ((0, size - len(rows)), (0, 0))
    place = np.sort(leaves.place[rows], axis=1)[:, : game.ships - len(ships)]
    one, other = (*ships, None)[:2]
    free = []
    for ship in (one, other):
        number = _ship(game, ship).number
        own = evidence.free[leaves.observation[rows]][:, number]
        # "None", the place of an absent ship, is free. Leaves that fill up have no free place.
        free.append(np.pad(own if ship is not None else np.ones_like(own), behind))
    return _launch(
        (_on_device(game, one), _on_device(game, other)),
        _products(game, one, other),
        (free[0], free[1]),
        np.pad(place, behind, constant_values=tables(game).start[-1]),
        parts=(_ship(game, one).parts, _ship(game, other).parts),
    )


@partial(jax.jit, static_argnames="parts")
def _launch(
    relations: tuple["_Relations", "_Relations"],
    products: Float32[Array, "P Q2"],
    free: tuple[Bool[Array, "N P"], Bool[Array, "N Q"]],
    place: Int32[Array, "N A"],
    *,
    parts: tuple[Parts, Parts],
) -> Int32[Array, "N D T"]:
    """Ways to lay two ships in N leaves, by edge squares and touching pairs.

    Args:
        relations: of each ship to all placements.
        products: K_0 and K_1 side by side.
        free: placements open to each ship, those that meet the ships placed among them.
        place: placements of the other ships.
        parts: of each ship.

    Returns:
        D kinds of pairs of edge squares, in the order of `_edges`, and T = 2·(A + 1) numbers of
        touching pairs.
    """
    most = place.shape[1] + 1
    own, its = (
        _by_touches(open_to, place, ship) for open_to, ship in zip(free, relations, strict=True)
    )
    kinds = np.arange(most)[:, None, None] + np.arange(2)[:, None] + np.arange(most)
    by_pairs = (kinds.ravel()[:, None] == np.arange(2 * most)).astype(np.float32)
    found = []
    # The default precision of an accelerator would round the entries to 8 bits.
    with jax.default_matmul_precision("highest"):
        for _, first, last in parts[0]:
            sums = own[:, :, first:last].reshape(-1, last - first) @ products[first:last]
            sums = sums.reshape(len(place), 2 * most, -1)
            for _, start, end in parts[1]:
                ways = jnp.einsum("nxq,nsq->nxs", sums[:, :, start:end], its[:, :, start:end])
                found.append(ways.reshape(len(place), -1) @ by_pairs)
    return jnp.stack(found, axis=1).astype(jnp.int32)


def _by_touches(
    open_to: Bool[Array, "N P"], place: Int32[Array, "N A"], ship: "_Relations"
) -> Float32[Array, "N T P"]:
    """1 for the free placements of a ship that touch t of the ships placed, t = 0 … A."""
    is_free = open_to & ~ship.meets[place].any(1)
    touched = ship.touches[place].sum(1, dtype=jnp.int32)
    number = jnp.arange(place.shape[1] + 1, dtype=jnp.int32)[None, :, None]
    return (is_free[:, None] & (touched[:, None] == number)).astype(jnp.float32)


class _Ship(NamedTuple):
    """The P placements of a free ship, ascending by edge squares; of an absent one, "none"."""

    number: Int64[np.ndarray, " P"]
    """Their numbers."""
    parts: Parts
    """Those of equal edge squares: how many, the first and the end."""


class _Relations(NamedTuple):
    """Of the P placements of a free ship to all, as device arrays."""

    meets: Bool[Array, "G1 P"]
    touches: Bool[Array, "G1 P"]


@lru_cache(maxsize=64)
def _ship(game: Game, ship: int | None) -> _Ship:
    """The placements of a free ship, None for an absent one."""
    edges, _ = _statistics(game)
    number = np.arange(len(edges))
    number = number[columns(tables(game), ship)] if ship is not None else number[-1:]
    number = number[np.argsort(edges[number], kind="stable")]
    values, first = np.unique(edges[number], return_index=True)
    ends = [*first[1:].tolist(), len(number)]
    return _Ship(number, tuple(zip(values.tolist(), first.tolist(), ends, strict=True)))


def _edges(game: Game, ships: list[int]) -> list[int]:
    """Edge squares of every pair of parts of one or two free ships."""
    one, other = (_ship(game, ship).parts for ship in (*ships, None)[:2])
    return [own[0] + its[0] for own in one for its in other]


@lru_cache(maxsize=64)
def _on_device(game: Game, ship: int | None) -> _Relations:
    """What a free ship meets and touches."""
    number = _ship(game, ship).number
    meets, touches = tables(game).meets[:, number], _statistics(game)[1][:, number]
    return _Relations(jnp.asarray(meets), jnp.asarray(touches))


@lru_cache(maxsize=64)
def _products(game: Game, one: int | None, other: int | None) -> Float32[Array, "P Q2"]:
    """K_0 and K_1 of two ships side by side."""
    rows, places = _ship(game, one).number[:, None], _ship(game, other).number
    together, touches = ~tables(game).meets[rows, places], _statistics(game)[1][rows, places]
    both = [together & ~touches, together & touches]
    return jnp.asarray(np.concatenate(both, axis=1).astype(np.float32))


@lru_cache(maxsize=16)
def _statistics(game: Game) -> tuple[Int64[np.ndarray, " G1"], Bool[np.ndarray, "G1 G1"]]:
    """Edge squares of every placement, and which touch; "none" has none and touches none."""
    edges = np.concatenate([*(edge_squares(game.size, n) for n in game.fleet), [0]])
    touches = np.block([[near(game, a, b) for b in game.fleet] for a in game.fleet])
    return edges, np.pad(touches, ((0, 1), (0, 1)))
