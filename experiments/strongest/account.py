"""Where the shots of the strongest strategy go, and what its hunts find by themselves.

The first games of its run on uniform boards are played again and every decision is asked how it
came about. Each must end with its hunt on the path that it plays on the three-ship layout alone.
"""

from pathlib import Path
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from bsjax import hide
from bsjax.evaluate.rewinds import Account, account
from bsjax.game.game import Game
from bsjax.play.replay import boards_of
from bsjax.policies.rewind import FINAL, FINISHER, HUNT, Rewind
from bsjax.runtime import streams
from experiments.strongest.classic import Settings as Games
from experiments.strongest.stored import hunter

PUBLISHED = {
    "kept": 34.3,
    "erased": 8.5,
    "erased_hits": 5.8,
    "finisher": 2.8,
    "final": 1.7,
    "recalled": 3.7,
    "hottest": {"all": 0.38, "hunt": 0.33, "finisher": 0.84, "final": 0.87},
    "first_hit_by_hunt": {"5": 0.897, "4": 0.874},
    "on_path": [7999, 8000],
}
PARTS = {"hunt": HUNT, "finisher": FINISHER, "final": FINAL}


class Settings(NamedTuple):
    """Whose games, and how many."""

    seed: int = 0
    games: Games = Games()
    looked_at: int = 8_000
    """The first so many."""


FULL = Settings()
QUICK = Settings(games=Games(size=(10, 10), fleet=(4, 3, 2), kept=False), looked_at=50)


def run(settings: Settings, work: Path) -> dict[str, Any]:
    """The accounts, added up."""
    policy, _ = hunter(work, settings.games.game, kept=settings.games.kept)
    assert isinstance(policy, Rewind)
    boards, keys = dealt(settings.games.game, settings.seed, settings.looked_at)
    return {"game": str(policy.game), **told(policy, account(policy, boards, keys))}


def dealt(game: Game, seed: int, count: int) -> tuple[np.ndarray, jax.Array]:
    """Boards and keys of the first games of a run on uniform boards."""
    boards = boards_of(hide.make("uniform", game), seed, 0, count)
    return boards, streams.game_keys(jax.random.key(seed), jnp.uint32(0), jnp.uint32(0), count)


def told(policy: Rewind, games: Account) -> dict[str, Any]:
    """Means over games, with their standard errors, and shares."""
    shots = {name: getattr(games, name) for name in ("kept", "erased", "finisher", "final")}
    total = np.stack(list(shots.values())).sum(0)
    own = {"hunt": games.kept + games.erased, "finisher": games.finisher, "final": games.final}
    hottest = {
        name: float(games.hottest[:, part].sum() / max(own[name].sum(), 1))
        for name, part in PARTS.items()
    }
    hottest["all"] = float(games.hottest.sum() / total.sum())
    big = [ship for ship, is_big in enumerate(policy.big) if is_big]
    counted = shots | {name: getattr(games, name) for name in ("erased_hits", "recalled")}
    return {
        "games": len(total),
        "shots": _mean(total),
        **{name: _mean(values) for name, values in counted.items()},
        "hottest": hottest,
        "first_hit_by": {
            str(policy.game.fleet[ship]): {
                name: float((games.first[:, ship] == part).mean()) for name, part in PARTS.items()
            }
            for ship in big
        },
        "on_path": int(games.on_path.sum()),
        "lost": int(games.lost.sum()),
        "final_hunt_runs": float((games.final > 0).mean()),
        "published": PUBLISHED,
    }


def _mean(values: np.ndarray) -> dict[str, float]:
    return {"mean": float(values.mean()), "se": float(values.std(ddof=1) / len(values) ** 0.5)}
