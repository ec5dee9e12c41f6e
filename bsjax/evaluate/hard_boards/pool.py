"""The boards that searches found, no two alike, and who found them."""

from typing import NamedTuple

import numpy as np

from bsjax.evaluate.hard_boards.layouts import Layout, Layouts, canonical
from bsjax.game.game import Game


class Entry(NamedTuple):
    """One board."""

    layout: Layout
    found_by: str
    """Hunter whose search met it first; `known` if it was known before."""
    stage: str


class Pool:
    """A growing list of boards; their numbers never change.

    Attributes:
        entries: the boards in the order they came.
    """

    def __init__(self, game: Game):
        self.game = game
        self.entries: list[Entry] = []
        self._number: dict[bytes, int] = {}

    def __len__(self) -> int:
        return len(self.entries)

    def add(self, layouts: Layouts, found_by: str, stage: str) -> list[int]:
        """Numbers of these boards, which are added where none alike was there."""
        numbers = []
        for layout, kind in zip(layouts, canonical(self.game, layouts), strict=True):
            number = self._number.setdefault(kind.tobytes(), len(self.entries))
            if number == len(self.entries):
                self.entries.append(Entry(layout, found_by, stage))
            numbers.append(number)
        return numbers

    def layouts(self, numbers: list[int] | None = None) -> Layouts:
        """These boards, all by default."""
        chosen = range(len(self)) if numbers is None else numbers
        rows = [self.entries[number].layout for number in chosen]
        return np.stack(rows) if rows else np.zeros((0, self.game.ships), np.int16)
