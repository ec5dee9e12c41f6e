"""The Normal computer finishes a cruiser: the state before and after each shot."""

from typing import Any

import numpy as np

from bsjax.game.history import check, observe_history, parse
from bsjax.game.notation import format_cell
from bsjax.game.tokens import History
from bsjax.policies.hunt import ranks
from experiments.how_the_computer.settings import GAME, Settings
from experiments.how_the_computer.states import NAMES

SHOTS = "E5:hit E4:miss E6:miss F5:hit G5:miss D5:sunk@D5,E5,F5"
RESULTS = ("hit", "miss", "miss", "hit", "miss", "hit, sunk")
PUBLISHED = ("Target", "Target", "Target", "Line", "Line", "Hunt")
"""The state after each shot, from the write-up's table."""


def run(settings: Settings) -> dict[str, Any]:
    """Each shot with the cells the state before it allows, and the state it leads to."""
    del settings
    history = parse(GAME, SHOTS)
    check(GAME, history)
    shots = []
    for number, shot in enumerate(history):
        before, allowed = state(history[:number])
        after, _ = state(history[: number + 1])
        shots.append(
            {
                "cell": format_cell(GAME, shot.cell),
                "result": RESULTS[number],
                "before": before,
                "allowed": [format_cell(GAME, cell) for cell in allowed],
                "is_allowed": shot.cell in allowed,
                "then": after,
                "published_then": PUBLISHED[number],
            }
        )
    return {"game": str(GAME), "history": SHOTS, "shots": shots}


def state(history: History) -> tuple[str, list[int]]:
    """State of the machine as read off the board, and the cells it may fire at."""
    rank = np.asarray(ranks(GAME, observe_history(GAME, history), parity=True))
    return NAMES[int(rank.max())], np.flatnonzero(rank == rank.max()).tolist()
