"""How far the player of a large board is from perfect, exactly: joint replies from every layout
that could be the best. What was tried is kept and not tried again.
"""

from pathlib import Path
from typing import Any, NamedTuple

from bsjax.solve.exploit import exploited
from bsjax.solve.knowledge import build
from bsjax.solve.player import load
from experiments.small_boards.players import PLAYERS


class Settings(NamedTuple):
    """Who is judged."""

    player: str = "5x5.npz"
    """File among the players."""
    memory: int = 8 << 30
    """Bytes of a pass."""


FULL = Settings()
QUICK = Settings("3x3.npz", 1 << 30)


def run(settings: Settings, work: Path) -> dict[str, Any]:
    """His three replies."""
    player = load(PLAYERS / settings.player)
    game = player.game
    folder = work / "x".join(map(str, game.size))
    graph_path = folder / "graph"
    graph = build(game, player.rule, out=graph_path, resume=graph_path.exists())
    found = exploited(graph, player, out=folder / "joint", memory=settings.memory, quiet=False)
    return {"game": str(game), "player": settings.player, **found._asdict()}
