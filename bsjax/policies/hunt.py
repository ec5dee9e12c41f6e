"""Hunt and target: search on a pattern, then finish what was hit.

The state is read off the board before every shot, so it can never disagree with the board
(how-the-computer, "The state machine"):

* **line**: two open hits lie side by side and a cell not fired at ends their run. Fire at a
  random such end.
* **target**: there is an open hit. Fire at a random neighbour of one.
* **hunt**: no hit is open. Fire at a random cell of the pattern Λ_m = {(r, c) : r + c ≡ 0 mod m},
  m the length of the shortest ship afloat. Every ship of at least m cells covers a pattern cell:
  along it r + c takes m consecutive values, one of them 0 mod m.

Hits of ships that lie side by side form false lines. Their ends run into misses, and the state
falls back to `target`, so every open hit is explained before the hunt goes on.
"""

import functools
import operator
from functools import lru_cache

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Int32, Key, PyTree

from bsjax.game.game import Game
from bsjax.game.observation import OPEN, UNFIRED, Observation, afloat
from bsjax.game.planes import seen
from bsjax.game.touching import SIDES, open_water
from bsjax.policies.base import Policy, register
from bsjax.policies.choose import best_cell

ANY, HUNT, TARGET, LINE = 0, 1, 2, 3
"""Rank of a cell: the hunter fires at a random cell of the highest rank on the board."""


@lru_cache(maxsize=64)
def pattern(size: tuple[int, int], m: int) -> Bool[np.ndarray, " C"]:
    """The search pattern Λ_m: cells with row + column ≡ 0 mod m, counted from 0."""
    width, height = size
    rows, columns = np.divmod(np.arange(width * height), width)
    cells = (rows + columns) % m == 0
    cells.setflags(write=False)
    return cells


def ranks(game: Game, observation: Observation, *, parity: bool) -> Int32[Array, " C"]:
    """Rank of each cell that may hold a ship, `ANY` (0) for all others.

    Cells proven water by the touching rule never rank above `ANY`. While a ship is afloat some
    cell ranks at least `HUNT`.
    """
    is_open = observation.mark == OPEN
    near = seen(game, is_open, SIDES)
    beyond = seen(game, is_open, [(2 * down, 2 * right) for down, right in SIDES])
    ends = functools.reduce(operator.or_, map(operator.and_, near, beyond))
    sides = functools.reduce(operator.or_, near)
    rank = jnp.where(ends, LINE, jnp.where(sides, TARGET, HUNT))
    if parity:
        rank = jnp.where((rank == HUNT) & ~_search(game, observation), ANY, rank)
    return jnp.where(open_water(game, observation), rank, ANY)


def _search(game: Game, observation: Observation) -> Bool[Array, " C"]:
    """Λ_m for the shortest ship afloat."""
    left = afloat(observation)
    cells = jnp.zeros(game.cells, bool)
    for length in reversed(game.lengths):
        exists = jnp.stack([left[k] for k, n in enumerate(game.fleet) if n == length]).any()
        cells = jnp.where(exists, jnp.asarray(pattern(game.size, length)), cells)
    return cells


class HuntTarget(Policy):
    """The state machine of the module docstring; without `parity` it hunts at random."""

    parity: bool = eqx.field(static=True, default=True)

    def act(
        self, key: Key[Array, ""], observation: Observation, carry: PyTree
    ) -> tuple[Int32[Array, ""], PyTree]:
        """The next cell; `carry` is unused."""
        rank = ranks(self.game, observation, parity=self.parity)
        return best_cell(key, [rank], observation.mark == UNFIRED), carry


@register("hunt-target", "search on the parity pattern, then fire along and around open hits")
def _with_parity(game: Game) -> Policy:
    return HuntTarget(game, parity=True)


@register("hunt-target-no-parity", "search at random, then fire along and around open hits")
def _without_parity(game: Game) -> Policy:
    return HuntTarget(game, parity=False)
