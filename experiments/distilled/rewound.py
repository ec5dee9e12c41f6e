"""The strongest strategy taught: students of the rewind, each hunt by itself.

Student and teacher play the same uniform boards, and the same search looks for the board that each
does worst on, at its own pace.
"""

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float64

from bsjax.evaluate.credit import race_credit
from bsjax.evaluate.hard_boards.search import search
from bsjax.evaluate.hard_boards.settings import Settings as Search
from bsjax.game.game import Game
from bsjax.learn.distill import seen_beside
from bsjax.learn.judge import Played, compared, played
from bsjax.learn.teachers import by_policy
from bsjax.policies.base import Policy
from experiments.distilled.students import Student, figures, shot_figures, trained, write
from experiments.strongest import ten
from experiments.strongest import worst as strongest
from experiments.strongest.stored import NAME, hunter

_COLUMNS = ("win_rate", "se", "mean_shots", "board", "games")
"""What is told of a worst board."""


class Settings(NamedTuple):
    """Who is taught, and how both are judged."""

    seed: int = 0
    size: tuple[int, int] = (10, 10)
    fleet: tuple[int, ...] = (5, 4, 3, 3, 2)
    kept: bool = True
    """The hunts are those among the players of `experiments/strongest`; quick ones if not."""
    hunts: int = 1024
    """Draws of a hunt and an orientation, each taught by itself."""
    students: tuple[Student, ...] = (
        Student("swift", 1000, student=0.5, grown=0.3, held_out=1024),
        Student("tiny", 3000, games=512, rate=5e-3, student=0.5, grown=0.3, held_out=1024),
    )
    boards: int = 100_000
    """Uniform boards, which also make the pace of each."""
    search: Search = Search(budget=0.1)
    positions_of: int = 64
    """Games whose positions are judged."""
    ships: str = "tiny"
    """The student whose file is `rewind.hunter` in the folder of games."""

    @property
    def game(self) -> Game:
        """What is played."""
        return Game(self.size, self.fleet)


FULL = Settings()
QUICK = Settings(
    fleet=(4, 3, 2),
    kept=False,
    hunts=8,
    students=(Student("swift", 20, games=64, student=0.5, grown=0.3, held_out=32),),
    boards=100,
    search=strongest.QUICK.search,
    positions_of=2,
    ships="swift",
)


def run(settings: Settings, work: Path) -> dict[str, Any]:
    """Training, play and the worst boards."""
    game, seed, folder = settings.game, settings.seed, work / "rewound"
    if not settings.kept and not (work / NAME).exists():
        ten.run(ten.QUICK, work)
    teacher, recipes = hunter(work, game, kept=settings.kept)
    mark = recipes.digests.tobytes().hex()[:8]
    found = by_policy(teacher, f"rewind of {mark}", settings.hunts)
    his = played(teacher, "uniform", settings.boards, seed + 1)
    pace = _pace(his, game)
    told = shot_figures(his, pace) | _worst(teacher, pace, settings, folder / f"{mark}-worst")
    students = []
    for student in settings.students:
        name = f"{mark}-{student.network}-{student.steps}-{settings.hunts}-seed{seed}"
        own, run = trained(found, student, seed, folder / name)
        mine = played(own, "uniform", settings.boards, seed + 1)
        at = _pace(mine, game)
        one = {
            "name": student.network,
            "held_out": student.held_out,
            **figures(own, run),
            **shot_figures(mine, pace),
            **_worst(own, at, settings, folder / f"{name}-worst"),
            "paired": compared(mine, his)._asdict(),
            "mapped": seen_beside(found, own, "uniform", settings.positions_of, seed + 2)._asdict(),
        }
        students.append(one)
        if student.network == settings.ships:
            measures = {key: one[key] for key in ("paired", "hard_board", "games_per_second")}
            write(own, folder / "rewind.hunter", found, student, seed, measures)
    return {
        "game": str(game),
        "hunts": settings.hunts,
        "recipes": len(recipes.weights),
        "teacher": told,
        "students": students,
    }


def _pace(games: Played, game: Game) -> Float64[np.ndarray, " T"]:
    """When a hunter finishes on uniform boards."""
    return np.bincount(games.shots, minlength=game.cells + 1) / len(games.shots)


def _worst(policy: Policy, pace: np.ndarray, settings: Settings, folder: Path) -> dict[str, Any]:
    """The board it does worst on, found at its own pace; the boards of others are known."""
    known = strongest.known(settings.game) if settings.kept else None
    found = search(
        {"hunter": policy},
        race_credit(pace),
        settings.search._replace(seed=settings.seed),
        boards=known,
        out=folder,
        resume=folder.exists(),
        quiet=False,
    )
    one = found["hunters"]["hunter"]
    speed = found["speed"]["hunter"]
    return {"hard_board": {key: one[key] for key in _COLUMNS} | {"speed": speed}}
