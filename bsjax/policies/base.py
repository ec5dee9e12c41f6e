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

import difflib
from collections.abc import Callable
from typing import NamedTuple

import equinox as eqx
from jaxtyping import Array, Int32, Key, PyTree

from bsjax.game.game import Game
from bsjax.game.observation import Observation


class Policy(eqx.Module):
    """Base of all hunters; see the module docstring for the contract."""

    game: Game = eqx.field(static=True)

    def init(self, key: Key[Array, ""]) -> PyTree:
        """State of the hunter before its first shot; none by default."""
        del key
        return ()

    def act(
        self, key: Key[Array, ""], observation: Observation, carry: PyTree
    ) -> tuple[Int32[Array, ""], PyTree]:
        """The next cell to fire at, and the next state."""
        raise NotImplementedError


class Entry(NamedTuple):
    """A registered hunter."""

    make: Callable[[Game], Policy]
    describe: str


_REGISTRY: dict[str, Entry] = {}


def register(name: str, describe: str) -> Callable:
    """Decorator: list a constructor `game -> Policy` under `name` with a one-line description."""

    def add(make: Callable[[Game], Policy]) -> Callable[[Game], Policy]:
        if name in _REGISTRY:
            raise ValueError(f"policy {name!r} is registered twice")
        _REGISTRY[name] = Entry(make, describe)
        return make

    return add


def names() -> tuple[str, ...]:
    """Registered hunters, in the order they were added."""
    return tuple(_REGISTRY)


def describe(name: str) -> str:
    """One-line description of a registered hunter."""
    return _entry(name).describe


def make(name: str, game: Game) -> Policy:
    """The registered hunter `name` for `game`.

    Raises:
        ValueError: no such hunter.
    """
    return _entry(name).make(game)


def _entry(name: str) -> Entry:
    if name in _REGISTRY:
        return _REGISTRY[name]
    near = difflib.get_close_matches(name, _REGISTRY, n=1)
    hint = f"did you mean {near[0]!r}? " if near else ""
    raise ValueError(f"no policy {name!r}; {hint}choose one of {', '.join(_REGISTRY)}")
