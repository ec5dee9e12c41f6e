"""A prior over layouts: a weight for every placement and a factor for every pair of them.

A layout weighs the product of the weights of its placements, times the product of the factors of
all pairs of them; the prior is proportional to that. Placement weights cost nothing extra in the
exact posterior, factors cost a sum over triples (`bsjax.posterior.three_body`).

`habit` is the invented model of how people place ships: exp(a·edge squares − b·touching pairs),
with edge squares the ship squares on the border and a touching pair two ships with cells next to
each other, diagonals included.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from jaxtyping import Float64

from bsjax.game.game import Game
from bsjax.game.habits import edge_squares, near
from bsjax.posterior.tables import tables

Weights = Sequence[Float64[np.ndarray, " _"]]
"""Weight of every placement of every ship, at least 0, in the order of `placement_masks`."""


@dataclass(frozen=True, eq=False)
class Prior:
    """Weights of placements, and factors of pairs.

    Raises:
        ValueError: there is not one finite number of at least 0 for every placement (and pair),
            or the factors are not symmetric, or not the same for ships of equal length.
    """

    game: Game
    weights: Weights
    kernel: Float64[np.ndarray, "G G"] | None = None
    """Factor of every pair of placements of different ships, numbered as in
    `bsjax.posterior.tables`. Pairs that cannot stand together count as 0 whatever is given."""

    def __post_init__(self):
        game, start, weights = self.game, tables(self.game).start, self.weights
        if len(weights) != game.ships:
            raise ValueError(f"weights for {len(weights)} ships, the fleet has {game.ships}")
        for ship, weight in enumerate(weights):
            name, places = game.ship_names[ship], start[ship + 1] - start[ship]
            if np.shape(weight) != (places,):
                raise ValueError(
                    f"the {name} has {places} placements, its weights have shape {np.shape(weight)}"
                )
            _require_weights(np.asarray(weight), f"a weight of the {name}")
        if self.kernel is not None:
            self._check_kernel(self.kernel)

    def _check_kernel(self, kernel: Float64[np.ndarray, "G G"]) -> None:
        """Refuse factors that are no function of the cells of both ships."""
        game, start = self.game, tables(self.game).start
        if kernel.shape != (start[-1], start[-1]):
            raise ValueError(
                f"factors for {kernel.shape} pairs, the fleet has {start[-1]} placements"
            )
        _require_weights(kernel, "a factor of a pair")
        if not np.array_equal(kernel, kernel.T):
            raise ValueError("the factors of pairs are not symmetric")
        first = [game.fleet.index(length) for length in game.fleet]
        for a in range(game.ships):
            for b in range(a):
                ships = (a, b), (first[a], next(k for k in _like(game, b) if k != first[a]))
                own, other = (
                    kernel[start[i] : start[i + 1], start[j] : start[j + 1]] for i, j in ships
                )
                if not np.array_equal(own, other):
                    raise ValueError("the factors of pairs differ between ships of equal length")


def habit(game: Game, edge: float | int = 0.0, touch: float | int = 0.0) -> Prior:
    """The prior exp(edge·(edge squares) − touch·(touching pairs)).

    Args:
        game: the rules.
        edge: a, how much every ship square on the border adds to the logarithm of the weight.
        touch: b, how much every pair of touching ships takes off it. With 0 the prior has no
            factors of pairs, and posteriors are as fast as without it.
    """
    weights = [np.exp(edge * edge_squares(game.size, n).astype(np.float64)) for n in game.fleet]
    if touch == 0:
        return Prior(game, weights)
    touches = np.block([[near(game, a, b) for b in game.fleet] for a in game.fleet])
    return Prior(game, weights, np.exp(-touch * touches.astype(np.float64)))


@lru_cache(maxsize=16)
def flat(
    game: Game, prior: Prior | None
) -> tuple[Float64[np.ndarray, " G1"], Float64[np.ndarray, "G1 G1"]]:
    """Weights and factors by number of placement: 1 for "none", 0 for pairs that meet."""
    factors = 1.0 - tables(game).meets
    if prior is None:
        return np.ones(len(factors)), factors
    if prior.kernel is not None:
        factors[:-1, :-1] *= prior.kernel
    return np.concatenate([*prior.weights, np.ones(1)]), factors


def _like(game: Game, ship: int) -> list[int]:
    """The ships of the same length."""
    return [k for k, length in enumerate(game.fleet) if length == game.fleet[ship]]


def _require_weights(weights: np.ndarray, what: str) -> None:
    """Refuse numbers that cannot be weights."""
    if not (np.isfinite(weights).all() and (weights >= 0).all()):
        raise ValueError(f"{what} is negative or not finite")
