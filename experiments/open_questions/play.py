"""Numbered games in run folders: what was played is kept, what is missing is played.

A folder is named after the game, the seed, the opponent and the hunter, with all their settings,
so it is found again. After a change to the code of a hunter its folders are to be deleted.
"""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Int8, Int16, Int64

from bsjax.evaluate.massive import Run, simulate
from bsjax.evaluate.summary import as_json, summarize
from bsjax.game.game import Game
from bsjax.play.replay import boards_of
from experiments.open_questions.hunters import UNIFORM, Hunter, Opponent

FIGURES = ("games", "mean", "se", "median", "p95", "best", "worst")
ORIGIN = ("games_per_second", "device", "commit")
"""What is told of the last part of a run; the speed is that on whatever else the machine did."""


class Games(NamedTuple):
    """Games 0 … N − 1 of one hunter against one opponent."""

    hunter: Hunter
    opponent: Opponent
    shots: Int64[np.ndarray, " N"]
    shot_at: Int16[np.ndarray, "N C"]
    """Number of the shot at each cell, −1 where there was none."""
    origin: dict[str, Any]

    def figures(self) -> dict[str, Any]:
        """Figures of the shots, and where they come from."""
        told = as_json(summarize(np.bincount(self.shots)))
        return {
            "hunter": self.hunter.name,
            "opponent": self.opponent.name,
            **{what: told[what] for what in FIGURES},
            **{what: self.origin.get(what) for what in ORIGIN},
        }


class Runs:
    """All run folders of a game and a seed, under one folder.

    Args of the constructor:
        work: where the folders are.
        game: its feedback is that of each hunter.
        seed: of all boards and dice.
    """

    def __init__(self, work: Path, game: Game, seed: int):
        self.work, self.game, self.seed = work, game, seed

    def play(self, hunter: Hunter, games: int, opponent: Opponent = UNIFORM) -> Games:
        """Games 0 … `games` − 1, those that are not in the folder yet being played.

        Raises:
            ValueError: the folder holds something else, or the hunter does not play the game.
        """
        game, seed = replace(self.game, feedback=hunter.feedback), self.seed
        folder = self.folder(hunter, opponent)
        if _done(folder) < games:
            simulate(
                Run(hunter.name, games, game, opponent.name, seed, shots=True, record=True),
                out=folder,
                resume=folder.exists(),
                policy=hunter.policy(game),
                hider=opponent.hider(game),
                quiet=False,
            )
        origin = folder / "origin.json"
        return Games(
            hunter,
            opponent,
            _rows(folder / "shots.npy", games).astype(np.int64),
            _rows(folder / "shot_at.npy", games),
            json.loads(origin.read_text()) if origin.exists() else {},
        )

    def folder(self, hunter: Hunter, opponent: Opponent) -> Path:
        """Where the games of a hunter against an opponent are."""
        game = self.game
        fleet = ",".join(map(str, game.fleet))
        about = f"{game.width}x{game.height}-{fleet}-seed{self.seed}"
        return self.work / about / opponent.name / hunter.name

    def boards(self, opponent: Opponent, games: int) -> Int8[np.ndarray, "N C"]:
        """The boards of these games, the same for every hunter."""
        return boards_of(opponent.hider(self.game), self.seed, 0, games)


def _done(folder: Path) -> int:
    """Games that a run folder holds."""
    path = folder / "checkpoint.json"
    return json.loads(path.read_text())["state"]["done"] if path.exists() else 0


def _rows(path: Path, games: int) -> np.ndarray:
    """The first rows of a file, whose header may promise more than was played."""
    with open(path, "rb") as stream:
        np.lib.format.read_magic(stream)
        shape, _, kind = np.lib.format.read_array_header_1_0(stream)
        return np.memmap(path, kind, "r", stream.tell(), (games, *shape[1:]))
