"""One fleet: opponents of every habit, played, seen in three ways, and estimated."""

from typing import Any

from bsjax.game.game import Game
from bsjax.posterior.likelihood import log_likelihood
from experiments.habits import transcripts
from experiments.habits.estimates import bounds, study
from experiments.habits.settings import FITS, FLEETS, HABITS, HUNTER, SIGNIFICANT, Settings

BUDGET = 100_000_000
"""Leaves of all transcripts of one opponent together."""


def run(name: str, settings: Settings) -> dict[str, Any]:
    """Every opponent of one fleet."""
    game, games, stops = FLEETS[name], dict(settings.played)[name], dict(settings.stops)[name]
    return {
        "game": str(game),
        "hunter": HUNTER,
        "fits": FITS,
        "bounds": bounds(),
        "significant": SIGNIFICANT,
        "opponents": [
            against(game, habit, games, settings.seed + number, stops, settings)
            for number, habit in enumerate(HABITS)
        ],
    }


def against(
    game: Game,
    habit: tuple[float, float],
    games: int,
    seed: int,
    stops: tuple[int, ...],
    settings: Settings,
) -> dict[str, Any]:
    """One opponent: estimates from whole boards and from transcripts stopped in the middle.

    Transcripts of finished games are compared with the boards: where they leave layouts of one
    (e, t) alone, they say as much.
    """
    boards, cells = transcripts.play(game, HUNTER, habit, games, seed)
    shots = (cells >= 0).sum(1)
    told, seen = transcripts.shown(game, boards)
    board = log_likelihood(told, seen, budget=BUDGET)
    finished = log_likelihood(game, transcripts.seen(game, boards, cells), budget=BUDGET)
    stopped = {}
    for stop in stops:
        part = transcripts.seen(game, boards, cells[:, :stop])
        likelihood = log_likelihood(game, part, budget=BUDGET)
        over = float((shots <= stop).mean())
        stopped[str(stop)] = {"over": over} | study(likelihood, habit, settings)
    return {
        "edge": habit[0],
        "touch": habit[1],
        "games": games,
        "shots": float(shots.mean()),
        "finished_like_boards": float((finished.log_games == board.log_games).all(1).mean()),
        "board": study(board, habit, settings),
        "stopped": stopped,
    }
