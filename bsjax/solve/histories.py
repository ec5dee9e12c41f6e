"""What a player has been told before each of his shots, as classes of courses, and the backward
pass over the pairs of a state of knowledge and a class.

The classes before shot t + 1 part the courses (`bsjax.solve.attack`) in which the fleet is still
afloat. With P the chance of the next class given the one before,

    V(s, h) = max over moves of Σ over answers of W(child, h)
    W(end, h) = Σ q(layout) over its layouts · E[credit of finishing with shot t + 1 | h]
    W(state, h) = Σ over next classes h′ of P(h′ | h) · V(state, h′)

A course in which the fleet has fallen is lost and leaves the sums. This is exact where each class
fixes the ones before (`histories`): the hunter's own shots then tell nothing more of the course.

Classes are columns of one backward pass. Histories branch as shots go by, so the pass goes down in
blocks: block by block the values of the next layer's states at what follows, then one step back.
It visits each pair of a state and a history once and holds one block a layer.
"""

from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise
from typing import Literal, NamedTuple

import numpy as np
from jaxtyping import Bool, Float64, Int64, UInt8
from scipy.sparse import coo_array, csr_array

from bsjax.solve.attack import Attack, Signal
from bsjax.solve.best_reply import layer_values, require_weights
from bsjax.solve.knowledge import Graph, threads
from bsjax.solve.pages import MOST

Seat = Literal["unknown", "first", "second"]
"""What a finish in the same round is worth: ½, 1 or 0."""

Labels = list[Int64[np.ndarray, " N"]]
"""For every shot of your own, before it, the class of each course: 0, 1, … among those in which
your fleet is afloat, −1 for the others."""

_COLUMNS = 64
"""Columns of a block at most: a row of values is then 512 bytes side by side."""


class Information(NamedTuple):
    """What is known before each of your shots, as classes; n_t of them before shot t + 1."""

    credit: list[Float64[np.ndarray, " _"]]
    """E[credit of finishing with this shot | class], for every shot."""
    lead: list[csr_array]
    """P(next class | class), n_t × n_t+1; what is missing to 1 is a fallen fleet."""


def histories(attack: Attack, signal: Signal, ahead: int = 0) -> Labels:
    """Classes of courses whose signal has shown the same so far, in the same order.

    Classes that follow from one class lie side by side.

    Args:
        attack: the courses.
        signal: what they show.
        ahead: shots of the opponent's current round that are seen before your own.
    """
    kinds = int(signal.event.max(initial=0)) + 1
    label = ranks(signal.start)
    for column in signal.event.T[:ahead]:
        label = ranks(label * kinds + column)
    found = []
    for shots, column in enumerate(signal.event.T[ahead:]):
        afloat = attack.fall > shots + ahead
        if not afloat.any():
            break
        found.append(_among(label, afloat))
        label = ranks(label * kinds + column)
    return found


def values_now(attack: Attack, signal: Signal, ahead: int = 0) -> Labels:
    """Classes of courses that started alike and have shown every event equally often so far.

    Arguments as for `histories`.

    Raises:
        ValueError: the signal has too many different events to tell their numbers apart.
    """
    courses, shots = signal.event.shape
    kinds = int(signal.event.max(initial=0))
    if (shots + 1) ** kinds * (len(np.unique(signal.start)) + 1) >= 1 << 62:
        raise ValueError(f"a signal of {kinds} different events has no memoryless hunt here")
    step = np.append(0, (shots + 1) ** np.arange(kinds))
    seen = np.zeros((courses, shots + 1), np.int64)
    np.cumsum(step[signal.event], axis=1, out=seen[:, 1:])
    seen += (ranks(signal.start) * (shots + 1) ** kinds)[:, None]
    found = []
    for shot in range(shots - ahead):
        afloat = attack.fall > shot + ahead
        if not afloat.any():
            break
        found.append(_among(seen[:, shot + ahead], afloat))
    return found


def information(attack: Attack, labels: Labels, seat: Seat) -> Information:
    """How classes lead to classes, and what a finish is worth in each.

    Args:
        attack: the courses.
        labels: their classes (`histories`, or `values_now` taken for a Markov chain).
        seat: what a finish in the same round is worth.
    """
    mass = [np.bincount(label[label >= 0], attack.weight[label >= 0]) for label in labels]
    credit, lead = [], []
    for shots, label in enumerate(labels):
        here = np.flatnonzero(label >= 0)
        earned = _EARNED[seat](attack.fall[here], shots + 1) * attack.weight[here]
        credit.append(np.bincount(label[here], earned) / mass[shots])
        n, more = len(mass[shots]), len(mass[shots + 1]) if shots + 1 < len(mass) else 0
        goes = here[labels[shots + 1][here] >= 0] if more else here[:0]
        after = labels[shots + 1][goes] if more else goes
        share = attack.weight[goes] / mass[shots][label[goes]]
        lead.append(csr_array(coo_array((share, (label[goes], after)), shape=(n, more))))
    return Information(credit, lead)


_EARNED: dict[Seat, Callable[[np.ndarray, int], np.ndarray]] = {
    "unknown": lambda fall, shot: (fall > shot) + (fall == shot) / 2,
    "first": lambda fall, shot: (fall >= shot) * 1.0,
    "second": lambda fall, shot: (fall > shot) * 1.0,
}


class Pass:
    """One backward pass over the pairs of a state and a class, in blocks of classes."""

    def __init__(
        self,
        graph: Graph,
        hider: Float64[np.ndarray, " M"],
        known: Information,
        memory: int,
    ):
        self.graph, self.known = graph, known
        weight = require_weights(graph.tables.listing, hider)
        weight = weight / weight.sum()
        self.ends: list[tuple[np.ndarray, np.ndarray]] = []
        """For every layer its ends, and the hider's weight on their layouts."""
        for layer in graph.layers:
            state, which = np.unique(layer.ends.state, return_inverse=True)
            total = np.bincount(which, weight[layer.ends.layout], minlength=len(state))
            self.ends.append((state.astype(np.int64), total))
        # Two arrays of values a state, and three of the moves of a page on each thread.
        column = 16 * graph.states + 24 * 4 * MOST
        self.columns = int(np.clip(memory // column, 1, _COLUMNS))
        self.top = self.columns
        self.choice: list[UInt8[np.ndarray, "_ _"]] | None = None
        self.given: tuple[list[np.ndarray], list[np.ndarray]] | None = None

    def keep(self) -> list[UInt8[np.ndarray, "_ _"]]:
        """Keep the best move of every state and class, in the tables that this returns."""
        pairs = zip(self.graph.layers, self.known.credit, strict=False)
        self.choice = [np.zeros((layer.counts.states, len(c)), np.uint8) for layer, c in pairs]
        # Classes of a chain meet again: its blocks are cut at the start alone.
        starts, most = len(self.known.credit[0]), max(map(len, self.known.credit))
        self.top, self.columns = max(self.columns * starts // most, 1), most
        return self.choice

    def follow(self, choice: list[np.ndarray], column: list[np.ndarray]) -> None:
        """Make these moves: for every shot those of the column that belongs to the class."""
        self.given = choice, column

    def run(self, start: Int64[np.ndarray, " N"], workers: int | None) -> Float64[np.ndarray, " N"]:
        """Races won on each course, given its class before the first shot; 0 if it has none."""
        won = np.zeros(len(self.known.credit[0]) + 1)
        with threads(workers) as spread:
            for part in blocks(0, len(won) - 1, self.top):
                won[part] = self._values(0, part, spread)[0]
        return won[start]

    def _values(
        self, shots: int, part: slice, spread: Callable[..., Iterable]
    ) -> Float64[np.ndarray, "n1 h"]:
        """Values of a layer's states in some of the classes; 0 at ends and behind the last."""
        layer, known = self.graph.layers[shots], self.known
        width = part.stop - part.start
        if shots + 1 == len(self.graph.layers):
            return np.zeros((layer.counts.states + 1, width))
        following = np.zeros((self.graph.layers[shots + 1].counts.states + 1, width))
        state, weight = self.ends[shots + 1]
        following[state] = weight[:, None] * known.credit[shots][part]
        lead = known.lead[shots][part]
        if lead.nnz:
            after = int(lead.indices.min()), int(lead.indices.max()) + 1
            for block in blocks(*after, self.columns):
                values = self._values(shots + 1, block, spread)
                following += (lead[:, block] @ values.T).T
        shape = layer.counts.states, width
        given = None
        if self.given is not None:
            choice, column = self.given
            given = choice[shots][:, column[shots][part]]
        chosen = None if self.choice is None else np.zeros(shape, np.uint8)
        values = layer_values(layer, following, chosen, spread, given)
        if self.choice is not None:
            self.choice[shots][:, part] = chosen
        return values


def blocks(first: int, last: int, most: int) -> Iterator[slice]:
    """A range in even pieces of `most` at most."""
    edges = np.linspace(first, last, -(-(last - first) // most) + 1).astype(np.int64).tolist()
    for start, stop in pairwise(edges):
        yield slice(start, stop)


def ranks(values: Int64[np.ndarray, " N"]) -> Int64[np.ndarray, " N"]:
    """Each value as its rank among the different ones."""
    return np.unique(values, return_inverse=True)[1]


def _among(
    label: Int64[np.ndarray, " N"], afloat: Bool[np.ndarray, " N"]
) -> Int64[np.ndarray, " N"]:
    """Ranks of the labels of the courses that are afloat, −1 for the others."""
    found = np.full(len(label), -1)
    found[afloat] = ranks(label[afloat])
    return found


def leads(
    fine: Int64[np.ndarray, " N"], coarse: Int64[np.ndarray, " N"]
) -> Int64[np.ndarray, " F"]:
    """The coarse class that each fine class lies in."""
    of, afloat = np.zeros(fine.max() + 1, np.int64), fine >= 0
    of[fine[afloat]] = coarse[afloat]
    return of
