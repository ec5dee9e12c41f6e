"""State graphs of the small boards: sizes by layer, fewest expected shots, and what they cost.

The graph of 5×5 is kept in the folder of games and built only if it is not there.
"""

import time
from pathlib import Path
from typing import Any, NamedTuple

from bsjax.evaluate.credit import shots_credit
from bsjax.game.game import Game
from bsjax.runtime.memory import peak_bytes
from bsjax.solve.best_reply import best_reply
from bsjax.solve.knowledge import build, load


class Board(NamedTuple):
    """A game, and which of its moves are allowed."""

    size: tuple[int, int]
    fleet: tuple[int, ...]
    rule: str = "all"
    kept: bool = False
    """Keep the graph in the folder of games."""


class Settings(NamedTuple):
    """Boards."""

    boards: tuple[Board, ...] = (
        Board((3, 3), (2,)),
        Board((3, 3), (2, 2), "finish"),
        Board((3, 3), (2, 2)),
        Board((4, 4), (3,)),
        Board((4, 4), (2, 2)),
        Board((4, 4), (3, 2)),
        Board((5, 4), (3,)),
        Board((4, 4), (3, 3, 2), "finish"),
        Board((4, 4), (3, 3, 2)),
        Board((5, 5), (3, 3, 2), "finish", kept=True),
    )


FULL = Settings()
QUICK = Settings(FULL.boards[:4])


def run(settings: Settings, work: Path) -> dict[str, Any]:
    """Every graph."""
    return {"graphs": [_graph(board, work) for board in settings.boards]}


def _graph(board: Board, work: Path) -> dict[str, Any]:
    game = Game(board.size, board.fleet)
    out = work / "x".join(map(str, board.size)) / "graph" if board.kept else None
    started = time.monotonic()
    there = out is not None and (out / "result.json").exists()
    graph = (
        load(out) if there and out is not None else build(game, board.rule, out=out, quiet=False)
    )
    built = time.monotonic()
    reply = best_reply(graph, shots_credit(game), choices=False)
    passed = time.monotonic() - built
    layouts = len(graph.tables.listing)
    return {
        **graph.as_json(),
        "layouts": layouts,
        "fewest_shots": -reply.value,
        "fewest_shots_of_all": round(-reply.value * layouts),
        "seconds_to_build": None if there else built - started,
        "seconds_a_pass": passed,
        "peak_bytes_so_far": peak_bytes(),
    }
