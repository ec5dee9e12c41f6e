"""Which cells a rule fires at while every hit is explained by a sink.

* **Diagonals**, every m-th: the cells with row + column, or row − column, of one remainder mod m.
  A ship of m cells or more meets every set. The direction and the order of the sets are drawn
  before the game; m = 2 is the checkerboard, m = 3 is 3-parity.
* **Smart 3-parity**: one set of every-third diagonals in two halves by colour, A and B. While a 3
  is afloat it fires in A, then in B; in a share of the games (a coin before the game) it jumps to
  B as soon as one 3 is sunk. The 2 is then hunted on one colour, in zones.

Both are those of the write-ups on 5×5 (section 5) and the classic fleet (section 7).
"""

from abc import abstractmethod
from typing import NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Int8, Int32, Key, PyTree

from bsjax.game.game import Game
from bsjax.game.observation import UNFIRED, Observation, afloat
from bsjax.game.touching import SIDES, around, open_water

JUMP = 0.35
"""Share of games in which smart 3-parity jumps: 1 to 7 on a 20-sided die."""
FINALS = ("zones", "anywhere")


class Search(eqx.Module):
    """Base of all search patterns, written for one game and batched by `vmap`."""

    game: Game = eqx.field(static=True)

    @abstractmethod
    def init(self, key: Key[Array, ""]) -> PyTree:
        """The plan, drawn before the first shot. The key is consumed."""

    @abstractmethod
    def cells(self, observation: Observation, plan: PyTree) -> tuple[Bool[Array, " C"], PyTree]:
        """Cells to search now, at least one while a ship is afloat, and the next plan."""


class Diagonals(Search):
    """One set of every m-th diagonals after the other."""

    every: int = eqx.field(static=True)

    def init(self, key: Key[Array, ""]) -> Int32[Array, " C"]:
        """Place of each cell's set in the order."""
        way, order = jax.random.split(key)
        number = _diagonal(self.game, jax.random.bernoulli(way))
        return jax.random.permutation(order, self.every).astype(jnp.int32)[number % self.every]

    def cells(
        self, observation: Observation, plan: Int32[Array, " C"]
    ) -> tuple[Bool[Array, " C"], Int32[Array, " C"]]:
        """The first set that is not used up."""
        return _first(open_water(self.game, observation), plan), plan


class Halves(NamedTuple):
    """Plan of smart 3-parity."""

    half: Int8[Array, " C"]
    """1 for A, 2 for B, 0 elsewhere."""
    colour_of_a: Int32[Array, ""]
    """Colour 0 or 1 is row + column mod 2."""
    jump: Bool[Array, ""]
    coin: Int32[Array, ""]
    """Colour of the final if both colours are alike."""
    colour: Int32[Array, ""]
    """Colour on which the 2 is hunted, −1 until then."""


class SmartThreeParity(Search):
    """The core of smart 3-parity, for the 3s and the 2.

    Where neither a 3 nor the 2 is afloat it fires anywhere: a big ship left over.
    """

    jump: float = eqx.field(static=True, default=JUMP)
    """Chance of the jump to B."""
    final: str = eqx.field(static=True, default="zones")
    """Where a 2 still fits: in three `zones` one after the other, or `anywhere` on the colour."""
    fewer_unshot: bool = eqx.field(static=True, default=False)
    """The final is on the colour with fewer unshot cells, not on the one fired at more."""

    def __check_init__(self):
        if not 0 <= self.jump <= 1 or self.final not in FINALS:
            raise ValueError(
                f"jump {self.jump}, final {self.final!r}: jump in a share of games from 0 to 1, "
                f"final one of {', '.join(FINALS)}"
            )

    def init(self, key: Key[Array, ""]) -> Halves:
        """Direction, halves and coins."""
        way, die, jump, coin = jax.random.split(key, 4)
        down = jax.random.bernoulli(way)
        a = jax.random.randint(die, (), 0, 6, jnp.int32)
        rest = (_diagonal(self.game, down) - a) % 6
        half = jnp.where(rest == 0, 1, jnp.where(rest == 3, 2, 0)).astype(jnp.int8)
        colour = (a + jnp.where(down, self.game.width - 1, 0)) % 2
        tie = jax.random.bernoulli(coin).astype(jnp.int32)
        return Halves(half, colour, jax.random.bernoulli(jump, self.jump), tie, jnp.int32(-1))

    def cells(self, observation: Observation, plan: Halves) -> tuple[Bool[Array, " C"], Halves]:
        """Halves A and B, then the final."""
        left, live = afloat(observation), open_water(self.game, observation)
        three, two = (np.array([length == n for n in self.game.fleet]) for length in (3, 2))
        threes, last = (left & three).any(), (left & two).any()
        jumps = plan.jump & (~left & three).any() & (live & (plan.half == 2)).any()
        order = jnp.where(plan.half == 0, 3, plan.half.astype(jnp.int32))
        halves = _first(live, jnp.where(jumps & (plan.half == 2), 0, order))
        colour = jnp.where(plan.colour < 0, self._colour(observation, plan), plan.colour)
        cells = jnp.where(threes, halves, jnp.where(last, self._final(live, plan, colour), live))
        hunted = ~threes & last
        return cells, plan._replace(colour=jnp.where(hunted, colour, plan.colour))

    def _colour(self, observation: Observation, plan: Halves) -> Int32[Array, ""]:
        """Colour of the final."""
        odd = jnp.asarray(_colours(self.game) == 1)
        unfired = observation.mark == UNFIRED
        counted = unfired if self.fewer_unshot else ~unfired
        more = (counted & odd).sum(dtype=jnp.int32) - (counted & ~odd).sum(dtype=jnp.int32)
        if self.fewer_unshot:
            more = -more
        return jnp.where(more == 0, plan.coin, (more > 0).astype(jnp.int32))

    def _final(
        self, live: Bool[Array, " C"], plan: Halves, colour: Int32[Array, ""]
    ) -> Bool[Array, " C"]:
        """Where the 2 is hunted on a colour."""
        on = jnp.asarray(_colours(self.game)) == colour
        fits = live & on & around(self.game, live, SIDES)
        if self.final == "anywhere":
            return _first(live, jnp.where(fits, 0, 1))
        own = jnp.where(plan.colour_of_a == colour, jnp.int8(1), jnp.int8(2))
        inside, other = plan.half == own, plan.half == 3 - own
        touches = around(self.game, live & other, SIDES)
        zone = jnp.where(inside, 1, jnp.where(touches, 0, 2))
        return _first(live, jnp.where(fits, zone, 3))


def _diagonal(game: Game, down: Bool[Array, ""]) -> Int32[Array, " C"]:
    """Diagonal of each cell: row + column, or row − column + width − 1."""
    row, column = np.divmod(np.arange(game.cells, dtype=np.int32), game.width)
    return jnp.where(down, row - column + game.width - 1, row + column)


def _colours(game: Game) -> Int32[np.ndarray, " C"]:
    row, column = np.divmod(np.arange(game.cells, dtype=np.int32), game.width)
    return (row + column) % 2


def _first(live: Bool[Array, " C"], rank: Int32[Array, " C"]) -> Bool[Array, " C"]:
    """The live cells of the lowest rank."""
    return live & (rank == jnp.where(live, rank, jnp.iinfo(jnp.int32).max).min())
