"""The exact best reply: what a hunter who knows the hider and the pace can get at most.

One backward pass over the state graph. With q the weights of the hider and credit(t) what it is
worth to finish at shot t,

    V(end)   = credit(t) · Σ q(layout) over its layouts
    V(state) = max over its moves of Σ V(child) over the answers

Nothing is divided and no state is weighed: V(root) / Σ q is the expected credit. Only the values
of the ends change from pass to pass. With credit(t) = −t it is the fewest shots expected, with the
race credit P(pace > t) + ½ P(pace = t) the most races won.

The states are folded by the symmetries of the board, so turned layouts must weigh the same; where
they do not, `folded` gives the weights of the hider who turns his board at random.
"""

from collections.abc import Callable, Iterable
from typing import NamedTuple

import numpy as np
from jaxtyping import Float64, Int16, Int64, UInt8

from bsjax.evaluate.credit import Credit
from bsjax.evaluate.tree import Evaluation, evaluate
from bsjax.game.game import Game
from bsjax.posterior.listed import Listing
from bsjax.solve.hunts import ByChoice
from bsjax.solve.knowledge import Graph, threads
from bsjax.solve.layers import Layer
from bsjax.solve.pages import MOST, Pages
from bsjax.solve.tables import orbits

MEMORY = 1 << 30
"""Bytes of one pass of many columns by default."""


class Reply(NamedTuple):
    """A best reply."""

    graph: Graph
    value: float
    """Expected credit of a game."""
    choice: list[UInt8[np.ndarray, " _"]] | None
    """Best move of every state of every layer, the first of equals; its moves are counted in the
    order of its frame. None if it was not asked for."""

    def play(self, *, keep_tree: bool = False) -> Evaluation:
        """The hunt it implies, on every layout, by walking from the root.

        Raises:
            ValueError: the choices were not kept.

        Cost: a second for 8,000 layouts.
        """
        if self.choice is None:
            raise ValueError("this reply kept no choices; ask for it with choices=True")
        hunt = ByChoice(self.graph, self.choice)
        return evaluate(self.graph.tables.listing, hunt, keep_tree=keep_tree)


def best_reply(
    graph: Graph,
    credit: Credit,
    weights: Float64[np.ndarray, " M"] | Int64[np.ndarray, " M"] | None = None,
    *,
    choices: bool = True,
    workers: int | None = None,
) -> Reply:
    """The best reply to a hider and a pace.

    Args:
        graph: states of knowledge of the game; the reply is best among the moves it allows.
        credit: what finishing at each shot is worth.
        weights: weight of each layout up to a factor, the same for turned layouts; all 1 by
            default. With whole numbers small enough the value is exact.
        choices: keep the best move of every state, one byte each.
        workers: threads; all cores by default. They change no result.

    Raises:
        ValueError: not one credit per shot; not one weight per layout, or a negative or no
            positive one; turned layouts weigh differently.

    Cost: one random read of 8 bytes per edge; 16 bytes a state of the two largest layers.
    """
    listing, cells = graph.tables.listing, graph.game.cells
    credit = np.asarray(credit, np.float64)
    if credit.shape != (cells + 1,) or not np.isfinite(credit).all():
        raise ValueError(f"{len(credit)} credits: give one for each of 0 to {cells} shots")
    weight = require_weights(listing, weights)
    following = np.zeros(1)
    choice: list[UInt8[np.ndarray, " _"]] = []
    with threads(workers) as spread:
        for shots in reversed(range(len(graph.layers))):
            layer = graph.layers[shots]
            chosen = np.zeros(layer.counts.states, np.uint8) if choices else None
            following = layer_values(layer, following, chosen, spread)
            end = weight[layer.ends.layout] * credit[shots]
            np.add.at(following, layer.ends.state, end)
            if chosen is not None:
                choice.append(chosen)
    value = float(following[0] / weight.sum())
    return Reply(graph, value, choice[::-1] if choices else None)


def best_values(
    graph: Graph,
    hider: Float64[np.ndarray, " M"],
    credits: Float64[np.ndarray, "K T"],
    *,
    memory: int = MEMORY,
    workers: int | None = None,
) -> Float64[np.ndarray, " K"]:
    """The values of the best replies with several credits, side by side in one pass.

    Args:
        graph: states of knowledge.
        hider: weight of each layout, the same for turned layouts.
        credits: what finishing at shot 0, 1, … C is worth, one row for each reply.
        memory: bytes of the pass, about; it is repeated for as many rows as fit.
        workers: threads; all cores by default.

    Raises:
        ValueError: `hider` as in `best_reply`.

    Cost: an edge is read once for all rows of a pass, which is most of the time on large graphs.
    """
    weight = require_weights(graph.tables.listing, hider)
    found = np.zeros(len(credits))
    most = at_once(graph, memory)
    with threads(workers) as spread:
        for part in np.array_split(np.arange(len(credits)), -(-len(credits) // most)):
            following = np.zeros((1, len(part)))
            for shots in reversed(range(len(graph.layers))):
                layer = graph.layers[shots]
                following = layer_values(layer, following, None, spread)
                end = np.outer(weight[layer.ends.layout], credits[part, shots])
                np.add.at(following, layer.ends.state, end)
            found[part] = following[0] / weight.sum()
    return found


def at_once(graph: Graph, memory: int = MEMORY) -> int:
    """Rows of credits that one pass of `best_values` takes in so many bytes, one at least."""
    column = 16 * max(layer.counts.states for layer in graph.layers) + 96 * MOST
    return max(memory // column, 1)


def pace_of(
    game: Game,
    shots: Int16[np.ndarray, " M"],
    weights: Float64[np.ndarray, " M"] | None = None,
) -> Float64[np.ndarray, " T"]:
    """Share of games that end at shot 0, 1, … C.

    Args:
        game: the game.
        shots: shots of a hunt on every layout.
        weights: weight of each layout, all 1 by default.
    """
    share = np.bincount(shots, weights, minlength=game.cells + 1)
    return share / share.sum()


def folded(listing: Listing, weights: Float64[np.ndarray, " M"]) -> Float64[np.ndarray, " M"]:
    """The weights of a hider who turns his board at random: the mean over turned layouts."""
    orbit = orbits(listing)
    total, number = np.bincount(orbit, weights), np.bincount(orbit)
    return total[orbit] / number[orbit]


def finishing(listing: Listing, shots: Int16[np.ndarray, " M"]) -> Float64[np.ndarray, "M T"]:
    """For each layout, how often a hunt that is turned at random finishes at shot 0, 1, … C.

    Args:
        listing: all layouts.
        shots: shots of the hunt on every layout.
    """
    times = listing.game.cells + 1
    orbit = orbits(listing)
    found = np.bincount(orbit * times + shots, minlength=len(listing) * times)
    found = found.reshape(-1, times) / np.bincount(orbit, minlength=len(listing)).clip(1)[:, None]
    return found[orbit]


def layer_values(
    layer: Layer,
    following: Float64[np.ndarray, "m1 *H"],
    chosen: UInt8[np.ndarray, "n *H"] | None,
    spread: Callable[..., Iterable],
    given: UInt8[np.ndarray, "n *H"] | None = None,
) -> Float64[np.ndarray, "n1 *H"]:
    """Values of a layer's states from those of the next; 0 at ends, and 0 behind the last.

    Args:
        layer: the states.
        following: values of the next layer's states, each with any number of columns.
        chosen: where to write the best moves, if they are wanted.
        spread: how the pages are mapped.
        given: moves to make in place of the best ones.
    """
    values = np.zeros((layer.counts.states + 1, *following.shape[1:]))

    def one(number: int) -> None:
        _page(layer.pages, number, following, values, chosen, given)

    for _ in spread(one, range(layer.pages.total)):
        pass
    return values


def _page(
    pages: Pages,
    number: int,
    following: Float64[np.ndarray, "m1 *H"],
    values: Float64[np.ndarray, "n1 *H"],
    chosen: UInt8[np.ndarray, "n *H"] | None,
    given: UInt8[np.ndarray, "n *H"] | None,
) -> None:
    """Values, and best moves, of the states of one page; written to `values` and `chosen`."""
    page, columns = pages.page(number), following.shape[1:]
    value = following.take(pages.first[page.moves], axis=0, mode="clip")
    value += following.take(pages.second[page.moves], axis=0, mode="clip")
    for part in page.further:
        value[pages.more_at[part]] += following.take(pages.more[part], axis=0, mode="clip")
    place = pages.place[page.states]
    best = np.zeros((len(place), *columns))
    move = np.zeros(best.shape, np.uint8)
    if given is not None:
        move[place] = given[page.states]
    for k, states, moves in page.tables():
        table = value[moves].reshape(k, -1, *columns)
        if given is not None:
            best[states] = np.take_along_axis(table, move[None, states].astype(np.intp), 0)[0]
            continue
        table.max(axis=0, out=best[states])
        if chosen is not None:
            move[states] = table.argmax(axis=0)
    values[page.states] = best.take(place, axis=0, mode="clip")
    if chosen is not None:
        chosen[page.states] = move.take(place, axis=0, mode="clip")


def require_weights(listing: Listing, weights: np.ndarray | None) -> Float64[np.ndarray, " M"]:
    """Weights as floats.

    Raises:
        ValueError: see `best_reply`.
    """
    if weights is None:
        return np.ones(len(listing))
    weight = np.asarray(weights, np.float64)
    if weight.shape != (len(listing),):
        raise ValueError(f"{len(weight)} weights for {len(listing)} layouts")
    if not (weight >= 0).all() or not 0 < weight.sum() < np.inf:
        raise ValueError("the weights of layouts must be 0 or more, with a finite positive sum")
    if not np.allclose(weight, folded(listing, weight), rtol=1e-6, atol=0):
        raise ValueError(
            "turned layouts weigh differently; average them first (bsjax.solve.best_reply.folded)"
        )
    return weight
