"""Board samplers against exact marginals, and fleets that cannot be placed."""

import itertools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy import stats

from bsjax import hide
from bsjax.game.game import PRESETS, Game
from bsjax.game.placements import denied_masks, placement_counts, placement_masks
from bsjax.hide.attempts import bounded
from bsjax.hide.listed import Listed, layouts_of


def every_layout(game):
    """All layouts, ships told apart, by brute force over the product of placements."""
    counts = placement_counts(game)
    masks = [placement_masks(game.size, n) for n in game.fleet]
    denied = [denied_masks(game, n) for n in game.fleet]
    found = []
    for row in itertools.product(*(range(n) for n in counts)):
        pairs = itertools.combinations(range(game.ships), 2)
        if not any((masks[a][row[a]] & denied[b][row[b]]).any() for a, b in pairs):
            found.append(row)
    return np.array(found, np.int16)


def draw(name, game, games, seed=0, slots=512):
    hider = hide.make(name, game)
    keys = jax.random.split(jax.random.key(seed), games)
    placed = jax.jit(lambda keys: hider.place(keys, jnp.int32(games), slots))(keys)
    assert bool(placed.found.all())
    return np.asarray(placed.placements)


SMALL = [
    Game((3, 3), (2, 2)),
    Game((4, 3), (3, 2, 1)),
    Game((4, 4), (2, 2, 1), "no-side"),
    Game((5, 3), (3, 1, 1), "none"),
]


@pytest.mark.parametrize("game", SMALL, ids=str)
def test_uniform_draws_every_layout_equally_often(game):
    layouts = every_layout(game)
    games = 60 * len(layouts)
    drawn = draw("uniform", game, games)
    number = {row.tobytes(): i for i, row in enumerate(layouts)}
    seen = np.bincount([number[row.tobytes()] for row in drawn], minlength=len(layouts))
    chi2 = ((seen - 60) ** 2 / 60).sum()
    low, high = stats.chi2.ppf([1e-4, 1 - 1e-4], len(layouts) - 1)
    assert low < chi2 < high


@pytest.mark.parametrize("game", SMALL, ids=str)
def test_ship_by_ship_has_its_own_law(game):
    """Each layout has the product of 1/(placements open), renormalized over boards finished."""
    layouts = every_layout(game)
    masks = [placement_masks(game.size, n) for n in game.fleet]
    denied = [denied_masks(game, n) for n in game.fleet]
    chance = np.ones(len(layouts))
    for i, row in enumerate(layouts):
        taken = np.zeros(game.cells, bool)
        for ship in range(game.ships):
            chance[i] /= (~(masks[ship] & taken).any(1)).sum()
            taken |= denied[ship][row[ship]]
    chance /= chance.sum()
    games = 60 * len(layouts)
    number = {row.tobytes(): i for i, row in enumerate(layouts)}
    drawn = draw("ship-by-ship", game, games)
    seen = np.bincount([number[row.tobytes()] for row in drawn], minlength=len(layouts))
    chi2 = ((seen - games * chance) ** 2 / (games * chance)).sum()
    low, high = stats.chi2.ppf([1e-4, 1 - 1e-4], len(layouts) - 1)
    assert low < chi2 < high


def test_classic_marginals():
    """Corner and centre of both hiders: exact values of the uniform one, published otherwise."""
    game, games = Game(), 200_000
    corner, centre = [0, 9, 90, 99], [44, 45, 54, 55]
    uniform = np.asarray(hide.boards(game, jnp.asarray(draw("uniform", game, games)))) >= 0
    # Four cells of one class, whose indicators on a board are all but independent.
    for cells, exact in ((corner, 2407483864), (centre, 6428054040)):
        share = exact / 30_093_975_536
        error = np.sqrt(share * (1 - share) / (4 * games))
        assert abs(uniform[:, cells].mean() - share) < 5 * error
    sequential = np.asarray(hide.boards(game, jnp.asarray(draw("ship-by-ship", game, games)))) >= 0
    assert abs(sequential[:, corner].mean() - 0.0740) < 0.0005 + 5 * 0.0003
    assert 0.222 - 5 * 0.0005 < sequential[:, centre].mean() < 0.224 + 5 * 0.0005
    # The two hiders differ by far more than the errors.
    assert uniform[:, corner].mean() - sequential[:, corner].mean() > 0.004


def test_draws_depend_on_their_key_alone():
    game = Game((6, 6), (3, 2, 2))
    whole = draw("uniform", game, 300, slots=64)
    np.testing.assert_array_equal(whole, draw("uniform", game, 300, slots=7))
    hider = hide.make("uniform", game)
    keys = jax.random.split(jax.random.key(0), 300)
    part = hider.place(keys[100:120], jnp.int32(20), 32).placements
    np.testing.assert_array_equal(whole[100:120], part)


def test_games_past_the_count_are_not_drawn():
    hider = hide.make("uniform", Game((6, 6), (3, 2)))
    placed = hider.place(jax.random.split(jax.random.key(0), 50), jnp.int32(20), 8)
    assert np.asarray(placed.found).tolist() == [True] * 20 + [False] * 30


@pytest.mark.parametrize("bound", [1, 2, 3, 7, 180, 480, 65_535])
def test_bounded_is_exact(bound):
    words = np.random.default_rng(bound).integers(0, 2**32, 20_000, dtype=np.uint32)
    words[:4] = 0, 1, 2**32 - 1, 2**31
    number, kept = bounded(jnp.asarray(words), jnp.full(words.shape, bound, jnp.uint32))
    product = words.astype(np.uint64) * np.uint64(bound)
    np.testing.assert_array_equal(number, product >> np.uint64(32))
    np.testing.assert_array_equal(kept, product % 2**32 >= 2**32 % bound)


@pytest.mark.parametrize("name", ["uniform", "ship-by-ship"])
def test_a_fleet_that_does_not_fit_is_refused(name):
    game = Game((6, 6), PRESETS["ten-ship"].fleet, "none")
    with pytest.raises(ValueError, match=r"does not fit on 6x6 with touching none"):
        hide.make(name, game)


def test_a_fleet_that_fits_too_rarely_is_refused():
    game = Game(fleet=(8,) * 12)
    with pytest.raises(ValueError, match=r"too rarely: none of .* use --hider ship-by-ship"):
        hide.make("uniform", game)
    assert draw("ship-by-ship", game, 4).shape == (4, 12)


def test_the_ten_ship_fleet_never_touches():
    game = PRESETS["ten-ship"]
    boards = np.asarray(hide.boards(game, jnp.asarray(draw("uniform", game, 40))))
    for board in boards.reshape(-1, 10, 10):
        padded = np.pad(board, 1, constant_values=-1)
        for row in range(1, 11):
            for column in range(1, 11):
                ship = padded[row, column]
                near = padded[row - 1 : row + 2, column - 1 : column + 2]
                assert ship < 0 or ((near == ship) | (near < 0)).all()
        assert [(board == k).sum() for k in range(10)] == list(game.fleet)


def test_listed_boards_come_by_weight():
    game = Game((3, 3), (2, 2))
    layouts = every_layout(game)[:3]
    boards = np.asarray(hide.boards(game, jnp.asarray(layouts)))
    np.testing.assert_array_equal(layouts_of(game, boards), layouts)
    hider = Listed(game, layouts, np.array([1, 0, 3], np.float32))
    keys = jax.random.split(jax.random.key(4), 8000)
    drawn = np.asarray(hider.place(keys, jnp.int32(8000), 1).placements)
    share = [(drawn == row).all(1).mean() for row in layouts]
    assert share[1] == 0
    assert abs(share[0] - 0.25) < 5 * np.sqrt(0.25 * 0.75 / 8000)


def test_an_unknown_hider_is_named():
    with pytest.raises(ValueError, match=r"no hider 'unifrm'; did you mean 'uniform'"):
        hide.make("unifrm", Game())
