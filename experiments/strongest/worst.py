"""The worst board of the strongest strategy: the search in five stages, against its own pace.

The worst boards that were found of other strategies are known to it.
"""

import json
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float64, Int8, Int16

from bsjax import hide
from bsjax.evaluate.credit import race_credit
from bsjax.evaluate.hard_boards.descent import Round
from bsjax.evaluate.hard_boards.search import search
from bsjax.evaluate.hard_boards.settings import Settings as Search
from bsjax.evaluate.rewinds import account
from bsjax.files import read_boards
from bsjax.game.game import Game
from bsjax.policies.rewind import Rewind
from bsjax.solve.recipes import load_recipes
from experiments import classic_fleet
from experiments.classic_fleet.hard_boards import published_games
from experiments.strongest.account import dealt
from experiments.strongest.account import told as accounted
from experiments.strongest.classic import PACE, finished
from experiments.strongest.classic import Settings as Games
from experiments.strongest.stored import file_of, hunter

PUBLISHED = {"worst": 43.9, "extra_shots": 1.1, "mean_shots": 48.3, "final_hunt_runs": 0.08}
_FOUND = ("hard_boards", "heat_maps")


class Settings(NamedTuple):
    """What may be spent."""

    seed: int = 0
    games: Games = Games()
    search: Search = Search(budget=0.25)
    looked_at: int = 2_000
    """Games on the worst board that are accounted for."""


FULL = Settings()
QUICK = Settings(
    games=Games(size=(10, 10), fleet=(4, 3, 2), games=300, paces=(), kept=False),
    search=Search(budget=0.001, starts=(1, 0, 1), rounds=(Round(2, 0.1),), confirm=16, games=50),
    looked_at=20,
)


def run(settings: Settings, work: Path) -> dict[str, Any]:
    """The lowest board that any stage found, and where the shots go there."""
    games, game = settings.games, settings.games.game
    policy, _ = hunter(work, game, kept=games.kept)
    assert isinstance(policy, Rewind)
    found, pace = searched(settings, work), pace_of(games, work)
    one = found["hunters"][PACE]
    # One board stands for all its turned ones, and the policy turns every game at random itself.
    boards = np.repeat(np.array(one["board"], np.int8)[None], settings.looked_at, 0)
    _, keys = dealt(game, settings.seed, settings.looked_at)
    return {
        "game": str(game),
        **{key: value for key, value in one.items() if key not in ("values", "stages")},
        "extra_shots": one["mean_shots"] - float(pace @ np.arange(len(pace))),
        "stages": [
            {key: stage[key] for key in ("stage", "lowest", "games")} for stage in one["stages"]
        ],
        "boards_found": len(found["boards"]),
        "published_games": published_games(settings.search),
        "speed": found["speed"][PACE],
        "account": accounted(policy, account(policy, boards, keys)),
        "published": PUBLISHED,
    }


def searched(settings: Settings, work: Path) -> dict[str, Any]:
    """The search, from its folder as far as that goes."""
    games, game = settings.games, settings.games.game
    policy, _ = hunter(work, game, kept=games.kept)
    folder = _folder(settings, work)
    return search(
        {PACE: policy},
        race_credit(pace_of(games, work)),
        settings.search._replace(seed=settings.seed),
        boards=known(game) if games.kept else None,
        out=folder,
        resume=folder.exists(),
        quiet=False,
    )


def lowest(settings: Settings, work: Path, number: int) -> Int8[np.ndarray, "B C"]:
    """The boards that were measured lowest, the worst first."""
    found = searched(settings, work)
    measured = [
        (board["win_rate"], board["number"])
        for stage in found["hunters"][PACE]["stages"]
        for board in stage["measured"]
    ]
    order = dict.fromkeys(board for _, board in sorted(measured))
    path = _folder(settings, work) / "result.json"
    return read_boards(path, settings.games.game)[list(order)[:number]]


def _folder(settings: Settings, work: Path) -> Path:
    """Where the search of this mixture lies."""
    digests = load_recipes(file_of(work, kept=settings.games.kept)).digests
    return work / "worst" / digests.tobytes().hex()[:8]


def pace_of(games: Games, work: Path) -> Float64[np.ndarray, " T"]:
    """Its own finishing times on uniform boards."""
    counts = np.array(finished(games, work)["histogram"])
    return counts / counts.sum()


def known(game: Game) -> Int16[np.ndarray, "B K"]:
    """The worst boards that were found of the other strategies."""
    results, boards = Path(classic_fleet.__file__).parent / "results", []
    for name in _FOUND:
        told = json.loads((results / f"{name}.json").read_text())
        boards += [row["board"] for row in told["strategies"]]
    return hide.layouts_of(game, np.unique(np.array(boards, np.int8), axis=0))
