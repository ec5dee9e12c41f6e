"""A die over rules, where a strong player hides, and a race between players who choose both.

The die and the hider's lottery come from one matrix of rules × hard boards, grown by searches
against the die (`bsjax.solve.rule_mixture`). It starts from the boards that the part `hard_boards`
found, and goes on with that search where it was not finished.

Then everybody hunts the hider: what each strategy wins against his lottery and against uniform
boards, both from games of their own. Two players race: each hunts the boards that the other hides
on. Four players are every combination of the die or the fastest strategy with the lottery or
uniform boards.
"""

import hashlib
import json
import math
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from bsjax import hide, policies
from bsjax.evaluate import paces
from bsjax.evaluate.hard_boards.descent import Round
from bsjax.evaluate.race import pairings, race
from bsjax.evaluate.summary import summarize
from bsjax.hide.base import Hider
from bsjax.solve.mixture_player import die_of, hider_of
from bsjax.solve.mixture_settings import Hunted
from bsjax.solve.mixture_settings import Settings as Search
from bsjax.solve.rule_mixture import mix
from experiments.classic_fleet import hard_boards, strategies
from experiments.classic_fleet.strategies import GAME, as_rates, played, uniform

PUBLISHED = {"worst": 0.381, "rules": 4, "heat-map": 0.09}
"""The published mixture: its bound, its number of rules, and how often it plays the heat map."""
NAMES = (
    "checkerboard-computer",
    "3-parity-lazy",
    "3-parity-count",
    "3-parity-count-computer",
    "3-parity-densest-computer",
    "smart-3-parity",
    "smart-3-parity-lazy",
    "smart-3-parity-count",
    "smart-3-parity-computer",
    "smart-3-parity-always-jump",
    "smart-3-parity-part-of-b",
    "smart-3-parity-reading",
    "smart-3-parity-first",
    "smart-3-parity-first-count",
    "smart-3-parity-first-computer",
    "fastest-by-hand",
    "fastest-by-hand-computer",
    "heat-map",
    "heat-map-border",
    "heat-map-three-ship",
    "heat-map-three-ship-border",
)


class Settings(NamedTuple):
    """What the die is made of, and what is played with it."""

    seed: int = 0
    pace: str = "reconstruction"
    names: tuple[str, ...] = NAMES
    each: int = 4
    """Boards to start with from the search of each strategy: those it was measured lowest on."""
    search: Search = Search()
    games: int = 20_000
    """Games of each strategy against the lottery, and of each pairing of a race."""


FULL = Settings()
QUICK = Settings(
    names=("checkerboard", "heat-map"),
    each=1,
    search=Search(
        matrix=20,
        rounds=1,
        short=Hunted((1, 0), 100),
        thorough=Hunted((1, 0), 100),
        trials=(Round(1, 0.05), Round(2, 0.0)),
        confirm=8,
        games=50,
    ),
    games=100,
)


def run(
    settings: Settings,
    named: strategies.Settings,
    searched: hard_boards.Settings,
    work: Path,
) -> dict[str, Any]:
    """The die, its worst case, the hider's gain against every strategy, and the two-sided race."""
    pace = paces.load(settings.pace, GAME)
    hunters = {name: policies.make(name, GAME) for name in settings.names}
    folder = work / "mixture"
    found = mix(
        hunters,
        pace.credit,
        settings.search._replace(seed=settings.seed),
        boards=hard_boards.lowest_boards(searched, work, settings.each),
        out=folder,
        resume=folder.exists(),
        quiet=False,
    )
    die, hider = die_of(found, hunters), hider_of(GAME, found)
    name = f"die-{_digest(found['die'])}"
    against = [_against(one, settings, named, hider, pace.times, work) for one in named.names]
    against.sort(key=lambda row: -row["lottery"]["win"]["value"])
    fastest = max(against, key=lambda row: row["uniform"]["win"]["value"])["name"]
    both = {"die": (name, die), fastest: (fastest, policies.make(fastest, GAME))}
    times = _times(both, hider, settings, work)
    own = race(times["die", "lottery"], pace.times)
    plain = race(times["die", "uniform"], pace.times)
    return {
        "game": str(GAME),
        "pace": pace.name,
        "published": PUBLISHED,
        "mixture": {key: value for key, value in found.items() if key != "settings"},
        "hiding": {
            "strategies": against,
            "best": against[0],
            "die": {
                "uniform": as_rates(plain),
                "lottery": as_rates(own),
                "gain": _gain(plain.win, own.win),
            },
        },
        "two_sided": {"fastest": fastest, "games": settings.games, "races": two_sided(times)},
    }


def _against(
    name: str,
    settings: Settings,
    named: strategies.Settings,
    hider: Hider,
    times: np.ndarray,
    work: Path,
) -> dict[str, Any]:
    """What the lottery wins against a strategy, beside uniform boards."""
    plain = race(uniform(name, named, work), times)
    counts = played(work, name, policies.make(name, GAME), settings.games, settings.seed, hider)
    own, shots = race(counts, times), summarize(counts)
    return {
        "name": name,
        "uniform": as_rates(plain),
        "lottery": as_rates(own),
        "mean_shots": {"value": shots.mean, "se": shots.se},
        "gain": _gain(plain.win, own.win),
    }


def _gain(plain: Any, own: Any) -> dict[str, float]:
    """Share of races that the lottery takes from a hunter."""
    return {"value": plain.value - own.value, "se": math.hypot(plain.se, own.se)}


def _times(
    hunters: dict[str, tuple[str, Any]], hider: Hider, settings: Settings, work: Path
) -> dict[tuple[str, str], np.ndarray]:
    """Games of each hunter on the boards of each hider, every pairing with boards of its own."""
    hiders = {"lottery": hider, "uniform": hide.make("uniform", GAME)}
    found = {}
    for one, (name, hunter) in hunters.items():
        for boards, where in hiders.items():
            # Seeds beyond those of the tables: no two histograms share a board.
            seed = settings.seed + 1 + len(found)
            own = where if boards == "lottery" else None
            found[one, boards] = played(work, name, hunter, settings.games, seed, own)
    return found


def two_sided(times: dict[tuple[str, str], np.ndarray]) -> list[dict[str, Any]]:
    """Every two of the four players; against himself a player wins half of the races.

    Each hunts the boards of the other: his times are those of his hunter on the other's boards.
    """
    told = []
    for one, other in combinations(times, 2):
        mine, his = times[one[0], other[1]], times[other[0], one[1]]
        told.append(
            {
                "player": {"hunts": one[0], "hides": one[1]},
                "other": {"hunts": other[0], "hides": other[1]},
                **as_rates(pairings(mine, his)),
            }
        )
    return told


def _digest(die: dict[str, float]) -> str:
    return hashlib.sha256(json.dumps(die).encode()).hexdigest()[:12]
