"""What context is worth: the exact best reply to a frozen opponent, with more or less to go by.

Both fleets are hunted at once, one shot each a round. The opponent's layout is drawn from his
hider q, what he does to your fleet is a course drawn from `bsjax.solve.attack`, independently. Of
the course you learn a **signal** besides what your own shots are answered. Let h be all that the
signal has shown before your shot t + 1. Your hunt may depend on its own state of knowledge s and on
h, and on nothing else that matters: its own past shots tell nothing about the course beyond h.
With T the shot at which your fleet falls,

    V(s, h) = max over moves of Σ over answers of W(child, h)
    W(end, h) = Σ q(layout) over its layouts · E[credit of finishing with shot t + 1 | h]
    W(state, h) = Σ over what can follow h of P(h′ and your fleet afloat | h) · V(state, h′)

and V(root, start) averaged over what is known at the start, over Σ q, is the share of races won.
A course in which your fleet has fallen is lost and leaves the sums. What a finish at shot u earns:

* `unknown` seat, as in the plain race: 1 if T > u, ½ if T = u;
* seat `first`: 1 if T ≥ u, because your shot of the round comes first;
* seat `second`: 1 if T > u. Where the **second mover sees** the first mover's shot of the same
  round, h before shot t + 1 holds t + 1 of the opponent's shots, and T > t + 1 is known.

Each seat comes up half the time. With one h for all courses this is the plain best reply to the
pace; with h = T from the start it is the ceiling, since any signal acts through T alone.
"""

from typing import Literal, NamedTuple

import numpy as np
from jaxtyping import Float64, UInt8

from bsjax.evaluate.credit import race_credit
from bsjax.solve.attack import Attack, Signal
from bsjax.solve.best_reply import MEMORY, best_values
from bsjax.solve.histories import (
    Pass,
    Seat,
    histories,
    information,
    leads,
    ranks,
    values_now,
)
from bsjax.solve.knowledge import Graph

Order = Literal["together", "seats", "turns"]
ORDERS: dict[Order, tuple[tuple[Seat, int], ...]] = {
    "together": (("unknown", 0),),
    "seats": (("first", 0), ("second", 0)),
    "turns": (("first", 0), ("second", 1)),
}
"""Seats, each as likely, with how many shots of the opponent's current round are seen: a race
without seats; with seats that are known; and with a second mover who also sees the first mover's
shot."""


class Informed(NamedTuple):
    """Best replies of a player who is told something."""

    value: float
    """Share of races won."""
    each: Float64[np.ndarray, " S"]
    """The same for each of the values of `Signal.start`, in ascending order."""


class Memoryless(NamedTuple):
    """A hunt that goes by the current value of a signal."""

    value: float
    """Share of races that it wins, exactly."""
    expected: float
    """What the pass that found it took it to win."""
    choice: list[list[UInt8[np.ndarray, "_ _"]]]
    """For each seat and shot its move at every state and value of the signal."""


def informed(
    graph: Graph,
    hider: Float64[np.ndarray, " M"],
    attack: Attack,
    signal: Signal,
    *,
    order: Order = "together",
    memory: int = MEMORY,
    workers: int | None = None,
) -> Informed:
    """The best reply among all hunts that use the whole history of a signal: exact.

    Args:
        graph: states of knowledge; the reply is best among the moves it allows.
        hider: weight of each layout of the opponent, the same for turned layouts.
        attack: what the opponent does to your fleet.
        signal: what you are told of it, a function of the courses of `attack`.
        order: who shoots when, and who knows it.
        memory: bytes of the pass, about; they bound its blocks and change no result.
        workers: threads; all cores by default.

    Raises:
        ValueError: the attack is of another game; `hider` as in `best_reply`.

    Cost: about 3 ns for each pair of an edge and a history (`bsjax.solve.histories`).
    """
    _require_same(graph, attack)
    won = np.zeros(len(attack.weight))
    for seat, ahead in ORDERS[order]:
        labels = histories(attack, signal, ahead)
        known = information(attack, labels, seat)
        won += Pass(graph, hider, known, memory).run(labels[0], workers) / len(ORDERS[order])
    return _told(attack, signal, won)


def memoryless(
    graph: Graph,
    hider: Float64[np.ndarray, " M"],
    attack: Attack,
    signal: Signal,
    *,
    order: Order = "together",
    memory: int = MEMORY,
    workers: int | None = None,
) -> Memoryless:
    """A good hunt that sees the current value of a signal, not when it changed; scored exactly.

    The value σ of a signal is what was known at the start and how often each event has been shown.
    The class of hunts: the move before shot t + 1 is a function of t, of the state of knowledge and
    of σ. The best of this class is not found by dynamic programming: the state of knowledge tells
    of the moves that led there, these of earlier σ, and so the chance of what follows depends on
    the hunt itself. The pass here takes σ for a Markov chain, P(σ′ | σ, t) as it is over all
    courses in which your fleet is afloat, and is best for that. The hunt that it gives is then
    scored against the true histories, one by one: `value` is exact for a hunt of the class, and so
    a lower bound of the best of the class. `expected` is what the chain promised.

    Arguments, errors and cost as for `informed`; one byte a state and value of σ in addition.
    """
    _require_same(graph, attack)
    won, promised = np.zeros((2, len(attack.weight)))
    choices = []
    for seat, ahead in ORDERS[order]:
        now, whole = values_now(attack, signal, ahead), histories(attack, signal, ahead)
        chain = Pass(graph, hider, information(attack, now, seat), memory)
        choice = chain.keep()
        promised += chain.run(now[0], workers) / len(ORDERS[order])
        exact = Pass(graph, hider, information(attack, whole, seat), memory)
        exact.follow(choice, [leads(a, b) for a, b in zip(whole, now, strict=True)])
        won += exact.run(whole[0], workers) / len(ORDERS[order])
        choices.append(choice)
    return Memoryless(float(won @ attack.weight), float(promised @ attack.weight), choices)


def deadlines(
    graph: Graph,
    hider: Float64[np.ndarray, " M"],
    *,
    memory: int = MEMORY,
    workers: int | None = None,
) -> Float64[np.ndarray, " T"]:
    """For every deadline d = 0, 1, … C the best chance to finish within d shots.

    Each is the best reply with credit 1 up to d (`best_values`).
    """
    cells, first = graph.game.cells, graph.game.ship_cells
    best = np.zeros(cells + 1)
    best[cells] = 1
    credits = np.tri(cells + 1)[first:cells]
    best[first:cells] = best_values(graph, hider, credits, memory=memory, workers=workers)
    return best


def ceiling(
    graph: Graph,
    hider: Float64[np.ndarray, " M"],
    pace: Float64[np.ndarray, " T"],
    *,
    memory: int = MEMORY,
    workers: int | None = None,
) -> float:
    """Races won by a player who knows from the start at which shot T his fleet will fall.

    For every T of the pace it is the best reply with credit 1 before T and ½ at T (`best_values`).
    No signal about your fleet is worth more.
    """
    falls = np.flatnonzero(pace)
    credits = np.stack([race_credit(foretold) for foretold in np.eye(len(pace))[falls]])
    return float(pace[falls] @ best_values(graph, hider, credits, memory=memory, workers=workers))


def seated_ceiling(best: Float64[np.ndarray, " T"], pace: Float64[np.ndarray, " T"]) -> float:
    """The ceiling where the seat is known too.

    The first mover wins if he is done by shot T, the second if he is done before, so each has one
    deadline.

    Args:
        best: of `deadlines`.
        pace: share of games in which your fleet falls at shot 0, 1, … C.
    """
    before = np.concatenate([[0.0], best[:-1]])
    return float(pace @ (best + before) / 2)


def seated(
    graph: Graph,
    hider: Float64[np.ndarray, " M"],
    pace: Float64[np.ndarray, " T"],
    *,
    memory: int = MEMORY,
    workers: int | None = None,
) -> float:
    """Races won by a player who knows his seat and nothing else (`best_values`).

    `informed` with the order `seats` and no signal gives the same.
    """
    later = 1 - np.cumsum(pace)
    credits = np.stack([later + pace, later])
    return float(best_values(graph, hider, credits, memory=memory, workers=workers).mean())


def _told(attack: Attack, signal: Signal, won: Float64[np.ndarray, " N"]) -> Informed:
    """Races won over all courses, and by what was known at the start."""
    start = ranks(signal.start)
    each = np.bincount(start, won * attack.weight) / np.bincount(start, attack.weight)
    return Informed(float(won @ attack.weight), each)


def _require_same(graph: Graph, attack: Attack) -> None:
    """Refuse an attack on the fleet of another game."""
    if graph.game != attack.listing.game:
        raise ValueError(f"the states are of {graph.game}, the attack is of {attack.listing.game}")
