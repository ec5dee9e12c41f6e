"""Placement density on four boards: the opening, after twelve misses, one hit, two hits."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Int32, Key

from bsjax import policies
from bsjax.game.history import observe_history, parse
from bsjax.game.notation import format_cell, parse_cell
from bsjax.game.observation import MISS, UNFIRED, Observation, blank, observe
from bsjax.game.tokens import Shot
from bsjax.posterior.density import density, digits, weight
from experiments.how_the_computer.settings import GAME, Settings

MISSES = 12
NEXT = ("C8", "E9")
"""Published: where the density is highest after twelve misses."""
ONE_HIT, TWO_HITS = "E5:hit", "E5:hit F5:hit"


def run(settings: Settings) -> dict[str, Any]:
    """Each board's density, its peak, and the digits of the peak in base w."""
    return {
        "game": str(GAME),
        "weight": weight(GAME.fleet),
        "opening": board(blank(GAME)),
        "misses": after_misses(settings),
        "one_hit": {"history": ONE_HIT, **board(observe_history(GAME, parse(GAME, ONE_HIT)))},
        "two_hits": {"history": TWO_HITS, **board(observe_history(GAME, parse(GAME, TWO_HITS)))},
    }


def board(observation: Observation) -> dict[str, Any]:
    """Density of every cell not fired at (0 elsewhere), and where it is highest."""
    unfired = np.asarray(observation.mark) == UNFIRED
    plane = np.where(unfired, np.asarray(density(GAME, observation)), 0)
    parts = np.where(unfired, np.asarray(digits(GAME, observation)), 0)
    base = weight(GAME.fleet)
    assert (plane == sum(part.astype(int) * base**h for h, part in enumerate(parts))).all()
    best = np.flatnonzero(plane == plane.max())
    return {
        "density": plane.tolist(),
        "digits": {str(h): part.tolist() for h, part in enumerate(parts) if part.any()},
        "peak": int(plane.max()),
        "best": best.tolist(),
        "best_names": [format_cell(GAME, cell) for cell in best.tolist()],
        "peak_digits": parts[:, best[0]].tolist(),
    }


def after_misses(settings: Settings) -> dict[str, Any]:
    """The first twelve shots of the density hunter when every one of them misses.

    The write-up shows the board without naming its cells; it says where the next shot goes. Ties
    are broken by dice, in game k by `fold_in(key(seed), k)`. Shown is the first game whose next
    shot goes there (game 0 if none does), and it is counted how many sets of twelve cells lead
    there: if only one, it is the board of the write-up. Over all games it is counted how often no
    two shots lie side by side and how often all have one colour of the chequerboard.
    """
    key = jax.random.key(settings.seed)
    dice = jax.vmap(lambda k: jax.random.fold_in(key, k))(jnp.arange(settings.tie_games))
    shots, best = map(np.asarray, jax.jit(jax.vmap(_open))(dice))
    there = np.isin(np.arange(GAME.cells), [parse_cell(GAME, name) for name in NEXT])
    same = np.flatnonzero((best == there).all(1))
    shown = int(same[0]) if same.size else 0
    rows, columns = np.divmod(shots, GAME.width)
    steps = abs(rows[:, :, None] - rows[:, None]) + abs(columns[:, :, None] - columns[:, None])
    colour = (rows + columns) % 2
    cells = shots[shown].tolist()
    return {
        "shots": cells,
        "names": [format_cell(GAME, cell) for cell in cells],
        "published_next": list(NEXT),
        "game": shown,
        "none_adjacent": bool((steps[shown] != 1).all()),
        "games": settings.tie_games,
        "games_with_published_next": int(same.size),
        "sets_with_published_next": len({frozenset(row) for row in shots[same].tolist()}),
        "games_none_adjacent": int((steps != 1).all((1, 2)).sum()),
        "games_one_colour": int((colour == colour[:, :1]).all(1).sum()),
        **board(observe_history(GAME, tuple(Shot(cell, MISS) for cell in cells))),
    }


def _open(dice: Key[Array, ""]) -> tuple[Int32[Array, " n"], Bool[Array, " C"]]:
    """Cells of one opening against water, and the cells that are best after it."""
    hunter = policies.make("density", GAME)
    nothing = jnp.zeros(GAME.cells, bool)

    def shoot(seen: Observation, _: None) -> tuple[Observation, Int32[Array, ""]]:
        cell, _carry = hunter.act(jax.random.fold_in(dice, seen.shots), seen, ())
        return observe(GAME, seen, cell, jnp.int8(MISS), nothing), cell

    seen, cells = jax.lax.scan(shoot, blank(GAME), length=MISSES)
    plane = jnp.where(seen.mark == UNFIRED, density(GAME, seen), 0)
    return cells, plane == plane.max()
