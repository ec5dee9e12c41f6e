"""The classic board: students of the exact posterior beside it, on the same boards.

The teacher fires at the cell that most layouts put a ship on, counted exactly. Its students are
taught by the boards of their own games, which are draws from that posterior. `density` is played
beside them: the heat map without any training, whose counts the networks are shown.
"""

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from bsjax import policies
from bsjax.evaluate import paces
from bsjax.game.game import Game
from bsjax.learn.distill import seen_beside
from bsjax.learn.judge import Played, compared, played
from bsjax.learn.teachers import Taught, by_boards
from experiments.distilled.students import Student, figures, shot_figures, trained, write

TEACHER = "probability over the exact posterior"
SPEED_GAMES = 10
"""A hunter's speed is that of a run of so many times as many games as its teacher's, at most."""


class Settings(NamedTuple):
    """Who is taught, and how many boards both play."""

    seed: int = 0
    size: tuple[int, int] = (10, 10)
    fleet: tuple[int, ...] = (5, 4, 3, 3, 2)
    pace: str = "reconstruction"
    """Opponent of the races; the teacher's own games if it is empty."""
    students: tuple[Student, ...] = (
        Student("swift", 3000),
        Student("tiny", 1500, games=512, rate=5e-3),
    )
    boards: int = 20_000
    positions_of: int = 128
    """Games whose positions are judged."""
    ships: str = "swift"
    """The student whose file is `classic.hunter` in the folder of games."""

    @property
    def game(self) -> Game:
        """What is played."""
        return Game(self.size, self.fleet)


FULL = Settings()
QUICK = Settings(
    size=(5, 5),
    fleet=(3, 2, 2),
    pace="",
    students=(Student("swift", 60, games=256, held_out=64),),
    boards=64,
    positions_of=2,
)


def run(settings: Settings, work: Path) -> dict[str, Any]:
    """Training, play and judgement of every student."""
    game, seed, boards = settings.game, settings.seed, settings.boards
    found, folder = by_boards(game), work / "classic"
    his = _teacher(found, boards, seed + 1, folder)
    own = np.bincount(his.shots, minlength=game.cells + 1) / boards
    pace = paces.load(settings.pace, game).times if settings.pace else own
    told = {"teacher": shot_figures(his, pace)}
    for name in ("density", "density-lowest"):
        mine = played(policies.make(name, game), "uniform", boards, seed + 1)
        told[name] = shot_figures(mine, pace) | {"paired": compared(mine, his)._asdict()}
    students = []
    for student in settings.students:
        hunter, run = trained(found, student, seed, folder_of(work, student, seed))
        # Short runs measure no speed: the student plays more games than are compared.
        mine = played(hunter, "uniform", SPEED_GAMES * boards, seed + 1)
        same = Played(mine.shots[:boards], mine.games_per_second)
        seen = seen_beside(found, hunter, "uniform", settings.positions_of, seed + 2)
        one = {
            "name": student.network,
            "held_out": student.held_out,
            **figures(hunter, run),
            **shot_figures(mine, pace),
            "paired": compared(same, his)._asdict(),
            "mapped": seen._asdict(),
        }
        students.append(one)
        if student.network == settings.ships:
            measures = {"paired": one["paired"], "mapped": one["mapped"]}
            write(hunter, folder / "classic.hunter", found, student, seed, measures)
    return {"game": str(game), "rule": TEACHER, "pace": settings.pace, **told, "students": students}


def folder_of(work: Path, student: Student, seed: int) -> Path:
    """Folder of a training."""
    return work / "classic" / f"{student.network}-{student.steps}-{student.games}-seed{seed}"


def _teacher(found: Taught, boards: int, seed: int, folder: Path) -> Played:
    """The teacher's games, which are kept."""
    path = folder / f"teacher-{boards}-seed{seed}.npz"
    if not path.exists():
        his = played(found.policy, "uniform", boards, seed)
        folder.mkdir(parents=True, exist_ok=True)
        np.savez_compressed(path, shots=his.shots, speed=np.array(his.games_per_second))
    with np.load(path) as held:
        return Played(held["shots"], float(held["speed"]))
