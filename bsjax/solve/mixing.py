"""The lottery over a pool of hunts: the matrix game, its pace, what it comes to, fewer of them.

The hider may be held to some of the classes; what a lottery comes to is always of all of them.
"""

from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Float32, Float64

from bsjax.evaluate.credit import race_credit
from bsjax.solve.many_rows import solve_rows
from bsjax.solve.matrix_game import Solution
from bsjax.solve.pool import Compact

USED = 1e-6
"""Share of a hunt that counts as used."""

_GAP = 1e-5
"""Gap at which a matrix game stops, if it is not solved exactly."""
_SETTLING = 6
"""Matrix games of a reduced mixture, each at the pace of the one before."""


class Figures(NamedTuple):
    """What a lottery comes to."""

    worst: float
    """Share of races won on its worst layout against its own pace."""
    mean: float
    """Expected shots against the hider."""
    slowest: float
    """Expected shots on the slowest layout."""


class Opponent(NamedTuple):
    """Whom a lottery meets: a hider of O classes of layouts, T = cells + 1."""

    hider: Float64[np.ndarray, " O"]
    """Share of each class."""
    known: Bool[np.ndarray, " O"]
    """Classes that the matrix game holds."""
    cells: int

    def pace(self, pool: Compact) -> Float64[np.ndarray, " T"]:
        """When a lottery finishes against the hider."""
        pace = pool.pace(self.hider, self.cells)
        return pace / pace.sum()

    def figures(self, pool: Compact) -> Figures:
        """What a lottery comes to."""
        own = self.pace(pool)
        shots = pool.won(np.arange(len(own), dtype=np.float64))
        worst = float(pool.won(race_credit(own)).min())
        return Figures(worst, float(self.hider @ shots), float(shots.max()))

    def matrix_game(
        self,
        payoff: Float32[np.ndarray, "O H"],
        share: Float64[np.ndarray, " H"],
        likely: Float64[np.ndarray, " O"] | None = None,
    ) -> Solution:
        """Solved over the known classes; see `bsjax.solve.many_rows.solve_rows`.

        Args:
            payoff: what each hunt wins on each class.
            share: a lottery near the answer.
            likely: a hider near the answer.
        """
        at = slice(None) if self.known.all() else np.flatnonzero(self.known)
        near = None if likely is None else likely[at]
        found = solve_rows(payoff[at], tolerance=_GAP, start=share, likely=near)
        rows = np.zeros(len(payoff))
        rows[at] = found.rows
        return found._replace(rows=rows)

    def reduced(self, pool: Compact, most: int) -> tuple[Compact, float]:
        """The hunts of the largest share, weighed anew, and the gap of their last matrix game.

        Args:
            pool: hunts.
            most: hunts to keep at most, 1 or more.

        Cost: `_SETTLING` matrix games.
        """
        order, gap = np.argsort(-pool.share, kind="stable")[:most], 0.0
        pool = pool.part(np.sort(order[pool.share[order] > 0]))
        pace = self.pace(pool)
        for _ in range(_SETTLING):
            found = self.matrix_game(pool.payoff(race_credit(pace)), pool.share)
            pool, gap = pool.mixed(lottery(found.columns)), found.gap
            pace = (pace + self.pace(pool)) / 2
        return pool.part(np.flatnonzero(pool.share > 0)), gap


def lottery(columns: Float64[np.ndarray, " H"]) -> Float64[np.ndarray, " H"]:
    """A lottery without the hunts that are hardly used."""
    share = np.where(columns > USED, columns, 0)
    return share / share.sum()
