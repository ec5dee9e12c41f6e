"""Learning a habit from games: how likely is what was seen of them under a habit?

Under the habit prior (`bsjax.posterior.prior.habit`) a layout has the probability

    exp(a·e − b·t) / Z(a, b),     e its edge squares, t its touching pairs.

A hunter's shots depend on a board through the answers alone, so whatever it did, the probability
of a transcript is a factor without a and b times that of the layouts that agree with it. The
log-likelihood of games h, at any moment of theirs and under any feedback rule, is

    ℓ(a, b) = Σ_h [log Z(h; a, b) − log Z(a, b)],     Z(h; a, b) = Σ N_h(e, t)·exp(a·e − b·t)

with the tables N_h of `bsjax.posterior.habit_counts`. They are counted once, so that ℓ is a small
formula: differentiable by JAX any number of times, and exact in float64 on the host. With ⟨·⟩ the
mean over layouts weighed by the habit, its derivatives are those of an exponential family,

    ∂ℓ/∂a = Σ_h [⟨e⟩_h − ⟨e⟩],     ∂ℓ/∂b = −Σ_h [⟨t⟩_h − ⟨t⟩],
    −∂²ℓ = Σ_h [Cov(e, −t) − Cov_h(e, −t)],

and the last, the observed information, is what standard errors come from: what the board tells
less what is not known of it. A board seen whole has Cov_h = 0.
"""

from dataclasses import dataclass, replace
from typing import NamedTuple

import jax.numpy as jnp
import numpy as np
from jax.nn import logsumexp
from jaxtyping import Array, Float, Float64, Int64

from bsjax.game.game import Game
from bsjax.game.observation import Observation
from bsjax.posterior.habit_counts import all_counts, habit_counts
from bsjax.posterior.leaves import LEAVES

Scalar = float | int | Float[Array, ""]
"""A number, or a JAX scalar."""


@dataclass(frozen=True, eq=False)
class LogLikelihood:
    """ℓ of B games as a function of (a, b); S pairs (e, t) occur among all layouts.

    Calling it gives a JAX scalar, for `jax.grad`, `jax.hessian`, `jax.jit` and `jax.vmap`;
    `value_and_gradient` is the same in NumPy and float64.
    """

    game: Game
    squares: Int64[np.ndarray, " S"]
    """e of each pair."""
    pairs: Int64[np.ndarray, " S"]
    """t of each pair."""
    log_board: Float64[np.ndarray, " S"]
    """Logarithm of its share among all layouts."""
    log_games: Float64[np.ndarray, "B S"]
    """Logarithm of its share among the layouts that agree with each game, −∞ for none."""
    log_left: Float64[np.ndarray, " B"]
    """Logarithm of the share of all layouts that agree with each game: ℓ at a = b = 0."""

    @property
    def games(self) -> int:
        """Number of games B."""
        return len(self.log_left)

    def of(self, rows: slice | np.ndarray) -> "LogLikelihood":
        """ℓ of some of the games: a slice, or numbers, which may repeat."""
        return replace(self, log_games=self.log_games[rows], log_left=self.log_left[rows])

    def __call__(self, edge: Scalar, touch: Scalar = 0.0) -> Float[Array, ""]:
        """ℓ(a, b) in JAX's default floating type: float64 if that is switched on.

        Args:
            edge: a.
            touch: b.
        """
        kind = jnp.result_type(float)
        x = jnp.asarray(edge, kind) * jnp.asarray(self.squares, kind)
        x = x - jnp.asarray(touch, kind) * jnp.asarray(self.pairs, kind)
        games = logsumexp(jnp.asarray(self.log_games, kind) + x[None], axis=1)
        board = logsumexp(jnp.asarray(self.log_board, kind) + x)
        return jnp.asarray(self.log_left.sum(), kind) + (games - board).sum()

    def value_and_gradient(
        self, edge: float | int, touch: float | int = 0.0
    ) -> tuple[float, Float64[np.ndarray, "2"]]:
        """ℓ and (∂ℓ/∂a, ∂ℓ/∂b) in float64.

        Cost: a few passes over B·S numbers; S is 150 for the classic game.
        """
        games, board = self._weighed(edge, touch)
        value = float((self.log_left + games.log - board.log).sum())
        more = games.share.sum(0) - self.games * board.share[0]
        return value, np.array([(more * self.squares).sum(), -(more * self.pairs).sum()])

    def information(
        self, edge: float | int, touch: float | int = 0.0
    ) -> Float64[np.ndarray, "2 2"]:
        """Observed information, −∂²ℓ, in float64."""
        games, board = self._weighed(edge, touch)
        statistics = np.stack([self.squares, -self.pairs])

        def covariance(share: Float64[np.ndarray, "B S"]) -> Float64[np.ndarray, "2 2"]:
            mean = (share[:, None] * statistics).sum(2)
            squares = (share.sum(0) * statistics[:, None] * statistics).sum(2)
            return squares - (mean[:, :, None] * mean[:, None]).sum(0)

        return self.games * covariance(board.share) - covariance(games.share)

    def values(self, habits: Float64[np.ndarray, "H 2"]) -> Float64[np.ndarray, " H"]:
        """ℓ of many pairs (a, b) in float64; −∞ for habits under which a game all but never
        happens.

        Cost: B·S·H multiply-adds.
        """
        x = habits[:, :1] * self.squares - habits[:, 1:] * self.pairs
        weights = np.exp(x - x.max(1, keepdims=True))
        board = np.einsum("s,hs->h", np.exp(self.log_board), weights)
        games = np.einsum("bs,hs->bh", np.exp(self.log_games), weights)
        with np.errstate(divide="ignore"):
            return self.log_left.sum() + np.log(games / board).sum(0)

    def _weighed(self, edge: float | int, touch: float | int) -> "tuple[_Weighed, _Weighed]":
        """The layouts of each game, and of the empty board (B = 1)."""
        x = edge * self.squares - touch * self.pairs
        return _weighed(self.log_games + x), _weighed((self.log_board + x)[None])


def log_likelihood(game: Game, observations: Observation, *, budget: int = LEAVES) -> LogLikelihood:
    """The log-likelihood of games under the habit prior.

    Args:
        game: the rules.
        observations: B games at any moment, as their players know them (leading axis on every
            field).
        budget: leaves allowed for all games together, and for the empty board.

    Raises:
        ValueError: there are no games, no layout agrees with some game, or there are too many
            leaves (`TooManyLeavesError`).

    Cost: that of `habit_counts`, and of `all_counts` once a game.
    """
    if not len(observations.shots):
        raise ValueError("the likelihood of no games: give at least one observation")
    board = all_counts(Game(game.size, game.fleet, game.touching), budget=budget)
    counts = habit_counts(game, observations, budget=budget)
    left = counts.sum((1, 2)).astype(np.float64)
    if (left == 0).any():
        raise ValueError(f"no layout agrees with game {int(left.argmin())} (counted from 0)")
    squares, pairs = board.nonzero()
    with np.errstate(divide="ignore"):
        log_games = np.log(counts[:, squares, pairs]) - np.log(left)[:, None]
    total = np.log(board.sum())
    return LogLikelihood(
        game=game,
        squares=squares,
        pairs=pairs,
        log_board=np.log(board[squares, pairs]) - total,
        log_games=log_games,
        log_left=np.log(left) - total,
    )


class _Weighed(NamedTuple):
    """B tables of weighed layouts."""

    log: Float64[np.ndarray, " B"]
    """Logarithm of the sum of the weights."""
    share: Float64[np.ndarray, "B S"]
    """Share of each pair (e, t) in it."""


def _weighed(logits: Float64[np.ndarray, "B S"]) -> _Weighed:
    """Sums and shares of weights given by their logarithms."""
    most = logits.max(1, keepdims=True)
    weights = np.exp(logits - most)
    sums = weights.sum(1, keepdims=True)
    return _Weighed((most + np.log(sums))[:, 0], weights / sums)
