"""Which rule wins on the standard fleet: the write-up's rules over draws and over exact counts.

The write-up plays random fire and both greedy rules, over 1,500 draws a decision, on the same
boards. Here the rules that count the posterior exactly and the density hunter meet these boards
too. A sink names the ship.
"""

import tempfile
from math import hypot, sqrt
from pathlib import Path
from typing import Any

import numpy as np

from bsjax.evaluate import random_fire
from bsjax.game.game import Game
from experiments.notebook.settings import STANDARD_60, STANDARD_SAID, Settings
from experiments.open_questions.compare import INTERVAL, told
from experiments.open_questions.hunters import Hunter
from experiments.open_questions.play import Runs

ABOUT = 0.5
"""A mean that is "about" a whole number is off by no more than that."""


def run(settings: Settings) -> dict[str, Any]:
    """All hunters on the same boards, beside the published figures."""
    game = Game(settings.standard_size, settings.standard_fleet, feedback="name")
    hunters = {"random": Hunter("random"), "density": Hunter("density")}
    for rule in ("probability", "information"):
        hunters[rule] = Hunter(rule, "sample", settings.standard_draws)
        hunters[f"{rule} exact"] = Hunter(rule, "exact")
    with tempfile.TemporaryDirectory(prefix="bsjax-") as folder:
        runs = Runs(Path(folder), game, settings.seed)
        played = {
            name: runs.play(hunter._replace(feedback="name"), settings.standard_games)
            for name, hunter in hunters.items()
        }
    pairs = {
        "gap": ("information", "probability"),
        "gap exact": ("information exact", "probability exact"),
        "draws - exact": ("probability", "probability exact"),
        "density - exact": ("density", "probability exact"),
        "random - probability": ("random", "probability"),
    }
    found = told(played, pairs)
    for name, games in played.items():
        own = found["hunters"][name]
        own["sd"] = float(games.shots.std(ddof=1))
        own["histogram"] = np.bincount(games.shots, minlength=game.cells + 1).tolist()
    return {
        "game": str(game),
        "draws": settings.standard_draws,
        **found,
        "random_mean": float(random_fire.mean(game)),
        "published": STANDARD_SAID,
        "own_program": STANDARD_60,
        "agrees": {
            what: agreement((found["hunters"] | found["comparisons"])[what], what)
            for what in STANDARD_SAID
        },
    }


def agreement(ours: dict[str, Any], what: str) -> dict[str, Any]:
    """How far our mean is from the text's and from that of the write-up's program.

    They agree within the 95% errors of both. The text's means are "about" a whole number, and
    carry the error of as many games of ours.
    """
    told = {}
    for name, figures, about in (("text", STANDARD_SAID, ABOUT), ("program", STANDARD_60, 0.0)):
        theirs = figures[what]
        error = theirs.get("error")
        if error is None:
            error = about + INTERVAL * theirs.get("sd", ours["sd"]) / sqrt(theirs["games"])
        off = ours["mean"] - theirs["mean"]
        allowed = hypot(error, INTERVAL * ours["se"])
        told[name] = {"off": off, "allowed": allowed, "agrees": abs(off) <= allowed}
    return told
