"""Exact counts and lists of layouts against brute force and published counts."""

import itertools

import numpy as np
import pytest

from bsjax.game.game import PRESETS, Game
from bsjax.game.placements import denied_masks, placement_masks
from bsjax.posterior.enumerate import count, layouts


def told_apart(game):
    masks = [placement_masks(game.size, n) for n in game.fleet]
    denied = [denied_masks(game, n) for n in game.fleet]
    total = 0
    for row in itertools.product(*(range(len(m)) for m in masks)):
        pairs = itertools.combinations(range(game.ships), 2)
        total += not any((masks[a][row[a]] & denied[b][row[b]]).any() for a, b in pairs)
    return total


BRUTE = [
    Game((3, 3), (2, 2)),
    Game((4, 4), (3, 3, 2)),
    Game((5, 2), (4, 1)),
    Game((2, 5), (3, 2)),
    Game((4, 3), (1, 1, 1), "no-side"),
    Game((4, 4), (2, 3, 2), "none"),
    Game((3, 2), (1,)),
    Game((3, 3), (3, 3, 2, 1)),
]


@pytest.mark.parametrize("game", BRUTE, ids=str)
def test_count_and_list_equal_brute_force(game):
    found = count(game)
    assert found["layouts_told_apart"] == told_apart(game)
    table = layouts(game)
    assert len(table) == found["layouts_alike"]
    assert len({tuple(row) for row in table.tolist()}) == len(table)
    masks = [placement_masks(game.size, n) for n in game.fleet]
    covered = sum(m[table[:, k]].astype(int) for k, m in enumerate(masks))
    assert covered.max() == 1
    assert covered.sum() == len(table) * game.ship_cells


@pytest.mark.parametrize(
    ("game", "apart", "alike"),
    [
        (Game((10, 10), (4, 3)), 20_336, 20_336),
        (Game((3, 3), (2, 2)), 88, 44),
        (Game((4, 4), (3, 3, 2)), 1_608, 804),
        (Game((5, 5), (3, 3, 2)), 16_000, 8_000),
        (Game((6, 6), (4, 3, 3, 2)), 1_266_864, 633_432),
        (Game((10, 10), (3, 3, 2)), 3_848_040, 1_924_020),
        (Game((6, 6)), 6_687_136, 3_343_568),
        (Game((7, 7)), 124_757_096, 62_378_548),
        (Game((8, 8)), 1_142_253_520, 571_126_760),
    ],
    ids=str,
)
def test_published_counts(game, apart, alike):
    assert count(game) == {"layouts_told_apart": apart, "layouts_alike": alike}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("game", "apart", "alike"),
    [
        (Game(), 30_093_975_536, 15_046_987_768),
        (Game(touching="none"), 3_851_502_784, 1_925_751_392),
        (Game((11, 11)), 108_166_477_824, 54_083_238_912),
    ],
    ids=str,
)
def test_published_counts_of_large_boards(game, apart, alike):
    assert count(game) == {"layouts_told_apart": apart, "layouts_alike": alike}


def test_lists_have_the_exact_marginals():
    """5×5 {3, 3, 2}: centre 40.55%, corner 21.45% (five-by-five, section 1)."""
    game = Game((5, 5), (3, 3, 2))
    table = layouts(game)
    masks = [placement_masks(game.size, n) for n in game.fleet]
    share = sum(m[table[:, k]].astype(int) for k, m in enumerate(masks)).mean(0)
    assert share.sum() == pytest.approx(8)
    assert round(100 * share[12], 2) == 40.55
    np.testing.assert_allclose(np.round(100 * share[[0, 4, 20, 24]], 2), 21.45)


def test_too_many_is_refused_at_once():
    with pytest.raises(ValueError, match=r"needs about 8,709,120,000,000,000 layouts listed"):
        count(PRESETS["ten-ship"])
    with pytest.raises(ValueError, match=r"the limit is 1,000"):
        layouts(Game((6, 6), (3, 2, 2)), budget=1000)
