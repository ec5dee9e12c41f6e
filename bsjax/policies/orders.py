"""Which cell of a search comes first, where the search leaves a choice.

* at random (`bsjax.policies.choose.uniform_cell`);
* late near-miss cells: each cell drawn with weight exp(−α · share of its neighbours already
  missed), α = 0.5 (light) or 1.5 (strong) in the write-up;
* densest first: where most placements of the ships afloat still fit.
"""

import jax.numpy as jnp
from jaxtyping import Array, Bool, Int32, Key

from bsjax.game.game import Game
from bsjax.game.observation import CLOSED, MISS, OPEN, Observation
from bsjax.game.planes import seen as shifted
from bsjax.game.touching import SIDES
from bsjax.policies.choose import cell_bits
from bsjax.posterior.density import density, digits, fits_one_word


def fitting(game: Game, observation: Observation) -> Int32[Array, " C"]:
    """Placements of the ships afloat through each cell that cover no cell shot at, as scores."""
    closed = jnp.where(observation.mark == OPEN, jnp.int8(CLOSED), observation.mark)
    known = observation._replace(mark=closed)
    return density(game, known) if fits_one_word(game) else digits(game, known)[0]


def late_cell(
    key: Key[Array, ""],
    game: Game,
    observation: Observation,
    cells: Bool[Array, " C"],
    alpha: float,
) -> Int32[Array, ""]:
    """One of the cells, drawn with weight exp(−α · share of its neighbours already missed).

    Every cell waits for an exponential time with its weight as rate; the first one is drawn. The
    key is consumed.
    """
    missed = shifted(game, observation.answer == MISS, SIDES)
    board = shifted(game, jnp.ones(game.cells, bool), SIDES)
    number, all_ = (jnp.stack(of).sum(0).astype(jnp.float32) for of in (missed, board))
    bits = (cell_bits(key, game.cells) >> 8).astype(jnp.float32)
    wait = -jnp.log((bits + 0.5) / 2.0**24) * jnp.exp(alpha * number / jnp.maximum(all_, 1.0))
    return jnp.where(cells, wait, jnp.inf).argmin().astype(jnp.int32)
