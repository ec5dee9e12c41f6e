"""Heat maps that do not take all placements alike: three-ship maps, and maps weighed by a hider.

The heat of a cell is the weight of the placements through it that cover no miss and no closed hit,
those over more open hits first (`bsjax.posterior.density` with weights). A three-ship map looks at
the 3s and the 2 alone until they are sunk, then at the rest.

**Weights** are one number for each ship and placement, in any unit: of a cell weight, such as twice
as much on the border (`of_cells`), or of how a hider lays his ships (`of_layouts`).

**How it is computed.** As a placement is named by its first cell and its direction, weights are two
planes a ship. The product of the values of n cells ahead of a cell, times its plane, is the weight
of the placement that starts there; it is spread by n shifts. About 60 float operations a cell for
the classic fleet. A hit counts `_HIT`, more than all placements through a cell if no weight is more
than 100 times the mean.
"""

from collections.abc import Sequence
from typing import Literal

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float32, Float64, Int, Int32, Key, PyTree

from bsjax.game.game import Game
from bsjax.game.observation import OPEN, UNFIRED, Observation, afloat
from bsjax.game.placements import placement_cells
from bsjax.game.planes import widened
from bsjax.game.touching import open_water
from bsjax.policies.base import Policy
from bsjax.policies.choose import uniform_cell
from bsjax.policies.searches import BIG, any_of

_HIT = 4096.0


class WeightedMap(Policy):
    """The hottest cell."""

    weights: Float32[Array, "K 2 C"]
    """Of each ship, across and down, by first cell; 0 where it leaves the board."""
    small_first: bool = eqx.field(static=True, default=False)
    """Ships of 4 cells and more do not count while a smaller one is afloat."""
    ties: Literal["random", "lowest"] = eqx.field(static=True, default="random")

    def act(
        self, key: Key[Array, ""], observation: Observation, carry: PyTree
    ) -> tuple[Int32[Array, ""], PyTree]:
        """The next cell; `carry` is unused."""
        unfired = observation.mark == UNFIRED
        heat = jnp.where(unfired, self.heat(observation), -1.0)
        hottest = heat == heat.max()
        if self.ties == "lowest":
            return hottest.argmax().astype(jnp.int32), carry
        return uniform_cell(key, hottest), carry

    def heat(self, observation: Observation) -> Float32[Array, " C"]:
        """Weight of the placements through each cell; read it at cells not fired at only."""
        game, left = self.game, afloat(observation)
        if self.small_first:
            big = np.array([length >= BIG for length in game.fleet])
            left = left & ~(big & any_of(game, left, 1, BIG - 1))
        is_open = observation.mark == OPEN
        value = jnp.where(is_open, _HIT, open_water(game, observation).astype(jnp.float32))
        longest = max(game.fleet)
        heat = jnp.zeros(game.cells, jnp.float32)
        for down, stride in ((0, 1), (1, game.width)):
            reach = (longest - 1) * stride
            rows = -(-reach // game.width)
            wide = widened(game, value, rows)
            base, product, longer = rows * game.width, value, []
            scores = jnp.zeros(game.cells, jnp.float32)
            by_length: dict[int, Array] = {}
            for length in range(1, longest + 1):
                if length > 1:
                    ahead = base + (length - 1) * stride
                    product = product * wide[ahead : ahead + game.cells]
                ships = [k for k, n in enumerate(game.fleet) if n == length]
                if ships:
                    own = sum(jnp.where(left[k], self.weights[k, down], 0.0) for k in ships)
                    by_length[length] = own * product
            for back in reversed(range(longest)):
                scores = scores + by_length.get(back + 1, 0.0)
                longer.append((back * stride, scores))
            for shift, starts in longer:
                behind = base - shift
                heat = heat + widened(game, starts, rows)[behind : behind + game.cells]
        return heat


def of_cells(game: Game, weight: Float64[np.ndarray, " C"]) -> Float32[np.ndarray, "K 2 C"]:
    """Weights of placements: the product of the weights of their cells, 1 on average."""
    return _planes(game, [weight[placement_cells(game.size, n)].prod(1) for n in game.fleet])


def of_layouts(
    game: Game,
    fleet: Sequence[int],
    layouts: Int[np.ndarray, "M S"],
    share: Float64[np.ndarray, " M"],
) -> Float32[np.ndarray, "K 2 C"]:
    """Weights of placements: how often a hider of (part of) the fleet lays a ship there.

    Args:
        game: the rules of the game.
        fleet: lengths of the hider's ships.
        layouts: placement of each of his ships (`bsjax.posterior.listed.Listing.layouts`) on the
            same board, M layouts.
        share: how often he hides each layout, in any unit.

    Ships of lengths that he does not have lie anywhere alike.

    Raises:
        ValueError: he has ships that the game has not, or not one share for each layout.
    """
    if not set(fleet) <= set(game.fleet) or layouts.shape != (len(share), len(fleet)):
        raise ValueError(
            f"hider of the fleet {tuple(fleet)}, {len(layouts)} layouts and {len(share)} shares: "
            f"he needs ships of {game.fleet}, and one share for each layout"
        )
    found = []
    for length in game.fleet:
        number = len(placement_cells(game.size, length))
        own = [k for k, n in enumerate(fleet) if n == length]
        total = sum((np.bincount(layouts[:, k], share, number) for k in own), np.zeros(number))
        found.append(total if own else np.ones(number))
    return _planes(game, found)


def _planes(game: Game, weights: Sequence[np.ndarray]) -> Float32[np.ndarray, "K 2 C"]:
    """Weights of every ship's placements as planes, each 1 on average over its placements."""
    planes = np.zeros((game.ships, 2, game.cells), np.float32)
    for k, (length, weight) in enumerate(zip(game.fleet, weights, strict=True)):
        if not (weight >= 0).all() or not weight.sum() > 0:
            raise ValueError("weights of placements must be 0 or more, not all 0 for a ship")
        across = game.height * max(game.width - length + 1, 0)
        start = placement_cells(game.size, length)[:, 0]
        level = weight / weight.mean()
        planes[k, 0, start[:across]] = level[:across]
        planes[k, 1, start[across:]] = level[across:]
    return planes
