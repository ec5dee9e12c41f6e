"""Layouts as people with habits place them: weighed exp(a·edge squares − b·touching pairs).

The weight is that of `bsjax.posterior.prior.habit`; a habit is no claim about real players. Each
ship draws one of its placements on its own, with probability proportional to exp(a·its edge
squares). The attempt stands if no two ships meet, and is then kept with probability
exp(−b·touching pairs). What is kept has exactly the habit's distribution: edge squares add up over
ships, and the other factors depend on the whole attempt.

With b < 0, where touching ships are sought, it is kept with probability exp(−b·(touching pairs −
all pairs of ships)), which is never above 1.

**Exactness.** Draws and keeps compare a 32-bit word with whole numbers, so that every probability
is off by less than 2⁻³².
"""

import math
from functools import partial

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Int16, Int32, Key, UInt32

from bsjax.game.game import Game
from bsjax.game.habits import edge_squares
from bsjax.game.placements import fleet_tables
from bsjax.hide import fit
from bsjax.hide.attempts import until_found
from bsjax.hide.base import Hider, Placed, register
from bsjax.hide.uniform import PATIENCE

TRIALS = 1 << 20
"""Attempts of which one must stand."""

_WORDS = 1 << 32


class Habit(Hider):
    """Draws layouts from a habit.

    Args of the constructor:
        game: the rules.
        edge: a, what every ship square on the border adds to the logarithm of the weight.
        touch: b, what every pair of ships that touch takes off it.

    Raises:
        ValueError: a or b is not finite, the fleet does not fit, or attempts stand too rarely.
    """

    thresholds: UInt32[Array, "K P"]
    """A word below threshold p, and not below the one before, draws placement p."""
    keep: UInt32[Array, " R"]
    """A word below entry t keeps an attempt with t touching pairs."""
    limit: int = eqx.field(static=True)

    def __init__(self, game: Game, edge: float | int, touch: float | int):
        if not (math.isfinite(edge) and math.isfinite(touch)):
            raise ValueError(f"a habit has two finite numbers, not edge={edge}, touch={touch}")
        self.game = game
        self.thresholds = jnp.asarray(_thresholds(game, edge))
        self.keep = jnp.asarray(_keep(game, touch))
        share = _acceptance(game, self.thresholds, self.keep)
        if share == 0:
            fit.require_layout(game)
            raise ValueError(
                f"the habit edge={edge:g}, touch={touch:g} lets too few attempts stand: none of "
                f"{TRIALS:,}; take numbers nearer to 0"
            )
        # Rounded up to a power of two: habits of one game share their compiled programs.
        self.limit = 1 << math.ceil(math.log2(PATIENCE / share))

    def place(self, keys: Key[Array, " N"], count: Int32[Array, ""], slots: int) -> Placed:
        """See `bsjax.hide.base`."""
        attempt = partial(_attempt, self.game, self.thresholds, self.keep)
        return until_found(attempt, keys, count, slots=slots, limit=self.limit)


@register("habit-mild", "drawn to the edge, ships apart: exp(0.2 edge squares - 2 touching pairs)")
def mild(game: Game) -> Habit:
    """A slight liking for the edge, and ships that seldom touch."""
    return Habit(game, 0.2, 2.0)


@register("habit-strong", "at the edge, ships apart: exp(edge squares - 2 touching pairs)")
def strong(game: Game) -> Habit:
    """A strong liking for the edge, and ships that seldom touch."""
    return Habit(game, 1.0, 2.0)


def _attempt(
    game: Game,
    thresholds: UInt32[Array, "K P"],
    keep: UInt32[Array, " R"],
    key: Key[Array, ""],
) -> tuple[Int16[Array, " K"], Bool[Array, ""]]:
    """One placement per ship, and whether they are kept as a layout."""
    cells, denied, counts = fleet_tables(game)
    _, around, _ = fleet_tables(Game(game.size, game.fleet, "none"))
    bits = jax.random.bits(key, (game.ships + 1,))
    drawn = (thresholds <= bits[:-1, None]).sum(1, dtype=jnp.int32)
    # The last word is not below the last threshold, and belongs to the last placement.
    drawn = jnp.minimum(drawn, jnp.asarray(counts.astype(np.int32)) - 1)
    taken = meets = jnp.zeros(cells.shape[-1], jnp.uint32)
    near, pairs = [], jnp.int32(0)
    for ship in range(game.ships):
        own = jnp.asarray(cells[ship])[drawn[ship]]
        meets = meets | (own & taken)
        taken = taken | jnp.asarray(denied[ship])[drawn[ship]]
        for other in near:
            pairs = pairs + ((own & other) != 0).any().astype(jnp.int32)
        near.append(jnp.asarray(around[ship])[drawn[ship]])
    return drawn.astype(jnp.int16), (meets == 0).all() & (bits[-1] < keep[pairs])


def _thresholds(game: Game, edge: float | int) -> UInt32[np.ndarray, "K P"]:
    """Cumulative probabilities of the placements of each ship, in units of 2⁻³²."""
    _, _, counts = fleet_tables(game)
    table = np.full((game.ships, int(counts.max())), _WORDS - 1, np.uint32)
    for ship, length in enumerate(game.fleet):
        logs = edge * edge_squares(game.size, length).astype(np.float64)
        cumulative = np.cumsum(np.exp(logs - logs.max()))
        words = np.floor(cumulative / cumulative[-1] * _WORDS)
        table[ship, : counts[ship]] = np.minimum(words, _WORDS - 1)
    return table


def _keep(game: Game, touch: float | int) -> UInt32[np.ndarray, " R"]:
    """Probability to keep an attempt by its touching pairs, in units of 2⁻³²."""
    most = game.ships * (game.ships - 1) // 2
    share = np.exp(-touch * np.arange(most + 1) - max(-touch, 0) * most)
    return np.minimum(np.rint(share * _WORDS), _WORDS - 1).astype(np.uint32)


def _acceptance(game: Game, thresholds: UInt32[Array, "K P"], keep: UInt32[Array, " R"]) -> float:
    """Share of attempts that stand; estimated, fixed stream."""
    made = found = 0
    while found < fit.ENOUGH and made < TRIALS:
        key = jax.random.fold_in(jax.random.key(0), made)
        found += int(_stand(game, thresholds, keep, key))
        made += fit.BATCH
    return found / made


@partial(jax.jit, static_argnames="game")
def _stand(
    game: Game, thresholds: UInt32[Array, "K P"], keep: UInt32[Array, " R"], key: Key[Array, ""]
) -> Int32[Array, ""]:
    """How many of a batch of attempts stand."""
    attempts = jax.vmap(partial(_attempt, game, thresholds, keep))
    return attempts(jax.random.split(key, fit.BATCH))[1].sum(dtype=jnp.int32)
