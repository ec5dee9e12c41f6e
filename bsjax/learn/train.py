"""A training run: steps until the time is up, with checkpoints, metrics and games on held-out
boards.

    settings.json      what is trained, and how; a folder answers only to the same settings
    checkpoint.json    how far it got, and state-STEP.npz, the arrays; once a minute
    metrics.jsonl      a line for every launch of some steps
    hunter.hunter      the trained hunter (`bsjax.learn.files`)

Every random number comes from the seed, the step and the slot, so a run that was killed goes on
with the same bits on the same devices. A run of so many minutes first measures a step and fixes the
number of its steps, which is kept with the checkpoint; only where the machine then turns out to be
much slower, it takes fewer. A run of so many steps has the same bits whenever it is repeated.
"""

import json
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Int8

from bsjax.evaluate.by_board import by_board
from bsjax.hide.base import boards
from bsjax.learn import checkpoint
from bsjax.learn.features import VERSION
from bsjax.learn.hunter import By, Hunter
from bsjax.learn.lessons import Course, Losses
from bsjax.learn.network import Network
from bsjax.learn.step import AXIS, Settings, State, advance, initial, placed
from bsjax.runtime import cache, devices
from bsjax.runtime.progress import Progress
from bsjax.runtime.run_folder import RunFolder

_EVERY = 60.0
"""Seconds between two checkpoints."""
_LATE = 1.25
"""How late a run of so many minutes may be, as a share of its time, before it takes fewer steps."""
_HELD_OUT = 0x4E1D
"""Stream of the boards on which no lesson is given."""


class Plan(NamedTuple):
    """How long a run is, and when it ends early; with the settings it decides the result."""

    minutes: float | None = 10.0
    """Time of the steps, or None where their number is given."""
    steps: int | None = None
    tests: int = 20
    """How often the averaged network plays held-out boards; before the first of these also after
    1, 2, 4, 8 … launches, as most is learned early."""
    boards: int = 256
    """Held-out boards."""
    patience: int = 10
    """Tests in a row without fewer shots than before, after which the run ends."""
    launch: int = 8
    """Steps of one launch: so often the clock is looked at."""


class Trained(NamedTuple):
    """A run that has ended."""

    network: Network
    """The averaged one."""
    steps: int
    positions: int
    """Lessons given."""
    positions_per_second: float | None
    """Of this part of the run; None if nothing was left to do."""
    shots: list[tuple[int, float]]
    """Mean shots on the held-out boards, after each number of steps."""


def train(
    course: Course,
    settings: Settings,
    plan: Plan,
    told: dict[str, Any],
    out: Path,
    *,
    by: By = "moves",
    resume: bool = False,
    every: float = _EVERY,
    quiet: bool = True,
    clock: Callable[[], float] = time.monotonic,
) -> Trained:
    """Train a network, or go on training it.

    Args:
        course: teacher, hider and how the student fires.
        settings: of the steps.
        plan: how many.
        told: what tells the teacher and the hider apart, as JSON values.
        out: run folder.
        by: what the student fires at on held-out boards.
        resume: go on with the run in `out`.
        every: seconds between checkpoints.
        quiet: show no progress.
        clock: seconds since some moment.

    Raises:
        ValueError: a setting is wrong, the folder holds something else, or its checkpoint is
        damaged.
    """
    if (plan.minutes is None) == (plan.steps is None):
        raise ValueError("say how long to train: by minutes or by steps")
    if not (plan.minutes or plan.steps or 0) > 0:
        raise ValueError("train for more than no time")
    cache.enable()
    mesh = devices.mesh(AXIS)
    fixed = {"features": VERSION, **told, **settings._asdict(), **plan._asdict()}
    folder = RunFolder(out, fixed | {"devices": mesh.size}, resume=resume)
    try:
        run = _Running(course, settings, plan, by, folder, mesh, clock)
        return run.to_the_end(every, quiet)
    finally:
        folder.close()


class _Running:
    """A run in its folder."""

    def __init__(
        self,
        course: Course,
        settings: Settings,
        plan: Plan,
        by: By,
        folder: RunFolder,
        mesh: jax.sharding.Mesh,
        clock: Callable[[], float],
    ):
        self.course, self.settings, self.plan = course, settings, plan
        self.by: By = by
        self.folder, self.mesh, self.clock = folder, mesh, clock
        self.state = initial(course, settings, mesh)
        self.shots: list[tuple[int, float]] = []
        self.spent = 0.0
        """Seconds of steps so far."""
        self.metrics = folder.path / "metrics.jsonl"
        if folder.state is None:
            self.metrics.write_text("")
            self.total = plan.steps or self._measured()
            self._save()
        else:
            self.state = placed(checkpoint.read(folder, self.state), mesh)
            self.total, self.spent = folder.state["total"], folder.state["spent"]
            self.shots = [(step, shots) for step, shots in folder.state["shots"]]
            self._cut_metrics()

    @property
    def step(self) -> int:
        """Steps taken."""
        return int(self.state.step)

    @property
    def ended(self) -> bool:
        """Whether all steps were taken, or the student has stopped to learn."""
        means = [shots for _, shots in self.shots]
        since = len(means) - 1 - int(np.argmin(means)) if means else 0
        return self.step >= self.total or since >= self.plan.patience

    def to_the_end(self, every: float, quiet: bool) -> Trained:
        """Take the steps that are left."""
        began, games = self.step, self.settings.games
        launch = self.plan.launch
        timed, spent, saved = 0, 0.0, self.clock()
        with Progress(
            "distil", self.total * games, "positions", done=began * games, quiet=quiet
        ) as progress:
            while not self.ended:
                since, before = self.clock(), self.step
                steps = min(launch, self.total - before)
                found = self._advance(steps)
                step, seconds = self.step, self.clock() - since
                # The first launch also compiles.
                if step > began + steps:
                    timed, spent, self.spent = timed + steps, spent + seconds, self.spent + seconds
                else:
                    progress.restart_clock()
                self._log(step, found, games * steps / seconds)
                if self._tested(before, step):
                    self.shots.append((step, self._held_out()))
                    if timed and self._shortened(spent / timed):
                        progress.total = self.total * games
                        self._save()
                progress.advance(games * steps)
                if self.clock() - saved >= every or self.ended:
                    self._save()
                    saved = self.clock()
        rate = games * timed / spent if timed else None
        return Trained(self.state.average, self.step, self.step * games, rate, self.shots)

    def _tested(self, before: int, step: int) -> bool:
        """Whether held-out boards are played between two launches."""
        launch = self.plan.launch
        every = max(self.total // self.plan.tests // launch, 1) * launch
        number = step // launch
        early = step < every and number & (number - 1) == 0
        return early or step // every > before // every or step == self.total

    def _advance(self, steps: int) -> Losses:
        self.state, found = advance(
            self.state,
            self.course,
            jnp.int32(self.total),
            settings=self.settings,
            steps=steps,
            mesh=self.mesh,
        )
        return jax.device_get(found)

    def _measured(self) -> int:
        """Steps that the minutes have time for, by launches whose results are thrown away."""
        assert self.plan.minutes is not None
        start = jax.tree.map(jnp.copy, self.state)
        self.total, seconds = 1 << 20, []
        for _ in range(3):
            since = self.clock()
            self._advance(self.plan.launch)
            seconds.append(self.clock() - since)
        self.state: State = placed(start, self.mesh)
        launches = 60 * self.plan.minutes / float(np.mean(seconds[1:]))
        return max(int(launches), 1) * self.plan.launch

    def _shortened(self, seconds: float) -> bool:
        """Take fewer steps where the time will not do by far: the machine was busier than when a
        step was measured.

        Args:
            seconds: of a step.
        """
        if self.plan.minutes is None:
            return False
        budget, left = 60 * self.plan.minutes, self.total - self.step
        if self.spent + left * seconds <= _LATE * budget:
            return False
        launches = max(budget - self.spent, 0.0) / seconds / self.plan.launch
        fewer = self.step + int(launches) * self.plan.launch
        shorter = fewer < self.total
        self.total = min(fewer, self.total)
        return shorter

    def _held_out(self) -> float:
        """Mean shots of the averaged network on boards of the course's hider."""
        key = jax.random.fold_in(jax.random.key(self.settings.seed), _HELD_OUT)
        drawn, dice = jax.random.split(key)
        hunter = hunter_of(self.course, self.state.average, self.by)
        # The network is the same on all devices: one copy of it is enough.
        hunter = jax.device_get(hunter)
        count = self.plan.boards
        table = np.asarray(_boards(self.course, drawn, count))
        found = by_board(dice, hunter, table, 1, turned=False, sized=count)
        return float(found.sum(0) @ np.arange(found.shape[1]) / count)

    def _log(self, step: int, found: Losses, speed: float) -> None:
        lessons, maps = max(float(found.lessons), 1.0), max(float(found.maps), 1.0)
        line = {
            "step": step,
            "moves": float(found.moves) / lessons,
            "least": float(found.least) / lessons,
            "heat": float(found.heat) / maps,
            "agree": float(found.agree) / lessons,
            "overlap": float(found.overlap) / lessons,
            "positions_per_second": speed,
        }
        with open(self.metrics, "a") as stream:
            stream.write(json.dumps(line) + "\n")

    def _cut_metrics(self) -> None:
        """Drop the lines of steps that are taken again."""
        lines = self.metrics.read_text().splitlines() if self.metrics.exists() else []
        kept = [
            line for line in lines if line.endswith("}") and json.loads(line)["step"] <= self.step
        ]
        self.metrics.write_text("".join(line + "\n" for line in kept))

    def _save(self) -> None:
        told = {"total": self.total, "spent": self.spent, "shots": self.shots}
        checkpoint.write(self.folder, self.step, self.state, told)


def hunter_of(course: Course, network: Network, by: By) -> Hunter:
    """The hunter that plays a network of this course."""
    return Hunter(
        course.teacher.game,
        network,
        course.teacher.shares,
        course.paths,
        temperature=course.temperature,
        by=by,
    )


@partial(jax.jit, static_argnames="count")
def _boards(course: Course, key: Array, count: int) -> Int8[Array, "N C"]:
    placed = course.hider.place(jax.random.split(key, count), jnp.int32(count), count)
    return boards(course.teacher.game, placed.placements)
