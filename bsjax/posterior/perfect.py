"""Independent layouts from the exact posterior: no weights, no burn-in, nothing lost.

The layouts are cut into leaves with at most three free ships (`bsjax.posterior.leaves`), and each
leaf is counted (`totals`). A draw takes a leaf by its share of the layouts and lays its free ships
one at a time, each by the number of ways that are left to the ships after it. With f the free
placements of the leaf (or their prior weights), O(p, q) = 1 where two meet, and κ the factors of
pairs times 1 − O, the first of three ships is laid on p with probability proportional to

    f_a(p) · Σ_q κ_ab(p, q)·f_b(q) · Σ_r κ_ac(p, r)·κ_bc(q, r)·f_c(r),

and so on. Interchangeable ships, which a leaf names in one order only, trade places at random.

This is the reference for the other samplers, and the source of layouts where every one counts:
for small numbers of them it costs little more than the exact posterior itself.
"""

from collections.abc import Sequence

import jax
import numpy as np
from jaxtyping import Array, Bool, Float64, Int32, Key

from bsjax.game.game import Game
from bsjax.game.observation import Observation
from bsjax.posterior.evidence import Evidence, read_many
from bsjax.posterior.exact import require_same_fleet
from bsjax.posterior.leaves import LEAVES, Leaves, cut
from bsjax.posterior.prior import Prior, flat
from bsjax.posterior.tables import tables
from bsjax.posterior.totals import evaluate

_BLOCK = 1 << 10
"""Draws laid together: their tables take tens of megabytes."""


def perfect(
    game: Game,
    observation: Observation,
    key: Key[Array, ""],
    draws: int,
    prior: Prior | None = None,
    *,
    budget: int = LEAVES,
) -> Int32[np.ndarray, "S K"]:
    """Draws from the posterior after one history, in random order.

    Args:
        game: the rules.
        observation: what was told.
        key: consumed.
        draws: S.
        prior: if any.
        budget: leaves allowed; see `bsjax.posterior.leaves`.

    Returns:
        Placement of every ship (`bsjax.posterior.tables`).

    Raises:
        ValueError: no layout agrees with the history, there are too many leaves, or the prior is
            of another fleet.

    Cost: the exact posterior without marginals, 2 to 5 µs a draw of the classic game, and up to
        0.3 ms for every leaf drawn that has three free ships: 0.3 s for 1,000 draws from its empty
        board, 10 ms after a dozen shots.
    """
    if prior is not None:
        require_same_fleet(game, prior.game)
    rng = np.random.default_rng(np.asarray(jax.random.key_data(key)))
    evidence = read_many(game, jax.tree.map(lambda x: np.asarray(x)[None], observation), prior)
    leaves = cut(game, evidence, budget=budget)
    weight = evaluate(game, evidence, leaves, prior, marginals=False).leaf.astype(np.float64)
    if not weight.sum() > 0:
        raise ValueError("no layout agrees with this history")
    times = rng.multinomial(draws, weight / weight.sum())
    found = _laid(game, evidence, leaves, times, prior, rng)
    _rename(game, evidence.alike[0], found, rng)
    return found[rng.permutation(draws)]


def _laid(
    game: Game,
    evidence: Evidence,
    leaves: Leaves,
    times: np.ndarray,
    prior: Prior | None,
    rng: np.random.Generator,
) -> Int32[np.ndarray, "S K"]:
    """Leaf m filled up `times[m]` times."""
    none = tables(game).start[-1]
    found = np.repeat(leaves.place, times, axis=0)
    leaf = np.repeat(np.arange(len(times)), times)
    is_free = found == none
    # Draws that leave the same ships free are laid together, those of one leaf side by side.
    kind = is_free @ (1 << np.arange(game.ships))
    for one in np.unique(kind).tolist():
        rows = (kind == one).nonzero()[0]
        ships = [ship for ship in range(game.ships) if one >> ship & 1]
        for at in range(0, len(rows), _BLOCK):
            some = rows[at : at + _BLOCK]
            _, head, copy = np.unique(leaf[some], return_index=True, return_inverse=True)
            placed = found[some[head]]
            found[np.ix_(some, ships)] = _lay(game, evidence, placed, copy, ships, prior, rng)
    return found


def _lay(
    game: Game,
    evidence: Evidence,
    placed: Int32[np.ndarray, "M K"],
    copy: np.ndarray,
    ships: Sequence[int],
    prior: Prior | None,
    rng: np.random.Generator,
) -> Int32[np.ndarray, "S _"]:
    """Placements of the free ships of some draws, each a copy of one of M leaves."""
    start = tables(game).start
    weights, factors = flat(game, prior)
    own = [slice(start[ship], start[ship + 1]) for ship in ships]
    f = []
    for columns in own:
        part = np.repeat((weights * evidence.free[0])[None, columns], len(placed), axis=0)
        for column in placed.T:
            part *= factors[column, columns]
        f.append(part)
    laid: list[np.ndarray] = []
    for number, columns in enumerate(own):
        pairs = [[factors[a, b] for b in own[number:]] for a in own[number:]]
        ahead = _ahead(f, pairs)
        if number == 0:
            # Until the first ship is laid, copies of a leaf are the same.
            ahead, f = ahead[copy], [part[copy] for part in f]
        chosen = columns.start + _by_weight(ahead, rng)
        laid.append(chosen)
        f = [
            part * factors[chosen, other]
            for part, other in zip(f[1:], own[number + 1 :], strict=True)
        ]
    return np.stack(laid, 1).astype(np.int32) if laid else np.zeros((len(copy), 0), np.int32)


def _ahead(
    f: Sequence[Float64[np.ndarray, "N _"]], pairs: Sequence[Sequence[Float64[np.ndarray, "_ _"]]]
) -> Float64[np.ndarray, "N _"]:
    """Weight of all ways to lay one to three ships, by the placement of the first."""
    if len(f) == 1:
        return f[0]
    if len(f) == 2:
        return f[0] * (f[1] @ pairs[0][1].T)
    found = np.empty_like(f[0])
    for row, (a, b, c) in enumerate(zip(*f, strict=True)):
        # Placements of weight 0 drop out: late in a game most do.
        p, q, r = (part.nonzero()[0] for part in (a, b, c))
        ways = (pairs[0][2][np.ix_(p, r)] * c[r]) @ pairs[1][2][np.ix_(q, r)].T
        found[row] = 0
        found[row, p] = a[p] * ((ways * pairs[0][1][np.ix_(p, q)]) @ b[q])
    return found


def _by_weight(
    weight: Float64[np.ndarray, "N P"], rng: np.random.Generator
) -> Int32[np.ndarray, " N"]:
    """One column of every row, by its share of the row."""
    total = np.cumsum(weight, axis=1)
    aim = rng.random(len(weight)) * total[:, -1]
    # Rounding may lift the aim to the total itself, beyond the last column of positive weight.
    last = weight.shape[1] - 1 - (weight[:, ::-1] > 0).argmax(1)
    return np.minimum((total <= aim[:, None]).sum(1), last).astype(np.int32)


def _rename(
    game: Game,
    alike: Bool[np.ndarray, "K K"],
    found: Int32[np.ndarray, "S K"],
    rng: np.random.Generator,
) -> None:
    """Let the ships of every class trade places at random, in place."""
    start = np.array(tables(game).start[:-1], np.int32)
    for first in np.unique(alike.argmax(1)):
        ships = alike[first].nonzero()[0]
        local = found[:, ships] - start[ships]
        found[:, ships] = rng.permuted(local, axis=1) + start[ships]
