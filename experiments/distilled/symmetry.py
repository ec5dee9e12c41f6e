"""Is it worth showing a network boards that are turned at random? The same training with and
without, from several seeds, by the shots that both students need on the same boards."""

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from bsjax.game.game import Game
from bsjax.learn.distill import seen_beside
from bsjax.learn.judge import compared, played
from bsjax.learn.teachers import by_boards
from experiments.distilled import classic
from experiments.distilled.students import Student, trained


class Settings(NamedTuple):
    """Who is taught, from how many seeds."""

    seed: int = 0
    size: tuple[int, int] = classic.FULL.size
    fleet: tuple[int, ...] = classic.FULL.fleet
    student: Student = Student("swift", 500)
    seeds: int = 3
    boards: int = 40_000
    games: int = 16
    """Games whose positions are judged."""


FULL = Settings()
QUICK = Settings(
    0,
    classic.QUICK.size,
    classic.QUICK.fleet,
    Student("swift", 20, games=128, held_out=32),
    2,
    32,
    1,
)


def run(settings: Settings, work: Path) -> dict[str, Any]:
    """Both students from every seed."""
    found, student = by_boards(Game(settings.size, settings.fleet)), settings.student
    rows = []
    for seed in range(settings.seed, settings.seed + settings.seeds):
        games, error = [], []
        for turns in (True, False):
            kind = "turned" if turns else "straight"
            folder = work / "symmetry" / f"{student.network}-{student.steps}-{kind}-seed{seed}"
            hunter, _ = trained(found, student, seed, folder, turns=turns)
            games.append(played(hunter, "uniform", settings.boards, settings.seed + 1))
            seen = seen_beside(found, hunter, "uniform", settings.games, settings.seed + 2)
            error.append(seen.error)
        pair = compared(*games)
        rows.append(
            {
                "seed": seed,
                "turned": pair.student,
                "straight": pair.teacher,
                "difference": pair.difference,
                "se": pair.se,
                "error_turned": error[0],
                "error_straight": error[1],
            }
        )
    saved = np.array([row["difference"] for row in rows])
    return {
        "game": str(Game(settings.size, settings.fleet)),
        "rows": rows,
        "difference": float(saved.mean()),
        "se": float(saved.std(ddof=1) / np.sqrt(len(saved))),
    }
