"""Descents: from a board to a harder one, moving one ship at a time.

A step tries one ship on every other legal spot, and the board itself beside them, on the same
games. All spots get a few games, the lowest of them more, the lowest of those more again
(successive halving). The lowest spot is taken if it is lower than the board itself; in a
**confirmed** descent only if it is also lower on fresh games. The next step moves the next ship. A
descent ends when no ship has found a better spot since the last move, or with its budget.

Unconfirmed descents take luck for progress: the lowest of many readings is too low. They are kept
because they are cheap and the boards they end on differ.

All descents advance together, one step of each in one batch of games.
"""

from typing import NamedTuple

import jax
import numpy as np
from jaxtyping import Array, Bool, Int64, Key

from bsjax.evaluate.hard_boards.layouts import Layout, Layouts
from bsjax.evaluate.hard_boards.neighbours import moves
from bsjax.evaluate.hard_boards.trial import Readings, Table


class Round(NamedTuple):
    """One round of a step's trials."""

    games: int
    """Games of each spot by the end of this round."""
    keep: float
    """Share of the spots that go on to the next round, rounded up; unused in the last one."""


ROUNDS = (Round(8, 0.25), Round(32, 0.25), Round(128, 0.0))


class Effort(NamedTuple):
    """What a descent may spend."""

    budget: int
    """Games after which no further step is begun."""
    rounds: tuple[Round, ...] = ROUNDS
    confirm: int = 0
    """Fresh games on which a move must win too; 0 takes every move that looked better."""


class Descent(NamedTuple):
    """A descent that has ended."""

    start: Layout
    end: Layout
    moves: int
    """Moves taken."""
    refused: int
    """Moves that looked better and lost on fresh games."""
    games: int
    """Games it took."""
    settled: bool
    """No ship found a better spot; otherwise the budget ended."""


def descend(key: Key[Array, ""], table: Table, starts: Layouts, effort: Effort) -> list[Descent]:
    """Descents from these boards, in lockstep.

    Args:
        key: consumed; step s plays games of `fold_in(key, s)`.
        table: the hunter and the pace.
        starts: where they start.
        effort: of each descent.
    """
    layouts, count, ships = starts.copy(), len(starts), table.game.ships
    taken, refused, games, idle = (np.zeros(count, np.int64) for _ in range(4))
    step = 0
    while True:
        active = np.flatnonzero((idle < ships) & (games < effort.budget))
        if not len(active):
            break
        found = _step(jax.random.fold_in(key, step), table, layouts[active], step % ships, effort)
        layouts[active] = found.layouts
        games[active] += found.games
        taken[active] += found.moved
        refused[active] += found.refused
        idle[active] = np.where(found.moved, 0, idle[active] + 1)
        step += 1
    return [
        Descent(
            starts[d],
            layouts[d],
            int(taken[d]),
            int(refused[d]),
            int(games[d]),
            bool(idle[d] >= ships),
        )
        for d in range(count)
    ]


class _Step(NamedTuple):
    """One step of D descents."""

    layouts: Layouts
    moved: Bool[np.ndarray, " D"]
    refused: Bool[np.ndarray, " D"]
    games: Int64[np.ndarray, " D"]


def _step(key: Key[Array, ""], table: Table, layouts: Layouts, ship: int, effort: Effort) -> _Step:
    """Every descent tries one ship on all its spots."""
    count = len(layouts)
    spots = [moves(table.game, layout, ship) for layout in layouts]
    # The boards themselves come first; then the spots, each with the descent it belongs to.
    boards = np.concatenate([layouts, *spots])
    of = np.concatenate([np.arange(count), *(np.full(len(s), d) for d, s in enumerate(spots))])
    trials, fresh = jax.random.split(key)
    rows, total, played = np.arange(len(boards)), np.zeros((len(boards), 4)), 0
    games = np.zeros(count, np.int64)
    for number, (until, keep) in enumerate(effort.rounds):
        more = until - played
        total[rows] += table.play(trials, boards[rows], more, first=played).sums
        games += more * np.bincount(of[rows], minlength=count)
        played = until
        if number + 1 < len(effort.rounds):
            rows = _lowest(rows, of, count, Readings(total[rows]), keep)
    best = _best(rows, of, count, Readings(total[rows]))
    value = np.full(len(boards), np.inf)
    value[rows] = Readings(total[rows]).value
    better = value[best] < value[:count]
    moved = better.copy()
    if effort.confirm and better.any():
        tried = np.flatnonzero(better)
        pairs = np.concatenate([layouts[tried], boards[best[tried]]])
        again = table.play(fresh, pairs, effort.confirm).value
        games[tried] += 2 * effort.confirm
        moved[tried] = again[len(tried) :] < again[: len(tried)]
    return _Step(np.where(moved[:, None], boards[best], layouts), moved, better & ~moved, games)


def _lowest(
    rows: Int64[np.ndarray, " R"],
    of: Int64[np.ndarray, " B"],
    count: int,
    readings: Readings,
    keep: float,
) -> Int64[np.ndarray, " r"]:
    """The boards themselves, and the lowest share of each descent's spots."""
    order = np.argsort(readings.value, kind="stable")
    kept = [rows[rows < count]]
    for descent in range(count):
        own = [row for row in rows[order].tolist() if row >= count and of[row] == descent]
        kept.append(np.array(own[: int(np.ceil(keep * len(own)))], np.int64))
    return np.concatenate(kept)


def _best(
    rows: Int64[np.ndarray, " R"], of: Int64[np.ndarray, " B"], count: int, readings: Readings
) -> Int64[np.ndarray, " D"]:
    """The lowest spot of each descent; the board itself where there is none."""
    best = np.arange(count)
    for row in rows[np.argsort(-readings.value, kind="stable")].tolist():
        if row >= count:
            best[of[row]] = row
    return best
