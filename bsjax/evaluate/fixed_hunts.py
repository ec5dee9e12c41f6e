"""Hunts without dice, as the tree pass runs them: one cell for every node of a generation.

`ByScore` counts the layouts of each node and takes the best cell. `ByPolicy` runs a registered
hunter on the observation of each node, which it carries along; it never sees the layouts.
"""

from abc import ABC, abstractmethod
from functools import partial
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Int8, Int16, Int32, Key, PyTree

from bsjax.evaluate.front import Children, Front
from bsjax.game.observation import MISS, Observation, blank, observe
from bsjax.policies import Policy
from bsjax.policies.scores import Score, best_cells
from bsjax.posterior.listed import Listing

NODES = (128, 4096)
"""Nodes that a policy decides at once, few or many: one compiled program for each."""


class FixedHunt(ABC):
    """What the tree pass asks of a hunt."""

    counts: bool
    """Whether it knows the layouts: it then fires straight at the last layout left."""

    @abstractmethod
    def cells(self, front: Front) -> Int16[np.ndarray, " B"]:
        """The next cell of each node."""

    def follow(
        self, cell: Int16[np.ndarray, " B"], children: Children, kept: Bool[np.ndarray, " N"]
    ) -> None:
        """The nodes fired, and some of their children go on; nothing to remember by default."""
        del cell, children, kept


class ByScore(FixedHunt):
    """The cell that scores best on the masses of the node (`bsjax.policies.scores`)."""

    counts = True

    def __init__(self, listing: Listing, score: Score):
        self.listing, self.score = listing, score

    def cells(self, front: Front) -> Int16[np.ndarray, " B"]:
        """See `FixedHunt`."""
        chosen = np.zeros(len(front.open), np.int16)
        for nodes, block in front.blocks(self.listing):
            chosen[nodes] = best_cells(self.score(block), block.open)
        return chosen


class ByPolicy(FixedHunt):
    """A registered hunter, on one observation per node.

    Its key is the same at every node. A hunter that rolls dice is found out by a second key at
    the first nodes of each generation.
    """

    counts = False

    def __init__(self, listing: Listing, policy: Policy):
        self.listing, self.policy = listing, policy
        self.keys = jax.random.split(jax.random.key(0))
        one = blank(policy.game), policy.init(self.keys[0])
        self.state: PyTree = jax.tree.map(lambda leaf: np.asarray(leaf)[None], one)

    def cells(self, front: Front) -> Int16[np.ndarray, " B"]:
        """See `FixedHunt`.

        Raises:
            ValueError: the hunter rolls dice, or fired at a cell fired at before.
        """
        nodes = len(front.open)
        cell, carry = _in_buckets(partial(_act, self.policy, self.keys[0]), self.state)
        few = jax.tree.map(lambda leaf: leaf[: NODES[0]], self.state)
        other, _ = _in_buckets(partial(_act, self.policy, self.keys[1]), few)
        if (other != cell[: NODES[0]]).any():
            raise ValueError("this policy rolls dice; a tree needs one that does not")
        inside = (cell >= 0) & (cell < front.open.shape[1])
        if not inside.all() or not front.open[np.arange(nodes), cell].all():
            raise ValueError("this policy fired at a cell fired at before")
        self.state = self.state[0], carry
        return cell.astype(np.int16)

    def follow(
        self, cell: Int16[np.ndarray, " B"], children: Children, kept: Bool[np.ndarray, " N"]
    ) -> None:
        """Each child that goes on sees the answer to its parent's shot."""
        if not kept.any():
            return
        game = self.policy.game
        parent, answer = children.parent[kept], children.answer[kept]
        observation, carry = jax.tree.map(lambda leaf: leaf[parent], self.state)
        fired = cell[parent].astype(np.int32)
        shown = np.zeros((len(parent), 0), bool)
        if game.feedback == "cells":
            boards = self.listing.boards(children.row[kept])
            at = boards[np.arange(len(parent)), fired]
            shown = (boards == at[:, None]) & (answer != MISS)[:, None]
        told = observation, fired, answer, shown
        self.state = _in_buckets(partial(_observe, self.policy), told), carry


@eqx.filter_jit
def _act(policy: Policy, key: Key[Array, ""], state: PyTree) -> tuple[Int32[Array, " N"], PyTree]:
    """The next cell of each node."""

    return jax.vmap(partial(policy.act, key))(*state)


@eqx.filter_jit
def _observe(
    policy: Policy,
    told: tuple[Observation, Int32[Array, " N"], Int8[Array, " N"], Bool[Array, "N S"]],
) -> Observation:
    """What each node knows after its shot."""
    game = policy.game

    def see(
        observation: Observation,
        cell: Int32[Array, ""],
        answer: Int8[Array, ""],
        shown: Bool[Array, " S"],
    ) -> Observation:
        return observe(game, observation, cell, answer, shown if shown.size else None)

    return jax.vmap(see)(*told)


def _in_buckets(program: Any, rows: PyTree) -> Any:
    """A batched program on rows in batches of fixed sizes, the last one padded by its first row."""
    count = len(jax.tree.leaves(rows)[0])
    size = NODES[0] if count <= NODES[0] else NODES[1]
    done = []
    for first in range(0, count, size):
        index = np.arange(first, first + size)
        index[index >= count] = first
        result = program(jax.tree.map(lambda leaf, at=index: jnp.asarray(leaf[at]), rows))
        used = min(size, count - first)
        done.append(jax.tree.map(lambda leaf, n=used: np.asarray(leaf)[:n], result))
    return jax.tree.map(lambda *leaves: np.concatenate(leaves), *done)
