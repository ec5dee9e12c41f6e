"""Listable games: the table of all layouts, and what is left of it after a history.

Every layout is one row. A history is replayed shot by shot on all rows at once, and the rows that
answer otherwise are dropped: nothing is reasoned about, so this is the reference that the exact
and the sampled posteriors are tested against. The order of the shots matters by itself, because
a ship sinks with its last cell.

**Equal ships.** Under `hit`, `sunk`, `size` and `cells` nobody can tell ships of equal length
apart, and each set of placements is one row (`bsjax.posterior.enumerate.layouts`). Under `size`
and `cells` a sunk ship is told as the first of its length not announced before, whichever of the
row's equal ships it is. Under `name` and `hit-name` the answers tell them apart: each row stands
once for every way to deal the equal ships out to its placements, the copies one after the other.
"""

from collections.abc import Sequence
from functools import cached_property
from itertools import permutations, product
from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Float, Int8, Int16, Int32, Integer, UInt8

from bsjax.game.consistency import ImpossibleHistoryError, check, token
from bsjax.game.game import Game
from bsjax.game.observation import HIT
from bsjax.game.placements import placement_cells
from bsjax.game.tokens import History, Shot, announced_in_order
from bsjax.posterior.enumerate import LISTABLE, layouts
from bsjax.posterior.kinds import Kinds, kinds_of

Weights = Integer[np.ndarray, " A"] | Float[np.ndarray, " A"]
"""One weight per layout: whole numbers are added exactly, others as 64-bit floats."""


class Left(NamedTuple):
    """Layouts that fit what was told, one per column; A layouts, n ship cells, K ships."""

    row: Int32[np.ndarray, " A"]
    """Row of each in the listing."""
    cells: UInt8[np.ndarray, "n A"]
    """Cells of its ships, ship by ship. Layouts run along the last axis, where passes are fast."""
    afloat: Int8[np.ndarray, "K A"]
    """Cells of each ship not hit yet."""
    weight: Weights | None
    """Its weight, None if all weigh 1."""

    def take(self, index: Integer[np.ndarray, " B"]) -> "Left":
        """Some of the layouts, in the order of `index`."""
        # `np.take` is three times faster than indexing along the last axis.
        cells, afloat = (np.take(table, index, axis=1) for table in (self.cells, self.afloat))
        weight = None if self.weight is None else self.weight[index]
        return Left(self.row[index], cells, afloat, weight)

    def part(self, rows: slice) -> "Left":
        """Layouts side by side, as a view."""
        weight = None if self.weight is None else self.weight[rows]
        return Left(self.row[rows], self.cells[:, rows], self.afloat[:, rows], weight)


class Listing:
    """All layouts of a game; M rows.

    Attributes:
        game: the rules.
        layouts: placement of each ship, int16[M, K], in the order of `game.fleet`.

    Raises:
        ValueError: there are more than `budget` layouts with equal ships alike.

    Cost: seconds for 2 million layouts; 2·K + n bytes a layout for n ship cells.
    """

    game: Game
    layouts: Int16[np.ndarray, "M K"]

    def __init__(self, game: Game, *, budget: int = LISTABLE):
        self.game = game
        self.layouts = layouts(game, budget=budget)
        if game.feedback in ("name", "hit-name"):
            self.layouts = _dealt(game, self.layouts)

    def __len__(self) -> int:
        return len(self.layouts)

    @property
    def kinds(self) -> Kinds:
        """The kinds of answers (`bsjax.posterior.kinds`)."""
        return kinds_of(self.game)

    @cached_property
    def cells(self) -> UInt8[np.ndarray, "n M"]:
        """Cells of the ships of each layout, ship by ship, each ship from its first cell on."""
        tables = [placement_cells(self.game.size, n).astype(np.uint8).T for n in self.game.fleet]
        return np.concatenate([t[:, self.layouts[:, k]] for k, t in enumerate(tables)])

    @cached_property
    def down(self) -> Bool[np.ndarray, "K M"]:
        """Whether each ship of each layout lies down; ships of one cell do not."""
        width, height = self.game.size
        across = np.array([height * (width - n + 1) if n <= width else 0 for n in self.game.fleet])
        return (self.layouts >= across).T

    def boards(
        self, rows: Integer[np.ndarray, " B"] | slice = slice(None)
    ) -> Int8[np.ndarray, "B C"]:
        """Ship on each cell of these layouts, all by default; −1 for water. C bytes a layout."""
        cells = self.cells[:, rows]
        board = np.full((cells.shape[1], self.game.cells), -1, np.int8)
        for column, ship in enumerate(self.kinds.ship):
            board[np.arange(cells.shape[1]), cells[column]] = ship
        return board

    def everything(self, weights: Weights | None = None) -> Left:
        """All layouts, before any shot.

        Raises:
            ValueError: the weights are not one per layout and 0 or more with a positive sum, or
                they are whole numbers whose sum reaches 2³¹ (squares of sums must fit 64 bits).
        """
        fleet = np.array(self.game.fleet, np.int8)
        afloat = np.repeat(fleet[:, None], len(self), axis=1)
        if weights is not None:
            _require_weights(weights, len(self))
            weights = weights.astype(np.int64 if weights.dtype.kind in "iu" else np.float64)
        return Left(np.arange(len(self), dtype=np.int32), self.cells, afloat, weights)

    def answers(
        self, left: Left, cell: Integer[np.ndarray, "*A"]
    ) -> tuple[Int16[np.ndarray, " A"], Int8[np.ndarray, "K A"]]:
        """What a shot at `cell` is answered in each layout, and the cells then afloat.

        Args:
            left: the layouts.
            cell: a cell not fired at before; one for all layouts or one for each.

        Returns:
            The kind of the answer and `afloat` after the shot.
        """
        kinds, afloat = self.kinds, left.afloat.copy()
        kind = np.zeros(len(left.row), np.int16)
        for column, ship in enumerate(kinds.ship):
            hit = np.flatnonzero(left.cells[column] == cell)
            afloat[ship, hit] -= 1
            sunk = hit[afloat[ship, hit] == 0]
            kind[hit] = kinds.hit[column]
            if self.game.feedback == "cells":
                down = self.down[ship, left.row[sunk]].astype(np.int8)
                kind[sunk] = kinds.sunk[down, column]
            else:
                kind[sunk] = kinds.sunk[0, column]
        return kind, afloat

    def after(self, history: History, weights: Weights | None = None) -> Left:
        """The layouts that answer every shot as the history does.

        Args:
            history: shots in the order fired.
            weights: weight of each layout (the prior up to a factor); all 1 by default.

        Raises:
            ImpossibleHistoryError: a ValueError that names the first shot at which no layout of
                positive weight is left.
            ValueError: see `everything`.

        Cost: one pass over the layouts left per shot.
        """
        check(self.game, history)
        left = self.everything(weights)
        for number, shot in enumerate(announced_in_order(self.game, history), 1):
            kind, afloat = self.answers(left, np.array(shot.cell, np.uint8))
            fits = np.flatnonzero(np.isin(kind, self._kinds_told(shot)))
            left = left._replace(afloat=afloat).take(fits)
            if len(fits) == 0 or (left.weight is not None and not left.weight.any()):
                reason = "no layout answers this and all shots before"
                raise ImpossibleHistoryError(number, token(self.game, shot), reason)
        return left

    def _kinds_told(self, shot: Shot) -> Sequence[int]:
        """The kinds that read like this shot; one, or none if no ship has the cells shown."""
        game, kinds = self.game, self.kinds
        if not HIT < shot.answer <= game.ships or game.feedback in ("name", "hit-name"):
            return np.flatnonzero((kinds.code == shot.answer) & (kinds.length < 0)).tolist()
        ship = shot.answer - 1
        columns = np.flatnonzero(kinds.ship == ship)
        if game.feedback == "size":
            return [int(kinds.sunk[0, columns[0]])]
        down = len(shot.shown) > 1 and shot.shown[1] - shot.shown[0] == game.width
        return [int(kinds.sunk[int(down), columns[shot.shown.index(shot.cell)]])]


def _dealt(game: Game, table: Int16[np.ndarray, "M K"]) -> Int16[np.ndarray, "N K"]:
    """Each layout once for every way to deal its placements out to the ships of their length."""
    groups = [[k for k, n in enumerate(game.fleet) if n == length] for length in game.lengths]
    orders = []
    for dealt in product(*(permutations(group) for group in groups)):
        order = np.arange(game.ships)
        for group, places in zip(groups, dealt, strict=True):
            order[group] = places
        orders.append(order)
    return table[:, np.array(orders)].reshape(-1, game.ships)


def _require_weights(weights: Weights, count: int) -> None:
    """Refuse weights that are no prior."""
    total = weights.sum()
    if len(weights) != count:
        raise ValueError(f"{len(weights)} weights for {count} layouts")
    if not (weights >= 0).all() or not 0 < total < np.inf:
        raise ValueError("the weights of layouts must be 0 or more, with a finite positive sum")
    if weights.dtype.kind in "iu" and total >= 1 << 31:
        raise ValueError("whole weights must add up to less than 2^31; give floats instead")
