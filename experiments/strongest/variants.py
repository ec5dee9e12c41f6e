"""The printed program beside what was tried and dropped: shots on uniform boards, and hard boards.

All play the same uniform boards with the same keys, and race the pace of the printed program.
"""

from pathlib import Path
from typing import Any, NamedTuple

import jax
import numpy as np

from bsjax.evaluate.by_board import by_board
from bsjax.evaluate.massive import Run, simulate
from bsjax.evaluate.race import race
from bsjax.policies.rewind import PRINTED, Variant
from experiments.classic_fleet.strategies import as_rates
from experiments.strongest import worst as searches
from experiments.strongest.stored import hunter

VARIANTS: dict[str, Variant] = {
    "printed": PRINTED,
    "rebuild": Variant(rebuild=True),
    "random_end": Variant(random_end=True),
    "hand_over": Variant(hand_over=True),
    "skip_beside_sunk_big": Variant(skip_beside_sunk_big=True),
}
PUBLISHED = {
    "rebuild": "a shot faster on random boards (46.4, 52.7%), 20.0% on its worst board",
    "random_end": "just under a point worse everywhere",
    "hand_over": "about 2 points worse",
    "skip_beside_sunk_big": "half a point better on random boards, far worse on one hard board",
}


class Settings(NamedTuple):
    """How much is played."""

    seed: int = 0
    names: tuple[str, ...] = tuple(VARIANTS)
    worst: searches.Settings = searches.FULL
    """The search whose lowest boards are the hard ones."""
    games: int = 20_000
    """Uniform boards."""
    boards: int = 6
    """Hard boards."""
    each: int = 4_000
    """Games on each of them."""


FULL = Settings()
QUICK = Settings(
    names=("printed", "random_end"), worst=searches.QUICK, games=100, boards=2, each=40
)


def run(settings: Settings, work: Path) -> dict[str, Any]:
    """Every variant."""
    games = settings.worst.games
    pace = searches.pace_of(games, work)
    hard = searches.lowest(settings.worst, work, settings.boards)
    told = {}
    for name in settings.names:
        policy, recipes = hunter(work, games.game, kept=games.kept, variant=VARIANTS[name])
        mark = recipes.digests.tobytes().hex()[:8]
        folder = work / "variants" / f"{name}-{mark}-seed{settings.seed}"
        played = simulate(
            Run(f"rewind {name} {mark}", settings.games, games.game, seed=settings.seed),
            out=folder,
            resume=folder.exists(),
            policy=policy,
            quiet=False,
        )
        counts = by_board(jax.random.key(settings.seed), policy, hard, settings.each, common=True)
        told[name] = {
            **{key: played[key] for key in ("games", "mean", "se", "games_per_second")},
            "race": as_rates(race(np.array(played["histogram"]), pace)),
            "hard": [
                {
                    "mean": float(row @ np.arange(len(row)) / row.sum()),
                    "race": as_rates(race(row, pace)),
                }
                for row in counts
            ],
            "published": PUBLISHED.get(name),
        }
    return {"game": str(games.game), "hard_boards": hard.tolist(), "variants": told}
