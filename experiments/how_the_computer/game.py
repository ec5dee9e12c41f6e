"""One typical game shot by shot, with and without the search pattern.

Shots are of two kinds: a hunt shot is fired while no hit is open, every other shot is a target
shot. The typical game is the one among the first 1,000 numbers whose two totals are together
nearest to the averages; games that tie are told apart by their hunt shots, then by their number.
"""

from math import sqrt
from typing import Any

import numpy as np
from jaxtyping import Bool, Int8, Int32

from bsjax import hide
from bsjax.evaluate.massive import Run
from bsjax.game.history import play_history
from bsjax.game.notation import format_cell
from bsjax.game.tokens import format_history
from bsjax.play.replay import boards_of
from bsjax.policies.hunt import pattern
from experiments.how_the_computer.play import fired_in_order, play
from experiments.how_the_computer.settings import GAME, TYPICAL, Settings

HIDER = "uniform"
HUNTERS = ("hunt-target", "hunt-target-no-parity")


def run(settings: Settings) -> dict[str, Any]:
    """The typical game and the averages it stands for."""
    games = settings.counted
    fleets = boards_of(hide.make(HIDER, GAME), settings.seed, 0, games)
    cells, kinds = {}, {}
    for hunter in HUNTERS:
        _, arrays = play(Run(hunter, games, GAME, HIDER, settings.seed, record=True))
        cells[hunter] = fired_in_order(arrays["shot_at"])
        hunts = hunting(fleets, cells[hunter]).sum(1)
        kinds[hunter] = np.stack([hunts, (cells[hunter] >= 0).sum(1) - hunts], axis=1)
    number = typical(kinds, settings.candidates)
    board = fleets[number]
    return {
        "game": str(GAME),
        "hider": HIDER,
        "number": number,
        "rule": " ".join((__doc__ or "").split("\n\n")[1].split()),
        "candidates": settings.candidates,
        "ships": {
            name: np.flatnonzero(board == ship).tolist()
            for ship, name in enumerate(GAME.ship_names)
        },
        "played": {hunter: played(board, cells[hunter][number]) for hunter in HUNTERS},
        "averages": {hunter: averages(kinds[hunter]) for hunter in HUNTERS},
        "published": TYPICAL,
    }


def hunting(
    fleets: Int8[np.ndarray, "N C"], cells: Int32[np.ndarray, "N C"]
) -> Bool[np.ndarray, "N C"]:
    """Whether shot t of each game was fired while no hit was open; False past the game's end."""
    each, fleet = np.arange(len(fleets)), np.array(GAME.fleet)
    left = np.tile(fleet, (len(fleets), 1))
    is_hunt = np.zeros(fleets.shape, bool)
    for shot in range(GAME.cells):
        cell = cells[:, shot]
        is_hunt[:, shot] = ((left == 0) | (left == fleet)).all(1) & (cell >= 0)
        ship = np.where(cell >= 0, fleets[each, cell], -1)
        hit = ship >= 0
        left[each[hit], ship[hit]] -= 1
    return is_hunt


def typical(kinds: dict[str, np.ndarray], candidates: int) -> int:
    """Number of the game nearest to the averages, by the rule of the module docstring."""
    hunts, totals = [], []
    for shots in kinds.values():
        hunt, total = shots[:, 0], shots.sum(1)
        hunts.append(abs(hunt - hunt.mean())[:candidates])
        totals.append(abs(total - total.mean())[:candidates])
    return int(np.lexsort((np.sum(hunts, axis=0), np.sum(totals, axis=0)))[0])


def played(board: Int8[np.ndarray, " C"], cells: Int32[np.ndarray, " C"]) -> dict[str, Any]:
    """A game as a history, with the kind and the search pattern of each shot."""
    history = play_history(GAME, board, cells[cells >= 0])
    is_hunt = hunting(board[None], cells[None])[0, : len(history)].tolist()
    afloat, shortest = dict(enumerate(GAME.fleet)), []
    for shot in history:
        shortest.append(min(afloat.values()))
        if shot.shown:
            del afloat[int(board[shot.cell])]
    off_pattern = [
        format_cell(GAME, shot.cell)
        for shot, hunt, m in zip(history, is_hunt, shortest, strict=True)
        if hunt and not pattern(GAME.size, m)[shot.cell]
    ]
    return {
        "history": format_history(GAME, history),
        "shots": len(history),
        "hunt": sum(is_hunt),
        "target": len(history) - sum(is_hunt),
        "is_hunt": is_hunt,
        "shortest_afloat": shortest,
        "hunt_shots_off_pattern": off_pattern,
    }


def averages(kinds: np.ndarray) -> dict[str, Any]:
    """Mean hunt and target shots of a game, each with its standard error."""
    games = len(kinds)
    mean, spread = kinds.mean(0), kinds.std(0, ddof=1) / sqrt(games)
    return {
        "games": games,
        "hunt": float(mean[0]),
        "hunt_se": float(spread[0]),
        "target": float(mean[1]),
        "target_se": float(spread[1]),
        "total": float(mean.sum()),
    }
