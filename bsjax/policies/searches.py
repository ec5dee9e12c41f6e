"""Which cells a rule fires at while every hit is explained by a sink.

A search is a plan drawn before the game and a set of cells, all equally good, before every shot;
`bsjax.policies.orders` says which of them first. The searches for the small ships are the
**diagonals** below and smart 3-parity (`bsjax.policies.halves`); those for the big ones are the
endgames (`bsjax.policies.endgames`), which `Staged` puts after them.

**Diagonals**, every m-th: the cells with row + column, or row − column, of one remainder mod m. A
ship of m cells or more meets every set. The direction and the order of the sets are drawn before
the game; m = 2 is the checkerboard, m = 3 is 3-parity.
"""

from abc import abstractmethod

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Int, Int32, Key, PyTree

from bsjax.game.game import Game
from bsjax.game.observation import Observation
from bsjax.game.touching import open_water

BIG = 4
"""Ships of so many cells or more are big: a search for a 3 and a 2 can miss them."""


class Search(eqx.Module):
    """Base of all search patterns, written for one game and batched by `vmap`."""

    game: Game = eqx.field(static=True)

    @abstractmethod
    def init(self, key: Key[Array, ""]) -> PyTree:
        """The plan, drawn before the first shot. The key is consumed."""

    @abstractmethod
    def cells(
        self, key: Key[Array, ""], observation: Observation, plan: PyTree
    ) -> tuple[Bool[Array, " C"], PyTree]:
        """Cells to search now, at least one while a ship is afloat, and the next plan.

        The key is for dice thrown in the middle of a game; it is consumed.
        """


class Diagonals(Search):
    """One set of every m-th diagonals after the other."""

    every: int = eqx.field(static=True)

    def init(self, key: Key[Array, ""]) -> Int32[Array, " C"]:
        """Place of each cell's set in the order."""
        way, order = jax.random.split(key)
        number = diagonal(self.game, jax.random.bernoulli(way))
        return jax.random.permutation(order, self.every).astype(jnp.int32)[number % self.every]

    def cells(
        self, key: Key[Array, ""], observation: Observation, plan: Int32[Array, " C"]
    ) -> tuple[Bool[Array, " C"], Int32[Array, " C"]]:
        """The first set that is not used up."""
        del key
        return first(open_water(self.game, observation), plan), plan


def diagonals(game: Game) -> Int32[np.ndarray, "2 C"]:
    """Diagonal of each cell: row + column, then row − column + width − 1."""
    row, column = np.divmod(np.arange(game.cells, dtype=np.int32), game.width)
    return np.stack([row + column, row - column + game.width - 1])


def diagonal(game: Game, down: Bool[Array, ""]) -> Int32[Array, " C"]:
    """Diagonal of each cell in one direction."""
    up_right, down_right = diagonals(game)
    return jnp.where(down, jnp.asarray(down_right), jnp.asarray(up_right))


def colours(game: Game) -> Int32[np.ndarray, " C"]:
    """Colour of each cell on the checkerboard, row + column mod 2."""
    return diagonals(game)[0] % 2


def first(live: Bool[Array, " C"], rank: Int[Array, " C"]) -> Bool[Array, " C"]:
    """The live cells of the lowest rank."""
    return live & (rank == jnp.where(live, rank, jnp.iinfo(rank.dtype).max).min())


def any_of(game: Game, flags: Bool[Array, " K"], shortest: int, longest: int) -> Bool[Array, ""]:
    """Whether a ship of so many cells is flagged."""
    return (flags & np.array([shortest <= length <= longest for length in game.fleet])).any()
