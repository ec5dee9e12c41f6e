"""The game that a written hunt plays by itself inside a larger one, and what it is told there.

The hunt knows of the private fleet alone; a big ship is water to it. Where it asks for a cell that
was shot at, it is answered from memory: a miss for a miss and for a cell of a big ship that was
found; a hit for a cell of a small ship, and that ship's sink with the last of its cells that the
hunt asks for, in whatever order they were shot at. A small ship that is not explained yet was hit
by this hunt's own shots since the hunt last went on without a doubt, in the same order, so what was
announced on the board is right for it.

A **rewind** takes the hunt back to just before its first shot at a cell that it was told to be a
hit and that a big ship turned out to lie on. The cells it asked for from there on are not asked
for any more, but stay in memory.
"""

from typing import NamedTuple

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Int, Int8, Int16, Int32

from bsjax.game.game import Game
from bsjax.game.observation import CLOSED, MISS, NOT_FIRED, UNFIRED, WATER, Observation
from bsjax.policies.by_trees import answer_of
from bsjax.policies.trees import ANSWERS, Trees, cell, step
from bsjax.runtime.unequal import until

UNKNOWN = -1
"""What memory holds for a cell not shot at."""


class Private(NamedTuple):
    """A private game. Cells are those of the board."""

    node: Int32[Array, ""]
    """Where the hunt is."""
    steps: Int16[Array, ""]
    """Cells it was answered so far."""
    nodes: Int32[Array, " C"]
    """Where it was before each of them."""
    asked: Int16[Array, " C"]
    """For each cell `ANSWERS` times its place in the private game plus the answer; −1 if the hunt
    has not asked for it."""

    @property
    def place(self) -> Int16[Array, " C"]:
        """Place of each cell in the private game, from 0; below 0 if it was not asked for."""
        return self.asked // ANSWERS

    @property
    def answer(self) -> Int16[Array, " C"]:
        """What the hunt was told there, as trees have it."""
        return self.asked % ANSWERS


class Memory(NamedTuple):
    """What the hunt is told about each cell."""

    told: Int8[Array, " C"]
    """Answer as trees have it, or `UNKNOWN`."""
    small: Int8[Array, " C"]
    """Small ship that is known to lie there, −1 elsewhere; it decides what is told."""


class Walked(NamedTuple):
    """What a private game comes to from memory."""

    private: Private
    cell: Int32[Array, ""]
    """The cell that the hunt asks for and that is not in memory; −1 if there is none."""
    recalled: Int16[Array, ""]
    """Choices that were answered from memory."""


class _Walk(NamedTuple):
    """A walk; the last three fields stay as they are."""

    private: Private
    cell: Int32[Array, ""]
    recalled: Int16[Array, ""]
    going: Bool[Array, ""]
    counts: Int32[Array, " K"]
    """Cells of each small ship that the hunt asked for."""
    memory: Memory
    latest: Int32[Array, ""]
    image: Int[Array, " C"]


def begin(game: Game, root: Int32[Array, ""]) -> Private:
    """Before the first shot."""
    nodes, asked = jnp.zeros(game.cells, jnp.int32), jnp.full(game.cells, -1, jnp.int16)
    return Private(root, jnp.int16(0), nodes, asked)


def remembered(
    game: Game,
    private: Game,
    observation: Observation,
    owner: Int8[Array, " C"],
    big: Bool[Array, " C"],
    free: Bool[Array, " C"],
) -> Memory:
    """Memory after the latest shot.

    Args:
        game: the rules.
        private: the private game.
        observation: what was told on the board.
        owner: ship that explains each hit (`bsjax.policies.explained`).
        big: hits that a big ship explains.
        free: cells not shot at that are told to be misses all the same.
    """
    # A sink of a big ship is never passed on: the hunt waits until it is rewound.
    code = np.array([0, 1, *np.ones(game.ships)], np.int8)
    names = answer_of(private)[2:]
    for ship, length in enumerate(game.fleet):
        if length in private.fleet:
            code[2 + ship] = names[private.fleet.index(length)]
    answer = jnp.clip(observation.answer.astype(jnp.int32) + 1, 0, game.ships + 1)
    shot = jnp.where(big, jnp.int8(0), jnp.asarray(code)[answer])
    unfired = observation.mark == UNFIRED
    told = jnp.where(unfired, jnp.where(free, jnp.int8(0), jnp.int8(UNKNOWN)), shot)
    return Memory(told, jnp.where(big, jnp.int8(-1), owner))


def walk(
    trees: Trees,
    fleet: tuple[int, ...],
    image: Int[Array, " C"],
    private: Private,
    memory: Memory,
    latest: Int32[Array, ""],
    going: Bool[Array, ""],
) -> Walked:
    """Let the hunt play on for as long as memory answers it.

    Args:
        trees: the hunts.
        fleet: ship lengths of the board's game.
        image: cell of the board for each cell of the hunt.
        private: where the hunt is.
        memory: what it is told.
        latest: cell of its own shot that it has not been answered yet, −1 if there is none: that
            answer is no recollection.
        going: whether it plays at all.

    Cost: a few dozen operations an answer, and a copy of the private game.
    """
    lengths = np.array([trees.game.lengths.index(n) if n in trees.game.fleet else 0 for n in fleet])
    length, sink = jnp.asarray(np.array(fleet, np.int32)), jnp.asarray(lengths.astype(np.int32) + 2)
    ship = jnp.arange(len(fleet), dtype=jnp.int8)
    of_ship = (private.asked >= 0)[None] & (memory.small[None] == ship[:, None])
    counts = of_ship.sum(1, dtype=jnp.int32)

    def turn(trees: Trees, state: _Walk) -> _Walk:
        private, memory, counts = state.private, state.memory, state.counts
        image = state.image
        at = cell(trees, private.node, image, private.asked >= 0)
        own = jnp.maximum(at, 0)
        small, told = memory.small[own], memory.told[own].astype(jnp.int32)
        found = ship == small
        last = (found & (counts + 1 == length)).any()
        sunk = jnp.where(found, sink, 0).sum(dtype=jnp.int32)
        answer = jnp.where(small >= 0, jnp.where(last, sunk, 1), told)
        known = (at >= 0) & (answer != UNKNOWN)
        # Cells past the end are dropped: nothing is written when the walk stops.
        at_cell = jnp.where(known, own, len(memory.told))
        at_step = jnp.where(known, private.steps.astype(jnp.int32), len(memory.told))
        mark = (private.steps * jnp.int16(ANSWERS)) + answer.astype(jnp.int16)
        after = Private(
            jnp.where(known, step(trees, private.node, jnp.maximum(answer, 0)), private.node),
            private.steps + known.astype(jnp.int16),
            private.nodes.at[at_step].set(private.node, mode="drop"),
            private.asked.at[at_cell].set(mark, mode="drop"),
        )
        recalled = state.recalled + (known & (at != state.latest)).astype(jnp.int16)
        counts = counts + (found & known).astype(jnp.int32)
        asked = jnp.where(known, -1, at)
        return state._replace(
            private=after, cell=asked, recalled=recalled, counts=counts, going=known
        )

    one, none = jnp.int32(-1), jnp.int16(0)
    begun = _Walk(private, one, none, going, counts, memory, latest, image)
    ended = until(lambda state: ~state.going, turn, stride=2)(trees, begun)
    return Walked(ended.private, ended.cell, ended.recalled)


def rewound(private: Private, wrong: Bool[Array, " C"]) -> Private:
    """Before the first shot at any of the cells that it was told wrongly; as it is if none."""
    asked = private.asked >= 0
    none = jnp.int16(len(private.nodes))
    back = jnp.where(wrong & asked, private.place, none).min()
    node = private.nodes[jnp.minimum(back, none - 1).astype(jnp.int32)]
    return private._replace(
        node=jnp.where(back < none, node, private.node),
        steps=jnp.minimum(private.steps, back),
        asked=jnp.where(private.place >= back, jnp.int16(-1), private.asked),
    )


def seen_inside(
    game: Game,
    private: Game,
    observation: Observation,
    owner: Int8[Array, " C"],
    big: Bool[Array, " C"],
) -> Observation:
    """The whole game as one of the small ships alone, in which big ships are water.

    Args:
        game: the rules.
        private: the private game.
        observation: what was told on the board.
        owner: ship that explains each hit.
        big: hits that a big ship explains.
    """
    of = {n: [k for k, length in enumerate(game.fleet) if length == n] for n in private.lengths}
    # Of equal ships the first is told first, here and there.
    ship = np.array([of[length].pop(0) for length in private.fleet])
    code = np.zeros(3 + game.ships, np.int8)
    code[:3] = np.arange(NOT_FIRED, 1)
    code[3 + ship] = 1 + np.arange(private.ships)
    told = observation.answer.astype(jnp.int32) - NOT_FIRED
    mark = jnp.where(owner >= 0, jnp.int8(CLOSED), observation.mark)
    return Observation(
        mark=jnp.where(big, jnp.int8(WATER), mark),
        answer=jnp.where(big, jnp.int8(MISS), jnp.asarray(code)[told]),
        shot_at=observation.shot_at,
        ship_at=jnp.full_like(observation.ship_at, -1),
        sunk_at=observation.sunk_at[ship],
        sunk_cell=observation.sunk_cell[ship],
        shots=observation.shots,
    )
