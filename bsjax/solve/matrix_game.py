"""Matrix games: rows are layouts and pay least, columns are hunts and want most.

* `exact`: the linear program, by HiGHS. For thousands of entries to a million.
* `first_order`: predictive regret matching⁺ with alternation and quadratic averages (Farina,
  Kroer, Sandholm 2021), in JAX. Two products with the matrix a step; for any size.
* `proximal`: what the loop of `bsjax.solve.loop` asks: the rows that are best near a centre,

      min over q of  max over columns of (q · A)  +  KL(q ‖ centre) / η

Every answer says what it is worth: `low` is what the columns' lottery gets at least, `high` what
any column gets at most against the rows' lottery. The value of the game lies between them.
"""

from functools import partial
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Float32, Float64

EXACT = 1_000_000
"""Entries up to which `solve` uses the linear program; with five times as many it takes minutes."""
_CHECKED = 50
"""Steps between two looks at the gap."""
_BELIEF = 1e-3
"""Regret that a lottery to start with stands for, in all."""
_COLUMNS = 512
"""Columns are padded to a multiple of this."""

_LEAST = 1e-12
"""Least variance of a column to be told from none."""

Payoff = Float[np.ndarray, "R N"]


class Solution(NamedTuple):
    """Lotteries of both players and what they guarantee."""

    rows: Float64[np.ndarray, " R"]
    columns: Float64[np.ndarray, " N"]
    low: float
    """What the columns' lottery gets against any row."""
    high: float
    """What any column gets against the rows' lottery."""

    @property
    def gap(self) -> float:
        """How far the two are from the value of the game, together."""
        return self.high - self.low


def solve(payoff: Payoff, *, tolerance: float = 1e-6, start: np.ndarray | None = None) -> Solution:
    """Both players' lotteries, by the method that suits the size.

    Args:
        payoff: what each column gets against each row; finite.
        tolerance: gap at which the first-order method stops; the linear program is exact.
        start: a lottery over columns that the first-order method begins with.

    Raises:
        ValueError: the matrix is empty or not finite.
    """
    if payoff.size <= EXACT:
        return exact(payoff)
    return first_order(payoff, tolerance=tolerance, start=start)


def exact(payoff: Payoff) -> Solution:
    """By linear programming: the most that a lottery over columns gets against every row.

    Raises:
        ValueError: the matrix is empty or not finite, or HiGHS gave up.
    """
    from scipy.optimize import linprog

    _check(payoff)
    rows, columns = payoff.shape
    # Variables: the columns' lottery and what it guarantees; the duals are the rows' lottery.
    found = linprog(
        np.append(np.zeros(columns), -1.0),
        A_ub=np.hstack([-np.asarray(payoff, np.float64), np.ones((rows, 1))]),
        b_ub=np.zeros(rows),
        A_eq=np.append(np.ones(columns), 0.0)[None],
        b_eq=[1.0],
        bounds=[(0, None)] * columns + [(None, None)],
        method="highs",
    )
    if not found.success:
        raise ValueError(f"the linear program was not solved: {found.message}")
    return judged(payoff, -found.ineqlin.marginals, found.x[:-1])


def judged(payoff: Payoff, rows: np.ndarray, columns: np.ndarray) -> Solution:
    """Two lotteries, made to sum to 1, with what they guarantee."""
    rows, columns = (np.maximum(np.asarray(x, np.float64), 0) for x in (rows, columns))
    rows, columns = rows / rows.sum(), columns / columns.sum()
    low, high = float((payoff @ columns).min()), float((rows @ payoff).max())
    return Solution(rows, columns, low, high)


def first_order(
    payoff: Payoff,
    *,
    tolerance: float = 1e-6,
    steps: int = 100_000,
    start: np.ndarray | None = None,
) -> Solution:
    """By predictive regret matching⁺; stops at the gap or after so many steps.

    Args:
        payoff: what each column gets against each row.
        tolerance: gap to stop at.
        steps: most steps.
        start: a lottery over columns to begin with.

    Raises:
        ValueError: the matrix is empty or not finite.

    Cost: two products with the matrix a step, in float32; 1,009 × 2,000 takes a millisecond a step
    on two cores and some thousand steps to a gap of 0.001.
    """
    _check(payoff)
    first = np.full(payoff.shape[1], 1 / payoff.shape[1]) if start is None else start
    rows, columns = _matching(
        jnp.asarray(payoff, jnp.float32),
        jnp.asarray(first, jnp.float32),
        jnp.float32(tolerance),
        steps,
    )
    return judged(payoff, np.asarray(rows), np.asarray(columns))


@partial(jax.jit, static_argnames="steps")
def _matching(
    payoff: Float32[Array, "R N"],
    start: Float32[Array, " N"],
    tolerance: Float32[Array, ""],
    steps: int,
) -> tuple[Float32[Array, " R"], Float32[Array, " N"]]:
    def share(regret: Array) -> Array:
        positive = jnp.maximum(regret, 0)
        total = positive.sum()
        return jnp.where(total > 0, positive / jnp.where(total > 0, total, 1), 1 / len(regret))

    def step(k: Array, state: tuple[Array, ...]) -> tuple[Array, ...]:
        row_regret, x, column_regret, y, rows, columns = state
        loss = payoff @ y
        # What was regretted now is taken as what will be regretted next.
        ahead = loss @ x - loss
        row_regret = jnp.maximum(row_regret + ahead, 0)
        x = share(row_regret + ahead)
        gain = x @ payoff
        weight = (k.astype(jnp.float32) + 1) ** 2
        rows, columns = rows + weight * x, columns + weight * y
        ahead = gain - gain @ y
        column_regret = jnp.maximum(column_regret + ahead, 0)
        return row_regret, x, column_regret, share(column_regret + ahead), rows, columns

    def block(state: tuple[Array, tuple[Array, ...], Array]) -> tuple[Array, tuple, Array]:
        k, inner, _ = state
        inner = jax.lax.fori_loop(k, k + _CHECKED, step, inner)
        rows, columns = inner[4] / inner[4].sum(), inner[5] / inner[5].sum()
        gap = (rows @ payoff).max() - (payoff @ columns).min()
        return k + _CHECKED, inner, gap

    r, n = payoff.shape
    even = jnp.full(r, 1 / r)
    opening = jnp.zeros(r), even, _BELIEF * start, start, jnp.zeros(r), jnp.zeros(n)
    _, found, _ = jax.lax.while_loop(
        lambda state: (state[0] < steps) & (state[2] > tolerance),
        block,
        (jnp.int32(0), opening, jnp.float32(jnp.inf)),
    )
    return found[4], found[5]


class Near(NamedTuple):
    """Rows near a centre, and the lottery over columns that they answer."""

    rows: Float64[np.ndarray, " R"]
    columns: Float64[np.ndarray, " N"]
    worth: float
    """What the best column gets against the rows, plus their distance: an upper bound."""
    bound: float
    """No rows do better than this: `worth` − `bound` is what is left to gain."""


def proximal(
    payoff: Payoff,
    center: np.ndarray,
    reach: float,
    start: np.ndarray,
    *,
    tolerance: float = 1e-5,
    steps: int = 1000,
) -> Near:
    """The rows that pay least, less Kullback–Leibler divergence from a centre over `reach`.

    The rows' answer to a lottery μ over columns is q ∝ centre · exp(−η A μ) in closed form, so the
    dual in μ is smooth: it is climbed by accelerated mirror ascent (Tseng 2008) with entropy. Its
    curvature is at most η times the largest variance of a column under q.

    Args:
        payoff: what each column gets against each row.
        center: lottery over rows, all positive.
        reach: η; the larger, the farther from the centre.
        start: lottery over columns to begin with, all positive.
        tolerance: what may be left to gain.
        steps: most steps.

    Raises:
        ValueError: the matrix is empty or not finite; the reach, or a share of the centre or of the
            start, is not positive.

    Cost: two products with the matrix a step.
    """
    _check(payoff)
    if not ((center > 0).all() and (start > 0).all() and reach > 0):
        raise ValueError("the reach and all shares of the centre and the start must be positive")
    count = payoff.shape[1]
    # A growing pool meets few programs: columns that nobody takes fill it up.
    more = -count % _COLUMNS
    found = _near(
        jnp.asarray(
            np.pad(payoff, ((0, 0), (0, more)), constant_values=payoff.min() - 1), jnp.float32
        ),
        jnp.asarray(np.log(center), jnp.float32),
        jnp.float32(reach),
        jnp.asarray(np.pad(start, (0, more)), jnp.float32),
        jnp.float32(tolerance),
        steps,
    )
    rows, columns, worth, bound = (np.asarray(x, np.float64) for x in found)
    columns = columns[:count]
    return Near(rows / rows.sum(), columns / columns.sum(), float(worth), float(bound))


@partial(jax.jit, static_argnames="steps")
def _near(
    payoff: Float32[Array, "R N"],
    center: Float32[Array, " R"],
    reach: Float32[Array, ""],
    start: Float32[Array, " N"],
    tolerance: Float32[Array, ""],
    steps: int,
) -> tuple[Array, Array, Array, Array]:
    share = jax.nn.softmax(center)
    spread = share @ payoff**2 - (share @ payoff) ** 2
    # Where no column has any spread every lottery is as good, whatever the step.
    curvature = 1.5 * reach * jnp.maximum(spread.max(), _LEAST)

    def rows_of(columns: Array) -> tuple[Array, Array]:
        logits = center - reach * (payoff @ columns)
        norm = jax.nn.logsumexp(logits)
        return jnp.exp(logits - norm), (jax.nn.logsumexp(center) - norm) / reach

    def step(k: Array, state: tuple[Array, Array]) -> tuple[Array, Array]:
        mirror, columns = state
        theta = 2 / (k.astype(jnp.float32) + 2)
        between = (1 - theta) * columns + theta * jax.nn.softmax(mirror)
        gain = rows_of(between)[0] @ payoff
        mirror = mirror + (gain - gain.max()) / (curvature * theta)
        mirror = mirror - mirror.max()
        return mirror, (1 - theta) * columns + theta * jax.nn.softmax(mirror)

    def judge(columns: Array) -> tuple[Array, Array, Array]:
        rows, bound = rows_of(columns)
        # log(rows / centre) is −η A μ plus what norms it, which the bound holds.
        far = bound - rows @ (payoff @ columns)
        return rows, (rows @ payoff).max() + far, bound

    def block(state: tuple[Array, Array, Array, Array]) -> tuple[Array, Array, Array, Array]:
        k, mirror, columns, _ = state
        mirror, columns = jax.lax.fori_loop(k, k + _CHECKED, step, (mirror, columns))
        _, worth, bound = judge(columns)
        return k + _CHECKED, mirror, columns, worth - bound

    _, _, columns, _ = jax.lax.while_loop(
        lambda state: (state[0] < steps) & (state[3] > tolerance),
        block,
        (jnp.int32(0), jnp.log(start), start, jnp.float32(jnp.inf)),
    )
    return (judge(columns)[0], columns, *judge(columns)[1:])


def _check(payoff: Payoff) -> None:
    if payoff.ndim != 2 or not payoff.size:
        raise ValueError(f"a matrix game needs rows and columns, not the shape {payoff.shape}")
    if not np.isfinite(payoff).all():
        raise ValueError("a matrix game needs finite payoffs")
