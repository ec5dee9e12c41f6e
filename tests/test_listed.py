"""Posteriors of listable games against the rules in plain Python and the notebook's own counts."""

import json
from collections import Counter
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest

from bsjax.game.game import FEEDBACK, Game
from bsjax.game.history import ImpossibleHistoryError, Shot, parse, play_history
from bsjax.game.observation import HIT, MISS
from bsjax.posterior.filtered import filtered
from bsjax.posterior.listed import Listing

GOLDEN = json.loads((Path(__file__).parent / "golden" / "notebook_two_ships.json").read_text())

GAMES = [
    Game((4, 3), (3, 2, 2)),
    Game((3, 4), (2, 1, 1), "no-side"),
    Game((5, 3), (2, 2), "none"),
    Game((1, 6), (2, 1)),
    Game((6, 1), (3, 2)),
]


def under(game, rule):
    return Game(game.size, game.fleet, game.touching, rule)


@pytest.mark.parametrize("rule", FEEDBACK)
@pytest.mark.parametrize("game", GAMES, ids=str)
def test_filtering_equals_the_rules_in_plain_python(game, rule):
    """Layouts left, masses and squares at every cell along a few games, from the answers alone."""
    game = under(game, rule)
    listing = Listing(game)
    boards = listing.boards()
    rng = np.random.default_rng(1)
    for _ in range(3):
        truth = boards[rng.integers(len(boards))]
        cells = rng.permutation(game.cells).tolist()
        sunk = np.flatnonzero(truth[cells] >= 0)[-1] + 1
        for shots in range(0, int(sunk), 2):
            fired = cells[:shots]
            history = play_history(game, truth, fired)
            fits = [m for m, b in enumerate(boards) if play_history(game, b, fired) == history]
            left = filtered(listing, history)
            assert left.rows.tolist() == fits
            assert left.layouts == left.total == len(fits)
            for cell in range(game.cells):
                if cell in fired:
                    assert left.ship[cell] == left.hit[cell] == left.sunk[:, cell].sum() == 0
                    assert left.squares[cell] == len(fits) ** 2
                    continue
                told = Counter(play_history(game, boards[m], [*fired, cell])[-1] for m in fits)
                assert left.squares[cell] == sum(n * n for n in told.values())
                assert left.ship[cell] == sum(boards[m][cell] >= 0 for m in fits)
                assert left.hit[cell] + left.sunk[:, cell].sum() == left.ship[cell]
                if rule not in ("hit", "sunk"):
                    for ship in range(game.ships):
                        sinks = sum(n for shot, n in told.items() if shot.answer == ship + 1)
                        assert left.sunk[ship, cell] == sinks
            np.testing.assert_allclose(left.expected_left, left.squares / len(fits))


@pytest.mark.parametrize("case", GOLDEN["posteriors"], ids=lambda c: c["history"] or "no shot")
def test_two_ships_equal_the_notebook(case):
    listing = Listing(Game(fleet=(4, 3), feedback="name"))
    shots = [word.split(":") for word in case["history"].split(",") if word]
    history = tuple(Shot(int(cell), int(answer)) for cell, answer in shots)
    left = filtered(listing, history)
    assert left.layouts == case["layouts"]

    def dense(sparse):
        return [sparse.get(str(cell), 0) for cell in range(100)]

    assert left.ship.tolist() == dense(case["ship"])
    assert left.hit.tolist() == dense(case["hit"])
    assert left.sunk.tolist() == [dense(ship) for ship in case["sunk"]]


def test_boards_hold_each_ship_once():
    game = Game((5, 5), (3, 3, 2))
    listing = Listing(game)
    boards = listing.boards()
    assert len({board.tobytes() for board in boards >= 0}) <= len(boards) == 8000
    for ship, length in enumerate(game.fleet):
        assert ((boards == ship).sum(1) == length).all()
    assert (listing.boards(np.array([5, 3])) == boards[[5, 3]]).all()


@pytest.mark.parametrize("rule", ["name", "hit-name"])
def test_rules_that_name_ships_list_equal_ships_both_ways(rule):
    alike = Listing(Game((4, 4), (3, 2, 3), feedback="size"))
    apart = Listing(Game((4, 4), (3, 2, 3), feedback=rule))
    assert len(apart) == 2 * len(alike)
    assert (apart.layouts[0::2] == alike.layouts).all()
    assert (apart.layouts[1::2] == alike.layouts[:, [2, 1, 0]]).all()
    assert len({tuple(row) for row in apart.layouts.tolist()}) == len(apart)


def test_size_and_name_agree_on_equal_ships():
    """The first 3 sunk is ship 0 by agreement, so the names of equal ships tell nothing."""
    text = "B2:hit C2:hit B4:miss D2:sunk{} D3:hit"
    sized = Game((5, 5), (3, 3, 2))
    by_size = filtered(Listing(sized), parse(sized, text.format("3")))
    named = Game((5, 5), (3, 3, 2), feedback="name")
    by_name = filtered(Listing(named), parse(named, text.format("=3a")))
    np.testing.assert_allclose(by_size.p_ship, by_name.p_ship, rtol=1e-12)
    assert by_size.layouts == by_name.layouts


def test_the_order_of_the_shots_counts():
    game = Game((4, 4), (3, 2))
    listing = Listing(game)
    late = filtered(listing, parse(game, "A1:hit B1:hit C1:sunk3"))
    early = filtered(listing, parse(game, "C1:hit A1:hit B1:sunk3"))
    assert late.layouts == early.layouts
    vertical = parse(game, "A1:hit B1:hit A2:sunk2")
    other = parse(game, "A1:hit A2:hit B1:sunk2")
    assert filtered(listing, vertical).layouts == filtered(listing, other).layouts
    assert not np.array_equal(filtered(listing, vertical).rows, filtered(listing, other).rows)


def test_a_contradiction_names_its_shot():
    game = Game((4, 4), (3, 2))
    listing = Listing(game)
    with pytest.raises(ImpossibleHistoryError, match=r"shot 2 \(A1:hit\): .*fired at before"):
        filtered(listing, parse(game, "A1:hit A1:hit"))
    # Both ships fit by themselves; that they cannot fit together only the list knows.
    small = Game((3, 3), (3, 3))
    with pytest.raises(ImpossibleHistoryError, match=r"shot 3 .*no layout answers this") as caught:
        filtered(Listing(small), parse(small, "B2:miss B1:miss B3:hit"))
    assert caught.value.number == 3


def test_weights_are_a_prior():
    game = Game((4, 4), (3, 2))
    listing = Listing(game)
    history = parse(game, "B2:hit C2:miss")
    rng = np.random.default_rng(2)
    whole = rng.integers(1, 50, len(listing))
    exact = filtered(listing, history, whole)
    loose = filtered(listing, history, whole * 0.25)
    rows = filtered(listing, history).rows
    assert exact.ship.dtype == exact.squares.dtype == np.int64
    assert exact.total == whole[rows].sum()
    occupied = listing.boards(rows) >= 0
    occupied[:, [5, 6]] = False
    assert exact.ship.tolist() == (occupied * whole[rows, None]).sum(0).tolist()
    np.testing.assert_allclose(loose.p_ship, exact.p_ship, rtol=1e-12)
    np.testing.assert_allclose(loose.squares * 16, exact.squares, rtol=1e-12)
    assert filtered(listing, history, np.ones(len(listing), np.int64)).ship.tolist() == (
        filtered(listing, history).ship.tolist()
    )


def test_weights_that_are_no_prior_are_refused():
    listing = Listing(Game((3, 3), (2,)))
    count = len(listing)
    for weights, reason in [
        (np.ones(count - 1), "11 weights for 12 layouts"),
        (-np.ones(count), "0 or more"),
        (np.zeros(count), "positive sum"),
        (np.full(count, np.nan), "0 or more"),
        (np.full(count, 1 << 29, np.int64), r"less than 2\^31"),
    ]:
        with pytest.raises(ValueError, match=reason):
            filtered(listing, (), weights)
    only = np.zeros(count)
    only[4] = 1
    cell = int(np.flatnonzero(listing.boards()[4] < 0)[0])
    with pytest.raises(ImpossibleHistoryError, match="no layout answers"):
        filtered(listing, (Shot(cell, HIT),), only)
    assert filtered(listing, (Shot(cell, MISS),), only).total == 1


def test_a_posterior_has_the_symmetry_of_the_board():
    left = filtered(Listing(Game((6, 4), (3, 2, 2))), ())
    plane = left.ship.reshape(4, 6)
    for same in (plane[::-1], plane[:, ::-1]):
        assert (same == plane).all()


def test_equal_ships_may_stand_anywhere_in_the_fleet():
    """The order in which a fleet is written changes no probability."""
    maps = []
    for fleet in sorted(set(permutations((3, 2, 3)))):
        game = Game((4, 4), fleet)
        maps.append(filtered(Listing(game), parse(game, "A1:hit B1:hit C1:sunk3 D4:miss")).p_ship)
    for other in maps[1:]:
        np.testing.assert_array_equal(other, maps[0])
