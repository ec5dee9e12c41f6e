"""Choosing shots to minimize the expected number directly: does it need fewer?

The rollout hunter finishes its games by the density hunter (`bsjax.policies.rollout`). It is
compared with the exact probability rule by the shots of whole games, and with the density hunter
by what each of its choices gains (`experiments.open_questions.advantage`), which has far less
noise. The density hunter and the probability rule are compared on many more boards, so the second
way also says how the rollout and the probability rule differ: the sum of both differences.
"""

from math import hypot
from typing import Any

from bsjax.policies.rollout import Rollout
from experiments.open_questions import advantage, hunters
from experiments.open_questions.compare import paired, told, within
from experiments.open_questions.hunters import Hunter
from experiments.open_questions.play import Runs
from experiments.open_questions.settings import Settings


def run(runs: Runs, settings: Settings) -> dict[str, Any]:
    """Whole games, and choices one by one."""
    games, many = settings.rollout_games, max(settings.exact_games, settings.rollout_games)
    hunter = hunters.rollout(settings.rollout)
    launch = f"judged-{settings.judged_worlds}-worlds-{settings.judged_batch}-games"
    base, probability = Hunter("density-lowest"), Hunter("probability", "exact")
    played = {
        "probability": runs.play(probability, games),
        "density-lowest": runs.play(base, games),
        "rollout": runs.play(hunter, games),
    }
    pairs = {
        "rollout": ("rollout", "probability"),
        "rollout - base": ("rollout", "density-lowest"),
    }
    policy = hunter.policy(settings.game())
    assert isinstance(policy, Rollout)
    judged = advantage.summary(
        advantage.gains(
            policy,
            worlds=settings.judged_worlds,
            games=settings.judged_games,
            seed=settings.seed,
            folder=runs.folder(hunter, hunters.UNIFORM) / launch,
            batch=settings.judged_batch,
            slots=settings.judged_slots,
        )
    )
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
