"""Hunts of the loop written down as cells, so that they can be replayed.

The loop keeps when a hunt finishes, not where it fires. It also keeps what finishing was worth in
each round: one backward pass gives the values of that round again, and with them its variants.
"""

from collections.abc import Callable

import numpy as np
from jaxtyping import Bool, Float64, Int16, Int64, UInt8

from bsjax.evaluate.front import Children
from bsjax.evaluate.tree import evaluate
from bsjax.solve.best_reply import Reply, finishing
from bsjax.solve.found import Options
from bsjax.solve.hunts import ByChoice, Writing
from bsjax.solve.knowledge import Graph
from bsjax.solve.loop import variants
from bsjax.solve.player import Player
from bsjax.solve.tables import classes
from bsjax.solve.walk import Hunts, Valued, chosen, valued


class ByValues(ByChoice):
    """A hunt of `bsjax.solve.walk`: the best reply or a variant of it, by the values of states."""

    def __init__(self, reply: Valued, hunt: Hunts):
        """Play this hunt.

        Args:
            reply: values of the states.
            hunt: one hunt.
        """
        super().__init__(reply.graph, [])
        self.values, self.hunt = reply.values, hunt
        self._made: np.ndarray | None = None

    def follow(
        self, cell: Int16[np.ndarray, " B"], children: Children, kept: Bool[np.ndarray, " N"]
    ) -> None:
        """See `ByChoice`."""
        super().follow(cell, children, kept)
        self._made = None

    def _chosen(self) -> np.ndarray:
        if self._made is None:
            layer, following = self.graph.layers[self.shots], self.values[self.shots + 1]
            moves = layer.pages.moves(self.state)
            one = np.zeros(len(self.state), np.int64)
            made = chosen(layer, following, self.hunt, one, self.state, moves, self.shots)
            self._made = made[2]
        return self._made


def written(
    graph: Graph,
    options: Options,
    worth: Callable[[int], Float64[np.ndarray, "O T"]],
    numbers: Int64[np.ndarray, " N"],
) -> list[UInt8[np.ndarray, " _"]]:
    """Hunts of a loop as cells, for `bsjax.solve.hunts.ByCells`.

    Args:
        graph: states of knowledge.
        options: those of the loop.
        worth: what finishing was worth in a round, for every class of layouts
            (`bsjax.solve.found.worth_in`).
        numbers: hunts by their number in the pool.

    Cost: a backward pass for each round that one of them comes from, and a tree pass for each.
    """
    of, size, _ = classes(graph.game)
    listing = graph.tables.listing
    cells: dict[int, np.ndarray] = {}
    rounds, place = np.divmod(numbers, options.variants)
    for round_ in np.unique(rounds).tolist():
        reply = valued(graph, (worth(round_) / size[:, None])[of])
        made = variants(reply, options, round_)
        for at in np.flatnonzero(rounds == round_):
            hunt = Hunts(*(field[place[at] : place[at] + 1] for field in made))
            writing = Writing(ByValues(reply, hunt))
            evaluate(listing, writing)
            cells[int(numbers[at])] = writing.written()
    return [cells[number] for number in numbers.tolist()]


def alone(reply: Reply) -> Player:
    """A best reply as a player who hides at random.

    Raises:
        ValueError: the reply kept no choices.
    """
    graph, listing = reply.graph, reply.graph.tables.listing
    if reply.choice is None:
        raise ValueError("this reply kept no choices; ask for it with choices=True")
    writing = Writing(ByChoice(graph, reply.choice))
    shots = evaluate(listing, writing).shots
    hider = np.full(len(listing), 1 / len(listing))
    times = finishing(listing, shots)
    return Player(graph.game, graph.rule, hider, times, np.ones(1), [writing.written()])
