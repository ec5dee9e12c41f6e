"""What is played: board size, fleet, touching rule and feedback rule, as one static value."""

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, get_args

Touching = Literal["allowed", "no-side", "none"]
Feedback = Literal["hit", "sunk", "size", "name", "cells", "hit-name"]

TOUCHING: tuple[Touching, ...] = get_args(Touching)
FEEDBACK: tuple[Feedback, ...] = get_args(Feedback)

MAX_SIDE = 16
MAX_SHIPS = 12
MAX_LENGTH = 8

_CLASSIC_NAMES = ("carrier", "battleship", "cruiser", "submarine", "destroyer")


@dataclass(frozen=True)
class Game:
    """One game of Battleship: static, hashable, and the key of every compiled program.

    Attributes:
        size: (width, height) in cells, each 1 to 16.
        fleet: ship lengths, 1 to 12 ships of 1 to 8 cells each. The order is kept: ship `k`
            of a layout is the one of length `fleet[k]`.
        touching: `allowed`; `no-side` (ships may meet only at a corner); `none` (not even there).
        feedback: what an answer tells, from least to most:

            * `hit`: miss or hit, and nothing at a sink;
            * `sunk`: a sink is announced, not which ship;
            * `size`: the length of the sunk ship;
            * `name`: which ship sank;
            * `cells`: the cells of the sunk ship are shown;
            * `hit-name`: every hit names its ship.

    Raises:
        ValueError: a field is out of range, or a ship is longer than both sides.
    """

    size: tuple[int, int] = (10, 10)
    fleet: tuple[int, ...] = (5, 4, 3, 3, 2)
    touching: Touching = "allowed"
    feedback: Feedback = "size"

    def __post_init__(self):
        # Lists are welcome, but a game is a key of compiled programs and must be hashable.
        object.__setattr__(self, "size", tuple(self.size))
        object.__setattr__(self, "fleet", tuple(self.fleet))
        width, height = self.size
        if not (1 <= width <= MAX_SIDE and 1 <= height <= MAX_SIDE):
            raise ValueError(
                f"size {width}x{height}: each side must be 1 to {MAX_SIDE} cells; "
                f"write it as WIDTHxHEIGHT, for example 10x10"
            )
        if not 1 <= len(self.fleet) <= MAX_SHIPS:
            raise ValueError(f"a fleet has 1 to {MAX_SHIPS} ships, this one {len(self.fleet)}")
        for length in self.fleet:
            if not 1 <= length <= MAX_LENGTH:
                raise ValueError(f"a ship has 1 to {MAX_LENGTH} cells, this one {length}")
            if length > max(width, height):
                raise ValueError(
                    f"a ship of {length} cells does not fit on a {width}x{height} board; "
                    f"take a larger board or a shorter ship"
                )
        if sum(self.fleet) > width * height:
            raise ValueError(
                f"the fleet covers {sum(self.fleet)} cells, the {width}x{height} board has only "
                f"{width * height}; take a larger board or a smaller fleet"
            )
        if self.touching not in TOUCHING:
            raise ValueError(f"touching {self.touching!r}: choose one of {', '.join(TOUCHING)}")
        if self.feedback not in FEEDBACK:
            raise ValueError(f"feedback {self.feedback!r}: choose one of {', '.join(FEEDBACK)}")

    @property
    def width(self) -> int:
        """Columns."""
        return self.size[0]

    @property
    def height(self) -> int:
        """Rows."""
        return self.size[1]

    @property
    def cells(self) -> int:
        """Number of cells C; cell `row * width + column` for row and column from 0."""
        return self.size[0] * self.size[1]

    @property
    def ships(self) -> int:
        """Number of ships K."""
        return len(self.fleet)

    @property
    def ship_cells(self) -> int:
        """Cells the whole fleet covers: the fewest shots that can sink it."""
        return sum(self.fleet)

    @cached_property
    def lengths(self) -> tuple[int, ...]:
        """The distinct ship lengths, ascending."""
        return tuple(sorted(set(self.fleet)))

    @cached_property
    def ship_names(self) -> tuple[str, ...]:
        """A distinct name for each ship.

        The classic fleet has its printed names; any other fleet is called by length, with a
        letter where two ships are equally long (`3a`, `3b`, `2`).
        """
        if self.fleet == (5, 4, 3, 3, 2):
            return _CLASSIC_NAMES
        total, seen, names = Counter(self.fleet), Counter[int](), []
        for length in self.fleet:
            letter = "abcdefghijkl"[seen[length]] if total[length] > 1 else ""
            names.append(f"{length}{letter}")
            seen[length] += 1
        return tuple(names)

    def __str__(self) -> str:
        fleet = ",".join(map(str, self.fleet))
        return (
            f"{self.width}x{self.height} {{{fleet}}} touching {self.touching}, "
            f"feedback {self.feedback}"
        )


PRESETS: dict[str, Game] = {
    "classic": Game(),
    "ten-ship": Game(fleet=(4, 3, 3, 2, 2, 2, 1, 1, 1, 1), touching="none"),
}
"""Games by name: the classic five ships, and ten ships that may not touch even diagonally."""
