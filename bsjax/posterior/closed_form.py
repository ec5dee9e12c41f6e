"""The ways to lay three ships so that no two meet, and how many of them use each placement.

Let f_a, f_b, f_c weigh the placements of three ships (0/1 to count layouts, a prior otherwise),
n_k = Σ_p f_k(p), and O(p, q) = 1 if placements p and q meet. With no two meeting,

    F = Σ f_a(p)·f_b(q)·f_c(r)·(1 − O(p,q))·(1 − O(p,r))·(1 − O(q,r)).

Multiply out. Write k→j for the vector (k→j)(p) = Σ_q f_k(q)·O(p, q) over the placements p of ship
j: how much of ship k meets p. With the features of `bsjax.posterior.features` for the product of
all three O, and S_k(z) = Σ_p f_k(p)·[z of p],

    F = n_a·n_b·n_c − n_c·Σ f_a·(b→a) − n_b·Σ f_a·(c→a) − n_a·Σ f_b·(c→b)
        + Σ f_a·(b→a)·(c→a) + Σ f_b·(a→b)·(c→b) + Σ f_c·(a→c)·(b→c) − Σ_z s_z·S_a·S_b·S_c.

F is linear in each f. Its derivative with respect to f_a(p) counts the layouts of the other two
with p:

    D_a(p) = n_b·n_c − Σ f_b·(c→b)                                       (the same for all p)
             + (b→a)(p)·(c→a)(p)
             + Σ_q f_b(q)·((c→b)(q) − n_c)·O(p, q) + Σ_r f_c(r)·((b→c)(r) − n_b)·O(p, r)
             − Σ_z s_z·S_b(z)·S_c(z)·[z of p]

The weight of the layouts with p is f_a(p)·D_a(p), and F = Σ_p f_a(p)·D_a(p). A leaf with fewer
free ships has an *absent* ship, f = 0 with n = 1, and the same formulas hold with
F = n_a·(n_b·n_c − Σ f_b·(c→b)) + Σ_p f_a(p)·(the rest of D_a(p)).

Both stages are products of a batch of leaves with fixed matrices: f_k with [O | O | features], and
the terms of D with the same transposed. Ships with equal f (the classic game's two of three cells,
while both are free) share all of this: one is formed, and enters the sums of the third ship twice.
0.4 to 0.6 million multiply-adds a leaf on the classic board.

**Exactness.** The largest board has P ≤ 480 < 2⁹ placements of a ship. To count, f is 0 or 1, all
entries are whole numbers, and in every sum the absolute values add up to less than 2²⁴, so float32
is exact: (b→a)(c→a), n_b·n_c and the sums of f_b·((c→b) − n_c) are at most P² < 2¹⁸ (twins: 2¹⁹),
and a placement has fewer than 200 features, with S_b·S_c below 2¹² (at most 36 placements of a
ship of 8 cells share a feature). Hence |rest of D| < 2²¹; F and its parts, below 2³⁰, and sums of
f·D ≤ 2¹⁸ over up to 2¹² leaves are formed in 32-bit integers, everything beyond in 64 bits on the
host. With prior weights the same formulas run in float64 in NumPy.
"""

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from bsjax.game.game import Game
from bsjax.game.placements import overlap
from bsjax.posterior.features import features, signs

Three = tuple[int, int, int]
"""A number for each of the three ships."""


class Matrices(NamedTuple):
    """The fixed matrices of three ships; None for a ship that is the twin of an earlier one."""

    out: tuple[Any, Any, Any]
    """[P_k, Σ P_i + Z]: what placements of the ship meet of the others; their features."""
    back: tuple[Any, Any, Any]
    """[Σ P_i + Z, P_k]: the transpose, with the signs of the features reversed, −s_z."""


class Terms(NamedTuple):
    """D of three ships over N leaves, constant + rest, and their numbers n."""

    number: tuple[Any, Any, Any]
    """n_k, [N, 1] each."""
    constant: tuple[Any, Any, Any]
    """The part of D that is the same for all placements, [N, 1] each."""
    rest: tuple[Any, Any, Any]
    """The other parts, [N, P_k] each."""


@lru_cache(maxsize=64)
def matrices(game: Game, lengths: Three, twins: Three) -> Matrices:
    """The matrices of ships of these lengths, float32 in NumPy.

    `twins` gives for each ship the first of the three that it is equal to: (0, 0, 2) if the first
    two are equal, (0, 1, 2) if none are.
    """
    sign = signs(game.size, game.touching)
    out, back = [], []
    for k in range(3):
        if twins[k] != k:
            out.append(None)
            back.append(None)
            continue
        own = features(game.size, game.touching, lengths[k])
        meets = [
            overlap(game, lengths[k], lengths[j]).astype(np.float32) for j in _others(twins, k)
        ]
        out.append(np.concatenate([*meets, own], axis=1))
        back.append(np.concatenate([*meets, -own * sign], axis=1).T.copy())
    return Matrices((out[0], out[1], out[2]), (back[0], back[1], back[2]))


def terms(
    xp: Any,
    weights: tuple[Any, Any, Any],
    absent: tuple[Any, Any, Any],
    twins: Three,
    m: Matrices,
) -> Terms:
    """The terms of the module docstring for N leaves.

    Args:
        xp: `jax.numpy` or `numpy`, whichever the arrays belong to.
        weights: f of each ship, [N, P_k]; those of twins are not looked at.
        absent: 1 where a ship is absent, 0 elsewhere, [N, 1] or [1, 1].
        twins: as for `matrices`.
        m: the matrices.
    """
    kinds = sorted(set(twins))
    number, own = {}, {}
    meets: dict[tuple[int, int], Any] = {}
    for k in kinds:
        number[k] = weights[k].sum(1, keepdims=True) + absent[k]
        product, at = weights[k] @ m.out[k], 0
        for j in _others(twins, k):
            meets[k, j] = product[:, at : at + weights[j].shape[1]]
            at += weights[j].shape[1]
        own[k] = product[:, at:]
    constant, rest = {}, {}
    for k in kinds:
        i, j = sorted(twins[other] for other in range(3) if other != k)
        inner = [weights[i] * (meets[j, i] - number[j])]
        if i == j:
            inner[0] = inner[0] + inner[0]
        else:
            inner.append(weights[j] * (meets[i, j] - number[i]))
        inner.append(own[i] * own[j])
        pairs = (weights[i] * meets[j, i]).sum(1, keepdims=True)
        constant[k] = number[i] * number[j] - pairs
        rest[k] = meets[i, k] * meets[j, k] + xp.concatenate(inner, axis=1) @ m.back[k]
    a, b, c = twins
    return Terms(
        (number[a], number[b], number[c]),
        (constant[a], constant[b], constant[c]),
        (rest[a], rest[b], rest[c]),
    )


def _others(twins: Three, k: int) -> list[int]:
    """The ships that the other two are equal to, each once, in ascending order."""
    return sorted({twins[other] for other in range(3) if other != k})
