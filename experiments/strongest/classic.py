"""The strongest strategy on the classic board: how many shots it takes, and whom it beats.

Its finishing times on uniform boards are the pace of this package; a full run writes them among
the paces that go by name.
"""

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from bsjax.evaluate import paces
from bsjax.evaluate.massive import Run, simulate
from bsjax.evaluate.race import race
from bsjax.game.game import Game
from experiments.classic_fleet.paces import as_figures
from experiments.classic_fleet.strategies import as_rates
from experiments.strongest.stored import hunter

PACE = "strongest"
PUBLISHED = {
    "mean": 47.3,
    "median": 46,
    "p05": 33,
    "p95": 65,
    "win": {"40": 0.777, "46": 0.512, "50": 0.335, "60": 0.118},
    "games_per_second": 8,
}
"""Figures of the write-up; its games a second are of six threads."""


class Settings(NamedTuple):
    """How much is played."""

    seed: int = 0
    size: tuple[int, int] = (10, 10)
    fleet: tuple[int, ...] = (5, 4, 3, 3, 2)
    games: int = 100_000
    paces: tuple[str, ...] = ("reconstruction", "density-lowest")
    """Races against these, and against its own."""
    kept: bool = True
    """The mixture lies among the players and the pace goes into the package, not into the folder
    of games."""

    @property
    def game(self) -> Game:
        """What is played."""
        return Game(self.size, self.fleet)


FULL = Settings()
QUICK = Settings(size=(10, 10), fleet=(4, 3, 2), games=300, paces=(), kept=False)


def run(settings: Settings, work: Path) -> dict[str, Any]:
    """Its games on uniform boards."""
    game, games = settings.game, settings.games
    played = finished(settings, work)
    counts = np.array(played["histogram"])
    into = paces.FOLDER if settings.kept else work
    paces.save(
        into / f"{PACE}.json",
        PACE,
        game,
        counts,
        note="the rewind of three-ship hunts (experiments/strongest) on uniform boards",
        seed=settings.seed,
        overwrite=True,
    )
    own = counts / games
    opponents = {name: paces.load(name, game).times for name in settings.paces}
    races = {name: as_rates(race(counts, times)) for name, times in opponents.items()}
    told = ("games", "mean", "se", "median", "p95", "best", "worst", "games_per_second")
    return {
        "game": str(game),
        **{key: played[key] for key in told},
        "compile_seconds": played["compile_seconds"],
        "figures": as_figures(own),
        "races": races | {PACE: as_rates(race(counts, own))},
        "histogram": counts.tolist(),
        "published": PUBLISHED,
    }


def finished(settings: Settings, work: Path) -> dict[str, Any]:
    """The run of its games, from its folder as far as it went."""
    policy, recipes = hunter(work, settings.game, kept=settings.kept)
    mark = recipes.digests.tobytes().hex()[:8]
    folder = work / "classic" / f"{mark}-{len(recipes.weights)}-seed{settings.seed}"
    name = f"rewind of {len(recipes.weights)} hunts {mark}"
    return simulate(
        Run(name, settings.games, settings.game, seed=settings.seed),
        out=folder,
        resume=folder.exists(),
        policy=policy,
        quiet=False,
    )
