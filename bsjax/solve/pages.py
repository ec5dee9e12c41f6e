"""The edges of one layer, laid out so that a backward pass is gather, add and maximum alone.

A layer is cut into pages of states side by side with at most 65,535 moves. Within a page states
stand by their number of moves, and the k·n_k moves of the n_k states with k moves are a k × n_k
table: first moves first. The best move of each state is then a maximum along the first axis. Every
move has a first child; the second child of all moves is a table of its own with a state that does
not exist, of value 0, where there is none; few moves have a third, which are listed with the move
they belong to.

    place      uint16[n]   where each state stands in its page
    first      uint32[N]   first child of each move
    second     uint32[N]   second child, the number of states of the next layer if there is none
    more       uint32[X]   third children of a page, then its fourth …
    more_at    uint16[X]   their moves, counted in the page
    table      int64[P+1, …]  first state, first move, first of each further child; then how many
                           states of the page have 0, 1, … moves
"""

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from jaxtyping import Int64, UInt8, UInt16, UInt32

from bsjax.solve.tables import MOST_CELLS

MOST = (1 << 16) - 1
"""Moves, and states, of one page."""
_PAGE = 1 << 16
"""More than the states of a page."""


class Page(NamedTuple):
    """Where one page lies in the arrays of its layer."""

    states: slice
    moves: slice
    further: tuple[slice, ...]
    """Third children, fourth …"""
    number: Int64[np.ndarray, " k"]
    """States with 0, 1, … moves."""

    def tables(self) -> Iterator[tuple[int, slice, slice]]:
        """For each number of moves that occurs, the places of its states and of its moves."""
        state = move = 0
        for k, n in enumerate(self.number.tolist()):
            if n and k:
                yield k, slice(state, state + n), slice(move, move + k * n)
            state, move = state + n, move + k * n


class Pages(NamedTuple):
    """The edges of a layer of n states with N moves, as pages."""

    place: UInt16[np.ndarray, " n"]
    first: UInt32[np.ndarray, " N"]
    second: UInt32[np.ndarray, " N"]
    more: UInt32[np.ndarray, " X"]
    more_at: UInt16[np.ndarray, " X"]
    table: Int64[np.ndarray, "P1 columns"]
    answers: int
    """Number K of answers: children of a move at most."""
    none: int
    """What stands for no second child: the number of states of the next layer."""

    @property
    def total(self) -> int:
        """Number of pages."""
        return len(self.table) - 1

    def page(self, number: int) -> Page:
        """One page."""
        here, after = self.table[number].tolist(), self.table[number + 1].tolist()
        # The further children of a page lie one list after the other, and page after page.
        marks = [*here[2 : self.answers], after[2]]
        further = tuple(slice(a, b) for a, b in pairwise(marks))
        number_of = self.table[number, self.answers :]
        return Page(slice(here[0], after[0]), slice(here[1], after[1]), further, number_of)

    def moves(self, state: Int64[np.ndarray, " B"]) -> Int64[np.ndarray, " B"]:
        """How many moves each state has; 0 at an end."""
        return self._find(state)[1]

    def children(
        self, state: Int64[np.ndarray, " B"], move: Int64[np.ndarray, " B"]
    ) -> Int64[np.ndarray, "B K"]:
        """The children of one move of each state, by ascending answer; −1 where there is none.

        Cost: about half a microsecond for each, in any order.
        """
        page, k, row = self._find(state)
        number = self.table[:-1, self.answers :]
        tables = np.cumsum(number * np.arange(number.shape[1]), axis=1)
        at = row + move * number[page, k]
        at += np.where(k > 0, tables[page, k - 1], 0)
        found = np.full((len(state), self.answers), -1, np.int64)
        place = self.table[page, 1] + at
        found[:, 0] = self.first[place]
        second = self.second[place].astype(np.int64)
        found[:, 1] = np.where(second == self.none, -1, second)
        for further in range(2, self.answers):
            last = further + 1 == self.answers
            end = self.table[page + 1, 2] if last else self.table[page, further + 1]
            found[:, further] = self._further(self.table[page, further], end, at)
        return found

    def _find(self, state: Int64[np.ndarray, " B"]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Page of each state, its number of moves, and its row in their table."""
        page = np.searchsorted(self.table[1:, 0], state, side="right")
        place = self.place[state].astype(np.int64)
        number = self.table[:-1, self.answers :]
        ends = np.cumsum(number, axis=1)
        # One ascending list of where the tables of all pages end.
        marks = (ends + (np.arange(len(ends)) * _PAGE)[:, None]).ravel()
        table = np.searchsorted(marks, page * _PAGE + place, side="right")
        k = table - page * number.shape[1]
        return page, k, place - (ends - number)[page, k]

    def _further(self, start: np.ndarray, end: np.ndarray, at: np.ndarray) -> np.ndarray:
        """The child listed for the move `at` between two places of `more`, −1 if none is."""
        if not len(self.more):
            return np.full(len(at), -1, np.int64)
        low, high = start.copy(), end.copy()
        while (low < high).any():
            middle = (low + high) // 2
            before = self.more_at.take(middle, mode="clip") < at
            open_ = low < high
            low = np.where(open_ & before, middle + 1, low)
            high = np.where(open_ & ~before, middle, high)
        there = (low < end) & (self.more_at.take(low, mode="clip") == at)
        return np.where(there, self.more.take(low, mode="clip").astype(np.int64), -1)


def pages(
    moves: UInt8[np.ndarray, " n"],
    branches: UInt8[np.ndarray, " N"],
    child: UInt32[np.ndarray, " E"],
    *,
    answers: int,
    none: int,
) -> Pages:
    """Lay the edges of some states out.

    Args:
        moves: moves of each state.
        branches: children of each move, state by state.
        child: child of each edge, move by move.
        answers: number of answers.
        none: what stands for no second child, the number of states of the next layer.

    Cost: about 15 ns an edge.
    """
    ends = np.cumsum(moves, dtype=np.int64)
    edge = np.cumsum(branches, dtype=np.int64) - branches
    place = np.empty(len(moves), np.uint16)
    first = np.empty(len(branches), np.uint32)
    second = np.empty(len(branches), np.uint32)
    more, more_at, table, start, kept = [], [], [], 0, 0
    while start < len(moves):
        move = int(ends[start] - moves[start])
        stop = int(np.searchsorted(ends, move + MOST, side="right"))
        stop = min(stop, start + MOST)
        number = moves[start:stop]
        order = np.argsort(number, kind="stable")
        place[start + order] = np.arange(stop - start, dtype=np.uint16)
        counts = np.bincount(number, minlength=MOST_CELLS + 1)
        source = _table_order((ends[start:stop] - number).take(order), counts)
        count, at = branches.take(source), edge.take(source)
        page = slice(move, int(ends[stop - 1]))
        first[page] = child.take(at)
        second[page] = np.where(count > 1, child.take(at + 1, mode="clip"), np.uint32(none))
        row = [start, move]
        for further in range(2, answers):
            there = np.flatnonzero(count > further)
            row.append(kept)
            kept += len(there)
            more.append(child.take(at.take(there) + further))
            more_at.append(there.astype(np.uint16))
        table.append([*row, *counts])
        start = stop
    table.append([len(moves), len(branches), *[kept] * (answers - 2), *[0] * (MOST_CELLS + 1)])
    return Pages(
        place,
        first,
        second,
        np.concatenate([np.zeros(0, np.uint32), *more]),
        np.concatenate([np.zeros(0, np.uint16), *more_at]),
        np.array(table, np.int64),
        answers,
        none,
    )


def joined(parts: list[Pages]) -> Pages:
    """Pages of states side by side as the pages of all of them."""
    table = []
    base = np.zeros(parts[0].table.shape[1], np.int64)
    for part in parts:
        table.append(part.table[:-1] + base)
        base[: part.answers] += part.table[-1, : part.answers]
    place, first, second, more, more_at = (
        np.concatenate([part[field] for part in parts]) for field in range(5)
    )
    whole = np.concatenate([*table, base[None]])
    return Pages(place, first, second, more, more_at, whole, *parts[0][-2:])


def _table_order(
    start: Int64[np.ndarray, " n"], number: Int64[np.ndarray, " k"]
) -> Int64[np.ndarray, " N"]:
    """The moves of a page, table after table.

    Args:
        start: first move of each state, in ascending order of their number of moves.
        number: how many states have 0, 1, … moves.
    """
    tables, state = [np.zeros(0, np.int64)], int(number[0])
    for k in range(1, len(number)):
        if number[k]:
            rows = start[state : state + number[k]]
            tables.append((rows + np.arange(k)[:, None]).ravel())
            state += int(number[k])
    return np.concatenate(tables)
