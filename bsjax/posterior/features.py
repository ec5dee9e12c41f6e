"""Three ships that meet pairwise, counted by features of single placements.

The closed form needs, for placements p, q, r of three ships, the product of the three 0/1 numbers
"p meets q", "p meets r", "q meets r". This module writes it as one sum over *features* z, each a
0/1 function of a single placement with a sign s_z:

    [p meets q]·[p meets r]·[q meets r] = Σ_z s_z · [z of p]·[z of q]·[z of r]              (*)

so that its sum over three weighted sets of placements is Σ_z s_z S_a(z)·S_b(z)·S_c(z), with S_k(z)
the weight of the placements of ship k that have the feature.

**Two facts.** A *box* is a product of two integer intervals. (i) *Euler*: in a nonempty box, the
number of points minus edges (pairs of points side by side) plus squares (2×2 points) is 1: for a
box of m×n points it is mn − (m−1)n − m(n−1) + (m−1)(n−1) = (m − (m−1))·(n − (n−1)). (ii) *Helly*:
boxes that meet pairwise have a point in common: true of intervals (take the largest lower end),
hence in each coordinate. The points common to three boxes form a box again, and an edge or a
square is common if all its points are. So the features "point in box" (+), "edge in box" (−) and
"square in box" (+) turn the right side of (*) into [the three boxes have a point in common], which
is the left side. A coordinate in which all boxes have only one point adds factors of 1.

`allowed`: the box of a ship is its set of cells; ships meet if they share a cell. Points are
cells, edges are pairs of adjacent cells, and no ship contains a square.

`none`: the box of a ship is the set of *corners* of its cells, a point of the (W+1)×(H+1) lattice
each: 2×(L+1) points. Two ships share a cell or touch, even diagonally, if and only if their
closed rectangles meet, which happens in a corner point since the rectangles have integer sides.

`no-side`: ships meet unless they are apart or touch at a corner only. Take the boxes of `none`.
Two ships touch at a corner only if and only if their boxes share a single point s and they cover
one cell each of the four around s, opposite ones; say then that they *oppose at s*. (Ships that
cover just one cell each around s, opposite ones, end there on different sides of both lines
through s, so their boxes share s alone.) If no two of p, q, r oppose, then "meets" agrees with
`none` for all pairs, and (i) and (ii) hold. If two oppose at s, the left side of (*) is 0, and the
boxes of all three share s or nothing, so only point features can differ from 0. It is therefore
enough to replace each point feature "s in box" by features that sum to
[s in all three boxes]·[no two of the three oppose at s]. Around an inner point s call the cells
1, 2, 3, 4 with 1 opposite 4 and 2 opposite 3, and say that a ship is *of type i* if i is the only
cell of the four that it covers. No two of the three oppose at s if not both types 1 and 4 occur
among them and not both 2 and 3. For 1 and 4, by inclusion and exclusion,

    [not both occur] = [1 does not] + [4 does not] − [neither does],

each a product over the three ships; likewise for 2 and 3. The product of both is 9 features of a
single placement, "s in box and type not in X", with the product of the signs. At a point on the
rim fewer than four cells exist, no two of them opposite, and the plain feature stays.
"""

from functools import lru_cache
from itertools import product

import numpy as np
from jaxtyping import Bool, Float32

from bsjax.game.game import Touching
from bsjax.game.placements import placement_masks

Size = tuple[int, int]

_PAIR = [(1, (True, False)), (1, (False, True)), (-1, (True, True))]
"""[not both types occur] as signed bans of the two."""
_BANS = [(s * t, (a, b, c, d)) for (s, (a, d)), (t, (b, c)) in product(_PAIR, _PAIR)]
"""The nine point features of `no-side`: sign, and which of the types 1 to 4 are banned."""


@lru_cache(maxsize=64)
def features(size: Size, touching: Touching, length: int) -> Float32[np.ndarray, "P Z"]:
    """The features of every placement of a ship, 0 or 1; the same Z for every length.

    On 10×10, Z is 280 (`allowed`), 441 (`none`) or 1,089 (`no-side`).
    """
    width, height = size
    masks = placement_masks(size, length).reshape(-1, height, width)
    if touching == "allowed":
        box, points = masks, [masks]
    else:
        near = np.pad(masks, ((0, 0), (1, 1), (1, 1)))
        # Point (i, j) of the lattice is the upper left corner of cell (i, j).
        around = [near[:, i : i + height + 1, j : j + width + 1] for i in (0, 1) for j in (0, 1)]
        alone = np.sum(around, axis=0) == 1
        box = np.any(around, axis=0)
        points = [box]
        if touching == "no-side":
            for _, banned in _BANS:
                types = [cell for cell, ban in zip(around, banned, strict=True) if ban]
                points.append(box & ~(np.any(types, axis=0) & alone))
    parts = [*points, *_edges_and_squares(box)]
    table = np.concatenate([part.reshape(len(masks), -1) for part in parts], axis=1)
    return _frozen(table[:, _all_signs(size, touching) != 0].astype(np.float32))


@lru_cache(maxsize=64)
def signs(size: Size, touching: Touching) -> Float32[np.ndarray, " Z"]:
    """s_z, the sign of every feature: +1 or −1."""
    every = _all_signs(size, touching)
    return _frozen(every[every != 0].astype(np.float32))


def _all_signs(size: Size, touching: Touching) -> np.ndarray:
    """Signs of points, edges and squares; 0 for features that are not used."""
    width, height = size
    if touching == "allowed":
        box = np.ones((height, width), int)
        points = [box]
    else:
        box = np.ones((height + 1, width + 1), int)
        inner = np.pad(np.ones((height - 1, width - 1), int), 1)
        # The plain point features, on the rim only; the nine others inside.
        points = [box] if touching == "none" else [1 - inner, *(s * inner for s, _ in _BANS)]
    across, down, squares = (part[0].astype(int) for part in _edges_and_squares(box[None] > 0))
    if touching == "allowed":
        squares = 0 * squares  # No ship covers 2×2 cells.
    return np.concatenate([part.ravel() for part in [*points, -across, -down, squares]])


def _edges_and_squares(box: Bool[np.ndarray, "P R S"]) -> list[np.ndarray]:
    """Edges across and down, and squares, all points of which are in the box."""
    across, down = box[:, :, 1:] & box[:, :, :-1], box[:, 1:] & box[:, :-1]
    return [across, down, across[:, 1:] & across[:, :-1]]


def _frozen(table: np.ndarray) -> np.ndarray:
    """Tables are cached and shared: nobody may write to them."""
    table.setflags(write=False)
    return table
