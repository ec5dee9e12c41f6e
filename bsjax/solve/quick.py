"""What a quick hunt gets from states of knowledge: the inner loop of hunts that try cells out.

The quick hunt fires at the best cell by one score of the layouts left. From many states at once
it plays on all of their layouts to the end, one shot a pass, and the credit of its games is added
up by the weights of the layouts.

**States are shared.** Two cells that were tried one after the other lead to the same states in
either order, and what was found for a state stands when the hunt gets there. A state is known by a
64-bit key: random words of its layouts, of the ship cells hit and of the shots fired, added up.
What each was worth is kept in a table with one place for each value of the key's leading bits; the
latest has it. On 6×6 {3,3,2} with four cells tried, fewer than half of the states are played on.

**Sums are exact** if the weights are whole numbers that add up to less than 2³² and the credit is
in multiples of 2⁻²⁰ (`bsjax.solve.snapshot`): their products are then added without rounding in
64-bit floats, whatever the order. Two keys meet in about one of 10,000 such hunts; a cell is then
judged by the wrong sum.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Float64, Int32, Int64, UInt8, UInt64

from bsjax.evaluate.credit import Credit
from bsjax.posterior.listed import Listing

EVENTS = 1 << 18
"""Ship cells, or cells of nodes, that are counted at once: they fit a processor cache."""
_SHARED = 4
"""States of fewer layouts are sooner played on than looked up."""
_PLACES = 8
"""Places of the table for each layout of the game, at least."""
_MOST_PLACES = 1 << 25
_MIX = np.uint64(0x9E3779B97F4A7C15)


class States(NamedTuple):
    """B states of knowledge with A layouts in all, none of them decided; n ship cells, C cells."""

    row: Int32[np.ndarray, " A"]
    """Layouts of each state, side by side, as rows of the listing."""
    weight: Float64[np.ndarray, " A"]
    live: UInt8[np.ndarray, "n A"]
    """Ship cells of each layout; C where the cell was hit."""
    start: Int64[np.ndarray, " B1"]
    """First layout of each state, and A at the end."""
    left: Int64[np.ndarray, " B"]
    """Ship cells not hit; the layouts of a state agree in it."""

    @property
    def size(self) -> Int64[np.ndarray, " B"]:
        """Layouts of each state."""
        return np.diff(self.start)

    @property
    def of(self) -> Int64[np.ndarray, " A"]:
        """State of each layout."""
        return np.repeat(np.arange(len(self.left)), self.size)


def scores(
    listing: Listing, states: States, information: float
) -> Iterator[tuple[slice, Float64[np.ndarray, "N C"]]]:
    """How good every cell is to fire at, 0 where no layout has a ship: which states, and theirs.

    A score is the mass with a ship there; with a share of information, that share of
    1 − Σ P(answer)² and the rest P(ship).

    Cost: about 30 ns a layout.
    """
    cells, first, nodes = listing.game.cells, 0, len(states.left)
    columns, start = len(states.live), states.start
    number = 1 if information == 0 else listing.kinds.number
    each = columns * number
    while first < nodes:
        reach = int(np.searchsorted(start, start[first] + EVENTS // each, side="right")) - 1
        last = min(max(reach, first + 1), first + max(EVENTS // (number * cells), 1), nodes)
        rows = slice(int(start[first]), int(start[last]))
        live, weight = states.live[:, rows], states.weight[rows]
        place = np.repeat(np.arange(last - first), np.diff(start[first : last + 1])) * number
        if information > 0:
            place = place + _kinds(listing, states.row[rows], live) - 1
        place = (place * (cells + 1) + live).ravel()
        masses = np.broadcast_to(weight, live.shape).ravel()
        table = np.bincount(place, masses, minlength=(last - first) * number * (cells + 1))
        table = table.reshape(last - first, number, cells + 1)[:, :, :-1]
        score = table[:, 0]
        if information > 0:
            total = np.add.reduceat(weight, start[first:last] - rows.start)[:, None]
            ship = table.sum(1)
            gain = 1 - ((total - ship) ** 2 + (table**2).sum(1)) / total**2
            score = np.where(ship > 0, (1 - information) * (ship / total) + information * gain, 0)
        yield slice(first, last), score
        first = last


def _kinds(
    listing: Listing, row: Int32[np.ndarray, " A"], live: UInt8[np.ndarray, "n A"]
) -> Int64[np.ndarray, "n A"]:
    """Kind of the answer at each ship cell, if it was not hit before."""
    kinds, is_live = listing.kinds, live != listing.game.cells
    found = np.empty(live.shape, np.int64)
    for ship in range(listing.game.ships):
        columns = np.flatnonzero(kinds.ship == ship)
        last = is_live[columns].sum(0) == 1
        down = _down(listing, ship, row)
        for column in columns:
            found[column] = np.where(last, kinds.sunk[down, column], kinds.hit[column])
    return found


def _down(listing: Listing, ship: int, row: Int32[np.ndarray, " A"]) -> Int64[np.ndarray, " A"]:
    """Whether the ship lies down, where answers tell."""
    if listing.game.feedback != "cells":
        return np.zeros(len(row), np.int64)
    return listing.down[ship, row].astype(np.int64)


class _Shot(NamedTuple):
    """What one shot makes of states: N children, by whether they go on."""

    order: Int64[np.ndarray, " A"]
    """Layouts, child after child."""
    start: Int64[np.ndarray, " N"]
    size: Int64[np.ndarray, " N"]
    parent: Int64[np.ndarray, " N"]
    hit: Bool[np.ndarray, " N"]


class Quick:
    """The quick hunt of one belief and credit, and what it is known to get."""

    def __init__(self, listing: Listing, credit: Credit, information: float):
        """Nothing is known yet.

        Args:
            listing: all layouts.
            credit: what finishing at each shot is worth.
            information: share of information in the score.
        """
        self.listing, self.credit, self.information = listing, credit, information
        cells = listing.game.cells
        words = np.random.PCG64(0).random_raw(len(listing) + 2 * (cells + 1))
        self._row_word = words[: len(listing)]
        self._hit_word, self._time_word = words[len(listing) :].reshape(2, -1)
        self._hit_word[cells] = 0
        bits = min(_PLACES * len(listing), _MOST_PLACES).bit_length()
        self._shift = np.uint64(64 - bits)
        self._key, self._worth = np.zeros(1 << bits, np.uint64), np.zeros(1 << bits)

    def words(
        self, cells: UInt8[np.ndarray, "n B"], live: UInt8[np.ndarray, "n B"]
    ) -> UInt64[np.ndarray, " B"]:
        """Words of the ship cells hit in states, added up.

        Args:
            cells: ship cells of a layout of each.
            live: those not hit; C where the cell was hit.
        """
        was_hit = np.where(live == self.listing.game.cells, cells, self.listing.game.cells)
        return self._hit_word[was_hit].sum(0, dtype=np.uint64)

    def worth(
        self,
        states: States,
        words: UInt64[np.ndarray, " B"],
        fired: int,
        cell: UInt8[np.ndarray, " B"],
    ) -> Float64[np.ndarray, " B"]:
        """Credit of firing a cell in each state and going on quickly, times the state's weight.

        Args:
            states: the states; their `live` is used up.
            words: see `words`.
            fired: shots fired before.
            cell: the cell fired at in each.

        Cost: about 80 ns for each layout and shot that is not shared.
        """
        made = []
        while len(states.left):
            if made:
                cell = np.empty(len(states.left), np.uint8)
                for nodes, score in scores(self.listing, states, self.information):
                    cell[nodes] = score.argmax(1)
            fired += 1
            shot = self._fire(states, cell)
            left = states.left[shot.parent] - shot.hit
            hit = np.where(shot.hit, cell[shot.parent], self.listing.game.cells)
            words = words[shot.parent] + self._hit_word[hit]
            mass = np.add.reduceat(states.weight[shot.order], shot.start)
            worth = mass * self.credit[fired + left]
            goes_on = (shot.size > 1) & (left > 0)
            look = np.flatnonzero(goes_on & (shot.size >= _SHARED))
            key = self._keys(states, shot, look, words, fired)
            place = (key >> self._shift).astype(np.int64)
            known = self._key[place] == key
            worth[look[known]] = self._worth[place[known]]
            goes_on[look[known]] = False
            same, look, key, place = np.arange(len(left)), look[~known], key[~known], place[~known]
            same[look] = look[_first_alike(key)]
            goes_on &= same == np.arange(len(left))
            kept = goes_on[look]
            found = look[kept], key[kept], place[kept]
            made.append((shot.parent, len(states.left), worth, same, goes_on, found))
            states = _part(states, shot, goes_on, left)
            words = words[goes_on]
        return self._added(made)

    def _fire(self, states: States, cell: UInt8[np.ndarray, " B"]) -> _Shot:
        """The children of states; hits are marked in `live`."""
        live, kinds, cells = states.live, self.listing.kinds, self.listing.game.cells
        fire = np.repeat(cell, states.size)
        kind = np.zeros(len(fire), np.uint8)
        for column, ship in enumerate(kinds.ship):
            at = np.flatnonzero(live[column] == fire)
            live[column, at] = cells
            afloat = live[np.flatnonzero(kinds.ship == ship)[:, None], at] != cells
            sunk = kinds.sunk[_down(self.listing, int(ship), states.row[at]), column]
            kind[at] = np.where(afloat.any(0), kinds.hit[column], sunk)
        # By kind, and within a kind in the order of the states: no sort but of the hits.
        hit = np.flatnonzero(kind)
        hit = hit[np.argsort(kind[hit], kind="stable")]
        order = np.concatenate([np.flatnonzero(kind == 0), hit])
        kind, state = kind[order], states.of[order]
        start = np.flatnonzero(
            (np.diff(state, prepend=-1) != 0) | (np.diff(kind, prepend=kind[:1]) != 0)
        )
        size = np.diff(start, append=len(order))
        return _Shot(order, start, size, state[start], kind[start] > 0)

    def _keys(
        self,
        states: States,
        shot: _Shot,
        children: Int64[np.ndarray, " K"],
        words: UInt64[np.ndarray, " N"],
        fired: int,
    ) -> UInt64[np.ndarray, " K"]:
        """Keys of some of the children."""
        if not len(children):
            return np.zeros(0, np.uint64)
        chosen = np.zeros(len(shot.size), bool)
        chosen[children] = True
        size = shot.size[children]
        rows = states.row[shot.order[np.repeat(chosen, shot.size)]]
        sums = np.add.reduceat(self._row_word[rows], np.cumsum(size) - size)
        return (sums + words[children] + self._time_word[fired]) * _MIX

    def _added(self, made: list) -> Float64[np.ndarray, " B"]:
        """What the states that came first are worth; all between are remembered."""
        below = np.zeros(0)
        for parent, states, worth, same, goes_on, (child, key, place) in reversed(made):
            worth[goes_on] = below
            worth = worth[same]
            self._key[place], self._worth[place] = key, worth[child]
            below = np.bincount(parent, worth, minlength=states)
        return below


def _part(
    states: States, shot: _Shot, kept: Bool[np.ndarray, " N"], left: Int64[np.ndarray, " N"]
) -> States:
    """Some of the children, as states."""
    layout = shot.order[np.repeat(kept, shot.size)]
    return States(
        states.row[layout],
        states.weight[layout],
        np.take(states.live, layout, axis=1),
        np.append(0, np.cumsum(shot.size[kept])),
        left[kept],
    )


def _first_alike(key: UInt64[np.ndarray, " K"]) -> Int64[np.ndarray, " K"]:
    """For each key the number of one that equals it, the same for most that are equal."""
    number = np.arange(len(key))
    bits = max(2 * len(key), 1).bit_length()
    place = (key >> np.uint64(64 - bits)).astype(np.int64)
    last = np.zeros(1 << bits, np.int64)
    last[place] = number
    alike = last[place]
    return np.where(key[alike] == key, alike, number)
