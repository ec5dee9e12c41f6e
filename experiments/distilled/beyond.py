"""Fewer shots than the teacher: the distilled network improved by play alone.

The rule that fires at the likeliest ship is greedy. From its student the parameters go on by what
counts: shots. A step plays some pairs of networks, a little away from the present one in opposite
directions, on the same boards with the same dice; their differences in shots make a slope, and Adam
takes it (evolution strategies: T. Salimans and others, 2017). The network that is judged is the
running mean of all.
"""

from pathlib import Path
from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax.flatten_util import ravel_pytree

from bsjax import hide
from bsjax.evaluate.by_board import by_board
from bsjax.game.game import Game
from bsjax.learn.hunter import Hunter
from bsjax.learn.judge import compared, played
from bsjax.learn.teachers import by_boards
from bsjax.play.replay import boards_of
from experiments.distilled import classic
from experiments.distilled.students import Student, trained

_MOMENTS = 0.9, 0.99
_KEEP = 0.95
"""Share of the running mean that a step keeps."""
_EVERY = 10
"""Steps between two files."""


class Settings(NamedTuple):
    """Who goes on, and how far."""

    seed: int = 0
    size: tuple[int, int] = classic.FULL.size
    fleet: tuple[int, ...] = classic.FULL.fleet
    student: Student = classic.FULL.students[0]
    steps: int = 60
    pairs: int = 8
    boards: int = 2048
    """Boards of a step, the same for all its pairs."""
    away: float = 0.05
    """Standard deviation of a step's networks, in units of the size of each array."""
    rate: float = 0.02
    """Of Adam, in the same units."""
    judged: int = 100_000
    """Fresh boards on which start and end are compared."""


FULL = Settings()
QUICK = Settings(
    size=classic.QUICK.size,
    fleet=classic.QUICK.fleet,
    student=classic.QUICK.students[0],
    steps=2,
    pairs=1,
    boards=64,
    judged=128,
)


def run(settings: Settings, work: Path) -> dict[str, Any]:
    """Shots of start and end on the same fresh boards."""
    found, seed = by_boards(Game(settings.size, settings.fleet)), settings.seed
    start, _ = trained(
        found, settings.student, seed, classic.folder_of(work, settings.student, seed)
    )
    end, curve = improved(start, settings, work / "beyond")
    before, after = (played(one, "uniform", settings.judged, seed + 1) for one in (start, end))
    return {
        "game": str(Game(settings.size, settings.fleet)),
        "student": settings.student.network,
        "games": settings.steps * settings.pairs * 2 * settings.boards,
        "curve": curve,
        "paired": compared(after, before)._asdict(),
    }


def improved(start: Hunter, settings: Settings, folder: Path) -> tuple[Hunter, list[float]]:
    """The running mean after all steps, and the mean shots of the networks of every step."""
    flat, rebuilt = ravel_pytree(start.network)
    unit = np.concatenate(
        [
            np.full(leaf.size, float(jnp.sqrt((leaf**2).mean())) + 1e-3)
            for leaf in jax.tree.leaves(start.network)
        ]
    )
    nowhere = np.zeros_like(unit)
    state = _State(nowhere, nowhere, nowhere, nowhere, [])
    path = folder / f"seed{settings.seed}-{settings.pairs}-{settings.boards}.npz"
    folder.mkdir(parents=True, exist_ok=True)
    if path.exists():
        with np.load(path) as held:
            at, mean, first, second = (held[name] for name in "abcd")
            state = _State(at, mean, first, second, held["curve"].tolist())
    hider = hide.make("uniform", Game(settings.size, settings.fleet))

    def hunter(moved: np.ndarray) -> Hunter:
        network = rebuilt(jnp.asarray(np.asarray(flat) + unit * moved, jnp.float32))
        return eqx.tree_at(lambda one: one.network, start, network)

    while len(state.curve) < settings.steps:
        number = len(state.curve)
        rng = np.random.default_rng([settings.seed, number])
        boards = boards_of(hider, settings.seed + 3, number * settings.boards, settings.boards)
        key = jax.random.fold_in(jax.random.key(settings.seed), number)
        slope, total = np.zeros_like(unit), 0.0
        for _ in range(settings.pairs):
            away = settings.away * rng.standard_normal(len(unit))
            up, down = (_shots(key, hunter(state.at + sign * away), boards) for sign in (1.0, -1.0))
            slope += (up - down) / 2 * away / settings.away**2 / settings.pairs
            total += (up + down) / 2 / settings.pairs
        state = state.after(slope, settings.rate, total)
        if (number + 1) % _EVERY == 0 or number + 1 == settings.steps:
            at, mean, first, second, curve = state
            np.savez(path, a=at, b=mean, c=first, d=second, curve=np.array(curve))
    return hunter(state.mean), [float(shots) for shots in state.curve]


class _State(NamedTuple):
    """Where the search is; all in units of the size of each array."""

    at: np.ndarray
    mean: np.ndarray
    first: np.ndarray
    second: np.ndarray
    """Moments of the slope."""
    curve: list[float]

    def after(self, slope: np.ndarray, rate: float, shots: float) -> "_State":
        """One step of Adam."""
        number = len(self.curve) + 1
        first = _MOMENTS[0] * self.first + (1 - _MOMENTS[0]) * slope
        second = _MOMENTS[1] * self.second + (1 - _MOMENTS[1]) * slope**2
        one, two = first / (1 - _MOMENTS[0] ** number), second / (1 - _MOMENTS[1] ** number)
        at = self.at - rate * one / (np.sqrt(two) + 1e-8)
        mean = _KEEP * self.mean + (1 - _KEEP) * at
        return _State(at, mean, first, second, [*self.curve, shots])


def _shots(key: jax.Array, hunter: Hunter, boards: np.ndarray) -> float:
    """Mean shots of a game on each board."""
    found = by_board(key, hunter, boards, 1, turned=False, sized=len(boards))
    return float(found.sum(0) @ np.arange(found.shape[1]) / len(boards))
