"""Exact shots over all layouts: the notebook's trees, published means, and game-by-game play."""

import hashlib
import json
from collections import Counter
from fractions import Fraction
from functools import cache, partial
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from typer.testing import CliRunner

from bsjax import policies
from bsjax.cli import app
from bsjax.cli.tree import as_fields
from bsjax.evaluate.tree import evaluate, figures
from bsjax.game.game import FEEDBACK, Game
from bsjax.game.history import parse, play_history
from bsjax.play.games import play
from bsjax.policies.scores import SCORES, best_cells, probability
from bsjax.posterior.filtered import filtered
from bsjax.posterior.listed import Listing
from bsjax.runtime import streams

GOLDEN = json.loads((Path(__file__).parent / "golden" / "notebook_two_ships.json").read_text())
TWO_SHIPS = Game(fleet=(4, 3), feedback="name")


@cache
def two_ships():
    return Listing(TWO_SHIPS)


@cache
def shots_of(rule):
    return evaluate(two_ships(), rule).shots


# --- the notebook ------------------------------------------------------------------------------


@pytest.mark.parametrize("case", GOLDEN["rules"], ids=lambda c: c["rule"])
def test_two_ships_equal_the_notebook_on_every_layout(case):
    shots, base = shots_of(case["rule"]), shots_of("probability")
    told = figures(shots)
    assert told.mean == Fraction(case["mean"])
    for name in ("median", "p95", "best", "worst"):
        assert getattr(told, name) == case[name]
    assert hashlib.sha256(shots.astype(np.uint8).tobytes()).hexdigest() == case["sha256"]
    change = np.sign(shots - base)
    assert [(change == sign).sum() for sign in (-1, 0, 1)] == [
        case[name] for name in ("fewer", "same", "more")
    ]


def habit_weights(listing, edge, spacing):
    """exp(edge · ship cells on the border − spacing · ships that touch, diagonals count)."""
    boards = listing.boards().reshape(-1, 10, 10)
    inner = boards[:, 1:-1, 1:-1] >= 0
    border = (boards >= 0).sum((1, 2)) - inner.sum((1, 2))
    wide = np.pad(boards, ((0, 0), (1, 1), (1, 1)), constant_values=-1)
    touch = np.zeros(len(boards), bool)
    for down in range(3):
        for right in range(3):
            near = wide[:, down : down + 10, right : right + 10]
            touch |= ((boards == 0) & (near == 1)).any((1, 2))
    return np.exp(edge * border - spacing * touch)


@pytest.mark.parametrize("row", GOLDEN["habits"][1::9], ids=lambda r: f"a={r[0]} b={r[1]}")
def test_knowing_a_habit_equals_the_notebook(row):
    edge, spacing, assumes, knows_uniform, knows = row
    weights = habit_weights(two_ships(), edge, spacing)
    assert figures(shots_of("probability"), weights).mean == pytest.approx(assumes, abs=1e-8)
    told = evaluate(two_ships(), "probability", prior=weights)
    assert float(told.figures().mean) == pytest.approx(knows_uniform, abs=1e-8)
    assert told.figures(weights).mean == pytest.approx(knows, abs=1e-8)


# --- published means ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("side", "mean", "layouts"),
    [(4, 11.245, 804), (5, 13.956, 8_000), (6, 17.453, 40_324), (8, 26.104, 386_684)],
)
def test_three_ships_on_small_boards(side, mean, layouts):
    told = evaluate(Listing(Game((side, side), (3, 3, 2))), "probability").figures()
    assert told.layouts == layouts
    assert round(float(told.mean), 3) == mean


def test_names_of_equal_ships_change_no_mean():
    """Told apart there are twice as many layouts, and each half is played alike."""
    size, name = (
        evaluate(Listing(Game((5, 5), (3, 3, 2), feedback=rule)), "probability").figures()
        for rule in ("size", "name")
    )
    assert size.mean == name.mean
    assert name.histogram.tolist() == (2 * size.histogram).tolist()


@pytest.mark.slow
def test_three_ships_on_10x10():
    result = evaluate(Listing(Game(fleet=(3, 3, 2))), "probability")
    told = result.figures()
    assert told.layouts == 1_924_020
    assert round(float(told.mean), 3) == 37.153
    assert told.worst == 71


# --- plain Python, one game at a time ----------------------------------------------------------


class PlainGames:
    """A rule played on one layout after another, from the rules in words."""

    def __init__(self, game, rule):
        self.game, self.rule = game, getattr(self, rule.replace("-", "_"))
        boards = Listing(game).boards().tolist()
        self.boards = boards
        self.own = [
            [{c for c, s in enumerate(board) if s == ship} for ship in range(game.ships)]
            for board in boards
        ]
        self.choices = {}

    def answer(self, layout, fired, cell):
        ship, rule = self.boards[layout][cell], self.game.feedback
        if ship < 0:
            return "miss"
        own = self.own[layout][ship]
        sunk = own <= fired | {cell}
        if rule == "hit-name":
            return ("sunk" if sunk else "hit", ship)
        if not sunk or rule == "hit":
            return "hit"
        cells = tuple(sorted(own))
        return {"sunk": "sunk", "size": len(own), "name": ("ship", ship), "cells": cells}[rule]

    def open(self, fired):
        return [cell for cell in range(self.game.cells) if cell not in fired]

    def hits(self, fits, cell):
        return sum(self.boards[layout][cell] >= 0 for layout in fits)

    def groups(self, fits, fired, cell):
        found = {}
        for layout in fits:
            found.setdefault(self.answer(layout, fired, cell), []).append(layout)
        return found.values()

    def squares(self, fits, fired, cell):
        return sum(n * n for n in Counter(self.answer(m, fired, cell) for m in fits).values())

    def probability(self, fits, fired, cell):
        return self.hits(fits, cell)

    def information(self, fits, fired, cell):
        return -self.squares(fits, fired, cell), self.hits(fits, cell)

    def lookahead_hits(self, fits, fired, cell):
        rest = [other for other in self.open(fired) if other != cell]
        best = [
            max((self.hits(group, other) for other in rest), default=0)
            for group in self.groups(fits, fired, cell)
        ]
        return self.hits(fits, cell) + sum(best), self.hits(fits, cell)

    def lookahead_information(self, fits, fired, cell):
        rest = [other for other in self.open(fired) if other != cell]
        best = [
            min((self.squares(group, fired | {cell}, other) for other in rest), default=0)
            for group in self.groups(fits, fired, cell)
        ]
        return -sum(best), self.hits(fits, cell)

    def shots(self, layout):
        fits, fired, history = list(range(len(self.boards))), set(), ()
        left = set().union(*self.own[layout])
        while left:
            if history not in self.choices:
                cells = self.open(fired)
                self.choices[history] = max(
                    cells, key=lambda c: (*self._scores(fits, fired, c), -c)
                )
            cell = self.choices[history]
            told = self.answer(layout, fired, cell)
            fits = [m for m in fits if self.answer(m, fired, cell) == told]
            fired, history = fired | {cell}, (*history, (cell, told))
            left.discard(cell)
        return len(fired)

    def _scores(self, fits, fired, cell):
        score = self.rule(fits, fired, cell)
        return score if isinstance(score, tuple) else (score,)


@pytest.mark.parametrize("feedback", FEEDBACK)
@pytest.mark.parametrize("rule", SCORES)
def test_trees_equal_games_played_one_by_one(rule, feedback):
    for size, fleet, touching in [((3, 3), (2, 2, 1), "allowed"), ((5, 2), (3, 2), "no-side")]:
        game = Game(size, fleet, touching, feedback)
        plain = PlainGames(game, rule)
        expected = [plain.shots(layout) for layout in range(len(plain.boards))]
        assert evaluate(Listing(game), rule).shots.tolist() == expected


@pytest.mark.parametrize("feedback", FEEDBACK)
def test_a_policy_tree_equals_its_games(feedback):
    """`density-lowest` in the tree against the lockstep simulator, on every layout."""
    game = Game((5, 4), (3, 2, 2), feedback=feedback)
    listing = Listing(game)
    policy = policies.make("density-lowest", game)
    boards = jnp.asarray(listing.boards())
    keys = streams.game_keys(jax.random.key(0), jnp.uint32(0), jnp.uint32(0), len(listing))
    games = jax.jit(partial(play, policy, slots=512, record=False))
    played = games(boards, keys, jnp.int32(len(listing)))
    assert np.asarray(played.legal).all()
    result = evaluate(listing, "density-lowest", keep_tree=True)
    assert (result.shots == np.asarray(played.shots)).all()
    assert_tree_replays(listing, result, range(0, len(listing), 97))


# --- the stored tree ---------------------------------------------------------------------------


def assert_tree_replays(listing, result, layouts):
    """The stored hunt, asked shot by shot, sinks each layout in as many shots as the pass said."""
    boards = listing.boards()
    for layout in layouts:
        cells, history = [], ()
        while (cell := result.tree.next_cell(history)) is not None:
            cells.append(cell)
            history = play_history(listing.game, boards[layout], cells)
        assert len(cells) == result.shots[layout]
        assert (boards[layout] >= 0).sum() == sum(boards[layout][cells] >= 0)


@pytest.mark.parametrize("feedback", FEEDBACK)
@pytest.mark.parametrize("rule", ["probability", "information"])
def test_the_stored_tree_is_the_hunt(rule, feedback):
    listing = Listing(Game((4, 4), (3, 2, 2), feedback=feedback))
    result = evaluate(listing, rule, keep_tree=True)
    assert_tree_replays(listing, result, range(0, len(listing), 7))


def test_every_layout_is_in_one_leaf():
    listing = Listing(Game((4, 4), (3, 3, 2)))
    result = evaluate(listing, "probability", keep_tree=True)
    tree = result.tree
    leaves = tree.cell < 0
    assert sorted(tree.row[leaves].tolist()) == list(range(len(listing)))
    assert (tree.children[leaves] == 0).all()
    assert (~leaves).sum() == result.decisions
    # Each node but the root is the child of exactly one node.
    children = [
        tree.first[node] + np.arange(tree.children[node]) for node in np.flatnonzero(~leaves)
    ]
    assert sorted(np.concatenate(children).tolist()) == list(range(1, len(tree)))


def test_a_tree_plays_the_rule_of_the_posterior():
    """At every node along some games the stored cell is the best one of the filtered posterior."""
    listing = Listing(Game((5, 4), (3, 2)))
    tree = evaluate(listing, "probability", keep_tree=True).tree
    for board in listing.boards()[::40]:
        cells = []
        while (cell := tree.next_cell(play_history(listing.game, board, cells))) is not None:
            left = filtered(listing, play_history(listing.game, board, cells))
            assert cell == left.ship.argmax()
            cells.append(cell)


def test_a_tree_refuses_what_is_not_its_game():
    game = Game((4, 4), (3, 2))
    tree = evaluate(Listing(game), "probability", keep_tree=True).tree
    first = tree.next_cell(())
    other = "A1" if first else "B1"
    with pytest.raises(ValueError, match=f"not at {other}"):
        tree.next_cell(parse(game, f"{other}:miss"))
    with pytest.raises(ValueError, match="no layout gives this answer"):
        tree.child(0, parse(game, f"{'ABCD'[first % 4]}{first // 4 + 1}:sunk2")[0])


# --- the rest of the contract ------------------------------------------------------------------


def test_a_score_of_ones_own_fires_in_order():
    """Any function of the masses plugs in: this one fires at the lowest open cell."""
    listing = Listing(Game((4, 3), (3, 2)))
    result = evaluate(listing, lambda block: [np.zeros(block.ship.shape, np.int64)])
    # The pass knows when one layout is left, and stops to search.
    last = [int(np.flatnonzero(board >= 0)[-1]) for board in listing.boards()]
    assert (result.shots <= np.array(last) + 1).all()


def test_whole_weights_and_floats_choose_alike():
    listing = Listing(Game((5, 4), (3, 2)))
    whole = np.random.default_rng(0).integers(1, 9, len(listing))
    for rule in SCORES:
        exact = evaluate(listing, rule, prior=whole).shots
        assert (evaluate(listing, rule, prior=whole * 0.125).shots == exact).all()
        equal = evaluate(listing, rule, prior=np.full(len(listing), 3)).shots
        assert (equal == evaluate(listing, rule).shots).all()


def test_blocks_change_nothing(monkeypatch):
    """The bounds that keep memory small are invisible in the result."""
    listing = Listing(Game((4, 4), (3, 2)))
    expected = {rule: evaluate(listing, rule).shots for rule in SCORES}
    monkeypatch.setattr("bsjax.evaluate.front.LAYOUTS", 50)
    monkeypatch.setattr("bsjax.evaluate.front.ENTRIES", 100)
    monkeypatch.setattr("bsjax.posterior.masses.EVENTS", 512)
    monkeypatch.setattr("bsjax.posterior.pairs.ENTRIES", 1024)
    for rule, shots in expected.items():
        assert (evaluate(listing, rule).shots == shots).all()


def test_one_layout_needs_no_decision():
    result = evaluate(Listing(Game((3, 1), (3,))), "probability", keep_tree=True)
    assert result.shots.tolist() == [3]
    assert result.decisions == 0
    assert result.tree.next_cell(()) == 0
    assert evaluate(Listing(Game((3, 1), (3,))), "density-lowest").shots.tolist() == [3]


def test_best_cells_break_ties_by_the_next_score_and_the_lowest_cell():
    is_open = np.array([[False, True, True, True]] * 2)
    first = np.array([[9, 5, 7, 7], [9, 7, 7, 2]])
    second = np.array([[9, 9, 1, 2], [9, 4, 4, 4]])
    assert best_cells([first], is_open).tolist() == [2, 1]
    assert best_cells([first, second], is_open).tolist() == [3, 1]
    nearly = np.array([[9, 1 - 1e-12, 1, 0.5], [9, 1 - 1e-6, 1, 0.5]])
    assert best_cells([nearly], is_open).tolist() == [1, 2]


def test_what_cannot_be_evaluated_is_refused():
    listing = Listing(Game((4, 4), (3, 2)))
    with pytest.raises(ValueError, match="no policy 'propability'; choose one of probability, inf"):
        evaluate(listing, "propability")
    with pytest.raises(ValueError, match="rolls dice"):
        evaluate(listing, "random")
    with pytest.raises(ValueError, match="the layouts are of"):
        evaluate(listing, policies.make("density-lowest", Game()))
    with pytest.raises(ValueError, match="does not count"):
        evaluate(listing, "density-lowest", prior=np.ones(len(listing)))
    with pytest.raises(ValueError, match="must be positive"):
        evaluate(listing, probability, prior=np.arange(len(listing)))
    with pytest.raises(ValueError, match="has no layout"):
        evaluate(Listing(Game((2, 2), (2, 1), "none")), "probability")
    with pytest.raises(ValueError, match="one weight each"):
        figures(np.ones(3, np.int16), np.ones(2))


def test_figures_of_weighted_layouts():
    shots = np.array([3, 5, 5, 9], np.int16)
    even = figures(shots)
    assert (even.mean, even.median, even.p95) == (Fraction(22, 4), 5, 9)
    assert (even.best, even.worst, even.layouts) == (3, 9, 4)
    assert even.histogram.tolist() == [0, 0, 0, 1, 0, 2, 0, 0, 0, 1]
    skewed = figures(shots, np.array([6.0, 1, 1, 0.1]))
    assert skewed.mean == pytest.approx((18 + 10 + 0.9) / 8.1)
    assert (skewed.median, skewed.p95) == (3, 5)
    fields = as_fields(even)
    assert fields["mean"] == 5.5
    assert fields["mean_fraction"] == "22/4"
    json.dumps(fields)


def test_the_command_prints_json_alone():
    words = ["tree", "--size", "4x4", "--fleet", "3,3,2", "--json"]
    told = json.loads(CliRunner().invoke(app, words).stdout)
    assert told["layouts"] == sum(told["histogram"]) == 804
    assert round(told["mean"], 3) == 11.245
    assert {"median", "p95", "worst"} <= set(told)
    line = CliRunner().invoke(app, [*words[:-1], "--policy", "information"]).stdout
    assert line.startswith("information on 4x4 {3,3,2} touching allowed, feedback size: 11.")
    assert line.count("\n") == 1


def test_progress_is_told():
    seen = []
    evaluate(Listing(Game((4, 4), (3, 2))), "probability", progress=lambda *at: seen.append(at))
    assert [shots for shots, _ in seen] == list(range(1, len(seen) + 1))
    layouts = [layouts for _, layouts in seen]
    assert layouts == sorted(layouts, reverse=True)
    assert layouts[-1] == 0
