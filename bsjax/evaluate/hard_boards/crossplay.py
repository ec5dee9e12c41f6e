"""Cross-play: one hunter on all boards that anybody's search has found.

Every board gets some games, the lowest of them more, the lowest of those more again. What is left
at the end was chosen by its readings: measure it on games of its own.
"""

from typing import NamedTuple

import jax
import numpy as np
from jaxtyping import Array, Int64, Key

from bsjax.evaluate.hard_boards.layouts import Layouts
from bsjax.evaluate.hard_boards.trial import Readings, Table


class Heat(NamedTuple):
    """One round over the boards that are left."""

    games: int
    """Further games on each."""
    keep: float
    """Share of the boards that go on to the next round, rounded up."""


TOURNAMENT = (Heat(256, 0.25), Heat(768, 0.25), Heat(3072, 0.0))
"""As published; the share of the last round is not used."""


class Scores(NamedTuple):
    """Readings of all B boards, those that went on with more games."""

    readings: Readings
    order: Int64[np.ndarray, " B"]
    """Boards from the lowest on: by the last round they were in, then by value."""


def crossplay(
    key: Key[Array, ""], table: Table, layouts: Layouts, heats: tuple[Heat, ...]
) -> Scores:
    """Scores of a hunter on these boards.

    Args:
        key: consumed.
        table: the hunter and the pace.
        layouts: the boards, no two alike.
        heats: the rounds.
    """
    total, rows, behind = np.zeros((len(layouts), 4)), np.arange(len(layouts)), []
    for number, heat in enumerate(heats):
        own = jax.random.fold_in(key, number)
        total[rows] += table.play(own, layouts[rows], heat.games).sums
        rows = rows[np.argsort(Readings(total[rows]).value, kind="stable")]
        if number + 1 < len(heats):
            kept = int(np.ceil(heat.keep * len(rows)))
            behind.append(rows[kept:])
            rows = rows[:kept]
    return Scores(Readings(total), np.concatenate([rows, *reversed(behind)]))
