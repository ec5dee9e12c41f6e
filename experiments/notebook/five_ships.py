"""Five ships, which the write-up samples: every layout counted, before a shot and in a game."""

from typing import Any

import numpy as np

from bsjax.game.history import observe_history, parse
from bsjax.game.notation import format_cell
from bsjax.posterior.exact import exact
from experiments.notebook.settings import FIVE_SHIP_MAPS, FIVE_SHIPS, Settings


def run(settings: Settings) -> dict[str, Any]:
    """Three exact maps."""
    del settings
    maps = [told(text, known) for text, known in FIVE_SHIP_MAPS.items()]
    return {"game": str(FIVE_SHIPS), "maps": maps}


def told(text: str, known: int | None) -> dict[str, Any]:
    """Layouts left, the chance of a ship on each cell, and the best cells by both greedy rules."""
    game = FIVE_SHIPS
    found = exact(game, observe_history(game, parse(game, text)))
    ship = np.where(found.shot, 0, found.ship)
    squares = np.array(found.squares(), object)
    fewest = min(squares[~found.shot])
    return {
        "history": text,
        "layouts": found.layouts_told_apart,
        "layouts_alike": found.layouts_alike,
        "known": known,
        "p_ship": found.p_ship.round(6).tolist(),
        "likeliest": _names(np.flatnonzero(ship == ship.max())),
        "p_best": float(ship.max() / found.total),
        "most_telling": _names(np.flatnonzero(~found.shot & (squares == fewest))),
    }


def _names(cells: np.ndarray) -> list[str]:
    return [format_cell(FIVE_SHIPS, cell) for cell in cells.tolist()]
