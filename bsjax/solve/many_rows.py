"""Matrix games with far more rows than columns: an interior-point method on the rows that matter.

The linear program of the columns' lottery x,

    max v   so that   A x − s = v,  Σ x = 1,  x ≥ 0,  s ≥ 0,

has the rows' lottery y and the reduced costs z ≥ 0 as its dual: Aᵀ y + z = u, Σ y = 1. Starting
from even lotteries all four are met exactly, and stay so; what is left of x·z + y·s is the gap.
Each step of the predictor–corrector method (Mehrotra 1992) solves one system of the size of the
columns, whose matrix Aᵀ D A is the work: rows × columns² multiplications. Some twenty steps do,
where a first-order method takes thousands.

Few rows bind. The program holds the rows that do worst so far; the rest are looked at when it is
solved, and the worst of them join (`_MORE` at a time) until none is below its value by more than
the tolerance. What is reported is of all rows.
"""

from typing import NamedTuple

import numpy as np
from jaxtyping import Float32, Float64, Int64

from bsjax.solve.matrix_game import EXACT, Solution, exact

_STEPS = 60
"""Most steps of one program."""
_ROUNDS = 30
"""Most programs."""
_CLOSE = 0.995
"""Share of the way to the border that a step goes."""
_INNER = 0.1
"""Share of the tolerance that is left to each program."""
_FIRST = 6
"""Rows of the first program, for each column."""
_MORE = 4
"""Rows that join at a time, for each column."""
_FEWEST = 1 << 10
"""Rows of the first program and rows that join, at least."""
_FLAT = 1e-10
"""What is added to the diagonal of the system, as a share of it."""
_LEAST = 1e-12


class _Point(NamedTuple):
    x: Float64[np.ndarray, " N"]
    z: Float64[np.ndarray, " N"]
    y: Float64[np.ndarray, " R"]
    s: Float64[np.ndarray, " R"]
    v: float
    u: float

    @property
    def gap(self) -> float:
        return float(self.x @ self.z + self.y @ self.s)

    def moved(self, step: "_Point", share: tuple[float, float]) -> "_Point":
        own, dual = share
        return _Point(
            self.x + own * step.x,
            self.z + dual * step.z,
            self.y + dual * step.y,
            self.s + own * step.s,
            self.v + own * step.v,
            self.u + dual * step.u,
        )


def solve_rows(
    payoff: Float32[np.ndarray, "R N"],
    *,
    tolerance: float = 1e-4,
    start: Float64[np.ndarray, " N"] | None = None,
    likely: Float64[np.ndarray, " R"] | None = None,
) -> Solution:
    """Both players' lotteries to within a gap; small games exactly, by `matrix_game.exact`.

    It stops at the gap, or after `_ROUNDS` programs; the answer says which gap was reached.

    Args:
        payoff: what each column gets against each row; finite.
        tolerance: the gap at which it stops.
        start: a lottery over columns near the answer; the rows that do worst against it are the
            first.
        likely: a lottery over rows near the answer; those that have most of it join them.

    Raises:
        ValueError: the matrix is empty or not finite.

    Cost: a pass over the matrix for each program, and R' × N² multiplications a step for R' rows
    of it. 240,000 × 400 to a gap of 1e-5 takes 2 s of one core and 0.2 GB beside the matrix.
    """
    if payoff.size <= EXACT:
        return exact(payoff)
    if not np.isfinite(payoff.sum(dtype=np.float64)):
        raise ValueError("a matrix game needs finite payoffs")
    rows, columns = payoff.shape
    even = np.full(columns, 1 / columns) if start is None else start
    more = max(_MORE * columns, _FEWEST)
    active = _lowest(payoff @ even.astype(np.float32), max(_FIRST * columns, _FEWEST))
    if likely is not None:
        active = np.union1d(active, _lowest(-likely, more))
    program = 1
    while True:
        part = payoff[active].astype(np.float64)
        found = _solved(part, _INNER * tolerance)
        # All rows in single precision, the lowest ones again in double.
        rough = payoff @ found.x.astype(np.float32)
        lowest = _lowest(rough, more)
        low = float((payoff[lowest].astype(np.float64) @ found.x).min())
        high = float((found.y @ part).max())
        if high - low <= tolerance or program == _ROUNDS:
            break
        active, program = np.union1d(active, lowest), program + 1
    full = np.zeros(rows)
    full[active] = found.y
    return Solution(full, found.x, low, high)


def _lowest(value: np.ndarray, count: int) -> Int64[np.ndarray, " n"]:
    """The rows of the lowest values."""
    if count >= len(value):
        return np.arange(len(value))
    return np.sort(np.argpartition(value, count)[:count])


def _solved(payoff: Float64[np.ndarray, "R N"], tolerance: float) -> _Point:
    """One program."""
    rows, columns = payoff.shape
    x, y = np.full(columns, 1 / columns), np.full(rows, 1 / rows)
    won, paid = payoff @ x, y @ payoff
    spread = max(won.max() - won.min(), paid.max() - paid.min(), _LEAST)
    v, u = won.min() - spread, paid.max() + spread
    at = _Point(x, u - paid, y, won - v, v, u)
    for _ in range(_STEPS):
        if at.gap <= tolerance:
            break
        at = _step(payoff, at)
    total = at.x.sum(), at.y.sum()
    return at._replace(x=at.x / total[0], y=at.y / total[1])


def _step(payoff: Float64[np.ndarray, "R N"], at: _Point) -> _Point:
    """Towards the centre and the border at once."""
    rows, columns = payoff.shape
    weight = at.y / at.s
    scaled = payoff * np.sqrt(weight)[:, None]
    system = np.zeros((columns + 2, columns + 2))
    square = system[:columns, :columns]
    np.matmul(scaled.T, scaled, out=square)
    ridge = at.z / at.x
    square.flat[:: columns + 1] += ridge + _FLAT * square.diagonal().mean()
    sums = weight @ payoff
    system[:columns, columns] = system[columns, :columns] = -sums
    system[columns, columns] = weight.sum()
    system[:columns, columns + 1] = system[columns + 1, :columns] = 1

    def direction(center: float, own: np.ndarray | float, dual: np.ndarray | float) -> _Point:
        """Newton's step to products of `center`, less what the first step overlooked."""
        short_x = center - at.x * at.z - own
        short_s = (center - at.y * at.s - dual) / at.y
        right = np.zeros(columns + 2)
        right[:columns] = (weight * short_s) @ payoff + short_x / at.x
        right[columns] = -(weight @ short_s)
        found = np.linalg.solve(system, right)
        dx, dv, du = found[:columns], float(found[columns]), float(found[columns + 1])
        ds = payoff @ dx - dv
        return _Point(dx, (short_x - at.z * dx) / at.x, weight * (short_s - ds), ds, dv, du)

    ahead = direction(0.0, 0.0, 0.0)
    share = _room(at, ahead)
    center = at.gap / (rows + columns)
    after = at.moved(ahead, share).gap / (rows + columns)
    second = direction(after**3 / center**2, ahead.x * ahead.z, ahead.y * ahead.s)
    own, dual = _room(at, second)
    return at.moved(second, (min(1, _CLOSE * own), min(1, _CLOSE * dual)))


def _room(at: _Point, step: _Point) -> tuple[float, float]:
    """How far a step can go before something is negative: the columns' side and the rows'."""

    def reach(value: np.ndarray, change: np.ndarray) -> float:
        falling = change < 0
        return float((value[falling] / -change[falling]).min(initial=1.0))

    return (
        min(reach(at.x, step.x), reach(at.s, step.s)),
        min(reach(at.z, step.z), reach(at.y, step.y)),
    )
