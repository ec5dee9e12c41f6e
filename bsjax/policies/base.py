"""The contract of a hunter, and the list of hunters by name.

A hunter is a pytree with two pure functions, written for one game and batched by `vmap`:

    init(key) -> carry                           before the first shot
    act(key, observation, carry) -> (cell, carry)   the next shot, at a cell not fired at

It is bound to one `Game`. Static settings are static fields, learned or computed arrays are
leaves, so one compiled program serves every hunter of the same kind. A hunter never sees the
board: its observation is all it has.

To add one: write the module, decorate its constructor with `register`, import it in
`bsjax/policies/__init__.py`.
"""

from abc import abstractmethod

import equinox as eqx
from jaxtyping import Array, Int32, Key, PyTree

from bsjax.game.game import Game
from bsjax.game.observation import Observation
from bsjax.runtime.registry import Registry


class Policy(eqx.Module):
    """Base of all hunters; see the module docstring for the contract."""

    game: Game = eqx.field(static=True)

    def init(self, key: Key[Array, ""]) -> PyTree:
        """State of the hunter before its first shot; none by default."""
        del key
        return ()

    @property
    def lanes(self) -> int:
        """Pieces of work in one decision that can be done at once, as games can be.

        The more there are, the fewer games are advanced together.
        """
        return 1

    @property
    def bytes_per_game(self) -> int:
        """Memory that a decision takes in each game, beyond the state of the game."""
        return 0

    def prepared(self, games: int) -> "Policy":
        """The same hunter, made ready for a run of this many games: faster, never different."""
        del games
        return self

    @abstractmethod
    def act(
        self, key: Key[Array, ""], observation: Observation, carry: PyTree
    ) -> tuple[Int32[Array, ""], PyTree]:
        """The next cell to fire at, and the next state."""


POLICIES: Registry[Policy] = Registry("policy")
register, names, describe, make = (
    POLICIES.register,
    POLICIES.names,
    POLICIES.describe,
    POLICIES.make,
)
