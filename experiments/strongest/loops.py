"""Self-play on boards that no state graph reaches: 6×6 with three fleets, every board listed.

What a round says of its mixture is exact, since its hunts are scored on all boards.
"""

from pathlib import Path
from typing import Any, NamedTuple

from bsjax.solve.self_play import Settings as Loop
from bsjax.solve.self_play_settings import LARGE
from experiments.small_boards.self_play import Board, played

PUBLISHED = {"3-3-2": 49.6, "4-3-2": 49.0}
"""Value of the loop with every board in its program, per cent, by fleet."""
_LOOP = LARGE._replace(quick=0)


class Settings(NamedTuple):
    """What is played."""

    seed: int = 0
    boards: tuple[Board, ...] = (
        Board((6, 6), (3, 3, 2), 90, "", False, _LOOP, workers=2),
        Board((6, 6), (4, 3, 2), 90, "", False, _LOOP, workers=2),
    )
    shown: int = 90
    """Rounds of the curve that are written down, at most."""


FULL = Settings()
QUICK = Settings(boards=(Board((4, 3), (3, 2), 3, "", False, Loop(hunts=4, pool=20)),), shown=3)


def run(settings: Settings, work: Path) -> dict[str, Any]:
    """Every board: the curve of its run."""
    told = []
    for board in settings.boards:
        one, player = played(board, folder_of(board, work), settings.seed, settings.shown)
        shots = player.shots
        one |= {
            "published_value": PUBLISHED.get(fleet_of(board)),
            "mean_shots_on_uniform_boards": float(shots.mean()),
            "shots_range": [float(shots.min()), float(shots.max())],
        }
        told.append(one)
    return {"boards": told}


def fleet_of(board: Board) -> str:
    """Its ships, as in the name of a folder."""
    return "-".join(map(str, board.fleet))


def folder_of(board: Board, work: Path) -> Path:
    """Where a run of this board is kept."""
    return work / f"{board.name}-{fleet_of(board)}"
