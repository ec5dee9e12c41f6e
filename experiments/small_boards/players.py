"""Near-perfect players of the small boards, by the best-reply loop, kept as files in `players/`.

The loops are kept in the folder of games and go on where they were: with more rounds in the
settings only those that are missing are played.
"""

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float64

from bsjax.game.game import Game
from bsjax.game.symmetry import cell_images
from bsjax.solve.exploit import exploited
from bsjax.solve.found import Found, Options
from bsjax.solve.knowledge import Graph, build
from bsjax.solve.loop import loop
from bsjax.solve.player import Player, save
from bsjax.solve.settle import Plan, settled

PLAYERS = Path(__file__).parent / "players"

PUBLISHED: dict[str, dict[str, float]] = {
    "3x3": {"fewest": 4, "most": 8, "hunts": 264, "gap_points": 0.3},
    "4x4": {"mean": 11.23, "joint": 50.14, "hunt_and_hide_points": 0.02},
    "5x5": {
        "mean": 14.07,
        "fewest_by_layout": 13.72,
        "most_by_layout": 14.35,
        "worst": 49.85,
        "joint_points": 1.44,
        "hunt_points": 0.85,
        "hide_points": 0.13,
        "rounds": 2120,
        "corner_percent": 26.2,
        "edge_middle_percent": 39.0,
        "centre_percent": 30.0,
        "first_beside_centre_percent": 50.4,
        "first_centre_percent": 9.0,
        "first_edge_middle_percent": 30.5,
    },
}
"""Figures of the write-up."""


class Board(NamedTuple):
    """One game and its loop."""

    size: tuple[int, int]
    fleet: tuple[int, ...]
    options: Options
    plan: Plan
    judged: int | None = None
    """Layouts that the joint reply is tried from in the end; all by default."""
    memory: int = 1 << 30
    """Bytes of a pass."""

    @property
    def name(self) -> str:
        """Size of the board."""
        return "x".join(map(str, self.size))


class Settings(NamedTuple):
    """Boards and how long their loops run."""

    boards: tuple[Board, ...]
    kept: bool = True
    """Write the players into `players/`, not into the folder of games."""


FULL = Settings(
    (
        Board((3, 3), (2, 2), Options(rounds=60), Plan(rounds=60, moves=True, hunts=1000)),
        Board((4, 4), (3, 3, 2), Options(rounds=100), Plan(rounds=40, moves=True, hunts=2000)),
    )
)
LARGE = Settings(
    (
        Board(
            (5, 5),
            (3, 3, 2),
            Options(rounds=100),
            Plan(rounds=2, columns=6, tried=32, rows=10, kept=256),
            judged=96,
            memory=8 << 30,
        ),
    )
)
"""The board whose graph takes 9 GB: a part of its own."""
QUICK = Settings((Board((3, 3), (2, 2), Options(rounds=6), Plan(rounds=1)),), kept=False)


def run(settings: Settings, work: Path) -> dict[str, Any]:
    """Every board: its player, how far he is from perfect, and how the loop got there."""
    into = PLAYERS if settings.kept else work
    return {board.name: solved(board, work, into) for board in settings.boards}


def solved(board: Board, work: Path, into: Path) -> dict[str, Any]:
    """Run the loop, write the player, and judge him."""
    game, folder = Game(board.size, board.fleet), work / board.name
    graph_path = folder / "graph"
    kept = game.cells > 16
    graph = build(game, out=graph_path if kept else None, resume=kept and graph_path.exists())
    out = folder / "loop"
    found = loop(graph, board.options, out, resume=out.exists())
    to, memory = (board.options, out), board.memory
    player = settled(found, board.plan, written_to=to, memory=memory, quiet=False)
    into.mkdir(parents=True, exist_ok=True)
    save(player, into / f"{board.name}.npz")
    return {
        "game": str(game),
        "moves": graph.rule,
        "states": graph.states,
        **judged(graph, player, board),
        "rounds": _curve(found),
        "published": PUBLISHED[board.name],
    }


def _curve(found: Found) -> list[dict[str, float]]:
    """What each round found, rounded to what can be seen."""
    return [{key: round(value, 6) for key, value in told.items()} for told in found.state.history]


def judged(graph: Graph, player: Player, board: Board) -> dict[str, Any]:
    """Worst layout, three replies, shots by layout, how he hides and where he opens."""
    result, shots = exploited(graph, player, most=board.judged, memory=board.memory), player.shots
    listing = graph.tables.listing
    boards = listing.boards()
    spread = np.quantile(shots, (0.1, 0.9))
    return {
        **result._asdict(),
        "mean_shots": float(player.hider @ shots),
        "fewest_by_layout": float(shots.min()),
        "most_by_layout": float(shots.max()),
        "middle_80_by_layout": spread.tolist(),
        "pace": player.pace.tolist(),
        "holds_a_ship": (player.hider @ (boards >= 0)).tolist(),
        "worst_board": boards[result.worst_layout].tolist(),
        "joint_board": boards[result.joint_layout].tolist(),
        "opens": opens(player).tolist(),
        "hunts": len(player.hunts),
        "earliest": int(np.flatnonzero(player.finishing.any(0))[0]),
        "latest": int(np.flatnonzero(player.finishing.any(0))[-1]),
    }


def opens(player: Player) -> Float64[np.ndarray, " C"]:
    """Share of games that open at each cell, the board turned at random: of the hunts that can be
    replayed."""
    game = player.game
    first = np.bincount(
        [int(hunt[0]) for hunt in player.hunts], player.weights, minlength=game.cells
    )
    return first[cell_images(game.size)].mean(0)
