"""What a searching rule does after a hit, until every hit is explained by a sink.

* `Hand`: extend a line of open hits, or fire next to one (classic-fleet, "Rules a person can
  play"). A sink of length k is taken to be k open hits in a line through the cell just shot; of
  several such lines one is picked at random, and it can be the wrong one.
* `ByDensity`: the cell that most placements over open hits cover, on any board.
* `ByLayouts`: the hottest cell of the exact posterior, on boards whose layouts can be listed (the
  write-ups' computer finish).
"""

from abc import abstractmethod

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Int32, Key, PyTree

from bsjax.game.game import Game
from bsjax.game.observation import CLOSED, HIT, OPEN, UNFIRED, Observation
from bsjax.policies.choose import best_cell
from bsjax.policies.hottest import Layouts
from bsjax.policies.hunt import TARGET, ranks
from bsjax.policies.lines import order, through, window, windows
from bsjax.posterior.density import density, digits, fits_one_word, weight
from bsjax.runtime.hashed import hashed


class Finisher(eqx.Module):
    """Base of all finishers, written for one game and batched by `vmap`."""

    game: Game = eqx.field(static=True)

    @property
    def lanes(self) -> int:
        """Pieces of work in one decision that can be done at once (`bsjax.policies.base`)."""
        return 1

    @property
    def bytes_per_game(self) -> int:
        """Memory that a decision takes in each game."""
        return 0

    def init(self) -> PyTree:
        """Its notes before the first shot; none by default."""
        return ()

    @abstractmethod
    def fire(
        self, key: Key[Array, ""], observation: Observation, notes: PyTree
    ) -> tuple[Bool[Array, ""], Int32[Array, ""], PyTree]:
        """Whether a hit is to be followed up, the cell to fire at if so, and the next notes."""


class Hand(Finisher):
    """Extend a line of open hits at a random end, or fire at a random neighbour of one.

    Its notes are the hits it takes to be explained. Where a rule shows which cells were sunk
    (`cells`, `hit-name`), or no size at all (`hit`, `sunk`), they are those proven to be.
    """

    def init(self) -> Bool[Array, " C"]:
        """No hit is explained."""
        return jnp.zeros(self.game.cells, bool)

    def fire(
        self, key: Key[Array, ""], observation: Observation, notes: Bool[Array, " C"]
    ) -> tuple[Bool[Array, ""], Int32[Array, ""], Bool[Array, " C"]]:
        """See `Finisher`. A hit all whose neighbours were shot is given up."""
        lines, shot = jax.random.split(key)
        explained = self.explained(lines, observation, notes)
        hit = observation.answer >= HIT
        mark = jnp.where(explained, jnp.int8(CLOSED), jnp.int8(OPEN))
        seen = observation._replace(mark=jnp.where(hit, mark, observation.mark))
        rank = ranks(self.game, seen, parity=False)
        cell = best_cell(shot, [rank], observation.mark == UNFIRED)
        return (rank >= TARGET).any(), cell, explained

    def explained(
        self, key: Key[Array, ""], observation: Observation, before: Bool[Array, " C"]
    ) -> Bool[Array, " C"]:
        """Hits taken to be explained after the latest shot, from those before it.

        Where no line of open hits is left for the ship, it is one with as many of them as
        possible.
        """
        game = self.game
        if game.feedback not in ("size", "name"):
            return observation.mark == CLOSED
        latest = (observation.shot_at >= 0) & (observation.shot_at == observation.shots - 1)
        number = jnp.arange(game.cells, dtype=jnp.int32)
        cell = jnp.where(latest, number, 0).max()
        told = observation.answer[cell]
        sunk = latest.any() & (told > HIT) & (told <= game.ships)
        ship = jnp.clip(told.astype(jnp.int32) - 1, 0, game.ships - 1)
        hit = observation.answer >= HIT
        hits, fresh = through(game, cell, [hit, hit & ~before])
        own = jnp.asarray(order(game))[cell, ship]
        length = jnp.asarray(np.array(game.fleet, np.int32))[ship]
        longest = max(game.fleet)
        whole, new = jnp.zeros(own.shape, bool), jnp.zeros(own.shape, jnp.int32)
        for each in game.lengths:
            rest = ((0, 0), (0, longest - each))
            full = jnp.pad(windows(hits, each) == each, rest)
            whole = jnp.where(length == each, full & (own >= 0), whole)
            new = jnp.where(length == each, jnp.pad(windows(fresh, each), rest), new)
        best = whole & (new == jnp.where(whole, new, -1).max())
        # Equal lines: as `uniform_cell`, among all placements through the cell.
        bits = hashed(key, jnp.maximum(own, 0).astype(jnp.uint32)) >> 8 << 8
        ticket = jnp.where(best, bits | jnp.maximum(own, 0).astype(jnp.uint32), jnp.uint32(0))
        line = window(game, latest, best & (ticket == ticket.max()), length)
        return before | (line & sunk & whole.any())


class ByDensity(Finisher):
    """The cell that most placements over open hits cover; those over more hits count first."""

    def fire(
        self, key: Key[Array, ""], observation: Observation, notes: PyTree
    ) -> tuple[Bool[Array, ""], Int32[Array, ""], PyTree]:
        """See `Finisher`. A hit that no placement of a ship afloat goes on from is given up."""
        game, unfired = self.game, observation.mark == UNFIRED
        if fits_one_word(game):
            score = density(game, observation)
            scores, least = [score], weight(game.fleet)
            over_hits = score >= least
        else:
            scores = list(digits(game, observation)[::-1])
            over_hits = jnp.stack([score > 0 for score in scores[:-1]]).any(0)
        return (over_hits & unfired).any(), best_cell(key, scores, unfired), notes


class ByLayouts(Finisher):
    """The hottest cell while a hit is not explained by a sink, every layout equally likely."""

    layouts: Layouts

    @property
    def lanes(self) -> int:
        """Those of the layouts."""
        return self.layouts.lanes

    @property
    def bytes_per_game(self) -> int:
        """Those of the layouts."""
        return self.layouts.bytes_per_game

    def fire(
        self, key: Key[Array, ""], observation: Observation, notes: PyTree
    ) -> tuple[Bool[Array, ""], Int32[Array, ""], PyTree]:
        """See `Finisher`; ties at random."""
        heat, wounded = self.layouts.look(observation)
        return wounded, best_cell(key, [heat], observation.mark == UNFIRED), notes
