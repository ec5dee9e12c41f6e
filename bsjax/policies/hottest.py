"""The exact heat map of a listable game, for decisions inside a compiled program.

All layouts are held as words of bits, ship by ship, and every layout is asked at once whether it
answers all shots as they were: a few bit operations on each, and one matrix product to count those
left on every cell. A ship sunk by shot t on cell c is one that covers c and no cell that was not
hit by then; any other ship has a cell that is not hit. (Looking up whether each placement of each
layout is allowed, `bsjax.posterior.beliefs.Enumerated`, costs several times as much.)
"""

from functools import lru_cache, reduce
from operator import and_, or_

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float32, Int32, Key, PyTree, UInt32

from bsjax.game.game import Game
from bsjax.game.observation import HIT, MISS, UNFIRED, Observation
from bsjax.game.placements import WORD, packed, placement_masks
from bsjax.policies.base import Policy
from bsjax.policies.choose import best_cell
from bsjax.posterior.bits import pack
from bsjax.posterior.listed import Listing

_LAYOUTS_A_LANE = 1 << 8
Words = list[UInt32[Array, "..."]]
"""Sets of cells, cell c in bit c mod 32 of word c // 32."""


class Layouts(eqx.Module):
    """All layouts of a listable game; M of them, K ships, W words."""

    game: Game = eqx.field(static=True)
    ships: UInt32[Array, "K W M"]
    """Cells of every ship."""
    covers: Float32[Array, "M C"]
    """1 where a ship lies."""

    def look(self, observation: Observation) -> tuple[Int32[Array, " C"], Bool[Array, ""]]:
        """Layouts that agree with the observation and have a ship on each cell, and whether one
        of them has a ship that is hit and not sunk.

        Cost: about 60 bit operations a layout on 5×5 {3,3,2}, and C multiply-adds. Exact below
        2²⁴ layouts.
        """
        game, ships = self.game, [list(ship) for ship in self.ships]
        hit, missed = observation.answer >= HIT, observation.answer == MISS
        hits, misses = words(hit), words(missed)
        cover = [reduce(or_, parts) for parts in zip(*ships, strict=True)]
        fits = _none(_both(cover, misses)) & _none(_both(_not(cover), hits))
        whole = [_none(_both(ship, _not(hits))) for ship in ships]
        if game.feedback != "hit":
            sinks, told = self._sinks(observation, ships)
            number = sum(part.astype(jnp.int32) for part in whole)
            fits &= (number == told) & sinks
        if game.feedback == "hit-name":
            for k, ship in enumerate(ships):
                own = words(observation.ship_at == k)
                fits &= _equal(_both(ship, hits), own)
        heat = fits.astype(jnp.float32) @ self.covers
        wounded = [
            ~part & ~_none(_both(ship, hits)) for part, ship in zip(whole, ships, strict=True)
        ]
        return heat.astype(jnp.int32), (fits & reduce(or_, wounded)).any()

    def _sinks(
        self, observation: Observation, ships: list[Words]
    ) -> tuple[Bool[Array, " M"], Int32[Array, ""]]:
        """Whether every announced sink is that of a ship, and how many there are."""
        game, answer = self.game, observation.answer.astype(jnp.int32)
        sank = (answer > HIT) & (answer <= game.ships + 1)
        order = observation.shot_at.astype(jnp.int32)
        last = jnp.where(sank, order, game.cells)
        fits = []
        for _ in range(game.ships):
            cell, there = last.argmin(), (last < game.cells).any()
            last = last.at[cell].set(game.cells)
            at = jnp.arange(game.cells, dtype=jnp.int32) == cell
            on_time = (answer >= HIT) & (order <= order[cell])
            # A ship sinks there if its cells among these are the one shot, and no other.
            asked, wanted = words(at | ~on_time), words(at)
            of = answer[cell] - 1
            ways = []
            for k, ship in enumerate(ships):
                way = _equal(_both(ship, asked), wanted) & self._named(of, k)
                if game.feedback == "cells":
                    way &= _equal(ship, words(observation.ship_at.astype(jnp.int32) == of))
                ways.append(way)
            fits.append(reduce(or_, ways) | ~there)
        return reduce(and_, fits), sank.sum(dtype=jnp.int32)

    def _named(self, told: Int32[Array, ""], ship: int) -> Bool[Array, ""]:
        """Whether a sink told as this ship can be that of ship k of a layout."""
        game = self.game
        if game.feedback == "sunk":
            return jnp.bool_(True)
        if game.feedback in ("name", "hit-name"):
            return told == ship
        alike = np.array([length == game.fleet[ship] for length in game.fleet])
        return jnp.asarray(alike)[jnp.clip(told, 0, game.ships - 1)]

    @property
    def lanes(self) -> int:
        """Layouts, some hundreds at once."""
        return max(len(self.covers) // _LAYOUTS_A_LANE, 1)

    @property
    def bytes_per_game(self) -> int:
        """A few words a layout."""
        return 8 * self.ships.size + 8 * len(self.covers)


@lru_cache(maxsize=8)
def layouts_of(game: Game) -> Layouts:
    """The layouts of a game.

    Raises:
        ValueError: there are too many to list.
    """
    listing = Listing(game)
    ships = [
        packed(placement_masks(game.size, length))[listing.layouts[:, k]].T
        for k, length in enumerate(game.fleet)
    ]
    covers = jnp.asarray(listing.boards() >= 0, jnp.float32)
    return Layouts(game, jnp.asarray(np.stack(ships)), covers)


def words(plane: Bool[Array, " C"]) -> Words:
    """A set of cells."""
    count = -(-plane.shape[0] // WORD)
    wide = jnp.pad(plane, (0, count * WORD - plane.shape[0]))
    return list(pack(wide.reshape(count, WORD)))


def _both(a: Words, b: Words) -> Words:
    return [x & y for x, y in zip(a, b, strict=True)]


def _not(a: Words) -> Words:
    return [~x for x in a]


def _none(a: Words) -> Bool[Array, "..."]:
    return reduce(or_, a) == 0


def _equal(a: Words, b: Words) -> Bool[Array, "..."]:
    return reduce(and_, [x == y for x, y in zip(a, b, strict=True)])


class Hottest(Policy):
    """The heat map: the cell that most layouts put a ship on, ties at random."""

    layouts: Layouts

    @property
    def lanes(self) -> int:
        """Those of the layouts."""
        return self.layouts.lanes

    @property
    def bytes_per_game(self) -> int:
        """Those of the layouts."""
        return self.layouts.bytes_per_game

    def act(
        self, key: Key[Array, ""], observation: Observation, carry: PyTree
    ) -> tuple[Int32[Array, ""], PyTree]:
        """The next cell; `carry` is unused."""
        heat, _ = self.layouts.look(observation)
        return best_cell(key, [heat], observation.mark == UNFIRED), carry
