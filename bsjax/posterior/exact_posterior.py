"""What an exact posterior says: layouts left, the heat map, and what each shot would tell."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float64, Shaped

from bsjax.game.game import Game
from bsjax.posterior.tables import tables


@dataclass(frozen=True)
class ExactPosterior:
    """All layouts that agree with one history, counted, or weighed by a prior.

    The tables are int64 counts of layouts, told apart; with prior weights they are float64 sums
    of the layouts' weights. K ships, C cells, P_k placements of ship k.
    """

    game: Game
    shot: Bool[np.ndarray, " C"]
    """Cells shot at."""
    total: int | float
    """Layouts, or the sum of their weights."""
    orders: int
    """Orders in which interchangeable ships can lie on the same placements."""
    placements: tuple[Shaped[np.ndarray, " _"], ...]
    """Of each ship: layouts with each placement, in the order of `placement_masks`."""
    ship: Shaped[np.ndarray, " C"]
    """Layouts that put a ship on the cell."""
    hit: Shaped[np.ndarray, " C"]
    """Layouts in which a shot at the cell would hit and not sink; 0 at cells shot at."""
    hit_ship: Shaped[np.ndarray, "K C"]
    """The same by ship; which one is told under `hit-name` only."""
    sunk: Shaped[np.ndarray, "K C"]
    """Layouts in which a shot at the cell would sink ship k; 0 at cells shot at."""

    @property
    def layouts_told_apart(self) -> int:
        """Layouts left, equal ships being different ships.

        Raises:
            ValueError: the posterior has prior weights.
        """
        if isinstance(self.total, float):
            raise ValueError("a posterior with prior weights counts no layouts; see `total`")
        return self.total

    @property
    def layouts_alike(self) -> int:
        """Layouts left, equal ships being interchangeable.

        Raises:
            ValueError: the posterior has prior weights.
        """
        return self.layouts_told_apart // self.orders

    @property
    def p_ship(self) -> Float64[np.ndarray, " C"]:
        """Probability that each cell holds a ship: the heat map.

        Raises:
            ValueError: no layout agrees with the history.
        """
        return self.ship / self._left()

    def expected_left(self, cell: int) -> float:
        """Layouts (or weight) expected to be left after a shot at `cell`: `squares` / total.

        Raises:
            ValueError: no layout agrees with the history.
        """
        return float(self.squares()[cell] / self._left())

    def squares(self) -> list[int] | list[float]:
        """Of each cell, Σ (layouts that give an answer)² over the answers to a shot there.

        The information rule fires where it is least. Whole numbers of any size without prior
        weights, so ties are exact. A cell shot at tells nothing: it has total².

        What counts as one answer depends on the feedback rule: a sink reads like a hit under
        `hit`; it names no ship under `sunk`, only a length under `size`; it shows where the ship
        lies under `cells`; a hit names its ship under `hit-name`.

        Cost: 0.2 ms for the classic game.
        """
        feedback, exact = self.game.feedback, isinstance(self.total, int)
        table = (lambda part: part.astype(object)) if exact else (lambda part: part)
        hit, sunk = table(self.hit), table(self.sunk)
        water = self.total - table(self.ship)
        if feedback == "hit":
            answers = [hit + sunk.sum(0)]
        elif feedback == "sunk":
            answers = [hit, sunk.sum(0)]
        elif feedback == "name":
            answers = [hit, *sunk]
        elif feedback == "hit-name":
            answers = [*table(self.hit_ship), *sunk]
        else:
            fleet = np.array(self.game.fleet)
            answers = [hit, *(sunk[fleet == length].sum(0) for length in self.game.lengths)]
        scores = water * water
        if feedback == "cells":
            scores = scores + hit * hit + table(self._shown())
        else:
            for answer in answers:
                scores = scores + answer * answer
        scores[self.shot] = self.total * self.total
        return scores.tolist()

    def _shown(self) -> np.ndarray:
        """Of each cell, the sum of squares over the lines that a sink there could show."""
        table = tables(self.game)
        squares = np.zeros(self.game.cells, object)
        for length in self.game.lengths:
            ships = [k for k, n in enumerate(self.game.fleet) if n == length]
            one = slice(table.start[ships[0]], table.start[ships[0] + 1])
            last = table.masks[one, :-1] & ~self.shot
            layouts = np.sum([self.placements[k].astype(object) for k in ships], axis=0)
            for place in (last.sum(1) == 1).nonzero()[0].tolist():
                squares[last[place]] += layouts[place] ** 2
        return squares if isinstance(self.total, int) else squares.astype(np.float64)

    def _left(self) -> int | float:
        """The total, refused if it is 0."""
        if not self.total:
            raise ValueError("no layout agrees with this history")
        return self.total
