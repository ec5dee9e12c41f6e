"""What a rule does about the big ships, those of 4 cells and more, once the small ones are sunk.

A **live** cell is an unshot cell on a straight unshot run long enough for the smallest big ship
afloat. Cells that the touching rule proves water count as shot.

* **anywhere**: unshot cells at random.
* **lazy**: one of the four sets of every-fourth diagonals of one direction, both drawn before the
  game; its live cells, then any live cell.
* **full**: the set with the fewest live cells, at least one, among the six sets of every-third
  diagonals, the four sets of every-fourth diagonals of one direction (F, drawn before the game)
  and, with only ships of 5 cells or more left, the ten sets of every-fifth diagonals. It is kept
  until it has no live cell left. Of sets with equally few one is drawn.
* **count**, which takes a computer: the cells through which most placements of the ships afloat
  fit on cells not shot at.

Each goes on to all unshot cells where no cell is live, as a misread sink or a rule that tells no
sinks can bring about. The write-up (classic-fleet, section 7) leaves open whether the direction of
F is that of the small ships' diagonals; here it is a coin of its own.
"""

from functools import lru_cache
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Int32, Key, PyTree, UInt32

from bsjax.game.game import Game
from bsjax.game.observation import Observation, afloat
from bsjax.game.placements import packed
from bsjax.game.touching import open_water
from bsjax.policies.choose import best_cell
from bsjax.policies.orders import fitting
from bsjax.policies.searches import BIG, Search, any_of, diagonals, first
from bsjax.policies.sets import Words, plane, runs, words

FOURTHS = range(6, 14)
"""The sets of every-fourth diagonals among the `diagonal_sets`."""
_KIND = np.repeat([3, 0, 1, 2], [6, 4, 4, 10])
"""Of each set: every fourth of either direction, every fifth, or every third."""


class Plans(NamedTuple):
    """Plans of a search in two stages."""

    small: PyTree
    big: PyTree


class Staged(Search):
    """One search until no small ship is afloat, then another."""

    small: Search
    big: Search

    def init(self, key: Key[Array, ""]) -> Plans:
        """Both plans."""
        small, big = jax.random.split(key)
        return Plans(self.small.init(small), self.big.init(big))

    def cells(
        self, key: Key[Array, ""], observation: Observation, plan: Plans
    ) -> tuple[Bool[Array, " C"], Plans]:
        """Cells of the stage the game is in; only its plan moves on."""
        early = any_of(self.game, afloat(observation), 1, BIG - 1)
        before, after = jax.random.split(key)
        cells, small = self.small.cells(before, observation, plan.small)
        late, big = self.big.cells(after, observation, plan.big)
        small = jax.tree.map(lambda new, old: jnp.where(early, new, old), small, plan.small)
        big = jax.tree.map(lambda new, old: jnp.where(early, old, new), big, plan.big)
        return jnp.where(early, cells, late), Plans(small, big)


class Anywhere(Search):
    """Cells that may hold a ship."""

    def init(self, key: Key[Array, ""]) -> PyTree:
        """No plan."""
        del key
        return ()

    def cells(
        self, key: Key[Array, ""], observation: Observation, plan: PyTree
    ) -> tuple[Bool[Array, " C"], PyTree]:
        """All of them."""
        del key
        return open_water(self.game, observation), plan


class Lazy(Search):
    """One set of every-fourth diagonals."""

    def init(self, key: Key[Array, ""]) -> Int32[Array, ""]:
        """The set."""
        return jax.random.randint(key, (), FOURTHS.start, FOURTHS.stop, jnp.int32)

    def cells(
        self, key: Key[Array, ""], observation: Observation, plan: Int32[Array, ""]
    ) -> tuple[Bool[Array, " C"], Int32[Array, ""]]:
        """Its live cells, then all live cells."""
        del key
        water, live = open_water(self.game, observation), live_cells(self.game, observation)
        inside = [a & b for a, b in zip(live, _set(self.game, plan), strict=True)]
        rank = jnp.where(plane(self.game, inside), 0, jnp.where(plane(self.game, live), 1, 2))
        return first(water, rank), plan


class Chosen(NamedTuple):
    """Plan of the full endgame."""

    fourths: Bool[Array, ""]
    """Direction of the every-fourth diagonals."""
    chosen: Int32[Array, ""]
    """Set that is being searched, −1 before the first."""


class Full(Search):
    """The set with the fewest live cells, then the next."""

    def init(self, key: Key[Array, ""]) -> Chosen:
        """Direction of F; no set is chosen."""
        return Chosen(jax.random.bernoulli(key), jnp.int32(-1))

    def cells(
        self, key: Key[Array, ""], observation: Observation, plan: Chosen
    ) -> tuple[Bool[Array, " C"], Chosen]:
        """Live cells of the chosen set."""
        game = self.game
        live = live_cells(game, observation)
        shared = [a & jnp.asarray(b) for a, b in zip(live, _packed(game), strict=True)]
        count = jax.lax.population_count(jnp.stack(shared)).astype(jnp.int32).sum(0)
        long_only = ~any_of(game, afloat(observation), BIG, 4)
        usable = jnp.stack([~plan.fourths, plan.fourths, long_only, jnp.bool_(True)])[_KIND]
        best = best_cell(key, [-count], usable & (count > 0))
        kept = (plan.chosen >= 0) & (count[jnp.maximum(plan.chosen, 0)] > 0)
        chosen = jnp.where(kept, plan.chosen, best)
        inside = [a & b for a, b in zip(live, _set(game, chosen), strict=True)]
        cells = jnp.where((count > 0).any(), plane(game, inside), open_water(game, observation))
        return cells, plan._replace(chosen=chosen)


class Counted(Search):
    """Where most placements of the ships afloat fit."""

    def init(self, key: Key[Array, ""]) -> PyTree:
        """No plan."""
        del key
        return ()

    def cells(
        self, key: Key[Array, ""], observation: Observation, plan: PyTree
    ) -> tuple[Bool[Array, " C"], PyTree]:
        """The best of the cells that may hold a ship."""
        del key
        water = open_water(self.game, observation)
        return first(water, -fitting(self.game, observation)), plan


ENDGAMES: dict[str, type[Search]] = {
    "anywhere": Anywhere,
    "lazy": Lazy,
    "full": Full,
    "count": Counted,
}
"""The endgames by name."""


def live_cells(game: Game, observation: Observation) -> Words:
    """The live cells; there is none with no big ship left.

    Cost: about 400 bit operations for the classic fleet.
    """
    water, left = words(open_water(game, observation)), afloat(observation)
    live, none_shorter = [jnp.zeros_like(word) for word in water], jnp.bool_(True)
    for length in (n for n in game.lengths if n >= BIG):
        there = any_of(game, left, length, length)
        run = zip(*(runs(game, water, length, down) for down in (False, True)), strict=True)
        use = there & none_shorter
        live = [jnp.where(use, a | b, word) for word, (a, b) in zip(live, run, strict=True)]
        none_shorter = none_shorter & ~there
    return live


@lru_cache(maxsize=32)
def diagonal_sets(game: Game) -> Bool[np.ndarray, "S C"]:
    """Every m-th diagonals, m = 3, 4, 5, each first along row + column, then along row − column,
    by remainder: S = 24 sets."""
    found = [
        number % every == rest
        for every in (3, 4, 5)
        for number in diagonals(game)
        for rest in range(every)
    ]
    table = np.stack(found)
    table.setflags(write=False)
    return table


@lru_cache(maxsize=32)
def _packed(game: Game) -> UInt32[np.ndarray, "W S"]:
    """The sets as words."""
    return packed(diagonal_sets(game)).T.copy()


def _set(game: Game, number: Int32[Array, ""]) -> Words:
    """One of the sets."""
    return list(jnp.asarray(_packed(game))[:, number])
