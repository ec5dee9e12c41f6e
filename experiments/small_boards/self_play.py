"""The self-play mixture: how near a loop without exact replies comes to a near-perfect player.

The run of each board is kept and goes on where it was: with more rounds in the settings only those
that are missing are played.
"""

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from bsjax.evaluate.credit import race_credit
from bsjax.game.game import Game
from bsjax.solve.exploit import exploited
from bsjax.solve.knowledge import build
from bsjax.solve.player import Player, load, save, win_rates
from bsjax.solve.self_play import Round, SelfPlay
from bsjax.solve.self_play import Settings as Loop
from bsjax.solve.tables import classes

PUBLISHED: dict[str, dict[str, Any]] = {
    "5x5": {
        "own_worst": {"281": 48.26, "969": 49.59, "1799": 49.97},
        "rounds": 1800,
        "tried": 22_010,
        "used": 318,
        "head_to_head": 48.54,
        "worst": 48.36,
        "reference_worst": 51.32,
        "mean_shots": 14.18,
        "slowest_shots": 14.43,
        "hiders_correlation": 0.08,
    }
}
"""Figures of the write-up; win rates in per cent. Its worst layouts by round are against the final
pace of its run."""


class Board(NamedTuple):
    """One game and its run."""

    size: tuple[int, int]
    fleet: tuple[int, ...]
    rounds: int
    player: str
    """File of the near-perfect player, in the folder of the experiment; none if it is empty."""
    exact: bool
    """Also reply to the mixture exactly, over all states of knowledge."""
    loop: Loop = Loop()
    kept: bool = False
    """Keep the states in the folder of games."""
    workers: int = 1
    """Processes that play hunts."""

    @property
    def game(self) -> Game:
        """What is played."""
        return Game(self.size, self.fleet)

    @property
    def name(self) -> str:
        """Size of the board."""
        return "x".join(map(str, self.size))


class Settings(NamedTuple):
    """What is played."""

    seed: int = 0
    boards: tuple[Board, ...] = (
        Board((3, 3), (2, 2), 100, "players/3x3.npz", True, Loop(pool=200)),
        Board((4, 4), (3, 3, 2), 100, "players/4x4.npz", True),
        Board((5, 5), (3, 3, 2), 150, "players/5x5.npz", True, kept=True),
    )
    shown: int = 100
    """Rounds of the curve that are written down, at most."""


FULL = Settings()
QUICK = Settings(boards=(Board((3, 3), (2, 2), 8, "", True, Loop(hunts=4, pool=40)),), shown=4)


def run(settings: Settings, work: Path) -> dict[str, Any]:
    """Every board: the curve of its run, and the mixture beside the near-perfect player."""
    return {"boards": [_board(board, settings, work) for board in settings.boards]}


def against(player: Player, reference: Player) -> dict[str, float]:
    """A player beside a reference; win rates in per cent.

    Args:
        player: of the game of the reference.
        reference: a near-perfect player.
    """
    row = classes(player.game).row
    met = player.hider @ reference.finishing
    hunted = reference.hider @ player.finishing
    swapped = player.hider @ player.finishing, reference.hider @ reference.finishing
    hiders = np.corrcoef(player.hider[row], reference.hider[row])[0, 1]
    return {
        "head_to_head": 100 * float(hunted @ race_credit(met / met.sum())),
        "hiders_swapped": 100 * float(swapped[0] @ race_credit(swapped[1] / swapped[1].sum())),
        "worst": 100 * float(win_rates(player, reference.pace).min()),
        "reference_worst": 100 * float(win_rates(reference, player.pace).min()),
        "reference_own_worst": 100 * float(win_rates(reference, reference.pace).min()),
        "hiders_correlation": float(hiders),
    }


def _board(board: Board, settings: Settings, work: Path) -> dict[str, Any]:
    told, player = played(board, work / board.name, settings.seed, settings.shown)
    folder = work / board.name
    save(player, folder / "self_play.npz")
    told |= {
        "mean_shots_on_own_hider": float(player.hider @ player.shots),
        "shots_range": [float(player.shots.min()), float(player.shots.max())],
        "published": PUBLISHED.get(board.name, {}),
    }
    if board.exact:
        path = folder / "graph" if board.kept else None
        graph = build(player.game, "finish", out=path, resume=path is not None and path.exists())
        found = exploited(graph, player, out=folder / "self_play_joint" if board.kept else None)
        rates = found.joint, found.hunt, found.hide
        names = "joint", "hunt", "hide"
        told["gains_points"] = {k: 100 * v - 50 for k, v in zip(names, rates, strict=True)}
    path = Path(__file__).parent / board.player
    if board.player and path.is_file():
        reference = load(path)
        if reference.game != player.game:
            raise ValueError(f"{path} plays {reference.game}, the run {player.game}")
        told["reference"] = board.player
        told["mean_shots"] = float(reference.hider @ player.shots)
        told |= against(player, reference)
    return told


def played(board: Board, work: Path, seed: int, shown: int) -> tuple[dict[str, Any], Player]:
    """A run in its folder, gone on with as far as it is to go: its curve, and the player.

    Args:
        board: the game and its run.
        work: folder of games of this board.
        seed: of the run.
        shown: rounds of the curve that are told, at most.
    """
    mix = opened(board, work, seed)
    try:
        mix.play(board.rounds, quiet=False)
        return run_told(mix, board, shown), mix.player()
    finally:
        mix.close()


def opened(board: Board, work: Path, seed: int, **known: Any) -> SelfPlay:
    """The run of a board, from its folder as far as it went."""
    out, loop = work / "self_play", board.loop._replace(seed=seed)
    return SelfPlay(board.game, loop, out=out, resume=out.exists(), workers=board.workers, **known)


def run_told(mix: SelfPlay, board: Board, shown: int) -> dict[str, Any]:
    """How a run went."""
    return {
        "board": board.name,
        "game": str(mix.game),
        "tried": mix.number * board.loop.hunts,
        "last": _told(mix.log[-1]),
        "curve": [_told(row) for row in _thinned(mix.log, shown)],
        "rounds": mix.number,
        "seconds": mix.seconds,
        "workers": board.workers,
    }


def _told(row: Round) -> dict[str, float]:
    """A round; win rates in per cent, their gap in points."""
    rates = {name: 100 * getattr(row, name) for name in ("worst", "value", "gap", "reply")}
    return row._asdict() | rates


def _thinned(log: list[Round], most: int) -> list[Round]:
    """Rounds spread evenly, the first and the last among them."""
    at = np.unique(np.linspace(0, len(log) - 1, most).round().astype(int))
    return [log[i] for i in at.tolist()]
