"""Layouts of leaves counted on the device, exactly.

The closed form (`bsjax.posterior.closed_form`) for a launch of leaves, as one compiled program
per shape of the three ships, size of launch and number of sums. Placements open to the free ships
are found from the placements of the others by a gather of rows.
"""

from functools import lru_cache, partial

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float32, Int32

from bsjax.game.game import Game
from bsjax.posterior.closed_form import Matrices, Three, matrices, terms
from bsjax.posterior.evidence import Evidence
from bsjax.posterior.groups import LAUNCHES, Group, Sums, columns, placed, runs
from bsjax.posterior.leaves import Leaves
from bsjax.posterior.tables import tables

_SUMS = (4, 64, 1024)
"""Sums of one launch: few for one game, many for a batch of games."""


def count(
    game: Game, evidence: Evidence, leaves: Leaves, group: Group, rows: np.ndarray, marginals: bool
) -> Sums:
    """Queue one launch on the device."""
    table = tables(game)
    observation = leaves.observation[rows]
    starts = runs(observation, leaves.ways[rows])
    heads = starts.nonzero()[0]
    size = next(size for size in reversed(LAUNCHES) if size >= len(rows))
    sums = next(sums for sums in _SUMS if sums >= len(heads))
    # Padding leaves belong to a sum that does not exist, and are dropped.
    run = np.full(size, sums, np.int32)
    run[: len(rows)] = np.cumsum(starts) - 1
    place = placed(game, leaves.place[rows], group)
    place = np.pad(place, ((0, size - len(rows)), (0, 0)), constant_values=table.start[-1])
    free = []
    for ship, absent in zip(group.ships, group.absent, strict=True):
        own = evidence.free[observation[heads], columns(table, ship)] & (not absent)
        free.append(np.pad(own, ((0, sums - len(heads)), (0, 0))))
    a, b, c = group.ships
    leaf, placement = _launch(
        _on_device(game, (game.fleet[a], game.fleet[b], game.fleet[c]), group.twins),
        (_meets_on_device(game, a), _meets_on_device(game, b), _meets_on_device(game, c)),
        (free[0], free[1], free[2]),
        place,
        run,
        np.array(group.absent, np.float32)[:, None, None],
        twins=group.twins,
        marginals=marginals,
    )
    return Sums(group, rows, leaf, heads, placement, leaves.ways[rows])


@partial(jax.jit, static_argnames=("twins", "marginals"))
def _launch(
    m: Matrices,
    meets: tuple[Bool[Array, "G1 Pa"], Bool[Array, "G1 Pb"], Bool[Array, "G1 Pc"]],
    free: tuple[Bool[Array, "S Pa"], Bool[Array, "S Pb"], Bool[Array, "S Pc"]],
    place: Int32[Array, "N A"],
    run: Int32[Array, " N"],
    absent: Float32[Array, "3 1 1"],
    *,
    twins: Three,
    marginals: bool,
) -> tuple[Int32[Array, " N"], list[Int32[Array, "S _"]]]:
    """F of N leaves, and f·D of every placement summed over each run of leaves."""
    weights = [
        (own[run] & ~met[place].any(1)).astype(jnp.float32)
        for own, met in zip(free, meets, strict=True)
    ]
    f = (weights[twins[0]], weights[twins[1]], weights[twins[2]])
    # The default precision of an accelerator would round the entries to 11 bits.
    with jax.default_matmul_precision("highest"):
        found = terms(jnp, f, (absent[0], absent[1], absent[2]), twins, m)
    leaf = (_whole(found.number[0]) * _whole(found.constant[0]))[:, 0]
    leaf = leaf + _whole(f[0] * found.rest[0]).sum(1)
    if not marginals:
        return leaf, []
    derivatives = [
        _whole(own * (constant + rest))
        for own, constant, rest in zip(f, found.constant, found.rest, strict=True)
    ]
    sums = free[0].shape[0]
    return leaf, [jax.ops.segment_sum(d, run, sums, indices_are_sorted=True) for d in derivatives]


def _whole(x: Float32[Array, "..."]) -> Int32[Array, "..."]:
    """Whole numbers held in float32, as integers."""
    return x.astype(jnp.int32)


@lru_cache(maxsize=64)
def _on_device(game: Game, lengths: Three, twins: Three) -> Matrices:
    """The matrices of three ships as device arrays."""
    return jax.tree.map(jnp.asarray, matrices(game, lengths, twins))


@lru_cache(maxsize=64)
def _meets_on_device(game: Game, ship: int) -> Bool[Array, "G1 P"]:
    """Which placements of a ship each placement of the fleet meets, as a device array."""
    table = tables(game)
    return jnp.asarray(table.meets[:, columns(table, ship)])
