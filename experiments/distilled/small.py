"""The small boards, where a player can be judged exactly: students of a near-perfect mixture.

A student is taught every hunt of its teacher by itself. It plays them a little otherwise and plays
new ones, so which of them it plays how often is found anew; that lottery, each hunt turned in all
ways, is then all that it is, and its races are decided exactly. It hides as its teacher does.
"""

import hashlib
from pathlib import Path
from typing import Any, NamedTuple

from bsjax.learn.distill import players, seen_beside
from bsjax.learn.judge import paired
from bsjax.learn.teachers import by_mixture
from bsjax.solve.exploit import exploited
from bsjax.solve.knowledge import build
from bsjax.solve.player import Player, win_rates
from experiments.distilled.students import Student, figures, trained, write
from experiments.small_boards.players import PLAYERS

_MEMORY = 8 << 30
"""Bytes of a pass of replies on a large board."""


class Settings(NamedTuple):
    """Whose student, of which sizes."""

    seed: int = 0
    player: str = "4x4.npz"
    """File among the players of `experiments/small_boards`."""
    students: tuple[Student, ...] = (
        Student("swift", 3000, games=256, rate=1e-2, student=0.2, grown=0.3, held_out=1024),
        Student("tiny", 4000, games=256, rate=5e-3, student=0.2, grown=0.3, held_out=1024),
        Student("small", 3000, games=256, rate=3e-3, student=0.5, grown=0.3, held_out=1024),
    )
    tried: int = 1024
    """New paths tried for the lottery of a student."""
    games: int = 64
    """Games whose positions are judged."""
    boards: int = 20_000
    """Uniform boards that student and teacher both play."""
    ships: str = ""
    """The student whose file is written into the folder of games."""


FULL = Settings()
FULL_5X5 = Settings(
    player="5x5.npz",
    students=(Student("tiny", 3000, games=128, rate=5e-3, student=0.2, grown=0.3, held_out=1024),),
    tried=256,
    ships="tiny",
)
QUICK = Settings(
    player="3x3.npz",
    students=(Student("swift", 40, games=64, rate=1e-2, student=0.2, held_out=32),),
    tried=16,
    games=4,
    boards=100,
)
QUICK_5X5 = QUICK._replace(ships="swift")


def run(settings: Settings, work: Path) -> dict[str, Any]:
    """Teacher and students, judged alike."""
    found = by_mixture(PLAYERS / settings.player, coded=True)
    teacher, name = found.player, settings.player.removesuffix(".npz")
    assert teacher is not None
    states = work / name / "graph"
    graph = build(teacher.game, teacher.rule, out=states, resume=states.exists())

    def judged(player: Player) -> dict[str, Any]:
        told = {
            "mean": float(player.hider @ player.shots),
            "against_teacher": float(win_rates(player, teacher.pace) @ teacher.hider),
            "worst_against_teacher": float(win_rates(player, teacher.pace).min()),
        }
        mark = hashlib.sha256(player.hider.tobytes() + player.finishing.tobytes()).hexdigest()[:8]
        trials = work / name / f"joint-{mark}"
        found = exploited(graph, player, out=trials, memory=_MEMORY, quiet=False)
        return told | found._asdict()

    students = []
    for student in settings.students:
        folder = work / name / f"{student.network}-{student.steps}-seed{settings.seed}"
        hunter, run = trained(found, student, settings.seed, folder, tried=settings.tried)
        assert hunter.paths is not None
        player, _ = players(found, hunter)
        seen = seen_beside(found, hunter, "uniform", settings.games, settings.seed + 2)
        one = {
            "name": student.network,
            "hunts": len(hunter.paths),
            **figures(hunter, run),
            **judged(player),
            "paired": paired(
                hunter, found.policy, "uniform", settings.boards, settings.seed + 1
            )._asdict(),
            "mapped": seen._asdict(),
        }
        students.append(one)
        if student.network == settings.ships:
            told = ("mean", "worst", "joint", "joint_at_most", "paired", "mapped")
            measures = {key: one[key] for key in told}
            path = work / name / f"{name}.hunter"
            write(hunter, path, found, student, settings.seed, measures)
    return {
        "game": str(teacher.game),
        "player": settings.player,
        "teacher": judged(teacher),
        "students": students,
    }
