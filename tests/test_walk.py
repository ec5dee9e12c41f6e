"""Walks of many hunts: the tree pass, plain recursion, and dice that are thrown once for ever."""

from functools import cache

import numpy as np
import pytest
from test_knowledge import TINY, PlainStates

from bsjax.evaluate.credit import race_credit
from bsjax.evaluate.tree import evaluate
from bsjax.game.game import Game
from bsjax.solve.best_reply import best_reply, finishing, folded
from bsjax.solve.hunts import ByCells, Writing
from bsjax.solve.knowledge import build
from bsjax.solve.pages import joined, pages
from bsjax.solve.tables import classes
from bsjax.solve.walk import Hunts, chosen, valued, walk
from bsjax.solve.written import ByValues

MANY = Game((5, 2), (3, 2, 1))
"""Three lengths: a move has up to five answers."""
LONG = Game((4, 3), (3, 2))
GAMES = [*TINY, Game((3, 2), (3,)), Game((4, 4), (3,)), MANY]


@cache
def graph(game, rule="finish"):
    return build(game, rule)


def hunts(*, first=(-1,), temperature=(0.0,), number=(0,)):
    count = max(len(first), len(temperature), len(number))
    fields = (np.resize(field, count) for field in (first, temperature, number))
    return Hunts(*(f.astype(t) for f, t in zip(fields, (np.int64, float, np.uint64), strict=True)))


def any_worth(game, seed):
    """A worth for every class and shot that falls with the shots; the same for turned layouts."""
    rng = np.random.default_rng(seed)
    of, size, _ = classes(game)
    return np.sort(rng.random((len(size), game.cells + 1)) ** 2, axis=1)[:, ::-1][of]


class Plain(PlainStates):
    """Plain recursion with another worth for every layout and shot."""

    def __init__(self, game, rule, worth):
        super().__init__(game, rule)
        row = {
            frozenset(
                frozenset(np.flatnonzero(board == ship).tolist()) for ship in range(game.ships)
            ): at
            for at, board in enumerate(graph(game, rule).tables.listing.boards())
        }
        self.worth = [worth[row[layout]] for layout in self.layouts]
        self.best = cache(self._best)

    def _best(self, state, shots):
        layouts, hits = state
        if len(hits) == self.game.ship_cells:
            return sum(self.worth[i][shots] for i in layouts)
        return max(self.after(move, shots) for move in self.moves(state))

    def after(self, move, shots):
        return sum(self.best(child, shots + 1) for child in move)


# --- pages ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("answers", [3, 4, 5, 6])
@pytest.mark.parametrize("most", [70, 900, (1 << 16) - 1])
def test_children_equal_the_plain_edges(monkeypatch, answers, most):
    monkeypatch.setattr("bsjax.solve.pages.MOST", most)
    rng = np.random.default_rng(answers)
    moves = rng.integers(0, 26, 2_000).astype(np.uint8)
    moves[rng.random(2_000) < 0.2] = 0
    branches = rng.integers(1, answers + 1, int(moves.sum())).astype(np.uint8)
    child = rng.integers(0, 5_000, int(branches.sum())).astype(np.uint32)
    cut = 1_300
    move, edge = int(moves[:cut].sum()), int(branches[: int(moves[:cut].sum())].sum())
    parts = (
        (moves[:cut], branches[:move], child[:edge]),
        (moves[cut:], branches[move:], child[edge:]),
    )
    found = joined([pages(*part, answers=answers, none=5_000) for part in parts])
    assert (found.total == 2) == (most > 60_000)

    state = rng.integers(0, 2_000, 6_000)
    assert (found.moves(state) == moves[state]).all()
    state = state[moves[state] > 0]
    which = (rng.random(len(state)) * moves[state]).astype(np.int64)
    told = found.children(state, which)
    assert told.shape == (len(state), answers)
    move = (np.cumsum(moves, dtype=int) - moves)[state] + which
    edge = (np.cumsum(branches, dtype=int) - branches)[move]
    for row, number, at in zip(told, branches[move], edge, strict=True):
        assert row.tolist() == [*child[at : at + number].tolist(), *[-1] * (answers - number)]
    assert found.children(state[:0], which[:0]).shape == (0, answers)


def test_moves_have_two_to_five_children():
    layers = graph(MANY, "all").layers
    seen = set()
    for layer in layers:
        width = layer.pages.moves(np.arange(layer.counts.states))
        state = np.repeat(np.arange(layer.counts.states), width)
        move = np.arange(len(state)) - np.repeat(np.cumsum(width) - width, width)
        found = layer.pages.children(state, move)
        assert (found >= 0).sum() == layer.counts.edges
        seen |= set((found >= 0).sum(1).tolist())
    assert seen == {1, 2, 3, 4, 5}


# --- values --------------------------------------------------------------------------------------


@pytest.mark.parametrize("rule", ["finish", "all"])
@pytest.mark.parametrize("game", [g for g in GAMES if g.cells <= 12], ids=str)
def test_values_equal_plain_recursion(game, rule):
    worth = any_worth(game, 1)
    plain, found = Plain(game, rule, worth), valued(graph(game, rule), worth, workers=2)
    assert found.value == pytest.approx(plain.best(plain.root(), 0), rel=1e-12)
    assert [len(v) for v in found.values] == [
        layer.counts.states + 1 for layer in graph(game, rule).layers
    ]
    assert all(v.dtype == np.float32 and v[-1] == 0 for v in found.values)


@pytest.mark.parametrize("rule", ["finish", "all"])
def test_values_equal_those_of_the_best_reply(rule):
    game = LONG
    listing, rng = graph(game, rule).tables.listing, np.random.default_rng(2)
    weights = folded(listing, rng.random(len(listing)))
    credit = race_credit(rng.dirichlet(np.ones(game.cells + 1)))
    found = valued(graph(game, rule), weights[:, None] * credit)
    reply = best_reply(graph(game, rule), credit, weights, choices=False)
    assert found.value / weights.sum() == pytest.approx(reply.value, rel=1e-12)
    # Its own hunt gets what the values promise, up to the float32 in which they are kept.
    of, size, _ = classes(game)
    counts = walk(found, hunts())[0] / size[:, None]
    won = np.sum(weights[:, None] * credit * counts[of])
    assert won == pytest.approx(found.value, rel=1e-6)
    assert won <= found.value * (1 + 1e-12)


# --- walks ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("rule", ["finish", "all"])
@pytest.mark.parametrize("game", GAMES, ids=str)
def test_the_best_hunt_finishes_as_the_tree_pass_says(game, rule):
    states, (of, size, row) = graph(game, rule), classes(game)
    # Whole weights and credits are exact in float32, so that both break ties alike.
    weights = np.random.default_rng(3).integers(1, 9, len(size)).astype(float)[of]
    credit = game.cells - np.arange(game.cells + 1.0)
    counts = walk(valued(states, weights[:, None] * credit), hunts())
    assert counts.shape == (1, len(size), game.cells + 1)
    played = finishing(states.tables.listing, best_reply(states, credit, weights).play().shots)
    assert (counts[0] == np.rint(played[row] * size[:, None])).all()


@pytest.mark.parametrize("game", [Game((3, 3), (2, 2)), LONG, MANY], ids=str)
def test_warm_hunts_finish_as_the_tree_pass_says(game):
    states, (of, size, row) = graph(game, "all"), classes(game)
    worth = any_worth(game, 4)
    found = valued(states, worth)
    some = hunts(first=[-1, 2, 0], temperature=[0.0, 0.01, 0.1, 1.0], number=range(12))
    counts = walk(found, some)
    assert (counts.sum(2) == size).all()
    assert len(np.unique(counts, axis=0)) > 8
    for at in range(12):
        one = Hunts(*(field[at : at + 1] for field in some))
        writing = Writing(ByValues(found, one))
        shots = evaluate(states.tables.listing, writing).shots
        played = finishing(states.tables.listing, shots)[row] * size[:, None]
        assert (counts[at] == np.rint(played)).all()
        again = ByCells(writing.written())
        assert (evaluate(states.tables.listing, again).shots == shots).all()
        again.require_all_read()
        won = (worth * (counts[at] / size[:, None])[of]).sum()
        assert won <= found.value * (1 + 1e-12)


@pytest.mark.parametrize("rule", ["finish", "all"])
@pytest.mark.parametrize("game", [Game((3, 3), (2, 2)), Game((4, 2), (2, 1)), MANY], ids=str)
def test_forced_first_shots_lose_what_plain_recursion_says(game, rule):
    worth, (of, size, _) = any_worth(game, 5), classes(game)
    plain = Plain(game, rule, worth)
    moves = plain.moves(plain.root())
    counts = walk(valued(graph(game, rule), worth), hunts(first=range(len(moves))))
    for move, count in zip(moves, counts, strict=True):
        won = (worth * (count / size[:, None])[of]).sum()
        assert won == pytest.approx(plain.after(move, 0), rel=1e-6)


def test_the_same_number_is_the_same_hunt(monkeypatch):
    game = Game((4, 4), (3,))
    found = valued(graph(game), any_worth(game, 6))
    rng = np.random.default_rng(7)
    first = np.where(rng.random(60) < 0.5, rng.integers(0, 16, 60), -1)
    some = hunts(first=first, temperature=rng.choice([0.001, 0.05, 0.5], 60), number=range(60))
    whole = walk(found, some, workers=1)
    order = rng.permutation(60)
    assert (walk(found, Hunts(*(f[order] for f in some)), workers=3) == whole[order]).all()
    monkeypatch.setattr("bsjax.solve.walk._HUNTS", 7)
    assert (walk(found, some, workers=2) == whole).all()
    for at in (0, 31, 59):
        assert (walk(found, Hunts(*(f[at : at + 1] for f in some))) == whole[at]).all()
    other = some._replace(number=some.number + np.uint64(1 << 41))
    assert (walk(found, other) != whole).any()


def test_colder_hunts_are_nearer_to_the_best():
    game = LONG
    worth, (of, size, _) = any_worth(game, 8), classes(game)
    found = valued(graph(game), worth)
    lost = []
    for warm in (1e-7, 1e-3, 1e-2, 1e-1):
        counts = walk(found, hunts(temperature=[warm], number=range(30)))
        won = np.einsum("mt,nmt->n", worth, (counts / size[:, None])[:, of])
        lost.append(1 - won.mean() / found.value)
    assert np.all(np.diff(lost) > 0)
    assert -1e-12 < lost[0] < 1e-5
    assert 1e-3 < lost[2] < lost[3] < 0.3


@pytest.mark.parametrize("warm", [0.02, 0.1])
def test_first_moves_are_drawn_in_proportion_to_their_value(warm):
    game, number = Game((4, 2), (2, 1)), 4_000
    found = valued(graph(game, "all"), any_worth(game, 9))
    layer, none = found.graph.layers[0], np.zeros(number, np.int64)
    moves = layer.pages.moves(none)
    some = hunts(temperature=[warm], number=range(number))
    made = chosen(layer, found.values[1], some, np.arange(number), none, moves, 0)[2]
    value = found.values[1][layer.pages.children(none[: moves[0]], np.arange(moves[0]))].sum(1)
    share = value.astype(float) ** (1 / warm)
    share /= share.sum()
    seen = np.bincount(made, minlength=moves[0]) / number
    assert share.min() < 0.9 * share.max()
    assert np.all(np.abs(seen - share) <= 5 * np.sqrt(share * (1 - share) / number) + 1 / number)


def test_faults_are_said_in_one_line():
    game = Game((3, 3), (2, 2))
    worth = any_worth(game, 10)
    with pytest.raises(ValueError, match="44 layouts × 10 times"):
        valued(graph(game), worth[:, 1:])
    with pytest.raises(ValueError, match="0 or more"):
        valued(graph(game), worth - 1)
    found = valued(graph(game), worth)
    with pytest.raises(ValueError, match="first move 9: there are 9, counted from 0"):
        walk(found, hunts(first=[3, 9]))
    with pytest.raises(ValueError, match="no hunt to walk"):
        walk(found, Hunts(*(field[:0] for field in hunts())))
    listing = graph(game).tables.listing
    writing = Writing(ByValues(found, hunts()))
    evaluate(listing, writing)
    cells = writing.written()
    for wrong in (cells[:-1], cells[::-1], np.zeros_like(cells), cells + np.uint8(9)):
        with pytest.raises(ValueError, match="no hunt of this game"):
            evaluate(listing, ByCells(wrong))
    longer = ByCells(np.append(cells, np.uint8(0)))
    evaluate(listing, longer)
    with pytest.raises(ValueError, match="no hunt of this game"):
        longer.require_all_read()
