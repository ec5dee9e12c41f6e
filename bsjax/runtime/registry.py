"""Things by name: hunters, hiders, and whatever else a user picks with a word.

One registry holds constructors `game -> thing`, each with a one-line description, in the order
they were added. An unknown name is answered with the nearest one.
"""

import difflib
from collections.abc import Callable
from typing import Any, Generic, NamedTuple, TypeVar

Thing = TypeVar("Thing")


class Entry(NamedTuple, Generic[Thing]):
    """A registered constructor."""

    make: Callable[[Any], Thing]
    describe: str


class Registry(Generic[Thing]):
    """Constructors by name; `kind` is the word error messages use for what they build."""

    def __init__(self, kind: str):
        self.kind = kind
        self._entries: dict[str, Entry[Thing]] = {}

    def register(self, name: str, describe: str) -> Callable[[Any], Any]:
        """Decorator: list a constructor under `name` with a one-line description."""

        def add(make: Any) -> Any:
            if name in self._entries:
                raise ValueError(f"{self.kind} {name!r} is registered twice")
            self._entries[name] = Entry(make, describe)
            return make

        return add

    def names(self) -> tuple[str, ...]:
        """Names in the order they were added."""
        return tuple(self._entries)

    def describe(self, name: str) -> str:
        """One-line description of what `name` stands for."""
        return self._entry(name).describe

    def make(self, name: str, game: Any) -> Thing:
        """Build `name` for `game`.

        Raises:
            ValueError: nothing is registered under this name.
        """
        return self._entry(name).make(game)

    def _entry(self, name: str) -> Entry[Thing]:
        if name in self._entries:
            return self._entries[name]
        near = difflib.get_close_matches(name, self._entries, n=1)
        hint = f"did you mean {near[0]!r}? " if near else ""
        raise ValueError(f"no {self.kind} {name!r}; {hint}choose one of {', '.join(self._entries)}")
