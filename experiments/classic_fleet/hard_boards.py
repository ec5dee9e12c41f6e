"""The worst boards of strategies: the search in five stages, all strategies sharing their boards.

The whole search is one run folder: a part that was killed goes on where it was. Beside every bound
stand the one published and what the search took: games a second, and the hours that the published
number of games would take at that speed.
"""

import json
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Int16

from bsjax import hide, policies
from bsjax.evaluate import paces
from bsjax.evaluate.hard_boards.crossplay import Heat
from bsjax.evaluate.hard_boards.descent import Round
from bsjax.evaluate.hard_boards.search import search
from bsjax.evaluate.hard_boards.settings import Settings as Search
from bsjax.files import read_boards
from bsjax.policies.strategies import MAPS
from experiments.classic_fleet.strategies import GAME, PUBLISHED

NAMES = (
    "checkerboard",
    "3-parity",
    "3-parity-lazy",
    "3-parity-count",
    "smart-3-parity",
    "smart-3-parity-lazy",
    "smart-3-parity-count",
    "smart-3-parity-computer",
    "smart-3-parity-first-lazy",
    "smart-3-parity-first-sweep",
    "smart-3-parity-first-computer",
    *(f"smart-3-parity-first-jump-{percent}" for percent in (0, 20, 40, 50, 70, 100)),
    "fastest-by-hand",
    "heat-map",
    "heat-map-three-ship",
)
CROSS_BOARDS, TOURNAMENT_BOARDS = 650, 759
"""Boards of the published cross-play and tournament."""


class Settings(NamedTuple):
    """Whose worst boards are searched for."""

    seed: int = 0
    pace: str = "reconstruction"
    names: tuple[str, ...] = NAMES
    search: Search = Search(budget=0.25)
    folder: str = "hard-boards"
    """Run folder under `work`."""


FULL = Settings()
MAPS_FULL = Settings(names=tuple(MAPS), search=Search(), folder="heat-maps")
"""The heat maps, which are fast, on the whole published budget."""
QUICK = Settings(
    names=("checkerboard", "heat-map"),
    search=Search(
        budget=0.002,
        starts=(2, 1, 1),
        rounds=(Round(2, 0.1), Round(8, 0.0)),
        confirm=16,
        games=100,
    ),
)
MAPS_QUICK = QUICK._replace(names=("heat-map", "heat-map-border"), folder="heat-maps")


def run(settings: Settings, work: Path) -> dict[str, Any]:
    """Every strategy's worst board, the safest strategy first."""
    found = searched(settings, work)
    games = published_games(settings.search)
    rows = []
    for name, one in found["hunters"].items():
        speed = found["speed"][name]
        rate = speed["games_per_second"]
        rows.append(
            {
                "name": name,
                "about": policies.describe(name),
                **{key: value for key, value in one.items() if key not in ("values", "stages")},
                "stages": [_stage(stage) for stage in one["stages"]],
                "published_worst": PUBLISHED[name].worst if name in PUBLISHED else None,
                "speed": speed | {"published_hours": None if rate is None else games / rate / 3600},
            }
        )
    rows.sort(key=lambda row: -row["win_rate"])
    return {
        "game": str(GAME),
        "pace": settings.pace,
        "published_games": games,
        "boards_found": len(found["boards"]),
        "strategies": rows,
        "ranks": _ranks(rows),
    }


def searched(settings: Settings, work: Path) -> dict[str, Any]:
    """The search, from its run folder as far as that goes."""
    folder = work / settings.folder
    return search(
        {name: policies.make(name, GAME) for name in settings.names},
        paces.load(settings.pace, GAME).credit,
        settings.search._replace(seed=settings.seed),
        out=folder,
        resume=folder.exists(),
        quiet=False,
    )


def lowest_boards(settings: Settings, work: Path, each: int) -> Int16[np.ndarray, "B K"]:
    """The boards on which each strategy was measured lowest, so many of each, found by the search.

    A search that is finished is read, any other is gone on with.
    """
    folder = work / settings.folder
    if not (folder / "result.json").exists():
        searched(settings, work)
    boards = hide.layouts_of(GAME, read_boards(folder / "result.json", GAME))
    numbers: list[int] = []
    for one in json.loads((folder / "result.json").read_text())["hunters"].values():
        measured = [board for stage in one["stages"] for board in stage["measured"]]
        measured.sort(key=lambda board: board["win_rate"])
        own = list(dict.fromkeys([one["number"], *(board["number"] for board in measured)]))
        numbers += own[:each]
    return boards[list(dict.fromkeys(numbers))]


def published_games(search: Search) -> int:
    """Games of the published search of one strategy, in the stages that a search here has."""
    cross, tournament = (
        _heats(heats, boards)
        for heats, boards in (
            (search.cross, CROSS_BOARDS),
            (search.tournament, TOURNAMENT_BOARDS),
        )
    )
    return search.own + 2 * search.confirmed + cross + tournament


def _heats(heats: tuple[Heat, ...], boards: int) -> int:
    games = 0
    for heat in heats:
        games += boards * heat.games
        boards = int(np.ceil(heat.keep * boards))
    return games


def _stage(stage: dict[str, Any]) -> dict[str, Any]:
    """A stage without its descents."""
    return {key: stage[key] for key in ("stage", "lowest", "games")}


def _ranks(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Those with a published bound, the safest first, here and as published."""
    known = [row for row in rows if row["published_worst"] is not None]
    published = sorted(known, key=lambda row: -row["published_worst"])
    return {
        "here": [row["name"] for row in known],
        "published": [row["name"] for row in published],
    }
