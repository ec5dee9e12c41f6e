"""How the loop was chosen: the same run with one setting changed, on two small boards.

On 6×6 {3,3,2} for how soon the worst layout closes, and how each mixture fares against the first;
on 4×4 {3,3,2}, where a near-perfect player is known, for how strong a mixture becomes.
"""

from pathlib import Path
from typing import Any, NamedTuple

from bsjax.solve.player import Player, load
from bsjax.solve.self_play import Settings as Loop
from experiments.small_boards.players import PLAYERS
from experiments.small_boards.self_play import Board, against, played

_QUICK = Loop(hunts=16, trying=0.0, step=8.0, pool=700)


class Settings(NamedTuple):
    """What is played."""

    seed: int = 0
    size: tuple[int, int] = (6, 6)
    fleet: tuple[int, ...] = (3, 3, 2)
    rounds: int = 60
    closing: tuple[tuple[str, Loop], ...] = (
        ("as it is", _QUICK),
        ("the matrix game's own hider", _QUICK._replace(sharpness=0.0)),
        ("a sharper hider", _QUICK._replace(sharpness=1000.0)),
        ("steps of a quarter", _QUICK._replace(step=2.0)),
        ("a quarter of the hunts try two cells", _QUICK._replace(trying=0.25, tried=2)),
        ("a quarter of the hunts try four cells", _QUICK._replace(trying=0.25, tried=4)),
    )
    """Loops by name; the others are measured against the first."""
    player: str = "4x4.npz"
    """The near-perfect player, among the players of `experiments/small_boards`."""
    strong_rounds: int = 200
    strong: tuple[tuple[str, Loop], ...] = (
        ("quick hunts", Loop(trying=0.0)),
        ("hunts that try two cells", Loop(trying=0.9, tried=2)),
        ("hunts that try four cells", Loop(trying=0.9, tried=4)),
        ("the same, the matrix game's own hider", Loop(trying=0.9, tried=4, sharpness=0.0)),
    )
    shown: int = 60
    """Rounds of a curve that are written down, at most."""


FULL = Settings()
_FEW = Loop(hunts=4, pool=20, trying=0.0)
QUICK = Settings(
    size=(4, 3),
    fleet=(3, 2),
    rounds=2,
    closing=(("as it is", _FEW), ("steps of a quarter", _FEW._replace(step=2.0))),
    player="3x3.npz",
    strong_rounds=2,
    strong=(("quick hunts", _FEW),),
    shown=2,
)


def run(settings: Settings, work: Path) -> dict[str, Any]:
    """Every loop."""
    reference = load(PLAYERS / settings.player)
    game = reference.game
    closing, strong = {}, {}
    first: Player | None = None
    for name, loop in settings.closing:
        board = Board(settings.size, settings.fleet, settings.rounds, "", False, loop)
        told, player = played(board, _folder(work, name), settings.seed, settings.shown)
        first = first or player
        closing[name] = told | against(player, first)
    for name, loop in settings.strong:
        board = Board(game.size, game.fleet, settings.strong_rounds, "", False, loop)
        told, player = played(board, _folder(work, name), settings.seed, settings.shown)
        strong[name] = told | against(player, reference)
    return {"player": settings.player, "closing": closing, "strong": strong}


def _folder(work: Path, name: str) -> Path:
    return work / "choices" / "-".join(name.replace(",", "").replace("'", "").split())
