"""Smart 3-parity: one set of every-third diagonals in two halves by colour, then the 2 on one.

A and B are the cells whose diagonal leaves remainder a, or a + 3, when divided by 6. While a 3 is
afloat the rule fires in A, then in B; in a share of the games (a coin before the game) it jumps to
B as soon as one 3 is sunk. The 2 is then hunted on the colour fired at more when that hunt began
(five-by-five, section 5; classic-fleet, section 7). With no 3 and no 2 afloat it goes on sweeping
that colour; an endgame (`bsjax.policies.endgames`) can take over from there.

**Finals**, the hunt for the 2. Always first: cells of the colour beside a cell not shot at.

* `anywhere` on the colour (the first version);
* `zones` (the revised card): cells outside the colour's own half that touch an unshot cell of the
  other half, then the own half, then the rest;
* `fewest` shot neighbours first (the fastest rule a person can play); the border is no neighbour.

**Sweeps** of the halves. The card draws cells of a half at random.

* `diagonals`: one diagonal after the other from a corner, at random along each;
* `cells`: the same, each from its lower end on;
* `runs`: A at random, B in long runs: its longest diagonal first, from one end to the other. The
  write-up says no more than "sweeping B in long runs".

**Ideas that lost.** `share` below 1: a jump takes in so large a part of B, drawn cell by cell
before the game, then goes back to A; meant for a jump in every game, in place of the coin.
`reading`: once a sunk ship of 4 or more crossed both halves it alternates between them. A ship
crossed both if some line of hits through its last cell, as long as the ship, did.
"""

from typing import NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float32, Int8, Int16, Int32, Key

from bsjax.game.game import Game
from bsjax.game.observation import HIT, UNFIRED, Observation, afloat
from bsjax.game.planes import seen
from bsjax.game.touching import SIDES, around, open_water
from bsjax.policies.choose import cell_bits
from bsjax.policies.lines import through, windows
from bsjax.policies.searches import BIG, Search, any_of, colours, diagonal, diagonals, first

JUMP = 0.35
"""Share of games in which smart 3-parity jumps: 1 to 7 on a 20-sided die."""
FINALS = ("zones", "anywhere", "fewest")
SWEEPS = ("random", "diagonals", "cells", "runs")
_LATER = 1 << 10
"""More than any place in a sweep of a half."""


class Halves(NamedTuple):
    """Plan of smart 3-parity."""

    half: Int8[Array, " C"]
    """1 for A, 2 for B, 0 elsewhere."""
    place: Int16[Array, " C"]
    """Place of each cell in the search: those of A come before `_LATER`, those of B after it."""
    part: Bool[Array, " C"]
    """Cells of B that a jump takes in."""
    colour_of_a: Int32[Array, ""]
    """Colour 0 or 1 is row + column mod 2."""
    jump: Bool[Array, ""]
    coin: Int32[Array, ""]
    """Colour of the final if both colours are alike."""
    colour: Int32[Array, ""]
    """Colour on which the 2 is hunted, −1 until then."""
    last: Int32[Array, ""]
    """Half that was searched last."""


class SmartThreeParity(Search):
    """The rule of the module docstring, for the 3s and the 2."""

    jump: Float32[Array, ""] = eqx.field(converter=jnp.float32, default=JUMP)
    """Chance of the jump to B."""
    final: str = eqx.field(static=True, default="zones")
    """One of `FINALS`."""
    fewer_unshot: bool = eqx.field(static=True, default=False)
    """The final is on the colour with fewer unshot cells, not on the one fired at more."""
    sweep: str = eqx.field(static=True, default="random")
    """One of `SWEEPS`."""
    share: float = eqx.field(static=True, default=1.0)
    """Part of B that a jump takes in."""
    reading: bool = eqx.field(static=True, default=False)
    """Alternate between the halves once a big ship crossed both."""

    def __check_init__(self):
        if not 0 <= self.jump <= 1 or self.final not in FINALS:
            raise ValueError(
                f"jump {self.jump:g}, final {self.final!r}: jump in a share of games from 0 to 1, "
                f"final one of {', '.join(FINALS)}"
            )
        if not 0 < self.share <= 1 or self.sweep not in SWEEPS:
            raise ValueError(
                f"share {self.share}, sweep {self.sweep!r}: a jump takes in a share of B above 0, "
                f"at most 1; sweep one of {', '.join(SWEEPS)}"
            )

    def init(self, key: Key[Array, ""]) -> Halves:
        """Direction, halves and coins."""
        way, die, jump, coin, corner, part = jax.random.split(key, 6)
        down = jax.random.bernoulli(way)
        a = jax.random.randint(die, (), 0, 6, jnp.int32)
        rest = (diagonal(self.game, down) - a) % 6
        half = jnp.where(rest == 0, 1, jnp.where(rest == 3, 2, 0)).astype(jnp.int8)
        return Halves(
            half=half,
            place=self._places(corner, half, down),
            part=(half == 2) & self._part(part),
            colour_of_a=(a + jnp.where(down, self.game.width - 1, 0)) % 2,
            jump=jax.random.bernoulli(jump, self.jump),
            coin=jax.random.bernoulli(coin).astype(jnp.int32),
            colour=jnp.int32(-1),
            last=jnp.int32(0),
        )

    def _places(
        self, key: Key[Array, ""], half: Int8[Array, " C"], down: Bool[Array, ""]
    ) -> Int16[Array, " C"]:
        """Place of each cell in the search."""
        game, where = self.game, half.astype(jnp.int32)
        across, along = diagonal(game, down), diagonal(game, ~down)
        turned = jax.random.bernoulli(key, 0.5, (2,))
        across = jnp.where(turned[0], across.max() - across, across)
        along = jnp.where(turned[1], along.max() - along, along)
        if self.sweep == "random":
            within = jnp.zeros_like(across)
        elif self.sweep == "diagonals":
            within = across
        elif self.sweep == "cells":
            within = across * 32 + along
        else:
            longest = jnp.asarray(_longest_first(game))[down.astype(jnp.int32)]
            within = jnp.where(half == 2, longest * 32 + along, 0)
        return jnp.where(where == 0, 2 * _LATER, (where - 1) * _LATER + within).astype(jnp.int16)

    def _part(self, key: Key[Array, ""]) -> Bool[Array, " C"]:
        """Cells that belong to the part of B searched by a jump."""
        if self.share == 1:
            return jnp.ones(self.game.cells, bool)
        return cell_bits(key, self.game.cells) < jnp.uint32(self.share * (2**32 - 1))

    def cells(
        self, key: Key[Array, ""], observation: Observation, plan: Halves
    ) -> tuple[Bool[Array, " C"], Halves]:
        """Halves A and B, then the final."""
        del key
        game, left = self.game, afloat(observation)
        live = open_water(game, observation)
        threes = any_of(game, left, 3, 3)
        place = plan.place
        jumps = plan.jump & any_of(game, ~left, 3, 3) & (live & plan.part).any()
        place = jnp.where(jumps & plan.part, place - 4 * _LATER, place)
        if self.reading:
            wanted = jnp.where(plan.last == 1, 2, 1).astype(jnp.int8)
            turns = self._crossed(observation, plan)
            place = jnp.where(turns & (plan.half == wanted), place - 8 * _LATER, place)
        halves = first(live, place)
        colour = jnp.where(plan.colour < 0, self._colour(observation, plan), plan.colour)
        cells = jnp.where(threes, halves, self._final(observation, live, plan, colour))
        last = jnp.where((halves & (plan.half == 2)).any(), 2, 1)
        return cells, plan._replace(
            colour=jnp.where(threes, plan.colour, colour),
            last=jnp.where(threes, last, plan.last),
        )

    def _crossed(self, observation: Observation, plan: Halves) -> Bool[Array, ""]:
        """Whether a sunk big ship can have crossed both halves."""
        game, hit, crossed = self.game, observation.answer >= HIT, jnp.bool_(False)
        for ship, length in enumerate(game.fleet):
            if length < BIG:
                continue
            cell = jnp.maximum(observation.sunk_cell[ship], 0).astype(jnp.int32)
            planes = [hit, plan.half == 1, plan.half == 2]
            hits, a, b = (windows(line, length) for line in through(game, cell, planes))
            whole = (hits == length) & (a > 0) & (b > 0)
            crossed |= whole.any() & (observation.sunk_at[ship] >= 0)
        return crossed

    def _colour(self, observation: Observation, plan: Halves) -> Int32[Array, ""]:
        """Colour of the final."""
        sign = jnp.asarray(2 * colours(self.game) - 1)
        unfired = observation.mark == UNFIRED
        more = jnp.where(~unfired, sign, 0).sum(dtype=jnp.int32)
        if self.fewer_unshot:
            more = -jnp.where(unfired, sign, 0).sum(dtype=jnp.int32)
        return jnp.where(more == 0, plan.coin, (more > 0).astype(jnp.int32))

    def _final(
        self,
        observation: Observation,
        live: Bool[Array, " C"],
        plan: Halves,
        colour: Int32[Array, ""],
    ) -> Bool[Array, " C"]:
        """Where the 2 is hunted on a colour."""
        game = self.game
        on = jnp.asarray(colours(game).astype(np.int8)) == colour.astype(jnp.int8)
        fits = live & on & around(game, live, SIDES)
        if self.final == "anywhere":
            return first(live, jnp.where(fits, 0, 1).astype(jnp.int8))
        if self.final == "fewest":
            shot = jnp.stack(seen(game, observation.mark != UNFIRED, SIDES)).sum(0, jnp.int8)
            return first(live, jnp.where(fits, shot, jnp.int8(5)))
        own = jnp.where(plan.colour_of_a == colour, jnp.int8(1), jnp.int8(2))
        inside, other = plan.half == own, plan.half == 3 - own
        touches = around(game, live & other, SIDES)
        zone = jnp.where(inside, 1, jnp.where(touches, 0, 2))
        return first(live, jnp.where(fits, zone, 3).astype(jnp.int8))


def _longest_first(game: Game) -> Int32[np.ndarray, "2 C"]:
    """Place of each cell's diagonal among those of one direction, the longest first."""
    places = []
    for number in diagonals(game):
        length = np.bincount(number, minlength=game.width + game.height - 1)
        order = np.argsort(-length, kind="stable")
        places.append(np.argsort(order)[number])
    return np.stack(places).astype(np.int32)
