"""Things by name: hunters, hiders, and whatever else a user picks with a word.

One registry holds constructors `game -> thing`, each with a one-line description, in the order
they were added. An unknown name is answered with the nearest one.
"""

import difflib
from collections.abc import Callable
from typing import Any, Generic, TypeVar

Thing = TypeVar("Thing")


class Registry(Generic[Thing]):
    """Constructors by name; `kind` is the word error messages use for what they build."""

    def __init__(self, kind: str):
        self.kind = kind
        self._makers: dict[str, Callable[[Any], Thing]] = {}
        self._descriptions: dict[str, str] = {}

    def register(self, name: str, describe: str) -> Callable[[Any], Any]:
        """Decorator: list a constructor under `name` with a one-line description."""

        def add(make: Any) -> Any:
            if name in self._makers:
                raise ValueError(f"{self.kind} {name!r} is registered twice")
            self._makers[name] = make
            self._descriptions[name] = describe
            return make

        return add

    def names(self) -> tuple[str, ...]:
        """Names in the order they were added."""
        return tuple(self._makers)

    def describe(self, name: str) -> str:
        """One-line description of what `name` stands for."""
        self._require(name)
        return self._descriptions[name]

    def make(self, name: str, game: Any) -> Thing:
        """Build `name` for `game`.

        Raises:
            ValueError: nothing is registered under this name.
        """
        self._require(name)
        return self._makers[name](game)

    def _require(self, name: str) -> None:
        if name in self._makers:
            return
        near = difflib.get_close_matches(name, self._makers, n=1)
        hint = f"did you mean {near[0]!r}? " if near else ""
        raise ValueError(f"no {self.kind} {name!r}; {hint}choose one of {', '.join(self._makers)}")
