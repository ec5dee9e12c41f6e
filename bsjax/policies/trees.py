"""Written hunts as compact trees, and one step down them.

A written hunt is a tree of **nodes**: at each it fires one cell, and its layouts part by the
answer. Where one layout is left nothing is decided any more, and what is left of its ships is
fired at from the lowest cell on. Answers are told apart as `size` tells them: 0 a miss, 1 a hit,
2 + l a sink of the l-th length of `game.lengths`.

**Five bytes a node, four a layout.** The nodes are numbered generation by generation, the children
of a node by answer, so that no child needs to be written down: for every node and answer one bit
says whether a node follows and one whether a single layout does, and how many bits are set before
it is the number of the child. Counts are kept for every word of 32 bits, four nodes.

    node ← 0 … N − 1 in a `Trees`      −1 − m: layout m alone is left      LOST: none is
"""

from collections.abc import Sequence
from typing import NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Int, Int32, UInt8, UInt32

from bsjax.game.game import Game

LOST = -(2**31)
"""Node of a hunt that has no layout left for the answers it was given."""
ANSWERS = 8
"""Answers of a node at most: bits of a byte."""
_NODES = 4
"""Nodes whose bits make a word."""
MOST = 1 << 31
"""Nodes, and single layouts, of all hunts together must stay below this: they are numbered in
int32."""


class HuntTree(NamedTuple):
    """One written hunt; N nodes, S of the answers leave one layout. The arrays can be files."""

    game: Game
    listing: str
    """Digest of the layouts in their order (`bsjax.evaluate.hunt_trees.order_of`)."""
    cell: UInt8[np.ndarray, " N"]
    """Cell that each node fires at."""
    inner: UInt8[np.ndarray, " N"]
    """Bit a: answer a leads to a node."""
    single: UInt8[np.ndarray, " N"]
    """Bit a: answer a leaves one layout."""
    layout: Int32[np.ndarray, " S"]
    """These layouts, by node and answer. A hunt without a node has the only layout of its game."""

    @property
    def bytes(self) -> int:
        """Of the arrays, as they are written down."""
        return sum(array.nbytes for array in self[2:])


class Trees(eqx.Module):
    """H written hunts of a game in one piece; N nodes and S single layouts of all hunts together,
    Q words, M layouts of n ship cells.

    Every hunt begins at a multiple of four nodes, so up to three nodes between two are empty.
    """

    game: Game = eqx.field(static=True)
    root: Int32[Array, " H"]
    """First node of each hunt."""
    cells: UInt8[Array, " N"]
    inner: UInt32[Array, " Q"]
    single: UInt32[Array, " Q"]
    nodes: Int32[Array, " Q"]
    """Number of the first node that a word of `inner` leads to."""
    singles: Int32[Array, " Q"]
    """Place in `layout` of the first one that a word of `single` leads to."""
    layout: Int32[Array, " S"]
    ships: UInt8[Array, "M n"]
    """Ship cells of every layout, ascending."""

    @property
    def bytes(self) -> int:
        """Of all arrays."""
        return sum(leaf.nbytes for leaf in jax.tree.leaves(self))


def step(trees: Trees, node: Int32[Array, ""], answer: Int32[Array, ""]) -> Int32[Array, ""]:
    """The node that an answer to the node's shot leads to.

    A layout that is alone stays so, but for a miss: a cell of it was fired at.

    Returns:
        The node, or `LOST` where no layout of the hunt answers so.
    """
    at = jnp.maximum(node, 0)
    word, place = at // _NODES, (at % _NODES * ANSWERS + answer).astype(jnp.uint32)
    before = (jnp.uint32(1) << place) - jnp.uint32(1)

    def child(bits: UInt32[Array, ""], first: Int32[Array, ""]):
        number = first + jax.lax.population_count(bits & before).astype(jnp.int32)
        return (bits >> place & jnp.uint32(1)) > 0, number

    goes_on, inner = child(trees.inner[word], trees.nodes[word])
    ends, alone = child(trees.single[word], trees.singles[word])
    layout = trees.layout[jnp.clip(alone, 0, len(trees.layout) - 1)]
    after = jnp.where(goes_on, inner, jnp.where(ends, -1 - layout, LOST))
    return jnp.where(node >= 0, after, jnp.where(answer == 0, LOST, node))


def cell(
    trees: Trees,
    node: Int32[Array, ""],
    image: Int[Array, " C"],
    fired: Bool[Array, " C"],
) -> Int32[Array, ""]:
    """The cell that the hunt fires at next.

    Args:
        trees: the hunts.
        node: a node, or a layout that is alone.
        image: cell of the board for each cell of the hunt: the hunt may be turned.
        fired: cells of the board that the hunt fired at.

    Returns:
        A cell of the board; −1 if the hunt is lost, or has fired at all cells of its last layout.
    """
    ships = trees.ships[jnp.where(node == LOST, 0, jnp.maximum(-1 - node, 0))]
    inner = trees.cells[jnp.maximum(node, 0)]
    ahead = image[jnp.where(node >= 0, inner, ships).astype(jnp.int32)].astype(jnp.int32)
    left = ~fired[ahead]
    there = left.any() & (node != LOST)
    return jnp.where(there, ahead[left.argmax()], -1)


def stacked(trees: Sequence[HuntTree], ships: UInt8[np.ndarray, "M n"]) -> Trees:
    """Hunts in one piece, on the default device.

    Args:
        trees: hunts of one game over the same layouts.
        ships: ship cells of every layout.

    Raises:
        ValueError: no hunt, hunts of several games, or more nodes than int32 can number.

    Cost: one copy of the files; 5 bytes a node, 4 a single layout, and n a layout of the game.
    """
    if not trees or len({(tree.game, tree.listing) for tree in trees}) != 1:
        raise ValueError(f"{len(trees)} hunts: stack one or more, all of the same game and layouts")
    room = [-(-len(tree.cell) // _NODES) * _NODES for tree in trees]
    sizes = [len(tree.layout) for tree in trees]
    if max(sum(room), sum(sizes)) >= MOST:
        raise ValueError(
            f"{sum(room):,} nodes and {sum(sizes):,} single layouts: int32 numbers fewer than "
            f"{MOST:,} of each; load fewer hunts"
        )
    starts, firsts = np.cumsum([0, *room]), np.cumsum([0, *sizes])
    cells, bits = np.zeros(starts[-1], np.uint8), np.zeros((2, starts[-1]), np.uint8)
    counts = np.zeros((2, starts[-1] // _NODES), np.int32)
    layout = np.zeros(firsts[-1], np.int32)
    roots = []
    for tree, start, end, first in zip(trees, starts, starts[1:], firsts, strict=False):
        own, words = slice(start, start + len(tree.cell)), slice(start // _NODES, end // _NODES)
        cells[own], bits[0, own], bits[1, own] = tree.cell, tree.inner, tree.single
        layout[first : first + len(tree.layout)] = tree.layout
        # The root is no child, so children are numbered from 1.
        for kind, offset in ((0, start + 1), (1, first)):
            number = np.bitwise_count(_words(bits[kind, start:end]))
            counts[kind, words] = np.cumsum(number, dtype=np.int64) - number + offset
        roots.append(start if len(tree.cell) else -1 - int(tree.layout[0]))
    return Trees(
        trees[0].game,
        root=jnp.asarray(np.array(roots, np.int32)),
        # A tree without a node has nothing to gather from.
        cells=jnp.asarray(cells if len(cells) else np.zeros(1, np.uint8)),
        inner=jnp.asarray(_filled(_words(bits[0]))),
        single=jnp.asarray(_filled(_words(bits[1]))),
        nodes=jnp.asarray(_filled(counts[0])),
        singles=jnp.asarray(_filled(counts[1])),
        layout=jnp.asarray(layout),
        ships=jnp.asarray(np.sort(ships, axis=1)),
    )


def _words(bits: UInt8[np.ndarray, " N"]) -> UInt32[np.ndarray, " Q"]:
    """Bytes as words, the first one lowest."""
    return bits.view("<u4").astype(np.uint32)


def _filled(array: np.ndarray) -> np.ndarray:
    """At least one entry."""
    return array if len(array) else np.zeros(1, array.dtype)
