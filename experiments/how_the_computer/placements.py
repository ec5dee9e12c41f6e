"""How many places a ship can hide in, and how many ways the whole fleet can be arranged."""

from math import prod
from typing import Any

import numpy as np

from bsjax.game.notation import format_cell
from bsjax.game.placements import placement_cells, placement_counts
from bsjax.posterior.enumerate import count
from experiments.how_the_computer.settings import (
    GAME,
    LAYOUTS,
    PLACEMENTS,
    PRODUCT,
    Settings,
)

CRUISER = 3


def run(settings: Settings) -> dict[str, Any]:
    """Counts of positions, of one row's positions cell by cell, and of whole fleets."""
    counts = [int(n) for n in placement_counts(GAME)]
    ships = [
        {
            "name": name,
            "cells": length,
            "placements": found,
            "formula": 2 * GAME.width * (GAME.width - length + 1),
            "published": published,
        }
        for name, length, found, published in zip(
            GAME.ship_names, GAME.fleet, counts, PLACEMENTS, strict=True
        )
    ]
    product = prod(counts)
    layouts = count(GAME) if settings.count_fleet else None
    return {
        "game": str(GAME),
        "ships": ships,
        "fleet": {"cells": GAME.ship_cells, "placements": sum(counts)},
        "row": row(),
        "product": product,
        "layouts_told_apart": layouts and layouts["layouts_told_apart"],
        "layouts_alike": layouts and layouts["layouts_alike"],
        "share": layouts and layouts["layouts_told_apart"] / product,
        "published": {"product": PRODUCT, "layouts_told_apart": LAYOUTS, "share": 0.39},
    }


def row() -> dict[str, Any]:
    """Positions of the cruiser in row 1, and how many of them pass over each cell of it."""
    lines = placement_cells(GAME.size, CRUISER)
    inside = lines[(lines < GAME.width).all(1)]
    covers = np.bincount(inside.ravel(), minlength=GAME.width)
    return {
        "length": CRUISER,
        "positions": inside.tolist(),
        "names": [[format_cell(GAME, int(cell)) for cell in line] for line in inside],
        "covers": covers.tolist(),
    }
