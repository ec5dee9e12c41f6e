"""Layouts of leaves weighed by a prior, in float64 on the host.

With placement weights alone this is the closed form (`bsjax.posterior.closed_form`), of which
sums that should be 0 leave some rounding, which is cleared. With factors of pairs it is the sum
over triples (`bsjax.posterior.three_body`).
"""

from functools import lru_cache

import jax
import numpy as np
from jaxtyping import Float64

from bsjax.game.game import Game
from bsjax.posterior import three_body
from bsjax.posterior.closed_form import Matrices, Three, matrices, terms
from bsjax.posterior.evidence import Evidence
from bsjax.posterior.groups import Group, Sums, columns, placed, runs
from bsjax.posterior.leaves import FREE, Leaves
from bsjax.posterior.prior import Prior, flat
from bsjax.posterior.tables import tables

ROUNDING = 1e-12
"""Weights of layouts below this share of the terms they are formed from count as 0."""


def weigh(
    game: Game,
    evidence: Evidence,
    leaves: Leaves,
    group: Group,
    rows: np.ndarray,
    prior: Prior,
    marginals: bool,
) -> Sums:
    """Weigh some leaves of a group."""
    table = tables(game)
    observation = leaves.observation[rows]
    place = placed(game, leaves.place[rows], group)
    weights, kernel = flat(game, prior)
    factor = leaves.ways[rows] * weights[place].prod(1)
    for i in range(place.shape[1]):
        for j in range(i):
            factor *= kernel[place[:, i], place[:, j]]
    f = []
    for ship, absent in zip(group.ships, group.absent, strict=True):
        own = columns(table, ship)
        part = weights[own] * evidence.free[observation, own] * (not absent)
        for column in place.T:
            part *= kernel[column, own]
        f.append(part)
    found = _closed(game, group, f) if prior.kernel is None else _in_full(game, group, f, kernel)
    parts = [own * derivative for own, derivative in zip(f, found, strict=True)]
    # F is Σ f·D of any ship that is not absent, and 1 if all are.
    present = [part for part, absent in zip(parts, group.absent, strict=True) if not absent]
    leaf = factor * (present[0].sum(1) if present else 1)
    heads = runs(observation).nonzero()[0]
    parts = parts if marginals else []
    placement = [np.add.reduceat(factor[:, None] * part, heads, axis=0) for part in parts]
    return Sums(group, rows, leaf, heads, placement, np.ones(len(rows)))


def _closed(game: Game, group: Group, f: list[np.ndarray]) -> list[np.ndarray]:
    """D of the three ships in closed form."""
    a, b, c = group.ships
    m = _in_float64(game, (game.fleet[a], game.fleet[b], game.fleet[c]), group.twins)
    none = np.array(group.absent, np.float64)[:, None, None]
    found = terms(np, (f[0], f[1], f[2]), (none[0], none[1], none[2]), group.twins, m)
    derivatives = []
    for k in range(FREE):
        derivative = found.constant[k] + found.rest[k]
        # A sum of terms of this size: what is left of it where it should be 0 is rounding.
        size = np.prod([found.number[j] for j in range(FREE) if j != k], axis=0)
        derivatives.append(np.where(derivative > ROUNDING * size, derivative, 0))
    return derivatives


def _in_full(
    game: Game, group: Group, f: list[np.ndarray], kernel: Float64[np.ndarray, "G1 G1"]
) -> list[np.ndarray]:
    """D of the three ships with factors of pairs."""
    table, none = tables(game), tables(game).start[-1]
    # "None" is one placement with all factors 1, which is what an absent ship needs.
    own = [
        slice(none, none + 1) if absent else columns(table, ship)
        for ship, absent in zip(group.ships, group.absent, strict=True)
    ]
    weights = [np.ones((len(f[0]), 1)) if absent else f[k] for k, absent in enumerate(group.absent)]
    factors = [kernel[own[i], own[j]] for i, j in ((0, 1), (0, 2), (1, 2))]
    return three_body.derivatives(weights, factors)


@lru_cache(maxsize=64)
def _in_float64(game: Game, lengths: Three, twins: Three) -> Matrices:
    """The matrices of three ships in double precision."""
    return jax.tree.map(lambda table: table.astype(np.float64), matrices(game, lengths, twins))
