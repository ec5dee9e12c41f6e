"""The search pattern Λ_m: its size, the ships it catches and those that slip through."""

from typing import Any

import numpy as np

from bsjax.game.game import MAX_LENGTH
from bsjax.game.notation import format_cell, parse_cell
from bsjax.game.placements import placement_cells
from bsjax.policies.hunt import pattern
from experiments.how_the_computer.settings import GAME, PATTERN_CELLS, Settings

SHOWN = {
    "destroyer": {"m": 2, "cells": "H2 H3"},
    "cruiser": {"m": 3, "cells": "B7 C7 D7"},
    "slips": {"m": 3, "cells": "G2 H2"},
}
"""The ships of the write-up's figure."""


def run(settings: Settings) -> dict[str, Any]:
    """Patterns on the game's board, the three ships shown, and the check on every board."""
    cells = {m: np.flatnonzero(pattern(GAME.size, m)).tolist() for m in PATTERN_CELLS}
    destroyers = placement_cells(GAME.size, 2)
    free = ~np.isin(destroyers, cells[3]).any(1)
    return {
        "game": str(GAME),
        "patterns": {str(m): {"cells": cells[m], "count": len(cells[m])} for m in cells},
        "published": {str(m): n for m, n in PATTERN_CELLS.items()},
        "ships": {name: shown(**ship) for name, ship in SHOWN.items()},
        "destroyers": len(destroyers),
        "destroyers_that_slip_through_3": int(free.sum()),
        "dominoes": dominoes(),
        "check": check(settings.largest),
    }


def shown(m: int, cells: str) -> dict[str, Any]:
    """A ship and the pattern cells it covers."""
    own = [parse_cell(GAME, name) for name in cells.split()]
    covered = [cell for cell in own if pattern(GAME.size, m)[cell]]
    return {
        "m": m,
        "cells": own,
        "names": cells.split(),
        "covers": covered,
        "covers_names": [format_cell(GAME, cell) for cell in covered],
        "first_sum": sum(divmod(own[0], GAME.width)),
    }


def dominoes() -> int:
    """Destroyers that cover the board without a gap: fewer cells than these cannot catch all."""
    placed = placement_cells(GAME.size, 2)
    tiling = [line for line in placed if line[1] == line[0] + 1 and line[0] % 2 == 0]
    assert sorted(np.concatenate(tiling)) == list(range(GAME.cells))
    return len(tiling)


def check(largest: int) -> dict[str, Any]:
    """Every position of every ship of at least m cells, on every board up to `largest` a side."""
    boards = checked = missed = 0
    for width in range(1, largest + 1):
        for height in range(1, largest + 1):
            boards += 1
            for length in range(1, MAX_LENGTH + 1):
                lines = placement_cells((width, height), length)
                for m in range(1, length + 1):
                    met = pattern((width, height), m)[lines].any(1)
                    checked, missed = checked + met.size, missed + int((~met).sum())
    return {
        "largest": largest,
        "longest": MAX_LENGTH,
        "boards": boards,
        "checked": checked,
        "missed": missed,
    }
