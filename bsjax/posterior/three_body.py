"""Three ships with a factor for every pair of placements, summed in full.

    F = Σ f_a(p)·f_b(q)·f_c(r)·κ_ab(p,q)·κ_ac(p,r)·κ_bc(q,r)

with any κ ≥ 0, 0 where two ships meet. With H(q,p) = Σ_r κ_bc(q,r)·f_c(r)·κ_ac(p,r) the
derivatives are

    D_a(p) = Σ_q f_b(q)·κ_ab(p,q)·H(q,p),     D_b(q) = Σ_p f_a(p)·κ_ab(p,q)·H(q,p),

and D_c(r) is Σ_p f_a(p)·κ_ac(p,r)·V(p,r) with V(p,r) = Σ_q κ_ab(p,q)·f_b(q)·κ_bc(q,r). Nothing is
subtracted, so no digit is lost. H and V are one matrix product a leaf each: 8 million
multiply-adds on the classic board, 14 times those of the closed form, which has no room for κ.
"""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float64

_ENTRIES = 1 << 20
"""Entries of H formed at once."""


def derivatives(
    weights: Sequence[Float64[np.ndarray, "N _"]],
    factors: Sequence[Float64[np.ndarray, "_ _"]],
) -> list[Float64[np.ndarray, "N _"]]:
    """D of three ships over N leaves.

    Args:
        weights: f of each ship, [N, P_k]. An absent ship has one placement, of weight 1.
        factors: κ_ab, κ_ac, κ_bc; 1 for absent ships.

    Cost: 2·P_a·P_b·P_c multiply-adds a leaf.
    """
    ab, ac, bc = factors
    leaves = len(weights[0])
    found = [np.empty_like(f) for f in weights]
    step = max(_ENTRIES // max(ab.size, ac.size, bc.size), 1)
    for at in range(0, leaves, step):
        rows = slice(at, at + step)
        a, b, c = (f[rows] for f in weights)
        # Leaves share the factors, so all their matrix products are one.
        pairs = (bc * c[:, None, :]).reshape(-1, bc.shape[1]) @ ac.T
        pairs = pairs.reshape(len(a), *ab.T.shape) * ab.T
        found[0][rows] = (b[:, None, :] @ pairs)[:, 0]
        found[1][rows] = (pairs @ a[:, :, None])[:, :, 0]
        pairs = (ab * b[:, None, :]).reshape(-1, ab.shape[1]) @ bc
        pairs = pairs.reshape(len(a), *ac.shape) * ac
        found[2][rows] = (a[:, None, :] @ pairs)[:, 0]
    return found
