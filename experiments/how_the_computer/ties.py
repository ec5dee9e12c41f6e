"""Which of several best cells: how much the density hunter's mean moves with its tie-break.

The write-up breaks ties at random. A public density program reports 44.364 ± 0.123 shots over
20,000 uniform boards with sinks announced by size. At random the mean is more than a quarter of a
shot higher, outside that error; with ties to the lowest cell it is met. All runs are on the same
numbered boards, so the differences are paired.
"""

from math import sqrt
from typing import Any

import numpy as np

from bsjax.evaluate.massive import Run
from bsjax.game.game import Game
from experiments.how_the_computer.play import play
from experiments.how_the_computer.settings import PUBLIC_DENSITY, Settings

GAME = Game(feedback="size")
TIES = {"random": "density", "lowest": "density-lowest"}
"""The hunter with each tie-break."""


def run(settings: Settings) -> dict[str, Any]:
    """Both tie-breaks against every hider."""
    return {
        "game": str(GAME),
        "published": PUBLIC_DENSITY,
        "hiders": {hider: against(hider, games, settings.seed) for hider, games in settings.hiders},
    }


def against(hider: str, games: int, seed: int) -> dict[str, Any]:
    """Means of both, their paired difference, and which agrees with the public figure."""
    shots, figures = {}, {}
    for ties, name in TIES.items():
        result, arrays = play(Run(name, games, GAME, hider, seed, shots=True))
        shots[ties] = arrays["shots"].astype(np.int64)
        off = abs(result["mean"] - PUBLIC_DENSITY["mean"])
        figures[ties] = {key: result[key] for key in ("mean", "se", "median", "best", "worst")} | {
            "agrees": off <= PUBLIC_DENSITY["error"] + 2 * result["se"]
        }
    difference = shots["random"] - shots["lowest"]
    return {
        "games": games,
        "ties": figures,
        "difference": {
            "mean": float(difference.mean()),
            "se": float(difference.std(ddof=1)) / sqrt(games),
        },
    }
