"""Does the fleet fit, and how often do independent placements make a layout?

Asked once per game before any draw, in NumPy, so that a fleet that cannot be placed is said to be
so instead of being looked for for ever.
"""

from functools import lru_cache

import numpy as np

from bsjax.game.game import Game
from bsjax.game.placements import fleet_tables

ENOUGH = 40
"""Accepted trials after which the rate is known to about 16%."""
BATCH = 1 << 14
TRIALS = 1 << 22
"""Trials without a layout after which rejection is given up: below 2 in 10⁷ it is too slow."""
NODES = 300_000
"""Partial boards the search for one layout may visit."""


@lru_cache(maxsize=64)
def acceptance(game: Game) -> float:
    """Share of independent uniform placements that make a layout; estimated, fixed stream.

    Raises:
        ValueError: the fleet does not fit, or fits too rarely for rejection.
    """
    cells, denied, counts = fleet_tables(game)
    generator = np.random.default_rng(0)
    made = found = 0
    while found < ENOUGH and made < TRIALS:
        alive = np.ones(BATCH, bool)
        taken = np.zeros((BATCH, cells.shape[-1]), np.uint32)
        for ship in range(game.ships):
            drawn = generator.integers(counts[ship], size=BATCH)
            alive &= ~(cells[ship][drawn] & taken).any(axis=1)
            taken |= denied[ship][drawn]
        made += BATCH
        found += int(alive.sum())
    if found == 0:
        require_layout(game)
        raise ValueError(
            f"the fleet {_fleet(game)} fits on {game.width}x{game.height} too rarely: none of "
            f"{made:,} random placements was a layout; use --hider ship-by-ship, which is not "
            f"uniform, or a larger board"
        )
    return found / made


@lru_cache(maxsize=64)
def require_layout(game: Game) -> None:
    """Return if some layout exists.

    Raises:
        ValueError: there is none, or none was found within the budget of the search.
    """
    cells, denied, counts = fleet_tables(game)
    # Longest ships first: they have the fewest placements.
    order = sorted(range(game.ships), key=lambda ship: -game.fleet[ship])
    visited = 0

    def search(depth: int, taken: np.ndarray, first: int) -> bool:
        nonlocal visited
        if depth == len(order):
            return True
        ship = order[depth]
        free = np.flatnonzero(~(cells[ship, : counts[ship]] & taken).any(axis=1))
        for place in free[free >= first].tolist():
            visited += 1
            if visited > NODES:
                return False
            # Ships of equal length are placed in ascending order: swapped copies are skipped.
            twins = depth + 1 < len(order) and game.fleet[order[depth + 1]] == game.fleet[ship]
            if search(depth + 1, taken | denied[ship, place], place + 1 if twins else 0):
                return True
        return False

    if search(0, np.zeros(cells.shape[-1], np.uint32), 0):
        return
    reason = "does not fit on" if visited <= NODES else f"was not placed in {NODES:,} tries on"
    touching = "" if game.touching == "allowed" else f" with touching {game.touching}"
    raise ValueError(
        f"the fleet {_fleet(game)} {reason} {game.width}x{game.height}{touching}; take a larger "
        f"board or a smaller fleet"
    )


def _fleet(game: Game) -> str:
    return ",".join(map(str, game.fleet))
