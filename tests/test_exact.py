"""The exact posterior against all layouts of small games, listed and played shot by shot."""

import json
from functools import cache
from pathlib import Path

import jax
import numpy as np
import oracles
import pytest

from bsjax.game.game import FEEDBACK, PRESETS, Game
from bsjax.game.history import Shot, observe_history, parse
from bsjax.game.observation import Observation, blank
from bsjax.game.placements import overlap, placement_masks
from bsjax.posterior.enumerate import count as listed_count
from bsjax.posterior.exact import count, exact, exact_many
from bsjax.posterior.leaves import TooManyLeavesError

GOLDEN = json.loads((Path(__file__).parent / "golden" / "classic_posteriors.json").read_text())

SMALL = {
    "five": ((5, 5), (3, 3, 2), "allowed"),
    "five-apart": ((5, 5), (3, 3, 2), "none"),
    "five-sides": ((5, 5), (3, 3, 2), "no-side"),
    "four": ((4, 4), (3, 2, 2, 1), "allowed"),
    "four-sides": ((4, 4), (3, 2, 2, 1), "no-side"),
    "dots": ((5, 4), (3, 1, 1), "none"),
    "dots-sides": ((4, 4), (2, 1, 1), "no-side"),
    "mixed": ((4, 3), (2, 3, 2), "allowed"),
    "narrow": ((6, 2), (4, 2, 3), "allowed"),
    "column": ((1, 7), (2, 2, 1), "no-side"),
    "pair": ((4, 3), (3, 2), "none"),
    "one": ((3, 2), (3,), "allowed"),
}


def game_of(name, feedback="size"):
    size, fleet, touching = SMALL[name]
    return Game(size, fleet, touching, feedback)


# --- brute force -------------------------------------------------------------------------------


@cache
def all_boards(size, fleet, touching):
    """Every layout, ships told apart: int8[M, C], ship on each cell or −1."""
    boards = np.full((1, size[0] * size[1]), -1, np.int8)
    for k, length in enumerate(fleet):
        grown = []
        for ship in oracles.positions(size, length):
            around = {b for a in ship for b in oracles.halo(size, touching, a)} | ship
            fits = boards[(boards[:, sorted(around)] < 0).all(1)].copy()
            fits[:, sorted(ship)] = k
            grown.append(fits)
        boards = np.concatenate(grown)
    return boards


def boards_of(game):
    return all_boards(game.size, game.fleet, game.touching)


def answers(game, boards, cells):
    """What each layout answers to the shots: codes [M, T]; shown lines as bit sets [M, T].

    Under `size` and `cells` a sunk ship is told as the first of its length not yet announced.
    """
    fleet, ships = np.array(game.fleet), game.ships
    left = np.tile(fleet, (len(boards), 1))
    sunk_before = np.zeros((len(boards), max(fleet) + 1), int)
    first = np.zeros((max(fleet) + 1, ships + 1), int)
    for length in game.lengths:
        same = (fleet == length).nonzero()[0]
        first[length, : len(same)] = same
    bits = np.array([1 << c for c in range(game.cells)], object)
    lines = np.stack([(boards == k) @ bits for k in range(ships)], 1)
    every = np.arange(len(boards))
    codes, shown = [], []
    for cell in cells:
        ship = boards[:, cell].astype(int)
        hit = ship >= 0
        left[every[hit], ship[hit]] -= 1
        sunk = hit & (left[every, ship] == 0)
        told = np.zeros(len(boards), int)
        if game.feedback == "hit-name":
            told = ships + 2 + ship
        length = fleet[ship]
        name = {
            "hit": np.zeros(len(boards), int),
            "sunk": np.full(len(boards), ships + 1),
            "name": ship + 1,
            "hit-name": ship + 1,
        }.get(game.feedback, first[length, sunk_before[every, length]] + 1)
        codes.append(np.where(hit, np.where(sunk, name, told), -1))
        seen = sunk if game.feedback == "cells" else np.zeros(len(boards), bool)
        shown.append(np.where(seen, lines[every, ship], 0))
        sunk_before[every[sunk], length[sunk]] += 1
    if not cells:
        return np.zeros((len(boards), 0), int), np.zeros((len(boards), 0), object)
    return np.stack(codes, 1), np.stack(shown, 1)


def consistent(game, board, cells, boards=None):
    """The layouts (of `boards`, or all) that answer these shots as `board` does."""
    boards = boards_of(game) if boards is None else boards
    codes, shown = answers(game, np.concatenate([board[None], boards]), cells)
    return boards[((codes[1:] == codes[0]) & (shown[1:] == shown[0])).all(1)]


def observation(game, board, cells):
    known = oracles.Known(game)
    for truth, cell in zip(oracles.truths(game, board, cells), cells, strict=True):
        known.fire(cell, truth)
    return Observation(**known.planes())


def agree(game, posterior, left, cells):
    """Every field of a posterior against the listed layouts that are left."""
    assert posterior.layouts_told_apart == len(left)
    unfired = np.ones(game.cells, bool)
    unfired[cells] = False
    np.testing.assert_array_equal(posterior.ship, (left >= 0).sum(0))
    still = np.stack([((left == k) & unfired).sum(1) for k in range(game.ships)], 1)
    for k in range(game.ships):
        own = (left == k) & unfired
        np.testing.assert_array_equal(posterior.sunk[k], own[still[:, k] == 1].sum(0))
        np.testing.assert_array_equal(posterior.hit_ship[k], own[still[:, k] > 1].sum(0))
        masks = placement_masks(game.size, game.fleet[k]).astype(np.float32)
        uses = ((left == k).astype(np.float32) @ masks.T == game.fleet[k]).sum(0)
        np.testing.assert_array_equal(posterior.placements[k], uses)
    np.testing.assert_array_equal(posterior.hit, posterior.hit_ship.sum(0))


def histories(game, count, seed):
    """Boards and the shots fired at them: at random, near hits, and greedily."""
    rng = np.random.default_rng(seed)
    boards = boards_of(game)
    for i in range(count):
        board = boards[rng.integers(len(boards))]
        if i % 3 == 2:
            order = greedy(game, board)
        else:
            order = oracles.random_order(game, board, rng, near=rng.random())
        end = oracles.shots_to_sink_all(board, order)
        yield board, order[: rng.integers(end + 1)]


def greedy(game, board):
    """A whole game by the probability rule, from the listed layouts."""
    cells, left = [], boards_of(game)
    while len(cells) < game.cells and (board >= 0).sum() > (board[cells] >= 0).sum():
        score = (left >= 0).sum(0)
        score[cells] = -1
        cells.append(int(score.argmax()))
        left = consistent(game, board, cells, left)
    return cells


# --- agreement ---------------------------------------------------------------------------------


@pytest.mark.parametrize("feedback", FEEDBACK)
@pytest.mark.parametrize("name", SMALL)
def test_all_layouts_listed(name, feedback):
    game = game_of(name, feedback)
    cases = list(histories(game, 15, seed=len(name)))
    seen = [observation(game, board, cells) for board, cells in cases]
    together = exact_many(game, jax.tree.map(lambda *x: np.stack(x), *seen))
    for (board, cells), posterior in zip(cases, together, strict=True):
        agree(game, posterior, consistent(game, board, cells), cells)


@pytest.mark.parametrize("feedback", FEEDBACK)
@pytest.mark.parametrize("name", ["five", "four-sides", "dots"])
def test_squares_are_those_of_the_answers(name, feedback):
    game = game_of(name, feedback)
    for board, cells in histories(game, 6, seed=9):
        left = consistent(game, board, cells)
        posterior = exact(game, observation(game, board, cells))
        squares = posterior.squares()
        for cell in range(game.cells):
            due = len(left) ** 2
            if cell not in cells:
                codes, shown = answers(game, left, [*cells, cell])
                kinds = {}
                for key in zip(codes[:, -1].tolist(), shown[:, -1].tolist(), strict=True):
                    kinds[key] = kinds.get(key, 0) + 1
                due = sum(n * n for n in kinds.values())
            assert squares[cell] == due
            assert isinstance(squares[cell], int)
        assert posterior.expected_left(0) == pytest.approx(squares[0] / len(left))


def test_one_by_one_is_as_together():
    game = game_of("five", "sunk")
    for board, cells in histories(game, 5, seed=1):
        agree(
            game,
            exact(game, observation(game, board, cells)),
            consistent(game, board, cells),
            cells,
        )


def test_the_order_of_the_shots_matters():
    """Row of four hits; which three are the sunk ship depends on when the sink was told."""
    game = Game((5, 5), (3, 3, 2))
    shots = {c: Shot(oracles.cell(c, 5), 0) for c in ("A1", "B1", "D1")}
    shots["C1"] = Shot(oracles.cell("C1", 5), 1)
    late = exact(game, observe_history(game, tuple(shots[c] for c in ("A1", "B1", "D1", "C1"))))
    early = exact(game, observe_history(game, tuple(shots[c] for c in ("A1", "B1", "C1", "D1"))))
    assert early.layouts_told_apart != late.layouts_told_apart
    for posterior, order in ((late, "A1 B1 D1 C1"), (early, "A1 B1 C1 D1")):
        cells = [oracles.cell(c, 5) for c in order.split()]
        codes, _ = answers(game, boards_of(game), cells)
        due = [1 if c == oracles.cell("C1", 5) else 0 for c in cells]
        agree(game, posterior, boards_of(game)[(codes == due).all(1)], cells)


@pytest.mark.parametrize("feedback", ["sunk", "size", "name"])
def test_ambiguous_sinks(feedback):
    """Two ships side by side, shot so that the sink can be read across and down."""
    game = Game((5, 5), (3, 3, 2), "allowed", feedback)
    board = np.full(25, -1, np.int8)
    board[[0, 1, 2]], board[[5, 6, 7]], board[[10, 11]] = 0, 1, 2
    for seed in range(20):
        cells = np.random.default_rng(seed).permutation([0, 1, 2, 5, 6, 7, 10, 12])[:7].tolist()
        agree(
            game,
            exact(game, observation(game, board, cells)),
            consistent(game, board, cells),
            cells,
        )


def test_a_contradiction_leaves_no_layout():
    game = Game((4, 4), (3, 2))
    shots = tuple(Shot(cell, 0) for cell in (0, 15, 3))
    posterior = exact(game, observe_history(game, shots))
    assert posterior.layouts_told_apart == 0
    assert posterior.ship.sum() == 0
    with pytest.raises(ValueError, match="no layout agrees"):
        _ = posterior.p_ship


# --- published values --------------------------------------------------------------------------


@pytest.mark.parametrize("name", SMALL)
def test_counts_of_small_boards(name):
    game = game_of(name)
    assert count(game)["layouts_told_apart"] == len(boards_of(game))
    assert count(game) == listed_count(game)


@pytest.mark.parametrize(
    ("game", "alike"),
    [
        (Game((6, 6)), 3_343_568),
        (Game((7, 7)), 62_378_548),
        (Game((8, 8)), 571_126_760),
        (Game((9, 9)), 3_394_196_128),
        (Game(), 15_046_987_768),
        (Game((11, 11)), 54_083_238_912),
        (Game(touching="none"), 1_925_751_392),
    ],
    ids=str,
)
def test_published_counts(game, alike):
    assert count(game) == {"layouts_told_apart": 2 * alike, "layouts_alike": alike}


def test_the_empty_classic_board():
    """E3 and E1 of the public counts."""
    game = Game()
    posterior = exact(game, blank(game))
    assert posterior.layouts_told_apart == 30_093_975_536
    assert posterior.layouts_alike == 15_046_987_768
    assert posterior.ship[oracles.cell("A1")] == 2_407_483_864
    assert posterior.ship[oracles.cell("E5")] == 6_428_054_040
    assert posterior.ship.sum() == 17 * 30_093_975_536


@pytest.fixture(scope="module")
def golden():
    game = Game(feedback="name")
    seen = []
    for case in GOLDEN["cases"]:
        told = [{"miss": "miss", "hit": "hit"}.get(shot["answer"]) for shot in case["shots"]]
        tokens = [
            f"{shot['cell']}:{word or 'sunk=' + shot['ship']}"
            for shot, word in zip(case["shots"], told, strict=True)
        ]
        seen.append(observe_history(game, parse(game, " ".join(tokens))))
    return game, exact_many(game, jax.tree.map(lambda *x: np.stack(x), *seen))


@pytest.mark.parametrize("number", range(len(GOLDEN["cases"])))
def test_golden_histories(golden, number):
    game, posteriors = golden
    case, posterior = GOLDEN["cases"][number], posteriors[number]
    assert posterior.layouts_told_apart == case["layouts"]
    np.testing.assert_allclose(posterior.p_ship, case["p_ship"], rtol=0, atol=1e-6)
    assert posterior.ship.sum() == game.ship_cells * case["layouts"]


@pytest.mark.parametrize(
    ("fleet", "touching"), [((2, 2, 2), "allowed"), ((4, 4, 3), "none"), ((5, 3, 2), "no-side")]
)
def test_the_largest_board_is_exact(fleet, touching):
    """16×16: totals of a leaf beyond 2²⁴, against matrix products in float64."""
    game = Game((16, 16), fleet, touching)
    a, b, c = fleet
    ab, ac, bc = ((~overlap(game, *pair)).astype(np.float64) for pair in ((a, b), (a, c), (b, c)))
    due = ((ab @ bc) * ac).sum(1)
    posterior = exact(game, blank(game))
    assert due.sum() > 1 << 24
    assert posterior.layouts_told_apart == int(due.sum())
    np.testing.assert_array_equal(posterior.placements[0], due)


# --- budget ------------------------------------------------------------------------------------


def test_too_many_leaves_are_refused_with_their_number():
    with pytest.raises(
        TooManyLeavesError,
        match=r"needs up to [\d,]{16,} leaves here, about [\d,.]+ hours, the limit",
    ):
        count(PRESETS["ten-ship"])
    with pytest.raises(TooManyLeavesError, match="the limit is 1,000"):
        exact(Game(), blank(Game()), budget=1000)


def test_too_many_ways_to_explain_the_hits_are_refused():
    game = Game(fleet=(2,) * 10, feedback="hit")
    hits = tuple(Shot(cell, 0) for cell in range(0, 100, 7))
    with pytest.raises(TooManyLeavesError, match=r"needs at least [\d,]+ leaves here"):
        exact(game, observe_history(game, hits), budget=5000)


def test_a_batch_beyond_the_budget_is_split():
    game = Game((6, 6), (3, 3, 2, 2))
    seen = jax.tree.map(lambda x: np.stack([x] * 5), blank(game))
    one = exact(game, blank(game))
    many = exact_many(game, seen, budget=150)
    assert [p.layouts_told_apart for p in many] == [one.layouts_told_apart] * 5


def test_equal_histories_are_counted_once():
    game = game_of("five")
    cases = [case for case in histories(game, 3, seed=8) for _ in range(3)]
    seen = [observation(game, *case) for case in cases]
    found = exact_many(game, jax.tree.map(lambda *x: np.stack(x), *seen))
    for (board, cells), posterior in zip(cases, found, strict=True):
        agree(game, posterior, consistent(game, board, cells), cells)
    assert found[0] is found[1] is found[2]


def test_few_programs_serve_all_histories():
    """No more than one compiled program per group of ships and size of launch."""
    from bsjax.posterior.counted import _launch

    game = Game((5, 5), (3, 3, 2))
    list(map(lambda case: exact(game, observation(game, *case)), histories(game, 5, seed=5)))
    before = _launch._cache_size()
    for board, cells in histories(game, 30, seed=6):
        exact(game, observation(game, board, cells))
    assert _launch._cache_size() - before <= 6
