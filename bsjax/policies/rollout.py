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
from jaxtyping import Array, Bool, Float32, Int8, Int16, Int32, Key, PyTree

from bsjax.game.firing import fire
from bsjax.game.game import Game
from bsjax.game.observation import UNFIRED, Observation
from bsjax.hide.base import boards
from bsjax.policies.base import Policy, register
from bsjax.policies.bayes import seen_by
from bsjax.policies.choose import best_cells
from bsjax.policies.heatmap import Density
from bsjax.policies.playing import GameState, finished, shoot
from bsjax.posterior.answers import likeliest
from bsjax.posterior.drawn import Drawn, View
from bsjax.posterior.tables import tables
from bsjax.posterior.whole import nearly, positive
from bsjax.runtime import lockstep
from bsjax.runtime.batches import together

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
        likely, most = nearly(found.ship)[cells], nearly(total)
        tried = unfired[cells] & (likely >= self.share * likely[0])
        # A ship for certain is hit sooner or later in any order.
        tried &= (jnp.arange(self.candidates) == 0) | (likely[0] < most)
        layouts = worlds_of(self.game, view, worlds, self.worlds)
        shots = shots_after(self.worlds)(self.base, observation, layouts, cells, tried)
        best = cells[self._choose(shots.astype(jnp.float32), tried)]
        return jnp.where(positive(total), best, -1), carry

    def _choose(self, shots: Float32[Array, "J N"], tried: Bool[Array, " J"]) -> Int32[Array, ""]:
        """The candidate with the fewest shots, if it is surely better than the first."""
        more = shots - shots[:1]
        mean = more.mean(1)
        error = more.std(1) / np.sqrt(max(self.worlds - 1, 1))
        score = jnp.where(tried, mean + self.margin * error, jnp.inf)
        # The first candidate is compared with itself: 0 ± 0.
        return score.argmin().astype(jnp.int32)


def worlds_of(game: Game, view: View, key: Key[Array, ""], worlds: int) -> Int8[Array, "N C"]:
    """Layouts drawn by weight, evenly spaced along the running sum of the weights."""
    reached = jnp.cumsum(view.weight)
    step = reached[-1].astype(jnp.float32) / worlds
    at = (jnp.arange(worlds, dtype=jnp.float32) + jax.random.uniform(key)) * step
    row = jnp.searchsorted(reached.astype(jnp.float32), at, side="right")
    placement = view.placement[jnp.minimum(row, len(reached) - 1)]
    start = np.array(tables(game).start[:-1], np.int32)
    return boards(game, (placement - start[None]).astype(jnp.int16))


@lru_cache(maxsize=32)
def shots_after(worlds: int):
    """Shots of a hunter after each candidate in each world, [J, N], for any batch as one list."""

    def many(
        base: Policy,
        observation: Observation,
        worlds_seen: Int8[Array, "B N C"],
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
            board = worlds_seen[game, world]
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

    return together(many)


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
