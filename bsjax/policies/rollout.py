"""Choose the shot that a fast hunter needs the fewest further shots after.

The greedy rules judge a shot by what it does at once. A rollout plays on: layouts are drawn from
the posterior (*worlds*), the few likeliest cells are fired at in each of them, and a fast base
hunter finishes every game. The cell after which it needs the fewest shots is chosen; another cell
than the likeliest one must be better by more than the noise of the comparison, since all
candidates meet the same worlds (the notebook leaves the question open; improving a hunter by one
step of its own play is policy iteration: Tesauro and Galperin, "On-line policy improvement using
Monte-Carlo search", 1996).

Decisions in which one cell stands out need no rollout and get none: the rollouts of a whole batch
of games are one list of tasks in lockstep (`bsjax.runtime.lockstep`).
"""

from functools import lru_cache

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax.custom_batching import custom_vmap
from jaxtyping import Array, Bool, Float32, Int8, Int16, Int32, Key, PyTree

from bsjax.game.firing import fire
from bsjax.game.game import Game
from bsjax.game.observation import UNFIRED, Observation
from bsjax.policies.base import Policy, register
from bsjax.policies.bayes import seen_by
from bsjax.policies.choose import best_cells
from bsjax.policies.heatmap import Density
from bsjax.policies.playing import GameState, finished, shoot
from bsjax.posterior.answers import likeliest
from bsjax.posterior.drawn import Drawn, View
from bsjax.posterior.tables import tables
from bsjax.posterior.whole import Whole
from bsjax.runtime import lockstep

_SLOTS = 2048
_STRIDE = 4


class Rollout(Policy):
    """The cell after which the base hunter needs the fewest shots."""

    base: Policy
    """A fast hunter without dice, whose state is its observation."""
    belief: Drawn
    worlds: int = eqx.field(static=True, default=1024)
    """Layouts in which every candidate is tried."""
    candidates: int = eqx.field(static=True, default=4)
    """Cells tried at most."""
    share: float = eqx.field(static=True, default=0.5)
    """Cells are tried if they are at least this likely, as a share of the likeliest."""
    margin: float = eqx.field(static=True, default=1.0)
    """Standard errors by which another cell than the likeliest must be better."""

    @property
    def lanes(self) -> int:
        """The games played for one decision, about half of which are needed."""
        return self.worlds * self.candidates // 2

    @property
    def bytes_per_game(self) -> int:
        """Worlds, shots and draws."""
        own = self.worlds * (self.game.cells + 8 * self.candidates)
        return own + self.belief.bytes_per_game

    def act(
        self, key: Key[Array, ""], observation: Observation, carry: PyTree
    ) -> tuple[Int32[Array, ""], PyTree]:
        """The next cell, −1 if all draws failed; `carry` is unused."""
        draws, worlds = jax.random.split(key)
        view = self.belief.view(draws, observation)
        unfired = observation.mark == UNFIRED
        found, total = seen_by(self.belief, ~unfired, view)
        cells = best_cells(likeliest(found), unfired, self.candidates)
        assert isinstance(found.ship, Whole)
        likely = found.ship.high.astype(jnp.float32) * 2.0**14 + found.ship.low.astype(jnp.float32)
        tried = unfired[cells] & (likely[cells] >= self.share * likely[cells[0]])
        # A ship for certain is hit sooner or later in any order.
        tried &= (jnp.arange(self.candidates) == 0) | (likely[cells[0]] < _total(total))
        boards = worlds_of(self.game, view, worlds, self.worlds)
        shots = shots_after(self.base, self.worlds)(observation, boards, cells, tried)
        best = cells[self._choose(shots.astype(jnp.float32), tried)]
        return jnp.where(_total(total) > 0, best, -1), carry

    def _choose(self, shots: Float32[Array, "J N"], tried: Bool[Array, " J"]) -> Int32[Array, ""]:
        """The candidate with the fewest shots, if it is surely better than the first."""
        more = shots - shots[:1]
        mean = more.mean(1)
        error = more.std(1) / np.sqrt(max(self.worlds - 1, 1))
        score = jnp.where(tried, mean + self.margin * error, jnp.inf)
        # The first candidate is compared with itself: 0 ± 0.
        return score.argmin().astype(jnp.int32)


def _total(total: Whole) -> Float32[Array, ""]:
    return total.high.astype(jnp.float32) * 2.0**14 + total.low.astype(jnp.float32)


def worlds_of(game: Game, view: View, key: Key[Array, ""], worlds: int) -> Int8[Array, "N C"]:
    """Layouts drawn by weight, evenly spaced along the running sum of the weights."""
    reached = jnp.cumsum(view.weight)
    step = reached[-1].astype(jnp.float32) / worlds
    at = (jnp.arange(worlds, dtype=jnp.float32) + jax.random.uniform(key)) * step
    row = jnp.searchsorted(reached.astype(jnp.float32), at, side="right")
    placement = view.placement[jnp.minimum(row, len(reached) - 1)]
    masks = jnp.asarray(tables(game).masks[:, :-1])
    board = jnp.full((worlds, game.cells), -1, jnp.int8)
    for ship in range(game.ships):
        board = jnp.where(masks[placement[:, ship]], jnp.int8(ship), board)
    return board


@lru_cache(maxsize=32)
def shots_after(base: Policy, worlds: int):
    """Shots after each candidate in each world, [J, N], for any batch of games as one list."""

    @custom_vmap
    def many(
        observation: Observation,
        boards: Int8[Array, "B N C"],
        cells: Int32[Array, "B J"],
        tried: Bool[Array, "B J"],
    ) -> Int16[Array, "B J N"]:
        batch, candidates = cells.shape
        # Where there is no choice, nothing is played.
        wanted = (tried & (tried.sum(1, keepdims=True) > 1)).reshape(-1)
        rank = jnp.cumsum(wanted, dtype=jnp.int32) - 1
        pair = jnp.zeros(batch * candidates, jnp.int32)
        pair = pair.at[jnp.where(wanted, rank, batch * candidates)].set(
            jnp.arange(batch * candidates, dtype=jnp.int32), mode="drop"
        )

        def begin(task: Int32[Array, ""]) -> GameState:
            which = pair[task // worlds]
            game, world = which // candidates, task % worlds
            board = boards[game, world]
            seen = jax.tree.map(lambda x: x[game], observation)
            return _begin(base, board, seen, cells[game, which % candidates])

        shots = lockstep.run(
            begin,
            lambda state: shoot(base, state),
            finished,
            lambda state: state.observation.shots,
            tasks=batch * candidates * worlds,
            count=wanted.sum(dtype=jnp.int32) * worlds,
            slots=_SLOTS,
            stride=_STRIDE,
        )
        of_pair = shots.reshape(-1, worlds)[jnp.maximum(rank, 0)]
        return jnp.where(wanted[:, None], of_pair, 0).reshape(batch, candidates, worlds)

    @many.def_vmap
    def _(axis_size, batched, *given):
        whole = jax.tree.map(
            lambda x, is_batched: x if is_batched else jnp.broadcast_to(x, (axis_size, *x.shape)),
            given,
            tuple(batched),
        )
        flat = jax.tree.map(lambda x: x.reshape(-1, *x.shape[2:]), whole)
        found = many(*flat)
        return found.reshape(axis_size, -1, *found.shape[1:]), True

    def one(*given):
        return many(*jax.tree.map(lambda x: x[None], given))[0]

    return one


def _begin(
    base: Policy, board: Int8[Array, " C"], observation: Observation, cell: Int32[Array, ""]
) -> GameState:
    """A game in the middle, after a shot at a cell."""
    game = base.game
    ships = jnp.arange(game.ships, dtype=jnp.int8)
    there = (board[None] == ships[:, None]) & (observation.mark == UNFIRED)[None]
    left, after = fire(game, board, there.sum(1, dtype=jnp.int8), observation, cell)
    key = jax.random.key(0)
    return GameState(board, left, after, base.init(key), key, jnp.bool_(True))


@register("rollout", "the likely cell after which density needs the fewest shots on drawn layouts")
def _rollout(game: Game) -> Policy:
    return Rollout(game, Density(game, ties="lowest"), Drawn(game, draws=2048))
