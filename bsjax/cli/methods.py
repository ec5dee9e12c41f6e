"""What `bsjax posterior` can judge by: exact counts, weighted draws, or placement density."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from jaxtyping import Bool, Float64

from bsjax.game.game import Game

if TYPE_CHECKING:
    from bsjax.game.history import History
    from bsjax.posterior.exact_posterior import ExactPosterior


class Told(NamedTuple):
    """What a method says after a history; C cells."""

    shot: Bool[np.ndarray, " C"]
    """Cells shot at."""
    p_ship: Float64[np.ndarray, " C"]
    """Chance of a ship on every cell."""
    best: dict[str, str]
    """Cell that each rule fires at; empty once the fleet is sunk."""
    left: str
    """How many layouts are left, in words."""
    more: str
    """What else there is to say about that."""
    fields: dict[str, Any]
    """JSON fields besides `p_ship` and `best`."""


class Effort(NamedTuple):
    """How much a method may do."""

    draws: int
    """Effective draws wanted."""
    seed: int


def by_exact(game: Game, history: "History", effort: Effort) -> Told:
    """All layouts, counted."""
    from bsjax.posterior.exact import exact

    found = _after(game, history, lambda seen: _some(exact(game, seen)))
    apart, alike = found.layouts_told_apart, found.layouts_alike
    return Told(
        found.shot,
        found.p_ship,
        _greedy(found),
        f"{apart:,} layout{'' if apart == 1 else 's'} left",
        f"{alike:,} with equal ships alike",
        {"layouts_told_apart": apart, "layouts_alike": alike},
    )


def by_sample(game: Game, history: "History", effort: Effort) -> Told:
    """Weighted draws, as many as it takes; every number with its standard error."""
    import jax

    from bsjax.posterior.sampled import sampled

    key = jax.random.key(effort.seed)
    found = _after(game, history, lambda seen: sampled(game, seen, key, effective=effort.draws))
    counts, error = found.counts, found.total_error
    worst = float(found.p_ship_error.max())
    short = "" if found.enough else f", fewer than the {effort.draws:,} wanted"
    return Told(
        counts.shot,
        found.p_ship,
        _greedy(counts),
        f"{found.total:.4g} ± {error:.1g} layouts left",
        f"{found.layouts_alike:.4g} with equal ships alike; {found.draws:,} draws worth "
        f"{found.effective:,.0f}{short}; standard error of a chance at most {100 * worst:.2f}%",
        {
            "layouts_told_apart": found.total,
            "layouts_alike": found.layouts_alike,
            "layouts_told_apart_se": error,
            "p_ship_se": found.p_ship_error.tolist(),
            "draws": found.draws,
            "effective_draws": found.effective,
            "enough": found.enough,
        },
    )


def by_density(game: Game, history: "History", effort: Effort) -> Told:
    """Placement density of the ships afloat, scaled to the cells they have left."""
    del effort
    from bsjax.game.history import observe_history
    from bsjax.game.notation import format_cell
    from bsjax.game.observation import HIT, UNFIRED
    from bsjax.posterior.density import digits, weight

    seen = observe_history(game, history)
    shot = np.asarray(seen.mark) != UNFIRED
    hit = np.asarray(seen.answer) >= HIT
    base = weight(game.fleet)
    score = sum(
        int(base) ** power * np.asarray(row).astype(np.float64)
        for power, row in enumerate(digits(game, seen))
    )
    score = np.where(shot, 0.0, score)
    left = game.ship_cells - int(hit.sum())
    share = score / max(score.sum(), 1)
    best = {"density": format_cell(game, int(score.argmax()))} if left else {}
    return Told(
        shot,
        np.where(hit, 1.0, left * share),
        best,
        f"placement density, scaled to the {left} ship cells left",
        "which is no chance: ships are looked at one by one",
        {"density": score.tolist()},
    )


METHODS: dict[str, Callable[[Game, "History", Effort], Told]] = {
    "exact": by_exact,
    "sample": by_sample,
    "density": by_density,
}
"""The methods by name."""


def _some(found: "ExactPosterior") -> "ExactPosterior":
    """Refuse a posterior of no layouts."""
    if not found.total:
        raise ValueError("it leaves no layout")
    return found


def _after(game: Game, history: "History", judge: Callable[[Any], Any]) -> Any:
    """What is judged after a history.

    Raises:
        ValueError: nothing agrees with it; the message names the first shot with which that is so.
    """
    from bsjax.game.history import observe_history
    from bsjax.game.tokens import format_shot
    from bsjax.posterior.leaves import TooManyLeavesError

    try:
        return judge(observe_history(game, history))
    except TooManyLeavesError as error:
        raise ValueError(f"{error} (--method sample)") from None
    except ValueError:
        for number in range(1, len(history) + 1):
            try:
                judge(observe_history(game, history[:number]))
            except ValueError as error:
                token = format_shot(game, history[number - 1])
                raise ValueError(f"shot {number} ({token}) cannot be true: {error}") from None
        raise


def _greedy(found: "ExactPosterior") -> dict[str, str]:
    """Cell each greedy rule fires at, ties to the lowest cell; whole numbers tie exactly."""
    from bsjax.game.notation import format_cell

    game, ship = found.game, found.ship.tolist()
    is_open = [c for c in range(game.cells) if not found.shot[c]]
    if not any(ship[c] for c in is_open):
        return {}
    squares = found.squares()
    likeliest = max(is_open, key=lambda c: (ship[c], -c))
    telling = min(is_open, key=lambda c: (squares[c], -ship[c], c))
    return {
        "probability": format_cell(game, likeliest),
        "information": format_cell(game, telling),
    }
