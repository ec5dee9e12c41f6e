"""The exact posterior of any fleet: layouts left and where the ships are in them.

Nothing is listed. The history is read as masks over the placements of single ships
(`bsjax.posterior.evidence`), the layouts are cut into leaves with at most three free ships
(`leaves`), and each leaf is counted, with all its marginals, in closed form (`closed_form`,
`features`, `totals`). What the two greedy rules need follows from one table, the number of layouts
that use each placement: a shot at a cell sinks a ship whose placement has no other cell left, and
hits without sinking where others are left.

Ships of equal length are *told apart* (different ships) in all counts but `layouts_alike`. A rule
that announces only lengths, or nothing, leaves every order of equal ships possible, and all of
them are counted.
"""

from collections.abc import Iterator

import jax
import numpy as np

from bsjax.game.game import Game
from bsjax.game.observation import Observation, blank
from bsjax.posterior.enumerate import Counts
from bsjax.posterior.evidence import Evidence, read_many
from bsjax.posterior.exact_posterior import ExactPosterior as ExactPosterior
from bsjax.posterior.leaves import LEAVES, Leaves, TooManyLeavesError, cut
from bsjax.posterior.prior import Prior, Weights
from bsjax.posterior.tables import tables
from bsjax.posterior.totals import evaluate

_LARGEST = 1 << 62
_BATCH = 256
"""Observations cut into leaves together."""


def exact(
    game: Game,
    observation: Observation,
    weights: Weights | Prior | None = None,
    *,
    budget: int = LEAVES,
) -> ExactPosterior:
    """The posterior after one history.

    Args:
        game: the rules.
        observation: what was told. Contradictory answers give a posterior of 0 layouts.
        weights: prior weight of every placement of every ship (float64, one array per ship, in
            the order of `placement_masks`): layouts are weighed by their product. Or a `Prior`
            (`bsjax.posterior.prior`), which can have factors for pairs. None counts layouts.
        budget: leaves allowed; see `bsjax.posterior.leaves`.

    Raises:
        ValueError: the weights do not fit the game, there are too many leaves
            (`TooManyLeavesError`, which says how many), or more than 2⁶² layouts.

    Cost: 4 to 8 µs a leaf on two cores: 0.06 s for the empty classic board, 2 ms late in a game,
        7 ms on average. Each shape of work is compiled once, 0.4 s.
    """
    return exact_many(
        game, jax.tree.map(lambda x: np.asarray(x)[None], observation), weights, budget=budget
    )[0]


def exact_many(
    game: Game,
    observations: Observation,
    weights: Weights | Prior | None = None,
    *,
    budget: int = LEAVES,
) -> list[ExactPosterior]:
    """The posteriors after several histories: as `exact`, with a leading axis on every field.

    Their leaves are counted together, and equal histories once (they share one result), so a
    batch costs less than its members one by one.
    """
    prior = weights if weights is None or isinstance(weights, Prior) else Prior(game, weights)
    if prior is not None:
        require_same_fleet(game, prior.game)
    seen = jax.tree.map(np.asarray, observations)
    rows: dict[bytes, int] = {}
    told = zip(seen.answer, seen.shot_at, seen.ship_at, strict=True)
    first = [rows.setdefault(b"".join(x.tobytes() for x in row), b) for b, row in enumerate(told)]
    distinct = list(rows.values())
    found: dict[int, ExactPosterior] = {}
    for at in range(0, len(distinct), _BATCH):
        some = distinct[at : at + _BATCH]
        part = jax.tree.map(lambda x, some=some: x[some], seen)
        found.update(zip(some, _together(game, part, prior, budget), strict=True))
    return [found[b] for b in first]


def count(game: Game, *, budget: int = LEAVES) -> Counts:
    """Exact number of layouts of a game, without listing them.

    Raises:
        ValueError: see `exact`.

    Cost: 0.04 s for the classic board on two cores after compilation.
    """
    evidence = read_many(game, jax.tree.map(lambda x: np.asarray(x)[None], blank(game)))
    leaves = cut(game, evidence, budget=budget)
    total = int(_sum(evaluate(game, evidence, leaves, marginals=False).leaf, leaves, 1)[0])
    return Counts(layouts_told_apart=total, layouts_alike=total // _orders(evidence)[0])


def _together(
    game: Game, observations: Observation, prior: Prior | None, budget: int
) -> list[ExactPosterior]:
    """Posteriors of a few observations, whose leaves are counted together if the budget allows."""
    evidence = read_many(game, observations, prior)
    batch = len(evidence.shot)
    try:
        leaves = cut(game, evidence, budget=budget)
    except TooManyLeavesError:
        if batch == 1:
            raise
        half = batch // 2
        parts = (slice(half), slice(half, batch))
        return [
            posterior
            for rows in parts
            for posterior in _together(
                game, jax.tree.map(lambda x, rows=rows: x[rows], observations), prior, budget
            )
        ]
    found = evaluate(game, evidence, leaves, prior)
    totals = _sum(found.leaf, leaves, batch)
    layouts = found.free
    for column in leaves.place.T:
        np.add.at(layouts, (leaves.observation, column), found.leaf)
    layouts = shared_out(game, evidence, layouts[:, :-1])
    return list(posteriors(game, evidence, layouts, totals))


def require_same_fleet(game: Game, other: Game) -> None:
    """Refuse a prior whose placements, or pairs that meet, are not those of the game."""
    if (game.size, game.fleet, game.touching) != (other.size, other.fleet, other.touching):
        raise ValueError(f"the prior is of {other}, the game is {game}")


def _sum(leaf: np.ndarray, leaves: Leaves, batch: int) -> list[int] | list[float]:
    """The total of every observation."""
    if leaf.dtype == np.int64 and leaf.sum(dtype=np.float64) >= _LARGEST:
        raise ValueError("more than 2^62 layouts are left: too many to be counted in 64 bits")
    totals = np.zeros(batch, leaf.dtype)
    np.add.at(totals, leaves.observation, leaf)
    return totals.tolist()


def _orders(evidence: Evidence) -> list[int]:
    """Orders of the interchangeable ships of every observation."""
    rank = (evidence.alike & np.tri(evidence.alike.shape[1], dtype=bool)).sum(2)
    return rank.prod(1, dtype=np.int64).tolist()


def shared_out(game: Game, evidence: Evidence, layouts: np.ndarray) -> np.ndarray:
    """Every ship of a class gets an equal share of the layouts of the class, by symmetry."""
    start = tables(game).start
    for length in game.lengths:
        ships = [k for k, n in enumerate(game.fleet) if n == length]
        if len(ships) == 1:
            continue
        own = np.stack([layouts[:, start[k] : start[k + 1]] for k in ships], 1)
        alike = evidence.alike[:, ships][:, :, ships]
        size = alike.sum(2)[:, :, None]
        together = np.einsum("bkj,bjp->bkp", alike.astype(own.dtype), own)
        if own.dtype == np.int64:
            if (together % size).any():
                raise RuntimeError("interchangeable ships have unequal shares: a fault in bsjax")
            shares = together // size
        else:
            shares = together / size
        for j, k in enumerate(ships):
            layouts[:, start[k] : start[k + 1]] = shares[:, j]
    return layouts


def posteriors(
    game: Game, evidence: Evidence, layouts: np.ndarray, totals: list[int] | list[float]
) -> Iterator[ExactPosterior]:
    """From layouts per placement to layouts per cell."""
    table = tables(game)
    masks = table.masks[:-1, :-1]
    left = (~evidence.shot).astype(np.float32) @ masks.T.astype(np.float32)
    ship, sunk = _over_cells(game, layouts), _over_cells(game, layouts * (left == 1))
    unfired = ~evidence.shot[:, None, :]
    sunk = sunk * unfired
    hit = ship * unfired - sunk
    orders = _orders(evidence)
    for b, total in enumerate(totals):
        posterior = ExactPosterior(
            game=game,
            shot=evidence.shot[b],
            total=total,
            orders=orders[b],
            placements=tuple(
                layouts[b, table.start[k] : table.start[k + 1]] for k in range(game.ships)
            ),
            ship=ship[b].sum(0),
            hit=hit[b].sum(0),
            hit_ship=hit[b],
            sunk=sunk[b],
        )
        _check(posterior, evidence.hits[b])
        yield posterior


def _over_cells(game: Game, layouts: np.ndarray) -> np.ndarray:
    """Layouts of each ship on each cell, [B, K, C], from layouts on each placement."""
    table = tables(game)
    over = np.zeros((len(layouts), game.ships, game.cells), layouts.dtype)
    # Sums of at most 16·2⁴⁶ are exact in float64, whose products are many times faster.
    small = layouts.dtype == np.float64 or int(layouts.max(initial=0)) < 1 << 46
    kind = np.float64 if small else np.int64
    for k in range(game.ships):
        rows = slice(table.start[k], table.start[k + 1])
        over[:, k] = layouts[:, rows].astype(kind) @ table.masks[rows, :-1].astype(kind)
    return over


def _check(posterior: ExactPosterior, hits: np.ndarray) -> None:
    """The heat map sums to the fleet's cells, and holds a ship for certain at every hit.

    Raises:
        RuntimeError: it does not, which would be a fault in this package.
    """
    game, total, ship = posterior.game, posterior.total, posterior.ship
    shot = np.append(posterior.shot, True)
    holds = np.zeros(game.cells + 1)
    holds[hits] = 1
    sums = [float(part.sum()) for part in posterior.placements]
    found = [float(ship.sum()), *sums, *ship[shot[:-1]].astype(np.float64)]
    due = [game.ship_cells * total, *[total] * game.ships, *(total * holds[shot][:-1])]
    exact = isinstance(total, int) and total < 1 << 46
    if not np.allclose(found, due, rtol=0, atol=0.25 if exact else 1e-9 * max(total, 1e-300)):
        raise RuntimeError(f"the exact posterior contradicts itself on {game}: a fault in bsjax")
