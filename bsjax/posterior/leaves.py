"""A posterior cut into leaves, in each of which at most three ships are free.

A *partial* places some of the ships. Start with one that places none and

1. take the hits in order, those that can be explained in the fewest ways first; a partial that
   covers the hit passes, any other one branches over the allowed placements, of the ships not yet
   placed, that cover it and meet nothing placed;
2. then, while more than three ships are not placed, branch over the one with the fewest free
   placements (free: allowed, covering no cell shot at, meeting nothing placed).

After step 1 the ships placed are exactly those that cover a hit, whatever the order of the hits,
so every layout that agrees with the history extends exactly one partial, with its other ships at
free placements. Step 2 keeps it so. What is left is a *leaf*: its layouts are the ways to lay at
most three ships on free placements so that no two meet (`bsjax.posterior.closed_form`).

A ship announced sunk needs no step of its own. The cell of its sink is a hit, and the first one
to be explained, since few placements allow it.

**Interchangeable ships** (`bsjax.posterior.evidence`). Of the ships of one class, step 1 places
the first one not yet placed and counts how many could have taken its stead: a leaf stands for
`ways` leaves that differ by the names of equal ships.

Partials of many observations are rows of one table, so a step is a few NumPy operations on all of
them; they are lists of placement numbers, in which a batch of a thousand games fits as well as
one.
"""

from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Bool, Int32, Int64

from bsjax.game.game import Game
from bsjax.posterior.evidence import Evidence
from bsjax.posterior.tables import Tables, tables

FREE = 3
"""Ships that the closed form lays out without listing."""
LEAVES = 2_000_000
"""Leaves one call may hold: about 15 seconds of two cores."""

_SECONDS = 8e-6
"""About the time of one leaf."""
_BLOCK = 1 << 23
"""Entries of one partial × placement table."""


class Leaves(NamedTuple):
    """M leaves of B observations, ascending by observation; K ships."""

    observation: Int32[np.ndarray, " M"]
    """Which observation the leaf belongs to."""
    place: Int32[np.ndarray, "M K"]
    """Placement of every ship placed, G for a free ship."""
    ways: Int64[np.ndarray, " M"]
    """Ways to name the interchangeable ships of the leaf."""


class TooManyLeavesError(ValueError):
    """The fleet is too large to be cut into leaves within the budget."""


def cut(game: Game, evidence: Evidence, *, budget: int = LEAVES) -> Leaves:
    """All leaves of B observations.

    An observation that no layout answers may have none.

    Raises:
        TooManyLeavesError: a ValueError that names the number of leaves if it exceeds `budget`,
            known before step 2 makes them (an upper bound: dead ends are not foreseen).

    Cost: about 0.4 ms for one observation of the classic game, 2 ms for its empty board.
    """
    table = tables(game)
    batch = len(evidence.allowed)
    root = Leaves(
        np.arange(batch, dtype=np.int32),
        np.full((batch, game.ships), table.start[-1], np.int32),
        np.ones(batch, np.int64),
    )
    explained = _explain_hits(game, table, evidence, root, budget)
    return _place_fewest(game, table, evidence, explained, budget)


def _explain_hits(
    game: Game, table: Tables, evidence: Evidence, partial: Leaves, budget: int
) -> Leaves:
    """Step 1: place ships until every hit is covered."""
    bare = evidence.hits < game.cells
    step = max(_BLOCK // (8 * table.through.shape[1]), 1)
    done: list[Leaves] = []
    while True:
        covered = ~bare.any(1)
        done.append(_rows(partial, covered))
        partial, bare = _rows(partial, ~covered), bare[~covered]
        if not len(bare):
            break
        # Each round covers one hit of every partial, and places one ship.
        grown, made = [], 0
        for at in range(0, len(bare), step):
            rows = slice(at, at + step)
            grown.append(_cover_next(table, evidence, _rows(partial, rows), bare[rows]))
            made += len(grown[-1][1])
            if made > budget:
                raise TooManyLeavesError(_refusal(game, "at least", made, budget))
        partial, bare = _joined([part for part, _ in grown]), np.concatenate([b for _, b in grown])
    return _joined(done)


def _cover_next(
    table: Tables, evidence: Evidence, partial: Leaves, bare: Bool[np.ndarray, "M H"]
) -> tuple[Leaves, Bool[np.ndarray, "N H"]]:
    """Cover the first bare hit of every partial in all ways; returns which hits stay bare."""
    hits = evidence.hits[partial.observation]
    options = table.through[np.take_along_axis(hits, bare.argmax(1)[:, None], 1)[:, 0]]
    first, choices = _turns(table, evidence, partial)
    ships = table.ship[options]
    fits = evidence.allowed[partial.observation[:, None], options]
    fits &= np.take_along_axis(first, ships, 1)
    for column in partial.place.T:
        fits &= ~table.meets[column[:, None], options]
    row, which = fits.nonzero()
    chosen = options[row, which]
    ship = table.ship[chosen]
    longer = _placed(partial, row, ship, chosen, choices[row, ship])
    return longer, bare[row] & ~table.masks[chosen[:, None], hits[row]]


def _turns(
    table: Tables, evidence: Evidence, partial: Leaves
) -> tuple[Bool[np.ndarray, "M K"], Int64[np.ndarray, "M K"]]:
    """The first ship not placed of every class, and how many of its class are not placed."""
    waiting = partial.place == table.start[-1]
    alike = evidence.alike[partial.observation] & waiting[:, None, :]
    before = np.tri(waiting.shape[1], k=-1, dtype=bool)
    return waiting & ~(alike & before).any(2), alike.sum(2)


def _place_fewest(
    game: Game, table: Tables, evidence: Evidence, partial: Leaves, budget: int
) -> Leaves:
    """Step 2: place ships until at most `FREE` are free."""
    done: list[Leaves] = []
    none = table.start[-1]
    first = True
    while True:
        waiting = np.count_nonzero(partial.place == none, axis=1)
        done.append(_rows(partial, waiting <= FREE))
        partial = _rows(partial, waiting > FREE)
        if not len(partial.ways):
            break
        step = max(_BLOCK // none, 1)
        blocks = [slice(at, at + step) for at in range(0, len(partial.ways), step)]
        if first:
            expected = sum(
                _estimate(game, table, evidence, _rows(partial, rows)) for rows in blocks
            )
            if expected > budget:
                raise TooManyLeavesError(_refusal(game, "up to", expected, budget))
            first = False
        partial = _joined([_branch(table, evidence, _rows(partial, rows)) for rows in blocks])
    return _joined(done)


def _branch(table: Tables, evidence: Evidence, partial: Leaves) -> Leaves:
    """Place the ship with the fewest free placements in every partial."""
    is_free, counts = _free(table, evidence, partial)
    ship = counts.argmin(1)
    is_free &= table.ship[None, :-1] == ship[:, None]
    row, chosen = is_free.nonzero()
    return _placed(partial, row, ship[row], chosen, np.ones(len(row), np.int64))


def _free(
    table: Tables, evidence: Evidence, partial: Leaves
) -> tuple[Bool[np.ndarray, "M G"], Int64[np.ndarray, "M K"]]:
    """Free placements of the ships not placed, and their numbers (the largest where placed)."""
    none = table.start[-1]
    waiting = partial.place == none
    is_free = evidence.free[partial.observation, :-1] & waiting[:, table.ship[:-1]]
    for ship in range(waiting.shape[1]):
        rows = (~waiting[:, ship]).nonzero()[0]
        is_free[rows] &= ~table.meets[partial.place[rows, ship], :-1]
    counts = np.add.reduceat(is_free, table.start[:-1], axis=1, dtype=np.int64)
    return is_free, np.where(waiting, counts, none + 1)


def _estimate(game: Game, table: Tables, evidence: Evidence, partial: Leaves) -> int:
    """Leaves of these partials at most: products of the fewest placements of each ship."""
    _, counts = _free(table, evidence, partial)
    counts.sort(axis=1)
    waiting = (partial.place == table.start[-1]).sum(1)
    counts[np.arange(game.ships) >= (waiting - FREE)[:, None]] = 1
    return int(counts.astype(np.float64).prod(1).sum())


def _placed(
    partial: Leaves,
    row: np.ndarray,
    ship: np.ndarray,
    chosen: np.ndarray,
    ways: np.ndarray,
) -> Leaves:
    """One more ship placed in copies of the given rows."""
    place = partial.place[row]
    place[np.arange(len(row)), ship] = chosen
    return Leaves(partial.observation[row], place, partial.ways[row] * ways)


def _rows(partial: Leaves, rows: Any) -> Leaves:
    """Some of the partials: a slice, a mask or numbers."""
    return Leaves(*(column[rows] for column in partial))


def _joined(parts: list[Leaves]) -> Leaves:
    """Partials of several tables as one, ascending by observation."""
    one = Leaves(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))
    return _rows(one, np.argsort(one.observation, kind="stable"))


def _refusal(game: Game, bound: str, leaves: int, budget: int) -> str:
    """Why it is not done, in one line."""
    fleet, hours = ",".join(map(str, game.fleet)), leaves * _SECONDS / 3600
    time = f"{hours:,.1f} hours" if hours >= 0.1 else f"{leaves * _SECONDS:,.0f} seconds"
    return (
        f"the exact posterior of the fleet {fleet} on {game.width}x{game.height} needs {bound} "
        f"{leaves:,} leaves here, about {time}, the limit is {budget:,}; take a sampler, a "
        f"smaller fleet, or the posterior after more shots"
    )
