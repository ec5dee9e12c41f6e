"""Rules a person can play, put together: a search, its order, and a finisher.

The search says which cells are fired at next while every hit is explained by a sink: a pattern for
the small ships (`bsjax.policies.searches`, `bsjax.policies.halves`) and an endgame for the big
ones (`bsjax.policies.endgames`). The order says which of them first (`bsjax.policies.orders`); the
finisher (`bsjax.policies.finishers`) takes over after a hit.

    rule(Game((5, 5), (3, 3, 2)), "three-parity", finish="layouts", late=0.5)
    rule(Game(), "smart-three-parity", endgame="full", final="anywhere", jump=0.5)

A further stage of a search is a `Search` of its own; a further way to finish is a `Finisher`.
Rules that have a name are in `bsjax.policies.strategies`.
"""

from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Int32, Key, PyTree

from bsjax.game.game import Game
from bsjax.game.observation import Observation
from bsjax.policies.base import Policy
from bsjax.policies.choose import best_cell, uniform_cell
from bsjax.policies.endgames import ENDGAMES, Staged
from bsjax.policies.finishers import ByDensity, ByLayouts, Finisher, Hand
from bsjax.policies.halves import SmartThreeParity
from bsjax.policies.hottest import layouts_of
from bsjax.policies.orders import fitting, late_cell
from bsjax.policies.searches import Diagonals, Search


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
        after_hit, searched, dice = jax.random.split(key, 3)
        finishing, cell, finish = self.finisher.fire(after_hit, observation, carry.finish)
        cells, plan = self.search.cells(dice, observation, carry.plan)
        plan = jax.tree.map(lambda old, new: jnp.where(finishing, old, new), carry.plan, plan)
        if self.densest:
            found = best_cell(searched, [fitting(self.game, observation)], cells)
        elif self.late:
            found = late_cell(searched, self.game, observation, cells, self.late)
        else:
            found = uniform_cell(searched, cells)
        return jnp.where(finishing, cell, found), Notes(plan, finish)


SEARCHES = ("checkerboard", "three-parity", "smart-three-parity")
FINISHERS = ("hand", "density", "layouts")


def rule(
    game: Game,
    search: str,
    *,
    endgame: str = "none",
    finish: str = "hand",
    late: float = 0.0,
    densest: bool = False,
    **smart: Any,
) -> Rule:
    """A rule by the names of its parts.

    Args:
        game: the rules of the game.
        search: one of `SEARCHES`.
        endgame: one of `ENDGAMES` for the ships of 4 cells and more once the others are sunk;
            with `none` the search just goes on.
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
    if endgame != "none" and endgame not in ENDGAMES:
        raise ValueError(f"no endgame {endgame!r}: choose none or one of {', '.join(ENDGAMES)}")
    if late < 0 or (late and densest) or (smart and search != SEARCHES[2]):
        raise ValueError(
            "choose one order, late (0 or more) or densest; options of smart 3-parity with it only"
        )
    if search == "smart-three-parity":
        pattern: Search = SmartThreeParity(game, **smart)
    else:
        pattern = Diagonals(game, {"checkerboard": 2, "three-parity": 3}[search])
    if endgame != "none":
        pattern = Staged(game, pattern, ENDGAMES[endgame](game))
    if finish == "layouts":
        finisher: Finisher = ByLayouts(game, layouts_of(game))
    else:
        finisher = Hand(game) if finish == "hand" else ByDensity(game)
    return Rule(game, pattern, finisher, late, densest)
