"""How many layouts answer what to two shots in a row: the masses behind two-shot lookaheads.

For a node (`bsjax.posterior.masses`) and a first shot c1 answered s1, a second shot c2 is answered
s2 by A[c1, s1, c2, s2] layouts. A layout takes part in A with both shots on its own ships only
for its n(n − 1) ordered pairs of ship cells; what a miss does follows by subtraction:

    A[c1, s1, c2, miss] = N[c1, s1] − Σ_s2 A[c1, s1, c2, s2]
    A[c1, miss, c2, s2] = N[c2, s2] − D[c1, c2, s2]

N is the mass of one answer, and D that of the layouts with ships on c1 and c2 where a shot at c2
alone would be answered s2. Only cells that some layout of the node covers need a table entry, and
they are few in most nodes: the tables of a block of nodes are ragged, U² entries for U cells.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Int64

from bsjax.posterior.masses import Block, Mass

ENTRIES = 1 << 18
"""Table entries held at once, unless one node alone has more; what fits a processor cache."""


class Pairs(NamedTuple):
    """Ragged tables over ordered pairs of covered cells; P pairs, R = covered cells, O kinds.

    Pairs are sorted by node, first cell, second cell, so that the pairs of one first cell lie
    side by side. Entries of a cell with itself are 0.
    """

    node: Int64[np.ndarray, " R"]
    """Node of each first cell."""
    cell: Int64[np.ndarray, " R"]
    """The first cell."""
    start: Int64[np.ndarray, " R"]
    """Its first pair."""
    first: Int64[np.ndarray, " P"]
    """Entry of the first cell among the R."""
    second: Int64[np.ndarray, " P"]
    """Entry of the second cell among the R."""
    both: Mass
    """A for two hits, [O, O, P] (first answer, second answer, pair), or summed over the second
    answer, [O, P]. The long axis is the last, so that sums over answers are fast."""
    alone: Mass
    """D, [O, P], or summed over the second answer, [P]."""


def pairs(block: Block, *, second_answer: bool) -> Iterator[tuple[Block, Pairs]]:
    """The block in parts that fit the memory, each with its tables.

    Args:
        block: nodes that each hold an unfinished layout.
        second_answer: whether to tell answers to the second shot apart, or only count its hits.

    Cost: n(n − 1) events a layout; U²·O² table entries a node (U²·O without `second_answer`).
    """
    kinds = block.listing.kinds.number
    covered = block.ship > 0
    size = covered.sum(1).astype(np.int64) ** 2 * kinds * (kinds if second_answer else 1)
    bounds, load = [0], 0
    for node, entries in enumerate(size.tolist()):
        if load and load + entries > ENTRIES:
            bounds.append(node)
            load = 0
        load += entries
    for first, last in zip(bounds, [*bounds[1:], block.nodes], strict=True):
        whole = len(bounds) == 1
        part = block if whole else block.part(first, last)
        yield part, _tables(part, covered[first:last], second_answer=second_answer)


def _tables(block: Block, covered: Bool[np.ndarray, "B C"], *, second_answer: bool) -> Pairs:
    """The tables of one part."""
    kinds = block.listing.kinds.number
    node, cell = np.nonzero(covered)
    cells = covered.sum(1)
    # Entry of each covered cell, and of its pairs, within the part.
    entry = np.cumsum(covered.ravel()).reshape(covered.shape) - 1
    length = cells[node]
    start = np.cumsum(length) - length
    first = np.repeat(np.arange(len(node)), length)
    origin = np.cumsum(cells) - cells
    second = np.arange(len(first)) - start[first] + origin[node[first]]

    pairs, answers = len(first), kinds * kinds if second_answer else kinds
    both = np.zeros(answers * pairs, block.total.dtype)
    alone = np.zeros(kinds * pairs if second_answer else 0, block.total.dtype)
    for rows in block.chunks(len(block.left.cells) ** 2):
        at, events = _events(block, rows, entry, start, origin)
        answer = events.now * kinds + events.then if second_answer else events.now
        both += block.count(len(both), answer * pairs + events.pair, at)
        if second_answer:
            alone += block.count(len(alone), events.alone * pairs + events.pair, at)
    if second_answer:
        both, alone = both.reshape(kinds, kinds, pairs), alone.reshape(kinds, pairs)
    else:
        both = both.reshape(kinds, pairs)
        alone = both.sum(0)
    return Pairs(node, cell, start, first, second, both, alone)


class _Events(NamedTuple):
    """Layouts with ships on both cells of a pair, and their answers (numbered from 0)."""

    pair: Int64[np.ndarray, " E"]
    now: Int64[np.ndarray, " E"]
    """To the first shot."""
    then: Int64[np.ndarray, " E"]
    """To the second shot after it."""
    alone: Int64[np.ndarray, " E"]
    """To the second shot alone."""


def _events(
    block: Block,
    rows: slice,
    entry: Int64[np.ndarray, "B C"],
    start: Int64[np.ndarray, " R"],
    origin: Int64[np.ndarray, " B"],
) -> tuple[Int64[np.ndarray, " E"], _Events]:
    """All events of some layouts, and the layout of each.

    Whole tables of ordered pairs of columns × layouts, thinned out at the end: far faster than
    picking the pairs first, since most are afloat.
    """
    kinds, left, node = block.listing.kinds, block.left, block.node[rows]
    ship = kinds.ship.astype(np.int64)
    sunk = kinds.sunk[0][:, None]
    if block.listing.game.feedback == "cells":
        sunk = np.where(block.listing.down[:, left.row[rows]][ship], *kinds.sunk[::-1, :, None])
    afloat = left.afloat[:, rows][ship]
    hit = kinds.hit[:, None]
    last = np.where(afloat == 1, sunk, hit).astype(np.int64) - 1
    last_but_one = np.where(afloat == 2, sunk, hit).astype(np.int64) - 1
    one, two = np.nonzero(~np.eye(len(ship), dtype=bool))
    then = last[two]
    same = ship[one] == ship[two]
    then[same] = last_but_one[two[same]]
    at = entry[node, left.cells[:, rows]]
    pair = (start[at] - origin[node])[one] + at[two]
    live = block.live(rows)
    both = live[one] & live[two]
    layout = np.broadcast_to(np.arange(len(node)) + rows.start, both.shape)
    events = _Events(*(table[both] for table in (pair, last[one], then, last[two])))
    return layout[both], events
