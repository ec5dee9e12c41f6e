"""Students of this experiment: trained in run folders, so that a killed part goes on where it was,
and every part uses the same ones."""

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float64

from bsjax.evaluate.race import race
from bsjax.evaluate.summary import as_json, summarize
from bsjax.learn.distill import learned
from bsjax.learn.files import save_hunter
from bsjax.learn.hunter import Hunter
from bsjax.learn.judge import Played
from bsjax.learn.step import Settings as Steps
from bsjax.learn.teachers import Taught
from bsjax.learn.train import Plan, Trained
from bsjax.runtime.origin import origin


class Student(NamedTuple):
    """One network and how long it is taught."""

    network: str
    """A name of `bsjax.learn.network.SIZES`."""
    steps: int
    games: int = 1024
    """Lessons of a step."""
    rate: float = 2e-2
    held_out: int = 2048
    """Boards of the learning curve."""
    student: float = 1.0
    """Share of the lessons from its own games."""
    grown: float = 1e-6
    """Share of the run after which it has them."""

    def steps_of(self, seed: int) -> Steps:
        """The settings of the training."""
        return Steps(
            self.network,
            games=self.games,
            rate=self.rate,
            student=self.student,
            grown=self.grown,
            seed=seed,
        )

    @property
    def plan(self) -> Plan:
        """Its length; it does not end early, so that curves are as long as they say."""
        return Plan(
            minutes=None,
            steps=self.steps,
            boards=self.held_out,
            patience=1 << 30,
            launch=max(8192 // self.games, 4),
        )


def trained(
    found: Taught,
    student: Student,
    seed: int,
    folder: Path,
    *,
    turns: bool = False,
    tried: int = 0,
) -> tuple[Hunter, Trained]:
    """The student, from its run folder if it was trained before."""
    return learned(
        found,
        student.steps_of(seed),
        student.plan,
        folder,
        turns=turns,
        tried=tried,
        resume=folder.exists(),
        quiet=False,
    )


def figures(hunter: Hunter, run: Trained) -> dict[str, Any]:
    """What is told of a training."""
    return {
        "parameters": hunter.network.parameters,
        "width": hunter.network.size.width,
        "blocks": hunter.network.size.blocks,
        "steps": run.steps,
        "positions": run.positions,
        "positions_per_second": run.positions_per_second,
        "curve": [[step, shots] for step, shots in run.shots],
    }


def shot_figures(games: Played, pace: Float64[np.ndarray, " T"]) -> dict[str, Any]:
    """What is told of a hunter's games: shots, races against a pace, speed."""
    counts = np.bincount(games.shots, minlength=len(pace))
    return {
        **as_json(summarize(counts)),
        "race": {name: rate._asdict() for name, rate in race(counts, pace)._asdict().items()},
        "games_per_second": games.games_per_second,
        "histogram": counts.tolist(),
    }


def write(
    hunter: Hunter, path: Path, found: Taught, student: Student, seed: int, measures: dict[str, Any]
) -> None:
    """The file of a student, with what its card tells."""
    card = {
        "taught": found.told,
        "settings": student.steps_of(seed)._asdict() | {"steps": student.steps},
        "origin": origin(seed),
        "measures": measures,
    }
    save_hunter(hunter, path, card)
