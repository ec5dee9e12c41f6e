"""Two ships: the chance of a ship on each cell before a shot, after a miss and after a hit.

The layouts that fit are listed and counted, and counted again in closed form.
"""

from typing import Any

import numpy as np

from bsjax.game.history import observe_history, parse
from bsjax.game.notation import format_cell
from bsjax.posterior.exact import exact
from bsjax.posterior.filtered import filtered
from bsjax.posterior.listed import Listing
from experiments.notebook.settings import MAPS, TWO_SHIPS, Settings


def run(settings: Settings) -> dict[str, Any]:
    """The three maps of the write-up."""
    del settings
    listing = Listing(TWO_SHIPS)
    return {
        "game": str(TWO_SHIPS),
        "layouts": len(listing),
        "maps": [told(listing, history) for history in MAPS],
    }


def told(listing: Listing, text: str) -> dict[str, Any]:
    """Layouts left, those with a ship on each cell, and the best cells by both greedy rules."""
    game, history = listing.game, parse(listing.game, text)
    left = filtered(listing, history)
    closed = exact(game, observe_history(game, history))
    unfired = np.ones(game.cells, bool)
    unfired[[shot.cell for shot in history]] = False
    most = left.ship.max()
    fewest = left.squares[unfired].min()
    return {
        "history": text,
        "layouts": left.layouts,
        "ship": left.ship.tolist(),
        "p_best": float(most / left.total),
        "likeliest": names(np.flatnonzero(left.ship == most)),
        "fewest_left": float(fewest / left.total),
        "most_telling": names(np.flatnonzero(unfired & (left.squares == fewest))),
        "equals_closed_form": bool(
            closed.total == left.total
            and (closed.ship[unfired] == left.ship[unfired]).all()
            and (np.array(closed.squares())[unfired] == left.squares[unfired]).all()
        ),
        "published": MAPS[text],
    }


def names(cells: np.ndarray) -> list[str]:
    """Cells as they are written."""
    return [format_cell(TWO_SHIPS, cell) for cell in cells.tolist()]
