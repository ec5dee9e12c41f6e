"""How well a student plays, beside its teacher: by play, not by loss.

* `paired`: shots of both on the same boards, and games/s of both.
* `mapped`: on positions of the student's own games, agreement of the moves and error of the heat
  map.

On a listable game its races are decided exactly, see `bsjax.learn.lottery`.
"""

import time
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Int16

from bsjax import hide
from bsjax.evaluate.massive import Limits, Run, size_of
from bsjax.game.observation import UNFIRED
from bsjax.learn.lessons import Course, labelled, lessons, losses, opened, played_on
from bsjax.learn.network import Network
from bsjax.play.simulate import Simulator
from bsjax.policies.base import Policy

BINS = 20
"""Equal parts of [0, 1] into which chances of a ship are sorted."""


class Paired(NamedTuple):
    """Two hunters on the same boards."""

    games: int
    student: float
    """Mean shots."""
    teacher: float
    difference: float
    """Student less teacher, mean over the boards."""
    se: float
    """Standard error of the difference."""
    student_games_per_second: float
    teacher_games_per_second: float
    """Compilation left out, as is what the teacher prepares before a run."""


class Mapped(NamedTuple):
    """A student's judgement of positions of its own games."""

    positions: int
    agree: float
    """How often its best cell is one of the teacher's best."""
    overlap: float
    """Mean over positions of the probability that both put on the same cells."""
    error: float
    """Mean absolute difference of the chances of a ship, over cells not fired at."""
    said: list[float]
    """Mean chance the student gives, in each of `BINS` bins of what it gives; 0 in empty bins."""
    true: list[float]
    """Mean chance of the teacher's posterior there."""
    cells: list[int]
    """Cells in each bin."""


class Played(NamedTuple):
    """Games 0 … N − 1 of a hunter."""

    shots: Int16[np.ndarray, " N"]
    """Of every game."""
    games_per_second: float
    """Compilation left out, as is what the hunter prepares before a run."""


def paired(student: Policy, teacher: Policy, hider: str, games: int, seed: int) -> Paired:
    """Both on the boards of games 0 … games − 1 of this seed.

    Raises:
        ValueError: no such hider, or fewer than two games.
    """
    if games < 2:
        raise ValueError(f"{games} games: play at least two")
    mine, his = (played(who, hider, games, seed) for who in (student, teacher))
    return compared(mine, his)


def compared(mine: Played, his: Played) -> Paired:
    """A student's games beside the teacher's on the same boards; both have as many, two or more."""
    more = mine.shots.astype(np.float64) - his.shots
    return Paired(
        games=len(more),
        student=float(mine.shots.mean()),
        teacher=float(his.shots.mean()),
        difference=float(more.mean()),
        se=float(more.std(ddof=1) / np.sqrt(len(more))),
        student_games_per_second=mine.games_per_second,
        teacher_games_per_second=his.games_per_second,
    )


def played(policy: Policy, hider: str, games: int, seed: int) -> Played:
    """Games 0 … games − 1 of this seed.

    Raises:
        ValueError: no such hider.
    """
    game = policy.game
    policy = policy.prepared(games)
    run = Run("", games, game, hider, seed)
    bucket = size_of(policy, run, Limits(), devices=jax.local_device_count())
    simulator = Simulator(policy, hide.make(hider, game), seed, bucket, shots=True)
    began = time.monotonic()
    found = [batch.shots for batch in simulator.play(0, games)]
    seconds = time.monotonic() - began
    shots = np.concatenate([shots for shots in found if shots is not None])
    return Played(shots, games / seconds)


def mapped(course: Course, network: Network, games: int, seed: int) -> Mapped:
    """Positions of so many games in lockstep, all of them fired by the student.

    Args:
        course: with the teacher to compare to; lessons are not turned.
        network: the student.
        games: in lockstep; each is followed for as many shots as there are cells at most.
        seed: of boards and dice.

    Raises:
        ValueError: no games.
    """
    if games < 1:
        raise ValueError(f"{games} games: look at one at least")
    found = jax.device_get(_mapped(course, network, jax.random.key(seed), games))
    sums, error, said, true, cells = found
    lessons_, unfired = max(float(sums.lessons), 1.0), max(float(cells.sum()), 1.0)
    filled = np.maximum(cells, 1)
    return Mapped(
        positions=int(sums.lessons),
        agree=float(sums.agree) / lessons_,
        overlap=float(sums.overlap) / lessons_,
        error=float(error) / unfired,
        said=(said / filled).tolist(),
        true=(true / filled).tolist(),
        cells=cells.astype(int).tolist(),
    )


@partial(jax.jit, static_argnames="games")
def _mapped(course: Course, network: Network, key: jax.Array, games: int):
    game = course.teacher.game
    slots = opened(course, jax.random.fold_in(key, 0), jnp.int32(0), games)
    slots = slots._replace(student=jnp.ones(games, bool))

    def one(slots: Any, number: jax.Array) -> tuple[Any, Any]:
        own = jax.random.fold_in(key, number + 1)
        label, thoughts = labelled(course, jax.random.fold_in(own, 0), slots)
        lesson = lessons(course, jax.random.fold_in(own, 1), slots, label)
        sums, scores, odds = losses(network, course, lesson)
        counted = (lesson.observation.mark == UNFIRED) & lesson.label.seen[:, None]
        share, heat = jax.nn.sigmoid(odds), lesson.label.heat
        bins = jnp.where(counted, jnp.minimum((share * BINS).astype(jnp.int32), BINS - 1), BINS)

        def binned(values: jax.Array) -> jax.Array:
            return jnp.zeros(BINS).at[bins].add(values, mode="drop")

        error = jnp.where(counted, jnp.abs(share - heat), 0.0).sum()
        told = sums, error, binned(share), binned(heat), binned(jnp.ones_like(share))
        # New games are the student's own, too.
        stays = played_on(course, own, slots, label, thoughts, scores, jnp.float32(1), jnp.int32(0))
        return stays, told

    _, found = jax.lax.scan(one, slots, jnp.arange(game.cells))
    return jax.tree.map(lambda x: x.sum(0), found)
