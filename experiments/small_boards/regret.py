"""CFR+ over states of knowledge: does one move-by-move strategy stall, and on what?

The write-up reports that such a strategy, trained by regrets on 4x4, stalled: its best reply still
won 58.4% of races, because a state forgets the order of its shots. The learner is run here with
what each round comes to averaged in several ways (`bsjax.solve.pasts`), and on a board small enough
beside a learner that remembers every shot.
"""

import time
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from bsjax.evaluate.tree import evaluate
from bsjax.game.game import Game
from bsjax.solve.dice import drawn, visits
from bsjax.solve.exploit import exploited
from bsjax.solve.hunts import ByChoice
from bsjax.solve.knowledge import Graph, build, load
from bsjax.solve.pasts import KINDS, Averages, dependence, unfolded
from bsjax.solve.player import Player, save
from bsjax.solve.regret import Learner

PUBLISHED = {
    "4x4": {"best_reply": 58.4, "near_perfect": {"mean_shots": 11.23, "joint": 50.14}},
    "5x5": {"near_perfect": {"worst": 49.85, "joint": 51.44, "hunt": 50.85, "hide": 50.13}},
}
"""Figures of the write-up; win rates in per cent. Those of near-perfect players are the results of
its best-reply loop."""


class Board(NamedTuple):
    """One game and how long it is learned."""

    size: tuple[int, int]
    fleet: tuple[int, ...]
    rounds: int
    marks: tuple[int, ...] = ()
    """Rounds at which every average is replied to exactly."""
    tree: int = 0
    """Rounds beside a learner of the unfolded game."""
    kept: bool = False
    """Take the state graph from the folder of runs, keep the rounds there and go on with them."""
    joint: int | None = None
    """Layouts that the joint reply is tried on, those with the best hiding first; all by
    default."""


class Settings(NamedTuple):
    """What is learned."""

    seed: int = 0
    boards: tuple[Board, ...] = (
        Board((3, 3), (2, 2), 2000, (1, 10, 100, 1000, 2000), tree=100),
        Board((4, 4), (3, 3, 2), 2000, (1, 3, 10, 30, 100, 300, 1000, 2000)),
    )
    drawn: int = 200
    """Hunts drawn from the dice and played on every layout, to check that they play so."""


FULL = Settings()
LARGE = Settings(boards=(Board((5, 5), (3, 3, 2), 100, kept=True, joint=3),))
"""The board whose graph takes 9 GB: a part of its own, a minute a round."""
QUICK = Settings(boards=(Board((3, 3), (2,), 30, (1, 30), tree=10),), drawn=10)


def run(settings: Settings, work: Path) -> dict[str, Any]:
    """Every board."""
    return {"boards": [_board(board, settings, work) for board in settings.boards]}


def _board(board: Board, settings: Settings, work: Path) -> dict[str, Any]:
    name = "x".join(map(str, board.size))
    told: dict[str, Any] = {"board": name, "published": PUBLISHED.get(name, {})}
    game = Game(board.size, board.fleet)
    if not board.kept:
        return told | _compared(build(game), board, settings)
    if not (work / name / "graph" / "result.json").is_file():
        return told | {"skipped": "no state graph in the folder of runs; the part graphs builds it"}
    graph, folder = load(work / name / "graph"), work / name / "regret"
    learner = Learner(graph, out=folder, resume=folder.exists())
    try:
        learner.play(board.rounds, quiet=False)
        player = learner.average()
    finally:
        learner.close()
    save(player, work / name / "regret.npz")
    return told | {"game": str(game), "rounds": learner.number} | _judged(graph, player, board)


def _compared(graph: Graph, board: Board, settings: Settings) -> dict[str, Any]:
    """The learner, and its rounds averaged in every way."""
    learner, averages, curve, seconds = Learner(graph), Averages(graph), [], 0.0
    for number in range(1, board.rounds + 1):
        started = time.monotonic()
        learner.step()
        seconds += time.monotonic() - started
        averages.add(learner.regret, learner.weight)
        if number in board.marks:
            players = _players(learner, averages)
            rows = {kind: _judged(graph, player, board) for kind, player in players.items()}
            curve.append({"round": number, "seconds": seconds, **rows})
    told: dict[str, Any] = {
        "game": str(graph.game),
        "states": graph.states,
        "rounds": board.rounds,
        "curve": curve,
        "lottery_and_all_pasts_differ": float(
            np.abs(averages.finishing("lottery") - averages.finishing("all pasts")).max()
        ),
        "drawn": _played(graph, averages, settings),
    }
    return told | ({"tree": _beside(graph, board)} if board.tree else {})


def _players(learner: Learner, averages: Averages) -> dict[str, Player]:
    """The averages as players who hide alike, and the last round."""
    player = learner.average()
    kinds = {kind: player._replace(finishing=averages.finishing(kind)) for kind in KINDS}
    return kinds | {"last round": learner.last()}


def _judged(graph: Graph, player: Player, board: Board) -> dict[str, Any]:
    """Win rates of exact best replies, in per cent, and shots."""
    found = exploited(graph, player, most=board.joint)
    rates = {name: 100 * getattr(found, name) for name in ("worst", "joint", "hunt", "hide")}
    mean = float(player.hider @ player.shots)
    return rates | {
        "joint_tried_on": found.tried,
        "mean_shots": mean,
        "shots_range": [float(player.shots.min()), float(player.shots.max())],
    }


def _played(graph: Graph, averages: Averages, settings: Settings) -> dict[str, Any]:
    """Hunts drawn from the dice, played on every layout: their mean beside that of the dice."""
    rng = np.random.default_rng(settings.seed)
    listing = graph.tables.listing
    means = np.array(
        [
            evaluate(listing, ByChoice(graph, drawn(graph, averages.often, rng))).shots.mean()
            for _ in range(settings.drawn)
        ]
    )
    finishing = averages.finishing("all pasts")
    return {
        "hunts": settings.drawn,
        "mean_shots": float(means.mean()),
        "se": float(means.std(ddof=1) / len(means) ** 0.5),
        "dice": float((finishing @ np.arange(finishing.shape[1])).mean()),
    }


def _beside(graph: Graph, board: Board) -> dict[str, Any]:
    """A learner of the states and one of all their pasts, round by round."""
    unfold = unfolded(graph)
    tree = unfold.graph
    short, long, averages = Learner(graph), Learner(tree), Averages(tree)
    values, told_apart = 0.0, 0.0
    for _ in range(board.tree):
        values = max(values, abs(short.step() - long.step()))
        averages.add(long.regret, long.weight)
        once = visits(tree, long.regret, keep=True).often
        assert once is not None
        told_apart = max(told_apart, dependence(graph, unfold, once))
    a, b = short.average(), long.average()
    return {
        "nodes": tree.states,
        "rounds": board.tree,
        "values_differ": values,
        "finishing_differs": float(np.abs(a.finishing - b.finishing).max()),
        "hiders_differ": float(np.abs(a.hider - b.hider).max()),
        "dice_depend_on_the_past": told_apart,
        "lottery_depends_on_the_past": dependence(graph, unfold, averages.often),
        "states": _judged(graph, a, board),
        "tree": _judged(tree, b, board),
    }
