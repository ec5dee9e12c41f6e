"""Rules a person can play, put together: a search pattern, its order, and a finisher.

The pattern (`bsjax.policies.searches`) says which cells are fired at next while every hit is
explained by a sink; the order says which of them first; the finisher (`bsjax.policies.finishers`)
takes over after a hit. The orders are

* at random;
* late near-miss cells: each cell drawn with weight exp(−α · share of its neighbours already
  missed);
* densest first: where most placements still fit.

    rule(Game((5, 5), (3, 3, 2)), "three-parity", finish="layouts", late=0.5)

The names in the registry stand for rules that play every game; `rule` makes the others. A further
stage of a search, such as a sweep for the big ships, is a `Search` of its own; a further way to
finish is a `Finisher`.
"""

from functools import partial
from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Int32, Key, PyTree

from bsjax.game.game import Game
from bsjax.game.observation import CLOSED, MISS, OPEN, Observation
from bsjax.game.planes import seen as shifted
from bsjax.game.touching import SIDES
from bsjax.policies.base import Policy, register
from bsjax.policies.choose import best_cell, cell_bits, uniform_cell
from bsjax.policies.finishers import ByDensity, ByLayouts, Finisher, Hand
from bsjax.policies.hottest import layouts_of
from bsjax.policies.searches import Diagonals, Search, SmartThreeParity
from bsjax.posterior.density import density, digits, fits_one_word


class Notes(NamedTuple):
    """What a rule keeps between shots."""

    plan: PyTree
    """Of the search."""
    finish: PyTree
    """Of the finisher."""


class Rule(Policy):
    """A search, its order, and a finisher."""

    search: Search
    finisher: Finisher
    late: float = eqx.field(static=True, default=0.0)
    """α of late near-miss cells; 0 is plainly at random."""
    densest: bool = eqx.field(static=True, default=False)
    """Search where most placements of the ships afloat fit on cells not shot at."""

    @property
    def lanes(self) -> int:
        """Those of the finisher."""
        return self.finisher.lanes

    @property
    def bytes_per_game(self) -> int:
        """Those of the finisher."""
        return self.finisher.bytes_per_game

    def init(self, key: Key[Array, ""]) -> Notes:
        """The plan, and no notes."""
        return Notes(self.search.init(key), self.finisher.init())

    def act(
        self, key: Key[Array, ""], observation: Observation, carry: Notes
    ) -> tuple[Int32[Array, ""], Notes]:
        """The finisher's cell if it has one, otherwise one of the search."""
        after_hit, searched = jax.random.split(key)
        finishing, cell, finish = self.finisher.fire(after_hit, observation, carry.finish)
        cells, plan = self.search.cells(observation, carry.plan)
        plan = jax.tree.map(lambda old, new: jnp.where(finishing, old, new), carry.plan, plan)
        if self.densest:
            found = best_cell(searched, fitting(self.game, observation), cells)
        elif self.late:
            found = late_cell(searched, self.game, observation, cells, self.late)
        else:
            found = uniform_cell(searched, cells)
        return jnp.where(finishing, cell, found), Notes(plan, finish)


def fitting(game: Game, observation: Observation) -> list[Int32[Array, " C"]]:
    """Placements of the ships afloat through each cell that cover no cell shot at, as scores."""
    closed = jnp.where(observation.mark == OPEN, jnp.int8(CLOSED), observation.mark)
    known = observation._replace(mark=closed)
    return [density(game, known) if fits_one_word(game) else digits(game, known)[0]]


def late_cell(
    key: Key[Array, ""],
    game: Game,
    observation: Observation,
    cells: Bool[Array, " C"],
    alpha: float,
) -> Int32[Array, ""]:
    """One of the cells, drawn with weight exp(−α · share of its neighbours already missed).

    Every cell waits for an exponential time with its weight as rate; the first one is drawn. The
    key is consumed.
    """
    missed = shifted(game, observation.answer == MISS, SIDES)
    board = shifted(game, jnp.ones(game.cells, bool), SIDES)
    number, all_ = (jnp.stack(of).sum(0).astype(jnp.float32) for of in (missed, board))
    bits = (cell_bits(key, game.cells) >> 8).astype(jnp.float32)
    wait = -jnp.log((bits + 0.5) / 2.0**24) * jnp.exp(alpha * number / jnp.maximum(all_, 1.0))
    return jnp.where(cells, wait, jnp.inf).argmin().astype(jnp.int32)


SEARCHES = ("checkerboard", "three-parity", "smart-three-parity")
FINISHERS = ("hand", "density", "layouts")


def rule(
    game: Game,
    search: str,
    *,
    finish: str = "hand",
    late: float = 0.0,
    densest: bool = False,
    **smart: Any,
) -> Rule:
    """A rule by the names of its parts.

    Args:
        game: the rules of the game.
        search: one of `SEARCHES`.
        finish: one of `FINISHERS`.
        late: α of late near-miss cells, 0.5 (light) or 1.5 (strong) in the write-up.
        densest: densest first.
        smart: options of `SmartThreeParity`.

    Raises:
        ValueError: no such part; both orders at once; too many layouts to list for `layouts`.
    """
    if search not in SEARCHES or finish not in FINISHERS:
        raise ValueError(
            f"no rule {search!r} + {finish!r}: search by one of {', '.join(SEARCHES)}, finish by "
            f"one of {', '.join(FINISHERS)}"
        )
    if late < 0 or (late and densest) or (smart and search != SEARCHES[2]):
        raise ValueError(
            "choose one order, late (0 or more) or densest; options of smart 3-parity with it only"
        )
    if search == "smart-three-parity":
        pattern: Search = SmartThreeParity(game, **smart)
    else:
        pattern = Diagonals(game, {"checkerboard": 2, "three-parity": 3}[search])
    if finish == "layouts":
        finisher: Finisher = ByLayouts(game, layouts_of(game))
    else:
        finisher = Hand(game) if finish == "hand" else ByDensity(game)
    return Rule(game, pattern, finisher, late, densest)


_HAND = "after a hit extend a line or fire next to it"
_REGISTERED = {
    "checkerboard": f"random cells of one colour, then the other; {_HAND}",
    "three-parity": f"random cells of every third diagonal, set by set; {_HAND}",
    "smart-three-parity": f"every third diagonal in halves, then the 2 in zones; {_HAND}",
}
for _name, _about in _REGISTERED.items():
    register(_name, _about)(partial(rule, search=_name))
