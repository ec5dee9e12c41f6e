"""One layer of states with their lists of layouts, in buckets of lists of the same width.

States are numbered bucket by bucket, the shortest lists first. A layer's lists are needed only
until the next layer has its own.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from jaxtyping import UInt, UInt16

from bsjax.solve.tables import Tables

CHUNK = 1 << 17
"""States of one piece of work at most."""
LISTED = 1 << 22
"""Places in the lists of one piece of work, unless one state alone has more."""


class Bucket(NamedTuple):
    """n states with lists of width w."""

    members: UInt16[np.ndarray, "n w"]
    """Layouts of each state, 0 behind the last."""
    hits: UInt[np.ndarray, " n"]
    """Fired cells of each state that hit."""

    def part(self, rows: slice) -> "Bucket":
        """Some of the states side by side, as a view."""
        return Bucket(self.members[rows], self.hits[rows])


class Chunk(NamedTuple):
    """States side by side in one bucket: one piece of work."""

    bucket: int
    rows: slice

    @property
    def states(self) -> int:
        """Number of states."""
        return self.rows.stop - self.rows.start


def opening(tables: Tables) -> list[Bucket]:
    """The layer before the first shot: one state, every layout."""
    layouts = len(tables.listing)
    members = np.zeros((1, int(tables.widths[tables.width_of[layouts]])), np.uint16)
    members[0, :layouts] = 1 + np.arange(layouts)
    return [Bucket(members, np.zeros(1, tables.cell_type))]


def count(front: list[Bucket]) -> int:
    """States of a layer."""
    return sum(len(bucket.hits) for bucket in front)


def chunks(front: list[Bucket]) -> Iterator[Chunk]:
    """The states of a layer in their order, in pieces of bounded size."""
    for number, bucket in enumerate(front):
        states, width = bucket.members.shape
        step = max(min(CHUNK, LISTED // width), 1)
        for start in range(0, states, step):
            yield Chunk(number, slice(start, min(start + step, states)))
