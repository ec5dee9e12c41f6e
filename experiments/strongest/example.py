"""One game of the strongest strategy, shot by shot, with a rewind in it.

It is the first game on uniform boards that takes as many shots as a typical one, and in which the
finisher sinks a big ship and the hunt goes back over shots at water.
"""

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from bsjax.evaluate.rewinds import account, steps
from bsjax.policies.rewind import Rewind
from experiments.strongest.account import dealt
from experiments.strongest.classic import Settings as Games
from experiments.strongest.stored import hunter


class Settings(NamedTuple):
    """Which game."""

    seed: int = 0
    games: Games = Games()
    shots: int = 46
    looked_at: int = 2_000
    """Games that are looked through."""


FULL = Settings()
QUICK = Settings(games=Games(size=(10, 10), fleet=(4, 3, 2), kept=False), shots=40, looked_at=200)


def run(settings: Settings, work: Path) -> dict[str, Any]:
    """The board and every shot.

    Raises:
        ValueError: no game is like that.
    """
    policy, _ = hunter(work, settings.games.game, kept=settings.games.kept)
    assert isinstance(policy, Rewind)
    boards, keys = dealt(policy.game, settings.seed, settings.looked_at)
    games = account(policy, boards, keys)
    shots = (games.shot_at >= 0).sum(1)
    over_water = games.erased > games.erased_hits
    fit = np.flatnonzero((shots == settings.shots) & over_water & (games.finisher > 0))
    if not len(fit):
        raise ValueError(
            f"none of {settings.looked_at} games of {settings.shots} shots has a rewind"
        )
    number = int(fit[0])
    found = steps(policy, boards[number], keys[number])
    return {
        "game": str(policy.game),
        "number": number,
        "board": boards[number].tolist(),
        "steps": [step._asdict() for step in found],
        "shots": len(found),
        "like_it": len(fit),
    }
