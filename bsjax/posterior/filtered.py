"""The posterior of a listable game, by dropping the layouts that answer otherwise.

    listing = Listing(Game(fleet=(4, 3), feedback="name"))
    left = filtered(listing, parse(listing.game, "D4:hit"))
    left.layouts, left.p_ship, left.expected_left

Counts are of the listing's rows, so equal ships are alike or told apart as it lists them.
"""

from typing import NamedTuple

import numpy as np
from jaxtyping import Float64, Int32

from bsjax.game.observation import HIT
from bsjax.game.tokens import History, announced_in_order
from bsjax.posterior.listed import Listing, Weights
from bsjax.posterior.masses import Block, Mass


class Filtered(NamedTuple):
    """What is left after a history; C cells, K ships. Cells fired at have no mass.

    Masses are whole numbers (int64) unless the weights are floats: without weights they are
    numbers of layouts, with equal ships alike or told apart as the listing has them.
    """

    rows: Int32[np.ndarray, " A"]
    """Rows of the listing that fit."""
    total: int | float
    """Their mass."""
    ship: Mass
    """Mass with a ship on each cell, [C]."""
    hit: Mass
    """Mass in which a shot hits and sinks nothing, [C]."""
    sunk: Mass
    """Mass in which a shot sinks each ship, [K, C]. Equal ships that the answers do not tell apart
    count as one of them: under `size` and `cells` the first not announced, under `hit` and `sunk`
    the first of their length."""
    squares: Mass
    """Sum over the answers to a shot at each cell of their squared mass, [C]; equal numbers are
    exact ties. A cell fired at has the square of the total."""

    @property
    def layouts(self) -> int:
        """Number of layouts left."""
        return len(self.rows)

    @property
    def p_ship(self) -> Float64[np.ndarray, " C"]:
        """Probability of a ship on each cell; 0 at cells fired at."""
        return self.ship / self.total

    @property
    def expected_left(self) -> Float64[np.ndarray, " C"]:
        """Expected mass (unweighted: number of layouts) left after a shot at each cell."""
        return self.squares / self.total


def filtered(listing: Listing, history: History, weights: Weights | None = None) -> Filtered:
    """The posterior after any history, under the game's feedback rule.

    Args:
        listing: all layouts of the game.
        history: shots in the order fired.
        weights: prior weight of each layout up to a factor; all 1 by default.

    Raises:
        ImpossibleHistoryError: a ValueError that names the first shot that cannot be true.
        ValueError: the weights are no prior.

    Cost: one pass over the layouts left per shot, and one to count.
    """
    game = listing.game
    left = listing.after(history, weights)
    is_open = np.ones((1, game.cells), bool)
    is_open[0, [shot.cell for shot in history]] = False
    block = Block(listing, left, np.zeros(len(left.row), np.int64), is_open)
    sunk = block.sinks[0]
    if game.feedback not in ("name", "hit-name"):
        sunk = _by_length(listing, sunk, history)
    hit = block.ship[0] - sunk.sum(0)
    total = block.total[0].item()
    return Filtered(left.row, total, block.ship[0], hit, sunk, block.squares[0])


def _by_length(listing: Listing, sunk: Mass, history: History) -> Mass:
    """The mass of equal ships on the one that a sink would be told as."""
    game = listing.game
    announced = {
        shot.answer - 1
        for shot in announced_in_order(game, history)
        if HIT < shot.answer <= game.ships
    }
    merged = np.zeros_like(sunk)
    for length in game.lengths:
        alike = [ship for ship, cells in enumerate(game.fleet) if cells == length]
        told = next((ship for ship in alike if ship not in announced), alike[0])
        merged[told] = sunk[alike].sum(0)
    return merged
