"""Choosing shots to minimize the expected number directly: does it need fewer?

The rollout hunter finishes its games by the density hunter (`bsjax.policies.rollout`). It is
compared with the exact probability rule by the shots of whole games, and with the density hunter
by what each of its choices gains (`experiments.open_questions.advantage`), which has far less
noise. The density hunter and the probability rule are compared on many more boards, so the second
way also says how the rollout and the probability rule differ: the sum of both differences.
"""

from math import hypot
from typing import Any

import numpy as np

from bsjax.policies.rollout import Rollout
from experiments.open_questions import advantage, hunters
from experiments.open_questions.compare import paired, told, within
from experiments.open_questions.hunters import Hunter
from experiments.open_questions.play import Games, Runs
from experiments.open_questions.settings import Settings


def run(runs: Runs, settings: Settings) -> dict[str, Any]:
    """Whole games, and choices one by one, of the same games."""
    games, many = settings.judged_games, max(settings.exact_games, settings.judged_games)
    hunter = hunters.rollout(settings.rollout)
    base, probability = Hunter("density-lowest"), Hunter("probability", "exact")
    policy = hunter.policy(settings.game())
    assert isinstance(policy, Rollout)
    rows = advantage.gains(
        policy,
        worlds=settings.judged_worlds,
        games=games,
        seed=settings.seed,
        folder=runs.folder(hunter, hunters.UNIFORM) / f"judged-by-{settings.judged_worlds}",
        batch=settings.judged_batch,
        slots=settings.judged_slots,
    )
    shots = rows.shots.astype(np.int64)
    played = {
        "probability": runs.play(probability, games),
        "density-lowest": runs.play(base, games),
        "rollout": Games(hunter, hunters.UNIFORM, shots, np.empty((games, 0), np.int16), {}),
    }
    pairs = {
        "rollout": ("rollout", "probability"),
        "rollout - base": ("rollout", "density-lowest"),
    }
    judged = advantage.summary(rows)
    behind = paired(runs.play(base, many), runs.play(probability, many))
    error = hypot(judged["gain_se"], behind["se"])
    return {
        "game": str(settings.game()),
        "rollout": settings.rollout,
        **told(played, pairs),
        "judged": judged | {"worlds": settings.judged_worlds},
        "base - probability": behind,
        "judged - probability": {
            "games": judged["games"],
            **within(judged["gain"] + behind["mean"], error),
        },
    }
