"""Races of a die over hunters on boards, hunter by hunter: exact in the weights.

A die finishes as its hunters do, each as often as it comes up. So every hunter plays games of its
own on every board, and the readings are added up by weight: nothing is left of the luck of the die,
and a hunter that comes up rarely is measured as well as the others.
"""

from collections.abc import Sequence
from typing import NamedTuple

import jax
import numpy as np
from jaxtyping import Array, Float64, Int64, Key

from bsjax.evaluate.by_layout import Estimate, over_layouts
from bsjax.evaluate.credit import Credit
from bsjax.evaluate.hard_boards.layouts import Layouts
from bsjax.evaluate.hard_boards.trial import Readings, Table
from bsjax.policies.die import Die


class Faced(NamedTuple):
    """What a die does on one board, from games of each of its F hunters."""

    weights: Float64[np.ndarray, " F"]
    """Of the hunters; they add up to 1."""
    histograms: Int64[np.ndarray, "F T"]
    """Games of each hunter over at shot 0, 1, … C."""

    def mean(self, credit: Credit) -> Estimate:
        """Mean of what games are worth, with its standard error."""
        return over_layouts(self.histograms, credit, self.weights)

    @property
    def shares(self) -> Float64[np.ndarray, " T"]:
        """Share of the die's games over at each shot."""
        games = self.histograms.sum(1, keepdims=True)
        return (self.weights[:, None] * self.histograms / games).sum(0)


class DieTable(Table):
    """Where a die plays one pace's races on boards.

    `play` takes `games` of every hunter on every board. The standard error of its readings is that
    of as many games of the die, which is never too small; `faced` has the right one.

    Attributes:
        faces: where each hunter plays; they keep the journal.
        weights: of the hunters; they add up to 1.
    """

    def __init__(self, faces: Sequence[Table], weights: Float64[np.ndarray, " F"]):
        """Put the tables of the hunters together.

        Args:
            faces: tables with one pace.
            weights: of the hunters, up to a factor.

        Raises:
            ValueError: as `bsjax.policies.die.Die.of`, or tables with several paces.
        """
        die = Die.of([face.policy for face in faces], weights)
        credit = faces[0].credit
        if not all(np.array_equal(face.credit, credit) for face in faces):
            raise ValueError(
                "the hunters of a die race against one pace: these tables have several"
            )
        super().__init__(die, credit, common=faces[0].common)
        self.faces, self.weights = list(faces), np.asarray(weights, np.float64) / np.sum(weights)

    def play(
        self, key: Key[Array, ""], layouts: Layouts, games: int, *, first: int = 0
    ) -> Readings:
        """See `Table.play`; the games of hunter f are those of `fold_in(key, f)`."""
        total = np.zeros((len(layouts), 4))
        for number, (face, weight) in enumerate(zip(self.faces, self.weights, strict=True)):
            own = jax.random.fold_in(key, number)
            total += weight * face.play(own, layouts, games, first=first).sums
        # The weights add up to 1 but for rounding; games are whole.
        total[:, 0] = games
        self._tell(len(layouts) * games)
        return Readings(total)

    def faced(self, key: Key[Array, ""], layouts: Layouts, games: int) -> list[Faced]:
        """The games of `play` on each board by their shots; not found in the journal."""
        found = [
            face.histogram(jax.random.fold_in(key, number), layouts, games)
            for number, face in enumerate(self.faces)
        ]
        return [Faced(self.weights, rows) for rows in np.stack(found, axis=1)]
