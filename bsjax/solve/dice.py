"""Strategies that roll dice at every state of knowledge: played forward, and taught backward.

**Visits.** A strategy visits a folded state x(state) times, x(root) = 1 and

    x(child) = Σ x(state) · dice(move) over all moves and answers that lead to it,

where a move counts for each of its answers: the layout decides between them, not the hunter. Of a
class o of turned layouts, Σ x(end) · (layouts of o in it) / |o| over the ends after t shots is the
share of games over at shot t. Finishing times are linear in the visits of moves, and so is
everything that is won.
"""

from typing import NamedTuple

import numpy as np
from jaxtyping import Float32, Float64, Int64, UInt8

from bsjax.solve.knowledge import Graph, threads
from bsjax.solve.layers import Layer
from bsjax.solve.pages import Page, Pages
from bsjax.solve.tables import classes

Weights = list[Float32[np.ndarray, " _"]] | list[Float64[np.ndarray, " _"]]
"""A strategy: for every layer the weight of each move in the order of its pages. The chance of a
move is its share of the weights of its state; all moves alike where all weigh 0."""


class Visits(NamedTuple):
    """What a strategy does; O classes of layouts, T = cells + 1."""

    finishing: Float64[np.ndarray, "O T"]
    """Share of games over at shot 0, 1, … C on each class."""
    often: list[Float64[np.ndarray, " _"]] | None
    """How often each move is made, layer by layer, in the order of its pages."""


def visits(graph: Graph, weights: Weights, *, keep: bool = False) -> Visits:
    """Play a strategy forward.

    Args:
        graph: states of knowledge.
        weights: the strategy.
        keep: also return how often each move is made.

    Cost: a scattered addition for each edge that is made; pages that are not visited cost nothing.
    """
    of, size, _ = classes(graph.game)
    found = np.zeros((len(size), graph.game.cells + 1))
    often, here = [], np.ones(2)
    for shots, (layer, weight) in enumerate(zip(graph.layers, weights, strict=True)):
        orbit, ends = of[layer.ends.layout], here[layer.ends.state]
        found[:, shots] = np.bincount(orbit, ends, len(size)) / size
        made = np.zeros(layer.counts.moves) if keep else None
        here = _forward(layer.pages, weight, here, made)
        if made is not None:
            often.append(made)
    return Visits(found, often if keep else None)


def places(layer: Layer) -> tuple[Int64[np.ndarray, " N"], Int64[np.ndarray, " N"]]:
    """The moves of a layer state by state: the state of each, and its place in the pages."""
    pages = layer.pages
    moves = pages.moves(np.arange(layer.counts.states))
    owner = np.repeat(np.arange(layer.counts.states), moves)
    number = np.arange(len(owner)) - np.repeat(np.cumsum(moves) - moves, moves)
    counted = pages._replace(first=np.arange(layer.counts.moves, dtype=np.uint32))
    return owner, counted.children(owner, number)[:, 0]


def drawn(graph: Graph, weights: Weights, rng: np.random.Generator) -> list[UInt8[np.ndarray, "_"]]:
    """A hunt without dice, for `bsjax.solve.hunts.ByChoice`: one throw at every state."""
    choice = []
    for layer, weight in zip(graph.layers, weights, strict=True):
        owner, place = places(layer)
        moves = np.bincount(owner, minlength=layer.counts.states)
        here = weight[place].astype(np.float64)
        total = np.bincount(owner, here, layer.counts.states).astype(np.float64)
        here = np.where(total[owner] > 0, here, 1)
        # The sum of all weights up to each move, against a throw within those of its state.
        reach = np.cumsum(here)
        first = np.cumsum(moves) - moves
        open_ = np.flatnonzero(moves)
        low = reach[first[open_]] - here[first[open_]]
        high = reach[first[open_] + moves[open_] - 1]
        throw = low + rng.random(len(open_)) * (high - low)
        found = np.searchsorted(reach, throw, side="right") - first[open_]
        chosen = np.zeros(layer.counts.states, np.uint8)
        chosen[open_] = np.clip(found, 0, moves[open_] - 1)
        choice.append(chosen)
    return choice


def learn(
    graph: Graph,
    regret: Weights,
    weight: Float64[np.ndarray, " M"],
    credit: Float64[np.ndarray, " T"],
    workers: int | None,
) -> float:
    """Add to the regrets of a strategy; they are its weights, kept at 0 or more.

    Args:
        graph: states of knowledge.
        regret: of every move; written to.
        weight: weight of each layout, the same for turned layouts.
        credit: what finishing at each shot is worth.
        workers: threads; all cores by default. They change no result.

    Returns:
        What the strategy got before: expected credit of a game.

    Cost: one random read of 8 bytes for each edge, and about ten passes over the moves.
    """
    following = np.zeros(1)
    with threads(workers) as spread:
        for shots in reversed(range(len(graph.layers))):
            layer, here = graph.layers[shots], regret[shots]
            values = np.zeros(layer.counts.states + 1)

            def one(number: int, layer=layer, here=here, values=values, after=following) -> None:
                _learn_page(layer.pages, number, after, values, here)

            for _ in spread(one, range(layer.pages.total)):
                pass
            np.add.at(values, layer.ends.state, weight[layer.ends.layout] * credit[shots])
            following = values
    return float(following[0] / weight.sum())


def _learn_page(
    pages: Pages,
    number: int,
    following: Float64[np.ndarray, " m1"],
    values: Float64[np.ndarray, " n1"],
    regret: np.ndarray,
) -> None:
    """The states of one page: their values, and the regrets of their moves."""
    page = pages.page(number)
    value = following.take(pages.first[page.moves], mode="clip")
    value += following.take(pages.second[page.moves], mode="clip")
    for part in page.further:
        value[pages.more_at[part]] += following.take(pages.more[part], mode="clip")
    here = regret[page.moves]
    got = np.zeros(page.states.stop - page.states.start)
    for k, states, moves in page.tables():
        table, old = value[moves].reshape(k, -1), here[moves].reshape(k, -1)
        got[states] = (table * _dice(old)).sum(0)
        old += table - got[states]
        np.maximum(old, 0, out=old)
    values[page.states] = got.take(pages.place[page.states], mode="clip")


def _forward(
    pages: Pages,
    weight: np.ndarray,
    here: Float64[np.ndarray, " n1"],
    made: Float64[np.ndarray, " N"] | None,
) -> Float64[np.ndarray, " m1"]:
    """Visits of the next layer from those of this one; the last entry is no state."""
    following = np.zeros(pages.none + 1)
    for number in range(pages.total):
        page = pages.page(number)
        often = _made(pages, page, weight[page.moves], here[page.states])
        if often is None:
            continue
        if made is not None:
            made[page.moves] = often
        used = np.flatnonzero(often)
        np.add.at(following, pages.first[page.moves][used], often[used])
        np.add.at(following, pages.second[page.moves][used], often[used])
        for part in page.further:
            np.add.at(following, pages.more[part], often[pages.more_at[part]])
    return following


def _made(
    pages: Pages, page: Page, weight: np.ndarray, here: Float64[np.ndarray, " n"]
) -> Float64[np.ndarray, " N"] | None:
    """How often each move of a page is made; None if none is."""
    if not here.any():
        return None
    standing = np.zeros(len(here))
    standing[pages.place[page.states]] = here
    often = np.zeros(len(weight))
    for k, states, moves in page.tables():
        table = _dice(weight[moves].reshape(k, -1)) * standing[states]
        often[moves] = table.ravel()
    return often


def _dice(weight: np.ndarray) -> Float64[np.ndarray, "k n"]:
    """Chances of the k moves of n states."""
    total = weight.sum(0, dtype=np.float64)
    return np.where(total > 0, weight / np.where(total > 0, total, 1), 1 / len(weight))
