"""Students of this experiment: trained in run folders, so that a killed part goes on where it was,
and every part uses the same ones."""

from pathlib import Path
from typing import Any, NamedTuple

from bsjax.learn.distill import learned
from bsjax.learn.hunter import Hunter
from bsjax.learn.step import Settings as Steps
from bsjax.learn.teachers import Taught
from bsjax.learn.train import Plan, Trained


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
