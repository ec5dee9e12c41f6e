"""Every named strategy on uniform boards: mean shots, and races won against the published pace."""

import hashlib
import json
from pathlib import Path
from typing import Any, NamedTuple

import jax
import numpy as np
from jaxtyping import Int64

from bsjax import policies
from bsjax.evaluate import paces
from bsjax.evaluate.massive import Run, simulate
from bsjax.evaluate.race import Rates, race
from bsjax.evaluate.summary import as_json, summarize
from bsjax.game.game import Game
from bsjax.hide.base import Hider
from bsjax.policies.base import Policy
from bsjax.policies.strategies import MAPS, STRATEGIES

GAME = Game()


class Published(NamedTuple):
    """What the write-up says of a strategy; shares of races are against its own pace."""

    mean: float | None = None
    """Shots on random boards."""
    win: float | None = None
    """Share of races won there."""
    worst: float | None = None
    """Bound of its win rate on the worst board found."""


PUBLISHED = {
    "random": Published(mean=95.4, win=0.0),
    "checkerboard": Published(worst=0.274),
    "3-parity": Published(worst=0.341),
    "3-parity-lazy": Published(mean=49.2, worst=0.359),
    "3-parity-count": Published(worst=0.372),
    "smart-3-parity": Published(mean=47.8, win=0.474, worst=0.368),
    "smart-3-parity-lazy": Published(mean=48.0, worst=0.364),
    "smart-3-parity-first-lazy": Published(mean=48.3, worst=0.359),
    "smart-3-parity-first-sweep": Published(worst=0.331),
    "smart-3-parity-first-computer": Published(win=0.490, worst=0.365),
    "smart-3-parity-first-jump-0": Published(worst=0.343),
    "smart-3-parity-first-jump-100": Published(worst=0.277),
    "fastest-by-hand": Published(mean=47.3, win=0.489, worst=0.281),
}
"""Where the write-up names a figure. Its random shooter needs "about 95" shots, here as exactly as
another write-up gives it."""


class Settings(NamedTuple):
    """Who plays how often."""

    seed: int = 0
    pace: str = "reconstruction"
    names: tuple[str, ...] = ("random", *STRATEGIES, *MAPS)
    games: int = 100_000


FULL = Settings()
QUICK = Settings(names=("checkerboard", "smart-3-parity", "heat-map"), games=200)


def run(settings: Settings, work: Path) -> dict[str, Any]:
    """The table of all strategies, the fewest shots first."""
    pace = paces.load(settings.pace, GAME)
    rows = []
    for name in settings.names:
        counts = uniform(name, settings, work)
        told = as_json(summarize(counts))
        rows.append(
            {
                "name": name,
                "about": policies.describe(name),
                **told,
                "race": as_rates(race(counts, pace.times)),
                "published": PUBLISHED.get(name, Published())._asdict(),
                "histogram": counts.tolist(),
            }
        )
    rows.sort(key=lambda row: row["mean"])
    return {"game": str(GAME), "pace": pace.name, "strategies": rows}


def as_rates(rates: Rates) -> dict[str, Any]:
    """Win rates with their errors as JSON values."""
    return {name: rate._asdict() for name, rate in rates._asdict().items()}


def uniform(name: str, settings: Settings, work: Path) -> Int64[np.ndarray, " T"]:
    """Games of a strategy on uniform boards by their shots, kept under `work`."""
    return played(work, name, policies.make(name, GAME), settings.games, settings.seed)


def played(
    work: Path, name: str, policy: Policy, games: int, seed: int, hider: Hider | None = None
) -> Int64[np.ndarray, " T"]:
    """Games 0 … `games` − 1 by their shots, those that are not kept yet being played.

    Args:
        work: where the run folders are.
        name: of the hunter; with the hider's boards it names the folder.
        policy: the hunter.
        games: how many.
        seed: of all boards and dice.
        hider: who hides; uniform by default.
    """
    boards = "uniform" if hider is None else f"boards-{digest(hider)}"
    folder = work / "strategies" / boards / f"{name}-seed{seed}"
    result = folder / "result.json"
    if result.exists():
        found = json.loads(result.read_text())
        if found["games"] == games:
            return np.array(found["histogram"], np.int64)
    found = simulate(
        Run(name, games, GAME, boards, seed),
        out=folder,
        resume=folder.exists(),
        policy=policy,
        hider=hider,
        quiet=False,
    )
    return np.array(found["histogram"], np.int64)


def digest(value: Any) -> str:
    """A name for what the arrays of a hunter or a hider are."""
    leaves = [np.asarray(leaf).tobytes() for leaf in jax.tree.leaves(value)]
    return hashlib.sha256(b"".join(leaves)).hexdigest()[:12]
