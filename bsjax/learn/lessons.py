"""Games in lockstep from which a network learns: one observation of every game in every step.

Each slot holds one game. A step labels all observations, lets the network judge them, fires one
shot in every game, and puts new games in the place of finished ones. Some games are fired by the
teacher, the others by the student, whose own mistakes are then labelled too; the share of the
student's games grows as it learns. Everything random is drawn from the number of the step and the
slot.
"""

from typing import NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float32, Int8, Int16, Int32, Key, PyTree

from bsjax.game.firing import fire
from bsjax.game.observation import UNFIRED, Observation, blank
from bsjax.game.symmetry import cell_images
from bsjax.hide.base import Hider, boards
from bsjax.learn.features import turned
from bsjax.learn.hunter import judged
from bsjax.learn.network import Network
from bsjax.learn.targets import Label, Teacher
from bsjax.policies.choose import by_shares


class Slot(NamedTuple):
    """One game that is learned from."""

    board: Int8[Array, " C"]
    left: Int8[Array, " K"]
    observation: Observation
    carry: PyTree
    """State of the teacher."""
    path: Int16[Array, " C"] | None
    """Of the hunt that is played, where the teacher tells hunts apart."""
    student: Bool[Array, ""]
    """Whether the student fires."""
    over: Bool[Array, ""]
    """Whether the fleet is sunk, or the teacher has nothing more to say."""


class Lesson(NamedTuple):
    """An observation and what is to be learned from it."""

    observation: Observation
    path: Int16[Array, " C"] | None
    label: Label
    back: Int32[Array, " C"]
    """Where each cell of the board as it is lies on the board of the lesson."""


class Course(eqx.Module):
    """How games are played for lessons."""

    teacher: Teacher
    hider: Hider
    temperature: float = eqx.field(static=True)
    """At which the student fires, as in `bsjax.learn.hunter`."""
    turns: bool = eqx.field(static=True)
    """Show every observation on a board turned at random."""
    paths: Int16[Array, "H C"] | None = None
    """Of the hunts that the teacher tells apart (`bsjax.learn.paths`)."""


class Losses(NamedTuple):
    """Sums over lessons; divide by `lessons` (`maps` for `heat`)."""

    moves: Float32[Array, ""]
    """Cross-entropy of the teacher's moves, in nats."""
    least: Float32[Array, ""]
    """Entropy of the teacher's moves: what a perfect student would be left with."""
    heat: Float32[Array, ""]
    """Mean binary cross-entropy of the heat map over the cells not fired at."""
    agree: Float32[Array, ""]
    """How often the student's best cell is one of the teacher's best."""
    overlap: Float32[Array, ""]
    """Probability that both put on the same cells."""
    lessons: Float32[Array, ""]
    maps: Float32[Array, ""]


def opened(course: Course, key: Key[Array, ""], first: Int32[Array, ""], games: int) -> Slot:
    """New games of the teacher, for slots `first` and on. The key is consumed."""
    keys = jax.vmap(lambda i: jax.random.fold_in(key, i))(first + jnp.arange(games))
    board_keys, own = jax.vmap(jax.random.split, out_axes=1)(keys)
    placed = course.hider.place(board_keys, jnp.int32(games), games)
    game = course.teacher.game

    def one(board: Int8[Array, " C"], found: Bool[Array, ""], key: Key[Array, ""]) -> Slot:
        hunt, path = jnp.int32(0), None
        if (shares := course.teacher.shares) is not None and course.paths is not None:
            hunt = by_shares(key, shares)
            path = course.paths[hunt]
        return Slot(
            board=board,
            left=jnp.asarray(np.array(game.fleet, np.int8)),
            observation=blank(game),
            carry=course.teacher.begin(hunt, board),
            path=path,
            student=jnp.bool_(False),
            over=~found,
        )

    return jax.vmap(one)(boards(game, placed.placements), placed.found, own)


def labelled(course: Course, key: Key[Array, ""], slots: Slot) -> tuple[Label, PyTree]:
    """What the teacher says of every slot, and its thoughts; nothing is known of games over."""
    keys = jax.random.split(key, len(slots.over))
    label, thoughts = jax.vmap(course.teacher.label)(keys, slots.observation, slots.carry)
    known, seen = label.known & ~slots.over, label.seen & ~slots.over
    return label._replace(known=known, seen=seen), thoughts


def lessons(course: Course, key: Key[Array, ""], slots: Slot, label: Label) -> Lesson:
    """One lesson of every slot, turned at random where the course turns them."""
    images = cell_images(course.teacher.game.size).astype(np.int32)
    backs = jnp.asarray(np.argsort(images, axis=1), jnp.int32)
    ways = len(images) if course.turns else 1
    turn = jax.random.randint(key, (len(slots.over),), 0, ways, jnp.int32)

    def one(slot: Slot, label: Label, turn: Int32[Array, ""]) -> Lesson:
        image = jnp.asarray(images)[turn]
        told = label._replace(moves=label.moves[image], heat=label.heat[image])
        seen = turned(course.teacher.game, slot.observation, turn)
        path = None if slot.path is None else slot.path[image]
        return Lesson(seen, path, told, backs[turn])

    return jax.vmap(one)(slots, label, turn)


def losses(
    network: Network, course: Course, lesson: Lesson
) -> tuple[Losses, Float32[Array, "B C"], Float32[Array, "B C"]]:
    """Sums over the lessons; the scores of every cell of the boards as they are; and the logarithms
    of the odds of a ship on the boards of the lessons."""
    game = course.teacher.game

    def one(lesson: Lesson) -> tuple[Losses, Array, Array]:
        scores, odds = judged(network, game, lesson.observation, lesson.path)
        label, unfired = lesson.label, lesson.observation.mark == UNFIRED
        share = jax.nn.log_softmax(scores)
        # Of a game that is over nothing is known, and what it was labelled with may be anything.
        wanted = (label.moves > 0) & unfired & label.known
        certain = jnp.log(jnp.where(wanted, label.moves, 1.0))
        heat, open_cells = jax.nn.softplus(odds) - label.heat * odds, unfired.sum(dtype=jnp.float32)
        known, seen = label.known.astype(jnp.float32), label.seen.astype(jnp.float32)
        best = label.moves[jnp.argmax(scores)] >= label.moves.max()
        found = Losses(
            moves=-jnp.where(wanted, label.moves * share, 0.0).sum(),
            least=-jnp.where(wanted, label.moves * certain, 0.0).sum(),
            heat=seen * jnp.where(unfired, heat, 0.0).sum() / jnp.maximum(open_cells, 1.0),
            agree=jnp.where(best, known, 0.0),
            overlap=known * jnp.minimum(jnp.exp(share), label.moves).sum(),
            lessons=known,
            maps=seen,
        )
        return found, scores[lesson.back], odds

    found, scores, odds = jax.vmap(one)(lesson)
    return jax.tree.map(lambda x: x.sum(0), found), scores, odds


def played_on(
    course: Course,
    key: Key[Array, ""],
    slots: Slot,
    label: Label,
    thoughts: PyTree,
    scores: Float32[Array, "B C"],
    share: Float32[Array, ""],
    first: Int32[Array, ""],
) -> Slot:
    """One shot in every game, and new games in the place of some of those that are over.

    Args:
        course: how games are played.
        key: consumed.
        slots: the games.
        label: what the teacher says of them.
        thoughts: what it thinks.
        scores: of the student, on the boards as they are.
        share: of the new games that are the student's.
        first: number of the first of these slots among those of all devices.
    """
    game, count = course.teacher.game, len(slots.over)
    shot, fresh, whose = jax.random.split(key, 3)
    own = jax.vmap(lambda i: jax.random.fold_in(shot, i))(first + jnp.arange(count))

    def one(slot: Slot, label: Label, thoughts: PyTree, scores: Array, key: Array) -> Slot:
        dice = jax.random.gumbel(key, scores.shape)
        student = jnp.argmax(scores + course.temperature * dice)
        teacher = jnp.argmax(jnp.log(label.moves) + dice)
        cell = jnp.where(slot.student | ~label.known, student, teacher).astype(jnp.int32)
        cell = jnp.where(slot.over, -1, cell)
        left, seen = fire(game, slot.board, slot.left, slot.observation, cell)
        carry = course.teacher.after(seen, cell, slot.carry, thoughts)
        lost = ~label.known & (not course.teacher.anywhere)
        over = slot.over | (left == 0).all() | lost
        return slot._replace(left=left, observation=seen, carry=carry, over=over)

    slots = jax.vmap(one)(slots, label, thoughts, scores, own)
    # A game lasts at least as many shots as there are ship cells: so few end in one step.
    room = max(2 * count // game.ship_cells, 1)
    new = opened(course, fresh, first, room)
    coin = jax.vmap(lambda i: jax.random.uniform(jax.random.fold_in(whose, i)))
    new = new._replace(student=coin(first + jnp.arange(room)) < share)
    place = jnp.cumsum(slots.over.astype(jnp.int32)) - 1
    taken = slots.over & (place < room)

    def filled(fresh: Array, old: Array) -> Array:
        rows = fresh[jnp.clip(place, 0, room - 1)]
        return jnp.where(taken.reshape(-1, *(1,) * (old.ndim - 1)), rows, old)

    return jax.tree.map(filled, new, slots)
