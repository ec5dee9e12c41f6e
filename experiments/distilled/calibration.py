"""Is a chance of 30% a ship in 30 of 100 cases? The student's heat map beside the exact one, on
positions of its own games, and cell by cell after some shots."""

from functools import reduce
from pathlib import Path
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from bsjax.game.game import Game
from bsjax.game.history import parse
from bsjax.game.observation import Observation, blank, observe
from bsjax.game.tokens import Shot
from bsjax.learn.distill import seen_beside
from bsjax.learn.hunter import Hunter, judged
from bsjax.learn.targets import ByRule
from bsjax.learn.teachers import by_boards
from bsjax.policies.bayes import Greedy
from experiments.distilled import classic
from experiments.distilled.students import Student, trained


class Settings(NamedTuple):
    """Whose heat map, on how many games, and after which shots it is drawn."""

    seed: int = 0
    size: tuple[int, int] = classic.FULL.size
    fleet: tuple[int, ...] = classic.FULL.fleet
    students: tuple[Student, ...] = classic.FULL.students
    games: int = 256
    history: str = "E5:miss F6:miss D3:hit C3:hit B3:miss E3:sunk3 H8:miss C8:miss G3:miss H2:hit"


FULL = Settings()
QUICK = Settings(
    size=classic.QUICK.size,
    fleet=classic.QUICK.fleet,
    students=classic.QUICK.students,
    games=2,
    history="C3:miss B2:hit",
)


def run(settings: Settings, work: Path) -> dict[str, Any]:
    """Bins of all students, and their maps of one position."""
    game = Game(settings.size, settings.fleet)
    found = by_boards(game)
    assert isinstance(found.policy, Greedy)
    exact, seen = ByRule(game, found.policy), after(game, settings.history)
    label, _ = jax.jit(lambda one: exact.label(jax.random.key(0), one, ()))(seen)
    students = []
    for student in settings.students:
        hunter, _ = trained(
            found, student, settings.seed, classic.folder_of(work, student, settings.seed)
        )
        judged_ = seen_beside(found, hunter, "uniform", settings.games, settings.seed + 2)
        students.append(
            {"name": student.network, **judged_._asdict(), "heat": heat(hunter, seen).tolist()}
        )
    return {
        "game": str(game),
        "history": settings.history,
        "exact": np.asarray(label.heat).astype(float).tolist(),
        "students": students,
    }


def after(game: Game, text: str) -> Observation:
    """What these shots have told."""

    def one(seen: Observation, shot: Shot) -> Observation:
        return observe(game, seen, jnp.int32(shot.cell), jnp.int8(shot.answer))

    return reduce(one, parse(game, text), blank(game))


def heat(hunter: Hunter, seen: Observation) -> np.ndarray:
    """The student's chance of a ship on every cell."""
    odds = judged(hunter.network, hunter.game, seen)[1]
    return np.asarray(jax.nn.sigmoid(odds), np.float64)
