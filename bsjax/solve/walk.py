"""Many hunts at once, by walking down the state graph: when each finishes on every layout.

A hunt that fires by the state of knowledge is walked from the root with multiplicity: a folded
state that stands for several turned copies is visited once and counted as often. At an end each of
its layouts is finished. Of a hunt that is turned at random, the share that finishes an orbit o of
turned layouts at shot t is then (how often an end after t shots held a layout of o) / |o|.

The hunts of one walk are the best reply and **variants** of it. At every state a variant fires
with chance in proportion to V(move)^(1/τ), by dice that are thrown once for the state, so it is a
fixed hunt too. A temperature of 0.001 takes a move that is 0.1% worse e times less often. A few
hundred variants cost less than the backward pass that gave the values, and together they answer to
what is near the hider and the pace that were replied to.
"""

from typing import NamedTuple

import numpy as np
from jaxtyping import Float32, Float64, Int64, UInt8, UInt64

from bsjax.solve.best_reply import layer_values
from bsjax.solve.knowledge import Graph, threads
from bsjax.solve.layers import Layer
from bsjax.solve.tables import classes

_ROUNDING = 1e-9
_HUNTS = 16
"""Hunts walked together: nodes of a layer stay in the cache."""


class Valued(NamedTuple):
    """A state graph with the value of every state to a hunter who goes on best."""

    graph: Graph
    values: list[Float32[np.ndarray, " n1"]]
    """Values of each layer's states, and 0 behind the last."""
    value: float
    """Expected credit of a game: of the best reply."""


class Hunts(NamedTuple):
    """How hunts depart from the best reply; N of them."""

    first: Int64[np.ndarray, " N"]
    """First move, counted in the frame of the root; −1 for the one it would take."""
    temperature: Float64[np.ndarray, " N"]
    """0 for the best move."""
    number: UInt64[np.ndarray, " N"]
    """What its dice are thrown with: the same number, values and temperature, the same hunt."""


def valued(
    graph: Graph, worth: Float64[np.ndarray, "M T"], *, workers: int | None = None
) -> Valued:
    """One backward pass that keeps the values: `bsjax.solve.best_reply` explains it.

    Args:
        graph: states of knowledge.
        worth: what finishing a layout at shot 0, 1, … C is worth, its weight included; 0 or more
            and the same for turned layouts. With weights q and one credit for all it is their
            product; a rival whose pace depends on where he hides has another credit for each.
        workers: threads; all cores by default.

    Raises:
        ValueError: `worth` has another shape, or something in it is not finite or below 0 by more
            than rounding.

    Cost: that of a best reply, and 4 bytes a state.
    """
    shape = len(graph.tables.listing), graph.game.cells + 1
    if worth.shape != shape or not ((worth > -_ROUNDING) & (worth < np.inf)).all():
        raise ValueError(f"give {shape[0]} layouts × {shape[1]} times a worth of 0 or more each")
    following = np.zeros(1)
    kept: list[np.ndarray] = []
    with threads(workers) as spread:
        for shots in reversed(range(len(graph.layers))):
            layer = graph.layers[shots]
            following = layer_values(layer, following, None, spread)
            np.add.at(following, layer.ends.state, worth[layer.ends.layout, shots])
            kept.append(following.astype(np.float32))
    return Valued(graph, kept[::-1], float(following[0]))


def walk(reply: Valued, hunts: Hunts, *, workers: int | None = None) -> UInt8[np.ndarray, "N O T"]:
    """When the hunts finish: of the |o| layouts of each orbit, how many after 0, 1, … C shots.

    Args:
        reply: values of all states.
        hunts: N hunts.
        workers: threads; all cores by default. They change no result.

    Returns:
        Counts, N × orbits × shots, orbits in the order of `tables.classes`.

    Raises:
        ValueError: no hunts, or a first move that the root has not.

    Cost: about 10 microseconds for each decision; on 5×5 {3,3,2} a hunt has 17,000.
    """
    if not len(hunts.first):
        raise ValueError("there is no hunt to walk")
    parts = [
        Hunts(*(field[start : start + _HUNTS] for field in hunts))
        for start in range(0, len(hunts.first), _HUNTS)
    ]
    with threads(workers) as spread:
        return np.concatenate(list(spread(lambda part: _walk(reply, part), parts)))


def _walk(reply: Valued, hunts: Hunts) -> UInt8[np.ndarray, "N O T"]:
    graph = reply.graph
    orbit, size, _ = classes(graph.game)
    number = len(hunts.first)
    found = np.zeros((number, len(size), graph.game.cells + 1), np.int32)
    hunt, state, often = np.arange(number), np.zeros(number, np.int64), np.ones(number, np.int64)
    for shots, layer in enumerate(graph.layers):
        moves = layer.pages.moves(state)
        over = moves == 0
        _finish(layer, found[:, :, shots], orbit, hunt[over], state[over], often[over])
        hunt, state, often, moves = (part[~over] for part in (hunt, state, often, moves))
        if not len(hunt):
            break
        children, made, _ = chosen(layer, reply.values[shots + 1], hunts, hunt, state, moves, shots)
        child = children[made]
        node, answer = np.nonzero(child >= 0)
        # Turned copies that meet again go on as one.
        key = hunt[node] << 32 | child[node, answer]
        order = np.argsort(key, kind="stable")
        key, times = key[order], often[node[order]]
        new = np.flatnonzero(np.diff(key, prepend=-1))
        often = np.add.reduceat(times, new)
        hunt, state = key[new] >> 32, key[new] & 0xFFFFFFFF
    return found.astype(np.uint8)


def _finish(
    layer: Layer,
    found: np.ndarray,
    orbit: np.ndarray,
    hunt: np.ndarray,
    state: np.ndarray,
    often: np.ndarray,
) -> None:
    """Count the layouts of these ends."""
    order = np.argsort(layer.ends.state, kind="stable")
    ends = layer.ends.state[order]
    start, stop = (np.searchsorted(ends, state, side) for side in ("left", "right"))
    node = np.repeat(np.arange(len(state)), stop - start)
    at = np.arange(len(node)) - np.repeat(np.cumsum(stop - start) - (stop - start), stop - start)
    layout = layer.ends.layout[order[start[node] + at]]
    np.add.at(found, (hunt[node], orbit[layout]), often[node])


def chosen(
    layer: Layer,
    following: np.ndarray,
    hunts: Hunts,
    hunt: np.ndarray,
    state: np.ndarray,
    moves: np.ndarray,
    shots: int,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The move that each hunt makes at each of its states.

    Args:
        layer: the states after so many shots.
        following: values of the next layer.
        hunts: how the hunts depart from the best reply.
        hunt: one of them for every node.
        state: state of every node; none is an end.
        moves: moves of every state.
        shots: how many were fired.

    Returns:
        Children of moves, which of these moves each node makes, and its number in the frame.

    Raises:
        ValueError: a first move that the root has not.
    """
    # Hunts share most states: look their moves up once.
    states, which = np.unique(state, return_inverse=True)
    width = np.zeros(len(states), np.int64)
    width[which] = moves
    owner = np.repeat(np.arange(len(states)), width)
    before = np.cumsum(width) - width
    child = layer.pages.children(states[owner], np.arange(len(owner)) - before[owner])
    value = following.take(child).astype(np.float64) * (child >= 0)
    value = value.sum(1)

    node = np.repeat(np.arange(len(state)), moves)
    start = np.cumsum(moves) - moves
    move = np.arange(len(node)) - start[node]
    here = before[which[node]] + move
    score = value[here]
    tau = hunts.temperature[hunt[node]]
    noisy = tau > 0
    dice = _dice(hunts.number[hunt[node[noisy]]], shots, state[node[noisy]], move[noisy])
    with np.errstate(divide="ignore"):
        warm = np.log(np.maximum(score[noisy], 0)) + tau[noisy] * dice
    score[noisy] = warm
    # The first of the best moves of each node.
    best = np.maximum.reduceat(score, start)
    is_best = np.flatnonzero(score == best[node])
    made = is_best[np.diff(node[is_best], prepend=-1) > 0]
    if shots == 0:
        first = hunts.first[hunt]
        if (first >= moves).any():
            raise ValueError(f"first move {first.max()}: there are {moves[0]}, counted from 0")
        made = np.where(first >= 0, start + first, made)
    return child, here[made], move[made]


def _dice(
    number: np.ndarray, shots: int, state: np.ndarray, move: np.ndarray
) -> Float64[np.ndarray, " B"]:
    """A Gumbel variate for every move of every state, by a hash (splitmix64)."""
    x = number.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    x ^= (state.astype(np.uint64) << np.uint64(12)) ^ (move + (shots << 6)).astype(np.uint64)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        x = (x ^ x >> np.uint64(shift)) * np.uint64(factor)
    x = (x ^ x >> np.uint64(31)) >> np.uint64(11)
    return -np.log(-np.log((x.astype(np.float64) + 0.5) / 2.0**53))
