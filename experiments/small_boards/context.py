"""What context is worth against a frozen player: your own fleet's fate, where it lies, your seat.

The player's hunts that can be replayed are raced, turned at random, and each player hides his fleet
the player's way. Every value is the share of races that an exact best reply wins (the memoryless
hunt: that a hunt found by a Markov approximation wins, exactly), every gain the difference to the
best reply that is told nothing, in points.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float64

from bsjax.evaluate.credit import race_credit
from bsjax.game.game import Game
from bsjax.posterior.listed import Listing
from bsjax.solve.attack import (
    Attack,
    Signal,
    attack,
    hits_counted,
    nothing,
    own_place,
    placed,
    ships_hit,
    shots_seen,
)
from bsjax.solve.best_reply import best_reply
from bsjax.solve.context import (
    ORDERS,
    ceiling,
    deadlines,
    informed,
    memoryless,
    seated,
    seated_ceiling,
)
from bsjax.solve.histories import Labels, histories
from bsjax.solve.hunts import ByCells
from bsjax.solve.knowledge import Graph, build, load
from bsjax.solve.player import Player
from bsjax.solve.player import load as load_player

SIGNALS: dict[str, Callable[[Attack], Signal]] = {
    "ships_hit": ships_hit,
    "hits_counted": hits_counted,
    "place": lambda own: placed(nothing(own), own_place(own)),
    "place_ships_hit": lambda own: placed(ships_hit(own), own_place(own)),
    "place_hits_counted": lambda own: placed(hits_counted(own), own_place(own)),
}
"""What is told: which ships are hit, hits ship by ship, both also with where you hid."""

IN_TURNS = ("ships_hit", "place", "place_ships_hit")
"""Those that are also priced with known seats and with taking turns."""

PUBLISHED: dict[str, dict[str, float]] = {
    "5x5": {
        "base_above_half": 0.90,
        "ships_hit": 0.38,
        "memoryless_keeps": 0.66,
        "hits_counted_adds": 0.05,
        "place_ships_hit": 0.78,
        "ceiling": 1.57,
        "seats": 0.03,
        "turns_place_ships_hit": 1.12,
        "seated_ceiling": 2.12,
        "widest_deadline": 4.3,
        "widest_deadline_shots": 16,
    },
    "4x4": {
        "base_above_half": 0.001,
        "ships_hit": 0.23,
        "memoryless_keeps": 0.59,
        "ceiling": 1.01,
        "seated_ceiling": 1.50,
        "place": 0.12,
        "place_chosen": 0.30,
    },
    "3x3": {"place_shots_seen": 0.55},
}
"""Figures of the write-up, in points but for shares and shots. Its players are others than ours; on
4x4 those of `place` and `place_chosen` are against another one than the rest."""

BESIDE: dict[str, tuple[str, ...]] = {
    "base_above_half": ("base_above_half_points",),
    "ships_hit": ("gains_points", "together", "ships_hit"),
    "memoryless_keeps": ("memoryless_keeps",),
    "hits_counted_adds": ("hits_counted_adds_points",),
    "place": ("gains_points", "together", "place"),
    "place_chosen": ("place_chosen_points",),
    "place_ships_hit": ("gains_points", "together", "place_ships_hit"),
    "place_shots_seen": ("gains_points", "together", "place_shots_seen"),
    "ceiling": ("gains_points", "together", "ceiling"),
    "seats": ("gains_points", "seats", "nothing"),
    "turns_place_ships_hit": ("gains_points", "turns", "place_ships_hit"),
    "seated_ceiling": ("gains_points", "seats", "ceiling"),
    "widest_deadline": ("widest_deadline", "points"),
    "widest_deadline_shots": ("widest_deadline", "shots"),
}
"""Where the figure that stands beside a published one is in the result."""


class Board(NamedTuple):
    """One game, its player and what is computed of it."""

    size: tuple[int, int]
    fleet: tuple[int, ...]
    player: str
    """File of the frozen player, in the folder of the experiment."""
    graph: str | None = None
    """Folder of the state graph, in the folder of games that are kept; built if None."""
    signals: tuple[str, ...] = tuple(SIGNALS)
    """Of `SIGNALS`; without any the player needs no hunts."""
    shots_seen: bool = False
    """Also with the opponent's shots seen: his hunt gives itself away."""
    seats: bool = True
    """Also price signals with known seats and with taking turns."""
    memoryless: bool = True
    """Also play the hunt that sees only which ships are hit now."""


class Settings(NamedTuple):
    """What is computed."""

    seed: int = 0
    memory: int = 4 << 30
    """Bytes of a pass."""
    boards: tuple[Board, ...] = (
        Board((3, 3), (2, 2), "players/3x3.npz", shots_seen=True),
        Board((4, 4), (3, 3, 2), "players/4x4.npz", signals=tuple(SIGNALS)[:-1]),
    )


FULL = Settings()
LARGE = Settings(
    memory=10 << 30, boards=(Board((5, 5), (3, 3, 2), "players/5x5.npz", "5x5/graph", ()),)
)
"""The board on which one signal takes as long as 450 plain passes: a part of its own, without
signals. `signals=("ships_hit",), seats=False, memoryless=False` adds the simplest."""
QUICK = Settings(boards=FULL.boards[:1])


def run(settings: Settings, work: Path) -> dict[str, Any]:
    """Every board: values, gains in points, deadline curves, and the published figures beside."""
    return {_name(board): _board(board, work, settings.memory) for board in settings.boards}


def _name(board: Board) -> str:
    return "x".join(map(str, board.size))


def _board(board: Board, work: Path, memory: int) -> dict[str, Any]:
    path = Path(__file__).parent / board.player
    if not path.is_file():
        return {"skipped": f"no player at {board.player}"}
    player = load_player(path)
    if player.game != Game(board.size, board.fleet):
        raise ValueError(f"{board.player} plays {player.game}; give a player of {board}")
    if board.graph is not None and not (work / board.graph).is_dir():
        return {"skipped": f"no state graph {board.graph} in the folder of games that are kept"}
    graph = build(player.game, player.rule) if board.graph is None else load(work / board.graph)
    own = _attack(player) if board.signals else None
    pace = player.pace if own is None else own.pace
    found: dict[str, Any] = {"game": str(player.game), "moves": graph.rule}
    found |= _priced(graph, player, own, pace, board, memory)
    published = PUBLISHED[_name(board)]
    found["beside"] = {
        name: {"published": value, "here": _at(found, BESIDE[name])}
        for name, value in published.items()
    }
    return found


def _priced(
    graph: Graph,
    player: Player,
    own: Attack | None,
    pace: Float64[np.ndarray, " T"],
    board: Board,
    memory: int,
) -> dict[str, Any]:
    """All values of one board.

    Args:
        graph: its states.
        player: the frozen player.
        own: what his hunts do to your fleet; None where no signal is asked for.
        pace: when your fleet falls.
        board: what to compute.
        memory: bytes of a pass.
    """
    hider = player.hider
    base = best_reply(graph, race_credit(pace), hider, choices=False).value
    curve = deadlines(graph, hider, memory=memory)
    values: dict[str, dict[str, float]] = {
        "together": {"nothing": base, "ceiling": ceiling(graph, hider, pace, memory=memory)},
        "seats": {
            "nothing": seated(graph, hider, pace, memory=memory),
            "ceiling": seated_ceiling(curve, pace),
        },
        "turns": {},
    }
    chance = np.cumsum(pace)
    widest = int(np.argmax(curve - chance))
    found: dict[str, Any] = {
        "pace": pace.tolist(),
        "mean_shots": float(pace @ np.arange(len(pace))),
        "base_above_half_points": 100 * (base - 0.5),
        "deadlines": {"best": curve.tolist(), "player": chance.tolist()},
        "widest_deadline": {"points": 100 * float((curve - chance)[widest]), "shots": widest},
        "values": values,
    }
    if own is not None:
        found |= {"hunts": len(player.hunts), "courses": len(own.weight)}
        # Where some of his hunts cannot be replayed, the pace is that of those that can.
        found["pace_of_all_differs"] = float(np.abs(pace - player.pace).sum() / 2)
        found |= _signals(graph, player, own, board, values)
    if own is not None and board.shots_seen:
        _seen(graph, player, own, values)
    found["gains_points"] = {
        order: {name: 100 * (value - base) for name, value in of.items()}
        for order, of in values.items()
    }
    return found


def _signals(
    graph: Graph, player: Player, own: Attack, board: Board, values: dict[str, dict[str, float]]
) -> dict[str, Any]:
    """Best replies to every signal, written to `values`, and what else they tell."""
    hider, base = player.hider, values["together"]["nothing"]
    found: dict[str, Any] = {"times_the_edges": {}}
    for name in board.signals:
        signal = SIGNALS[name](own)
        found["times_the_edges"][name] = _columns(graph, histories(own, signal))
        for order in ORDERS if board.seats and name in IN_TURNS else ("together",):
            reply = informed(graph, hider, own, signal, order=order)
            values[order][name] = reply.value
            if name == "place" and order == "together":
                # Who also chooses where to hide takes the class at which his hunt wins most.
                found["place_chosen_points"] = 100 * (float(reply.each.max()) - base)
    for order in ORDERS if board.memoryless else ():
        hunt = memoryless(graph, hider, own, ships_hit(own), order=order)
        values[order]["memoryless"] = hunt.value
    of = values["together"]
    if board.memoryless and "ships_hit" in of:
        found["memoryless_keeps"] = (of["memoryless"] - base) / (of["ships_hit"] - base)
    if "ships_hit" in of and "hits_counted" in of:
        found["hits_counted_adds_points"] = 100 * (of["hits_counted"] - of["ships_hit"])
    return found


def _seen(graph: Graph, player: Player, own: Attack, values: dict[str, dict[str, float]]) -> None:
    """Best replies of a player who sees every shot, with and without use of where he hid."""
    turned = own.turned()
    seen = shots_seen(turned)
    for name, signal in (("shots_seen", seen), ("place_shots_seen", placed(seen, turned.layout))):
        for order in ORDERS:
            reply = informed(graph, player.hider, turned, signal, order=order)
            values[order][name] = reply.value


def _columns(graph: Graph, labels: Labels) -> float:
    """Edges of a pass with these classes, as a multiple of those without."""
    pairs = zip(graph.layers, labels, strict=False)
    return sum(layer.counts.edges * (int(label.max()) + 1) for layer, label in pairs) / graph.edges


def _at(found: dict[str, Any], path: tuple[str, ...]) -> float | None:
    """A figure of the result; None if it was not asked for."""
    at: Any = found
    for name in path:
        at = at.get(name, {})
    return at if at != {} else None


def _attack(player: Player) -> Attack:
    """What the hunts that can be replayed do to a fleet that is hidden the player's way."""
    if not player.hunts:
        raise ValueError("this player has no hunts to replay; give one that keeps them")
    listing = Listing(player.game)
    return attack(listing, map(ByCells, player.hunts), player.weights, player.hider)
