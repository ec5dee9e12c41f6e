"""The sampler against exact posteriors: two ships as in the write-up, and five ships.

The write-up can check its sampler on two ships only, where layouts can be listed. The exact
posterior of five ships is known in closed form, so here they are checked as well.

Of each history the chance of every answer at every cell is estimated from weighted draws, and
compared with the exact one: of a ship, of a hit that sinks nothing, of sinking each ship. Draws
are independent. With weights w and I the draws in which it happens, a chance p is estimated by
Σ_I w / Σ w, with a standard error of √(Σ_I w² (1 − 2p) + p² Σ w²) / Σ w.
"""

from collections.abc import Sequence
from functools import partial
from typing import Any

import jax
import numpy as np
from jaxtyping import Float64

from bsjax.game.game import Game
from bsjax.game.history import observe_history, parse
from bsjax.posterior.evidence import read
from bsjax.posterior.exact import exact
from bsjax.posterior.exact_posterior import ExactPosterior
from bsjax.posterior.importance import Draws, draw
from bsjax.posterior.tables import tables
from experiments.notebook.histories import CASES, GAMES, Case
from experiments.notebook.settings import Settings

EXPECTED = 25
"""A chance is judged in standard errors if that many effective draws should show it, and as many
should not: below, the error of a weighted mean cannot be told from the draws."""


def run(settings: Settings) -> dict[str, Any]:
    """All histories of both games."""
    games = {
        name: against(GAMES[name], cases, draws, settings.seed)
        for (name, cases), draws in zip(CASES.items(), settings.draws, strict=True)
    }
    return {"games": games, "expected": EXPECTED}


def against(game: Game, cases: Sequence[Case], draws: int, seed: int) -> dict[str, Any]:
    """All histories of a game; history n draws by `fold_in(key(seed), n)`."""
    sample, key = jax.jit(partial(draw, game, draws=draws)), jax.random.key(seed)
    histories = []
    for number, case in enumerate(cases):
        observation = observe_history(game, parse(game, case.shots))
        sampled = sample(read(game, observation), jax.random.fold_in(key, number))
        histories.append(checked(case, exact(game, observation), sampled))
    return {"game": str(game), "draws": draws, "histories": histories}


def checked(case: Case, posterior: ExactPosterior, sampled: Draws) -> dict[str, Any]:
    """One history: how far the draws are from the exact chances, and their effective size."""
    weight = np.asarray(sampled.weight, np.float64)
    total, squares = weight.sum(), (weight**2).sum()
    effective = total**2 / squares
    events = answers(posterior)
    due = np.concatenate([layouts.ravel() for layouts in exactly(posterior)]) / posterior.total
    mass, mass_squared = by_placement(posterior.game, sampled, weight)
    found = (mass[:, None] * events).sum(0) / total
    shown = (mass_squared[:, None] * events).sum(0)
    error = np.sqrt(np.maximum(shown * (1 - 2 * due) + due**2 * squares, 0)) / total
    off = abs(found - due)
    judged = (np.minimum(due, 1 - due) * effective >= EXPECTED) & (error > 0)
    estimate, spread = weight.mean(), weight.std(ddof=1) / np.sqrt(len(weight))
    return {
        "title": case.title,
        "history": case.shots,
        "layouts": posterior.layouts_told_apart,
        "layouts_estimated": float(estimate),
        "layouts_standard_error": float(spread),
        "valid": int((weight > 0).sum()),
        "effective": float(effective),
        "largest_difference": float(off.max()),
        "chances": len(due),
        "judged": int(judged.sum()),
        "largest_in_standard_errors": float((off[judged] / error[judged]).max(initial=0)),
        "published": case.published,
    }


def exactly(posterior: ExactPosterior) -> list[np.ndarray]:
    """Layouts with a ship, with a hit that sinks nothing, and with each ship sinking, by cell."""
    ship = np.where(posterior.shot, 0, posterior.ship)
    return [ship, posterior.hit, *posterior.sunk]


def answers(posterior: ExactPosterior) -> Float64[np.ndarray, "G E"]:
    """Which events, in the order of `exactly`, each placement brings about if its cell is shot."""
    game, table = posterior.game, tables(posterior.game)
    open_ = table.masks[:-1, :-1] & ~posterior.shot
    last = open_ & (open_.sum(1) == 1)[:, None]
    parts = [open_, open_ & ~last]
    for ship in range(game.ships):
        own = np.zeros((len(open_), 1), bool)
        own[table.start[ship] : table.start[ship + 1]] = True
        parts.append(last & own)
    return np.concatenate(parts, axis=1).astype(np.float64)


def by_placement(
    game: Game, sampled: Draws, weight: Float64[np.ndarray, " S"]
) -> tuple[Float64[np.ndarray, " G"], Float64[np.ndarray, " G"]]:
    """Weights, and squares of weights, of the draws with each placement."""
    placements = tables(game).start[-1]
    place = np.asarray(sampled.placement).T
    sums = [
        np.bincount(own, power, placements + 1)[:-1]
        for power in (weight, weight**2)
        for own in place
    ]
    return np.sum(sums[: game.ships], axis=0), np.sum(sums[game.ships :], axis=0)
