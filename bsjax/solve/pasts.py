"""The pasts of a state of knowledge: whether anything is lost by forgetting the order of shots.

`unfolded` tells all pasts apart: a tree in which the hunter remembers every shot. `Averages` adds
up the strategies of a learner (`bsjax.solve.regret`) in four ways, of which two are the same:

* **lottery**: one of the strategies is drawn before the game.
* **all pasts**: dice by the mean visits of the moves of each state. They finish as the lottery.
* **one past**: the same, but visits are followed along one past of each state alone, the first in
  the order of the edges, as if it had no other.
* **mean dice**: the mean of the dice, however seldom their state was visited.
"""

from typing import NamedTuple

import numpy as np
from jaxtyping import Float64, Int64

from bsjax.solve.children import Ends
from bsjax.solve.dice import Weights, places, visits
from bsjax.solve.knowledge import Graph
from bsjax.solve.layers import Counts, Layer
from bsjax.solve.pages import pages
from bsjax.solve.tables import classes

KINDS = ("lottery", "all pasts", "one past", "mean dice")


class Tree(NamedTuple):
    """A game whose nodes know their past."""

    graph: Graph
    """Nodes in place of states."""
    state: list[Int64[np.ndarray, " _"]]
    """State of each node, layer by layer."""


def unfolded(graph: Graph) -> Tree:
    """The same game as a tree: one node for every past of every state, with the same moves.

    Cost: a node for every past of a state, which are many: 3×3 {2, 2} has 642 states and 1,520,807
    nodes.
    """
    layers, states, at = [], [], np.zeros(1, np.int64)
    for layer in graph.layers:
        moves = layer.pages.moves(at).astype(np.uint8)
        owner = np.repeat(np.arange(len(at)), moves)
        number = np.arange(len(owner)) - np.repeat(np.cumsum(moves, dtype=np.int64) - moves, moves)
        leads = layer.pages.children(at[owner], number)
        there = leads >= 0
        node = np.arange(there.sum(), dtype=np.uint32)
        laid = pages(
            moves,
            there.sum(1).astype(np.uint8),
            node,
            answers=layer.pages.answers,
            none=len(node),
        )
        ends = _ends(layer, at)
        layers.append(Layer(Counts(len(at), len(owner), len(node)), laid, ends))
        states.append(at)
        at = leads[there]
    return Tree(Graph(graph.game, graph.rule, layers), states)


def dependence(graph: Graph, tree: Tree, often: Weights) -> float:
    """How far the next shot of a strategy depends on the past beyond the state.

    Args:
        graph: states of knowledge.
        tree: the same, unfolded.
        often: how often each move of the tree is made.

    Returns:
        Total variation between the next shot given the past and given the state alone, over all
        visits: 0 if the past tells nothing, near 1 if it tells all.
    """
    away = total = 0.0
    parts = zip(graph.layers, tree.graph.layers, tree.state, often, strict=True)
    for layer, nodes, state, made in parts:
        owner, place = places(nodes)
        first = np.searchsorted(owner, owner)
        here = made[place].astype(np.float64)
        base = np.append(0, np.cumsum(layer.pages.moves(np.arange(layer.counts.states))))
        move = base[state[owner]] + np.arange(len(owner)) - first
        of_state = np.bincount(state[owner], here, layer.counts.states)[state[owner]]
        of_node = np.bincount(owner, here, len(state))[owner]
        of_move = np.bincount(move, here, base[-1])[move]
        expected = np.divide(
            of_node * of_move, of_state, out=np.zeros(len(here)), where=of_state > 0
        )
        away += np.abs(here - expected).sum() / 2
        total += here.sum()
    return float(away / total)


class Averages:
    """Averages of strategies, each with a weight.

    Attributes:
        graph: states of knowledge.
        often: how often each move was made, up to a factor, in the order of the pages.
    """

    def __init__(self, graph: Graph):
        self.graph = graph
        self._steps = [_first_edges(layer) for layer in graph.layers]
        self._finished: np.ndarray | float = 0.0
        self.often, self._one, self._dice = (
            [np.zeros(layer.counts.moves) for layer in graph.layers] for _ in range(3)
        )

    def add(self, weights: Weights, share: float = 1.0) -> None:
        """Add a strategy that counts so much."""
        played = visits(self.graph, weights, keep=True)
        assert played.often is not None
        self._finished = self._finished + share * played.finishing
        here = np.ones(1)
        for shots, (owner, place, move, child) in enumerate(self._steps):
            weight = weights[shots][place].astype(np.float64)
            total = np.bincount(owner, weight, len(here)).astype(np.float64)[owner]
            number = np.bincount(owner, minlength=len(here))[owner]
            dice = np.where(total > 0, weight / np.where(total > 0, total, 1), 1 / number)
            self._dice[shots][place] += share * dice
            self._one[shots][place] += share * dice * here[owner]
            self.often[shots] += share * played.often[shots]
            # The first edge into each state of the next layer, and no other.
            following = np.zeros(self.graph.layers[shots].pages.none)
            following[child] = (dice * here[owner])[move]
            here = following

    def finishing(self, kind: str) -> Float64[np.ndarray, "M T"]:
        """Share of games over at shot 0, 1, … C on each layout, by one of `KINDS`."""
        of = classes(self.graph.game).of
        if kind == "lottery":
            found = np.asarray(self._finished)
            return (found / found.sum(1, keepdims=True))[of]
        weights = {"all pasts": self.often, "one past": self._one, "mean dice": self._dice}[kind]
        return visits(self.graph, weights).finishing[of]


def _first_edges(layer: Layer) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Owner and place of each move, then the move of the first edge into each state it leads to."""
    owner, place = places(layer)
    first = np.searchsorted(owner, owner)
    leads = layer.pages.children(owner, np.arange(len(owner)) - first)
    move, answer = np.nonzero(leads >= 0)
    child, edge = np.unique(leads[move, answer], return_index=True)
    return owner, place, move[edge], child


def _ends(layer: Layer, at: np.ndarray) -> Ends:
    """The ends among nodes that stand for these states."""
    order = np.argsort(layer.ends.state, kind="stable")
    ends = layer.ends.state[order]
    start, stop = (np.searchsorted(ends, at, side) for side in ("left", "right"))
    number = stop - start
    node = np.repeat(np.arange(len(at)), number)
    place = np.arange(len(node)) - np.repeat(np.cumsum(number) - number, number)
    return Ends(node.astype(np.uint32), layer.ends.layout[order[start[node] + place]])
