"""Boards that differ by one ship, games on boards, descents and cross-play."""

import math
from itertools import product

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from test_by_layout import alone

from bsjax import policies
from bsjax.evaluate.by_board import by_board
from bsjax.evaluate.credit import race_credit
from bsjax.evaluate.hard_boards.common import CLASSIC, common
from bsjax.evaluate.hard_boards.crossplay import Heat, crossplay
from bsjax.evaluate.hard_boards.descent import Effort, Round, descend
from bsjax.evaluate.hard_boards.folder import Journal
from bsjax.evaluate.hard_boards.layouts import (
    boards_of,
    canonical,
    distinct,
    drawn,
    legal,
    read,
    written,
)
from bsjax.evaluate.hard_boards.neighbours import moves, sweep
from bsjax.evaluate.hard_boards.pool import Pool
from bsjax.evaluate.hard_boards.trial import Readings, Table, noise
from bsjax.evaluate.massive import Limits
from bsjax.evaluate.ties import with_ties
from bsjax.game.game import Game
from bsjax.game.placements import placement_cells, placement_counts
from bsjax.game.symmetry import cell_images
from bsjax.policies.hottest import Hottest, layouts_of
from bsjax.policies.patterns import rule
from bsjax.policies.scores import probability
from bsjax.posterior.listed import Listing
from bsjax.runtime import streams

FOUR = Game((4, 4), (3, 3, 2))
GAMES = [
    FOUR,
    Game((4, 3), (3, 2)),
    Game((4, 3), (2, 2, 1), touching="no-side"),
    Game((4, 4), (2, 2), touching="none", feedback="name"),
    Game((3, 2), (2,)),
]


def everything(game):
    """All legal layouts, equal ships told apart, by going through all placements."""
    cells = [placement_cells(game.size, n).tolist() for n in game.fleet]
    found = []
    for places in product(*(range(n) for n in placement_counts(game))):
        ships = [set(cells[k][place]) for k, place in enumerate(places)]
        if all(clear(game, a, b) for k, a in enumerate(ships) for b in ships[:k]):
            found.append(places)
    return np.array(found, np.int16)


def clear(game, a, b):
    """Whether two ships may lie like this."""
    for one, other in product(a, b):
        down = abs(one // game.width - other // game.width)
        right = abs(one % game.width - other % game.width)
        near = {"allowed": down + right, "no-side": down + right - 1}
        if near.get(game.touching, max(down, right) - 1) < 1:
            return False
    return True


def kind(game, layout):
    """A layout up to turning and exchanging equal ships, as sets of cells; the least image."""
    named = game.feedback in ("name", "hit-name")
    images = []
    for image in cell_images(game.size).tolist():
        ships = []
        for ship, place in enumerate(layout):
            cells = placement_cells(game.size, game.fleet[ship])[place].tolist()
            ships.append((ship if named else game.fleet[ship], sorted(image[c] for c in cells)))
        images.append(sorted(ships))
    return str(min(images))


@pytest.mark.parametrize("game", GAMES, ids=str)
def test_alike_boards_are_one(game):
    layouts = everything(game)
    kinds = [kind(game, layout) for layout in layouts.tolist()]
    own = [str(row) for row in canonical(game, layouts).tolist()]
    assert len(set(kinds)) == len(set(own)) == len(set(zip(kinds, own, strict=True)))
    first = [kinds.index(one) for one in dict.fromkeys(kinds)]
    np.testing.assert_array_equal(distinct(game, layouts), first)
    assert legal(game, layouts).all()
    assert kind(game, canonical(game, layouts[-1:])[0].tolist()) == kinds[-1]


@pytest.mark.parametrize("game", GAMES, ids=str)
def test_neighbours_are_all_boards_with_one_ship_elsewhere(game):
    layouts = everything(game)
    rng = np.random.default_rng(0)
    for layout in layouts[rng.choice(len(layouts), min(6, len(layouts)), replace=False)]:
        expected = {}
        for ship in range(game.ships):
            rest = np.delete(layouts, ship, 1) == np.delete(layout, ship)
            other = layouts[rest.all(1) & (layouts[:, ship] != layout[ship])]
            expected[ship] = {kind(game, row) for row in other.tolist()} - {kind(game, layout)}
            found = [kind(game, row) for row in moves(game, layout, ship).tolist()]
            assert len(found) == len(set(found))
            assert set(found) == expected[ship]
        found = [kind(game, row) for row in sweep(game, layout).tolist()]
        assert len(found) == len(set(found))
        assert set(found) == set().union(*expected.values())


def test_a_classic_sweep_has_about_529_boards():
    game = Game()
    counts = [len(sweep(game, layout)) for layout in drawn(jax.random.key(0), game, 200)]
    assert 515 < np.mean(counts) < 540


@pytest.mark.parametrize("game", [FOUR, Game((5, 3), (3, 2)), Game()], ids=str)
def test_layouts_are_drawn_and_written(game):
    layouts = drawn(jax.random.key(1), game, 20)
    assert legal(game, layouts).all()
    assert len(distinct(game, layouts)) > 5
    for layout, board in zip(layouts, boards_of(game, layouts), strict=True):
        np.testing.assert_array_equal(read(game, written(game, layout)), layout)
        backwards = " ".join(
            "-".join(reversed(p.split("-"))) for p in written(game, layout).split()
        )
        np.testing.assert_array_equal(read(game, backwards), layout)
        for ship, length in enumerate(game.fleet):
            cells = placement_cells(game.size, length)[layout[ship]]
            np.testing.assert_array_equal(np.flatnonzero(board == ship), np.sort(cells))


def test_what_is_no_layout_is_said():
    for text, what in (
        ("A1-C1 A2-C2", "each of 3 ships"),
        ("A1-C1 A2-C2 D1-D3", "no straight line of 2"),
        ("A1-C1 A2-C2 A1-A2", "meet"),
    ):
        with pytest.raises(ValueError, match=what):
            read(FOUR, text)


def test_common_boards_are_legal_and_differ():
    boards = common(Game())
    assert len(boards) == len(CLASSIC) >= 4
    assert legal(Game(), boards).all()
    assert [written(Game(), board) for board in boards] == list(CLASSIC)
    assert len(common(FOUR)) == 0
    apart = Game(touching="none")
    assert legal(apart, common(apart)).all()
    assert len(common(apart)) < len(boards)


def test_a_pool_keeps_one_of_alike_boards():
    layouts, pool = everything(FOUR), Pool(FOUR)
    numbers = pool.add(layouts, "somebody", "somewhere")
    assert len(pool) == len(distinct(FOUR, layouts)) == len(set(numbers))
    assert pool.add(pool.layouts(), "another", "") == list(range(len(pool)))
    assert {entry.found_by for entry in pool.entries} == {"somebody"}
    np.testing.assert_array_equal(pool.layouts([3, 1]), pool.layouts()[[3, 1]])


# --- games on boards ---------------------------------------------------------------------------


def test_common_games_are_those_one_by_one():
    game, games, first = Game((4, 3), (3, 2)), 5, 3
    policy, key = rule(game, "checkerboard"), jax.random.key(3)
    boards = boards_of(game, everything(game)[[0, 5, 17]])
    images = cell_images(game.size)
    expected = np.zeros((len(boards), game.cells + 1), np.int64)
    for number, (row, board) in product(range(first, first + games), enumerate(boards)):
        own = streams.game_key(key, *map(jnp.uint32, (0, 0, number)))
        turn = jax.random.randint(streams.stream(own, streams.BOARD), (), 0, len(images))
        expected[row, int(alone(policy, jnp.asarray(board[images[int(turn)]]), own))] += 1
    found = by_board(key, policy, boards, games, first=first, common=True)
    np.testing.assert_array_equal(found, expected)
    # A row is the same whatever stands beside it, and more games go on with the same.
    small = Limits(memory=1 << 14, slots=4)

    def again(boards, games, first):
        options = {"first": first, "common": True, "room": 3, "limits": small, "sized": 64}
        return by_board(key, policy, boards, games, **options)

    np.testing.assert_array_equal(found[1:2], again(boards[1:2], games, first))
    parts = [again(boards, 1, first + g) for g in range(games)]
    np.testing.assert_array_equal(found, np.sum(parts, axis=0))
    with pytest.raises(ValueError, match="at least one"):
        by_board(key, policy, boards, 0)


def uniform_credit(game):
    pace = np.zeros(game.cells + 1)
    pace[game.ship_cells :] = 1 / (game.cells + 1 - game.ship_cells)
    return race_credit(pace)


def test_readings_are_those_of_the_games():
    policy, credit = rule(FOUR, "checkerboard"), uniform_credit(FOUR)
    table, layouts = Table(policy, credit), everything(FOUR)[[0, 9, 40]]
    found = table.play(jax.random.key(5), layouts, 50)
    histogram = table.histogram(jax.random.key(5), layouts, 50)
    for row in range(3):
        shots = np.repeat(np.arange(FOUR.cells + 1), histogram[row])
        assert found.games[row] == len(shots) == 50
        assert found.shots[row] == pytest.approx(shots.mean())
        assert found.value[row] == pytest.approx(credit[shots].mean())
        assert found.se[row] == pytest.approx(credit[shots].std(ddof=1) / np.sqrt(50))
    more = table.play(jax.random.key(5), layouts, 30, first=50)
    whole = table.play(jax.random.key(5), layouts, 80)
    np.testing.assert_allclose(found.sums + more.sums, whole.sums)
    assert table.played == 3 * 160
    with pytest.raises(ValueError, match="credits"):
        Table(policy, credit[:-1])


def test_noise_is_that_of_the_games_one_by_one():
    policy, credit, batches = rule(FOUR, "checkerboard"), uniform_credit(FOUR), 150
    layouts = everything(FOUR)[[40, 50, 60, 70]]
    found = noise(jax.random.key(0), policy, credit, layouts, batches=batches)
    table, key = Table(policy, credit), jax.random.key(1)
    games = np.stack([table.play(key, layouts, 1, first=g).value for g in range(800)])
    variance = games.var(axis=0, ddof=1)
    apart = np.mean(variance[1:] + variance[0])
    assert found.independent == pytest.approx(apart, rel=0.2)
    together = (games[:, 1:] - games[:, :1]).var(axis=0, ddof=1).mean()
    assert found.common == pytest.approx(together, rel=0.2)


# --- descents and cross-play -------------------------------------------------------------------


@pytest.fixture(scope="module")
def heat_map():
    """A hunter whose finishing times on every board are known exactly."""
    listing = Listing(FOUR)
    shares = with_ties(listing, probability)
    credit = race_credit(shares.mean(0))
    exact = dict(zip(map(bytes, canonical(FOUR, listing.layouts)), shares @ credit, strict=True))
    return Hottest(FOUR, layouts_of(FOUR)), credit, exact


def value_of(exact, layouts):
    return np.array([exact[bytes(row)] for row in canonical(FOUR, layouts)])


@pytest.mark.parametrize("confirm", [0, 256])
def test_descents_go_down(heat_map, confirm):
    policy, credit, exact = heat_map
    starts = drawn(jax.random.key(2), FOUR, 4)
    rounds = (Round(8, 0.25), Round(64, 0.5), Round(128, 0.0))
    effort = Effort(60_000, rounds, confirm)
    found = descend(jax.random.key(3), Table(policy, credit), starts, effort)
    before = value_of(exact, starts)
    after = value_of(exact, np.stack([one.end for one in found]))
    np.testing.assert_array_equal(starts, np.stack([one.start for one in found]))
    assert (after <= before + 0.02).all()
    assert after.mean() < before.mean() - 0.05
    for one in found:
        assert legal(FOUR, one.end[None]).all()
        assert one.moves > 0
        assert one.refused == 0 or confirm
        assert one.settled == (one.games < 60_000)


def test_a_descent_plays_what_it_says(heat_map):
    policy, credit, _ = heat_map
    starts, table = drawn(jax.random.key(4), FOUR, 2), Table(policy, credit)
    effort = Effort(1, (Round(4, 0.5), Round(8, 0.0)), confirm=16)
    found = descend(jax.random.key(5), table, starts, effort)
    assert table.played == sum(one.games for one in found)
    for one in found:
        spots = len(moves(FOUR, one.start, 0))
        fresh = 2 * 16 * (one.moves + one.refused)
        assert one.games == 4 * (spots + 1) + 4 * (-(-spots // 2) + 1) + fresh
        assert not one.settled


def test_crossplay_gives_more_games_to_lower_boards(heat_map):
    policy, credit, exact = heat_map
    layouts = everything(FOUR)
    layouts = layouts[distinct(FOUR, layouts)]
    heats = (Heat(32, 0.25), Heat(96, 0.1), Heat(512, 0.0))
    table = Table(policy, credit)
    found = crossplay(jax.random.key(6), table, layouts, heats)
    count = len(layouts)
    second = math.ceil(count / 4)
    third = math.ceil(second / 10)
    assert sorted(found.order.tolist()) == list(range(count))
    games = found.readings.games[found.order]
    np.testing.assert_array_equal(np.unique(games), [32, 128, 640])
    assert [(games >= n).sum() for n in (32, 128, 640)] == [count, second, third]
    value = found.readings.value[found.order]
    for part in (value[:third], value[third:second], value[second:]):
        assert (np.diff(part) >= 0).all()
    exactly = value_of(exact, layouts)
    assert (np.abs(found.readings.value - exactly) < 5.5 * found.readings.se + 1e-9).all()
    assert exactly[found.order[0]] < np.sort(exactly)[3] + 0.01


class Known(Journal):
    """A journal that has something to tell."""

    def __init__(self, rows):
        self.rows, self.added = rows, []

    def next(self, rows):
        found, self.rows = self.rows[:rows], self.rows[rows:]
        return found

    def add(self, readings):
        self.added.append(readings)


def test_what_the_journal_knows_is_not_played_again():
    policy, credit = policies.make("random", FOUR), uniform_credit(FOUR)
    layouts, key = everything(FOUR)[:7], jax.random.key(0)
    whole = Table(policy, credit).play(key, layouts, 9)
    journal = Known(whole.sums[:4])
    table = Table(policy, credit, journal=journal)
    found = table.play(key, layouts, 9)
    np.testing.assert_array_equal(found.sums, whole.sums)
    assert table.played == 3 * 9
    np.testing.assert_array_equal(np.concatenate(journal.added), whole.sums[4:])
    assert Readings(whole.sums).take(np.array([2, 0])).games.tolist() == [9, 9]
