"""The identities behind the closed form, each by brute force on small boards."""

import itertools

import numpy as np
import oracles
import pytest

from bsjax.game.game import TOUCHING, Game
from bsjax.game.placements import overlap, placement_masks
from bsjax.posterior.closed_form import matrices, terms
from bsjax.posterior.features import features, signs
from bsjax.posterior.tables import tables

SIZES = [(4, 4), (5, 3), (3, 3), (1, 6), (6, 1), (2, 5), (1, 1)]


def lengths_on(size, most=4):
    """Lengths that fit, those longer than one of the sides among them."""
    return [length for length in range(1, most + 1) if length <= max(size)]


def meet(size, touching, a, b):
    """Which positions cannot stand together, from the rules in words."""
    table = [
        [oracles.clash(size, touching, p, q) for q in in_order(size, b)] for p in in_order(size, a)
    ]
    return np.array(table)


def in_order(size, length):
    return [frozenset(mask.nonzero()[0].tolist()) for mask in placement_masks(size, length)]


def boxes(most):
    """Boxes of a lattice of most × most points, as sets of points."""
    spans = [(lo, hi) for lo in range(most) for hi in range(lo, most)]
    for rows, columns in itertools.product(spans, spans):
        yield frozenset(
            itertools.product(range(rows[0], rows[1] + 1), range(columns[0], columns[1] + 1))
        )


def test_euler_a_box_has_characteristic_one():
    for box in boxes(4):
        edges = sum((r + 1, c) in box for r, c in box) + sum((r, c + 1) in box for r, c in box)
        squares = sum({(r + 1, c), (r, c + 1), (r + 1, c + 1)} <= box for r, c in box)
        assert len(box) - edges + squares == 1


def test_helly_boxes_that_meet_pairwise_share_a_point():
    for p, q, r in itertools.combinations(boxes(3), 3):
        if p & q and p & r and q & r:
            assert p & q & r


@pytest.mark.parametrize("touching", TOUCHING)
@pytest.mark.parametrize("size", SIZES, ids=str)
def test_features_say_when_three_ships_meet_pairwise(size, touching):
    sign = signs(size, touching)
    assert set(sign.tolist()) <= {-1.0, 1.0}
    for a, b, c in itertools.combinations_with_replacement(lengths_on(size), 3):
        one, two, three = (features(size, touching, length) for length in (a, b, c))
        found = np.einsum("pz,qz,rz->pqr", one * sign, two, three, optimize=True)
        ab, ac, bc = (meet(size, touching, *pair) for pair in ((a, b), (a, c), (b, c)))
        np.testing.assert_array_equal(found, ab[:, :, None] & ac[:, None] & bc[None])


@pytest.mark.parametrize("touching", ["allowed", "none"])
@pytest.mark.parametrize("size", SIZES, ids=str)
def test_a_sum_over_features_says_when_two_ships_meet(size, touching):
    for a, b in itertools.product(lengths_on(size), repeat=2):
        one, two = features(size, touching, a), features(size, touching, b)
        np.testing.assert_array_equal(
            (one * signs(size, touching)) @ two.T, meet(size, touching, a, b)
        )


@pytest.mark.parametrize("touching", TOUCHING)
def test_tables_number_the_fleet(touching):
    game = Game((4, 3), (3, 1, 3), touching)
    table = tables(game)
    assert table.start == (0, 10, 22, 32)
    for a, b in itertools.product(range(3), repeat=2):
        block = table.meets[
            table.start[a] : table.start[a + 1], table.start[b] : table.start[b + 1]
        ]
        np.testing.assert_array_equal(
            block, meet(game.size, touching, game.fleet[a], game.fleet[b])
        )
    for cell in range(game.cells):
        through = set(table.through[cell].tolist()) - {32}
        assert through == set(table.masks[:, cell].nonzero()[0].tolist())
    assert not table.masks[32].any()
    assert not table.meets[32].any()


@pytest.mark.parametrize("touching", TOUCHING)
@pytest.mark.parametrize(
    ("lengths", "twins", "absent"),
    [
        ((3, 2, 1), (0, 1, 2), (0, 0, 0)),
        ((2, 2, 3), (0, 0, 2), (0, 0, 0)),
        ((3, 2, 2), (0, 1, 1), (0, 0, 0)),
        ((2, 2, 2), (0, 0, 0), (0, 0, 0)),
        ((2, 4, 2), (0, 1, 0), (0, 0, 0)),
        ((3, 2, 1), (0, 1, 2), (1, 0, 0)),
        ((3, 2, 1), (0, 1, 2), (0, 0, 1)),
        ((3, 2, 1), (0, 1, 2), (1, 0, 1)),
        ((3, 2, 1), (0, 1, 2), (1, 1, 1)),
    ],
)
def test_the_closed_form_is_the_sum_over_triples(touching, lengths, twins, absent):
    """F and its derivative for weights that are not 0 or 1, against the sum in full."""
    size, leaves = (5, 3), 4
    game = Game(size, (1,), touching)
    rng = np.random.default_rng(3)
    f = [rng.random((leaves, len(placement_masks(size, n)))) for n in lengths]
    f = [np.zeros_like(f[k]) if absent[k] else f[twins[k]] for k in range(3)]
    none = tuple(np.full((1, 1), float(one)) for one in absent)
    found = terms(np, tuple(f), none, twins, matrices(game, lengths, twins))
    # An absent ship is one that has a single placement, of weight 1, which meets nothing.
    full = [np.ones((leaves, 1)) if absent[k] else f[k] for k in range(3)]

    def apart(i, j):
        if absent[i] or absent[j]:
            return np.ones((full[i].shape[1], full[j].shape[1]))
        return (~overlap(game, lengths[i], lengths[j])).astype(float)

    pairs = "pq,pr,qr", (apart(0, 1), apart(0, 2), apart(1, 2))
    whole = np.einsum(f"np,nq,nr,{pairs[0]}->n", *full, *pairs[1], optimize=True)
    spread = (f[0] * found.rest[0]).sum(1)
    np.testing.assert_allclose(
        (found.number[0] * found.constant[0])[:, 0] + spread, whole, rtol=1e-12
    )
    for k, axis in enumerate("pqr"):
        if absent[k]:
            continue
        others = [(full[j], name) for j, name in enumerate("pqr") if j != k]
        due = np.einsum(
            f"n{others[0][1]},n{others[1][1]},{pairs[0]}->n{axis}",
            others[0][0],
            others[1][0],
            *pairs[1],
            optimize=True,
        )
        np.testing.assert_allclose(found.constant[k] + found.rest[k], due, rtol=1e-10, atol=1e-12)
