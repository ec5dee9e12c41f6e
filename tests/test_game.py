"""The static side of a game: its checks, placements, overlaps, packed masks and symmetries."""

import itertools

import jaxtyping
import numpy as np
import oracles
import pytest

from bsjax.game.game import FEEDBACK, PRESETS, TOUCHING, Game
from bsjax.game.placements import (
    denied_masks,
    fleet_tables,
    overlap,
    packed,
    placement_cells,
    placement_counts,
    placement_masks,
)
from bsjax.game.symmetry import cell_images, placement_images
from bsjax.game.touching import reach

SIZES = [(10, 10), (7, 5), (5, 7), (4, 4), (1, 6), (6, 1), (1, 1), (16, 16), (16, 3)]
SMALL = [(6, 6), (7, 4), (1, 5), (3, 1), (2, 2)]


def as_set(mask):
    return frozenset(np.flatnonzero(mask).tolist())


# --- Game --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"size": (0, 5)}, "size 0x5: each side must be 1 to 16"),
        ({"size": (5, 0)}, "size 5x0: each side must be 1 to 16"),
        ({"size": (17, 10)}, "size 17x10: each side must be 1 to 16"),
        ({"size": (10, 17)}, "size 10x17: each side must be 1 to 16"),
        ({"fleet": ()}, "1 to 12 ships, this one 0"),
        ({"fleet": (1,) * 13}, "1 to 12 ships, this one 13"),
        ({"fleet": (3, 0)}, "1 to 8 cells, this one 0"),
        ({"fleet": (9,)}, "1 to 8 cells, this one 9"),
        ({"fleet": (-2,)}, "1 to 8 cells, this one -2"),
        ({"size": (4, 5), "fleet": (6,)}, "6 cells does not fit on a 4x5 board"),
        ({"size": (3, 3), "fleet": (3, 3, 3, 1)}, "covers 10 cells, the 3x3 board has only 9"),
        ({"touching": "never"}, "choose one of allowed, no-side, none"),
        ({"feedback": "loud"}, "choose one of hit, sunk, size, name, cells, hit-name"),
    ],
)
def test_a_fault_is_one_clear_line(fields, says, monkeypatch):
    # Users run without the type checks that pytest switches on; those would answer first.
    monkeypatch.setattr(jaxtyping.config, "jaxtyping_disable", True)
    with pytest.raises(ValueError, match=says) as fault:
        Game(**fields)
    assert "\n" not in str(fault.value)
    assert str(fault.value) == str(fault.value).strip()


def test_limits_are_inclusive():
    assert Game(size=(16, 16), fleet=(8,) * 12).ship_cells == 96
    assert Game(size=(1, 1), fleet=(1,)).cells == 1
    assert Game(size=(3, 3), fleet=(3, 3, 3)).ship_cells == 9
    assert Game(size=(8, 1), fleet=(8,)).cells == 8, "longer than one side is fine"


def test_equal_games_are_one_key():
    game = Game(size=(7, 5), fleet=(3, 2))
    assert hash(game) == hash(Game(size=(7, 5), fleet=(3, 2)))
    assert game == Game(size=(7, 5), fleet=(3, 2))
    assert game.lengths == (2, 3)
    assert hash(game) == hash(Game(size=(7, 5), fleet=(3, 2))), "cached properties change nothing"
    others = [Game((5, 7), (3, 2)), Game((7, 5), (2, 3)), Game((7, 5), (3, 2), "none")]
    others += [Game((7, 5), (3, 2), feedback=rule) for rule in FEEDBACK if rule != "size"]
    assert len({game, *others}) == 1 + len(others)
    with pytest.raises(AttributeError):
        game.size = (10, 10)


def test_sizes_of_a_game():
    game = Game(size=(7, 5), fleet=(4, 2, 4, 1))
    assert (game.width, game.height, game.cells) == (7, 5, 35)
    assert (game.ships, game.ship_cells, game.lengths) == (4, 11, (1, 2, 4))
    assert str(game) == "7x5 {4,2,4,1} touching allowed, feedback size"


def test_presets():
    classic, ten = PRESETS["classic"], PRESETS["ten-ship"]
    assert classic == Game((10, 10), (5, 4, 3, 3, 2), "allowed", "size")
    assert (classic.cells, classic.ship_cells) == (100, 17)
    assert ten.touching == "none"
    assert sorted(ten.fleet, reverse=True) == [4, 3, 3, 2, 2, 2, 1, 1, 1, 1]
    assert (ten.cells, ten.ships, ten.ship_cells) == (100, 10, 20)


def test_ship_names():
    names = ("carrier", "battleship", "cruiser", "submarine", "destroyer")
    assert Game().ship_names == names
    assert Game(feedback="name", touching="none").ship_names == names
    assert Game(fleet=(3, 3, 2)).ship_names == ("3a", "3b", "2")
    assert Game(fleet=(2, 3, 2, 4, 2)).ship_names == ("2a", "3", "2b", "4", "2c")
    crowd = Game(size=(16, 16), fleet=(1,) * 12).ship_names
    assert len(set(crowd)) == 12


# --- placements --------------------------------------------------------------------------------


@pytest.mark.parametrize("size", SIZES)
def test_placements_are_all_straight_runs_once(size):
    for length in range(1, 9):
        cells = placement_cells(size, length)
        masks = placement_masks(size, length)
        expected = oracles.positions(size, length)
        assert cells.shape == (len(expected), length)
        assert masks.shape == (len(expected), size[0] * size[1])
        ships = [frozenset(row) for row in cells.tolist()]
        assert len(set(ships)) == len(ships)
        assert set(ships) == set(expected)
        assert [as_set(mask) for mask in masks] == ships


def test_placements_follow_the_formula():
    for n in range(1, 17):
        for length in range(2, min(n, 8) + 1):
            assert len(placement_masks((n, n), length)) == 2 * n * (n - length + 1)
        assert len(placement_masks((n, n), 1)) == n * n, "a ship of one cell lies in one way"


def test_placements_of_a_rectangle():
    # Five rows of four starts, and no column is long enough.
    assert len(placement_masks((9, 5), 6)) == 5 * 4
    assert len(placement_masks((5, 9), 6)) == 5 * 4
    assert len(placement_masks((9, 5), 3)) == 5 * 7 + 9 * 3


def test_classic_placements():
    counts = placement_counts(Game())
    assert counts.tolist() == [120, 140, 160, 160, 180]
    assert counts.sum() == 760


@pytest.mark.parametrize("touching", TOUCHING)
@pytest.mark.parametrize("size", [*SMALL, (10, 10)])
def test_reach_is_the_cell_and_its_halo(size, touching):
    table = reach(size, touching)
    for a, row in enumerate(table):
        assert as_set(row) == {a} | oracles.halo(size, touching, a)


@pytest.mark.parametrize("touching", TOUCHING)
@pytest.mark.parametrize("size", SMALL)
def test_overlap_and_denied_cells(size, touching):
    lengths = [n for n in (1, 2, 3, 4) if n <= max(size)]
    game = Game(size, (lengths[-1],), touching)
    for a, b in itertools.product(lengths, lengths):
        table = overlap(game, a, b)
        assert table.dtype == bool
        np.testing.assert_array_equal(table, overlap(game, b, a).T)
        ships, others = placement_cells(size, a).tolist(), placement_cells(size, b).tolist()
        expected = [
            [oracles.clash(size, touching, frozenset(p), frozenset(q)) for q in others]
            for p in ships
        ]
        np.testing.assert_array_equal(table, expected)
    for length in lengths:
        for ship, denied in zip(
            placement_cells(size, length).tolist(), denied_masks(game, length), strict=True
        ):
            halo = {b for a in ship for b in oracles.halo(size, touching, a)}
            assert as_set(denied) == set(ship) | halo


@pytest.mark.parametrize("cells", [1, 31, 32, 33, 100, 256])
def test_packed_words_hold_the_bits(cells):
    masks = np.random.default_rng(cells).random((3, 5, cells)) < 0.4
    words = packed(masks)
    assert words.dtype == np.uint32
    assert words.shape == (3, 5, -(-cells // 32))
    for row, mask in zip(words.reshape(15, -1), masks.reshape(15, -1), strict=True):
        number = sum(int(word) << (32 * i) for i, word in enumerate(row))
        assert {c for c in range(cells) if number >> c & 1} == as_set(mask)
        assert number >> cells == 0


@pytest.mark.parametrize(
    "game", [PRESETS["ten-ship"], Game((7, 5), (4, 3, 2, 1), "no-side"), Game((1, 6), (3, 1))]
)
def test_fleet_tables_are_padded_rows(game):
    cells, denied, counts = fleet_tables(game)
    assert counts.tolist() == [len(oracles.positions(game.size, n)) for n in game.fleet]
    assert cells.shape == denied.shape == (game.ships, max(counts), -(-game.cells // 32))
    for k, length in enumerate(game.fleet):
        np.testing.assert_array_equal(
            cells[k, : counts[k]], packed(placement_masks(game.size, length))
        )
        np.testing.assert_array_equal(denied[k, : counts[k]], packed(denied_masks(game, length)))
        assert not cells[k, counts[k] :].any()
        assert not denied[k, counts[k] :].any()


# --- symmetries --------------------------------------------------------------------------------


@pytest.mark.parametrize("size", SIZES)
def test_symmetries_are_a_group(size):
    images = cell_images(size)
    cells = size[0] * size[1]
    assert images.shape == (8 if size[0] == size[1] else 4, cells)
    np.testing.assert_array_equal(images[0], np.arange(cells))
    np.testing.assert_array_equal(np.sort(images, axis=1), np.tile(images[0], (len(images), 1)))
    known = {tuple(image) for image in images.tolist()}
    assert known == {tuple(image) for image in oracles.turns(size)}
    products = {tuple(a[b].tolist()) for a in images for b in images}
    assert products == known, "closed under composition, so inverses are in it too"
    if min(size) > 1:
        assert len(known) == len(images), "all different on a board with two rows and columns"


@pytest.mark.parametrize("size", SIZES)
def test_symmetries_keep_neighbours(size):
    for image in cell_images(size).astype(int):
        for a in range(size[0] * size[1]):
            turned = {int(image[b]) for b in oracles.beside(size, a)}
            assert turned == oracles.beside(size, int(image[a]))


@pytest.mark.parametrize("size", [(10, 10), (7, 5), (4, 4), (1, 6), (6, 1), (1, 1), (16, 3)])
def test_symmetries_permute_placements(size):
    for length in range(1, min(8, max(size)) + 1):
        masks = placement_masks(size, length)
        moved = placement_images(size, length)
        images = cell_images(size)
        assert moved.shape == (len(images), len(masks))
        np.testing.assert_array_equal(moved[0], np.arange(len(masks)))
        for image, places in zip(images, moved, strict=True):
            np.testing.assert_array_equal(np.sort(places), np.arange(len(masks)))
            turned = np.zeros_like(masks)
            turned[:, image] = masks
            np.testing.assert_array_equal(masks[places], turned)
