"""Finishing times on every layout: games one by one, batches, plain recursion, and the tree."""

import json
from fractions import Fraction
from functools import cache

import jax
import jax.numpy as jnp
import numpy as np
import oracles
import pytest

from bsjax import policies
from bsjax.evaluate import random_fire
from bsjax.evaluate.by_layout import (
    Stage,
    by_layout,
    lowest,
    means,
    over_layouts,
)
from bsjax.evaluate.credit import shots_credit
from bsjax.evaluate.massive import Limits
from bsjax.evaluate.ties import with_ties
from bsjax.evaluate.tree import evaluate
from bsjax.game.game import Game
from bsjax.game.symmetry import cell_images
from bsjax.policies.hottest import Hottest, layouts_of
from bsjax.policies.patterns import rule
from bsjax.policies.playing import finished, shoot, start
from bsjax.policies.scores import probability
from bsjax.posterior.listed import Listing
from bsjax.runtime import streams
from bsjax.solve.tables import classes
from experiments.small_boards import rules
from experiments.small_boards.hand_written import compared

SMALL = Game((3, 3), (2, 2))
FLAT = Game((4, 3), (3, 2))
FOUR = Game((4, 4), (3, 3, 2))


@cache
def listing(game):
    return Listing(game)


@jax.jit
def alone(policy, board, key):
    state = jax.lax.while_loop(
        lambda state: ~finished(state),
        lambda state: shoot(policy, state),
        start(policy, board, key),
    )
    return state.observation.shots


@pytest.mark.parametrize("turned", [False, True])
def test_the_histogram_is_that_of_the_games_one_by_one(turned):
    policy, rows, games = rule(FLAT, "checkerboard"), np.array([0, 5, 17, 40, 41]), 6
    key = jax.random.key(3)
    found = by_layout(key, policy, listing(FLAT), games, rows=rows, turned=turned)
    expected = np.zeros((len(rows), FLAT.cells + 1), np.int64)
    images = cell_images(FLAT.size)
    for number in range(games * len(rows)):
        own = streams.game_key(key, *map(jnp.uint32, (0, 0, number)))
        row = number % len(rows)
        board = listing(FLAT).boards(rows[row : row + 1])[0]
        if turned:
            turn = jax.random.randint(streams.stream(own, streams.BOARD), (), 0, len(images))
            board = board[images[int(turn)]]
        expected[row, int(alone(policy, jnp.asarray(board), own))] += 1
    np.testing.assert_array_equal(found, expected)


def test_no_batch_size_changes_the_histogram_and_more_games_go_on():
    policy, key = rule(SMALL, "checkerboard"), jax.random.key(4)
    found = by_layout(key, policy, listing(SMALL), 30)
    told, small = [], Limits(memory=1 << 15, slots=8)
    again = by_layout(
        key, policy, listing(SMALL), 30, limits=small, progress=lambda *done: told.append(done)
    )
    np.testing.assert_array_equal(found, again)
    assert len(told) > 1, "several launches"
    assert told[-1] == (30 * 44, 30 * 44)
    np.testing.assert_array_equal(found.sum(1), 30)
    fewer = by_layout(key, policy, listing(SMALL), 20)
    assert (fewer <= found).all()
    other = by_layout(jax.random.key(5), policy, listing(SMALL), 30)
    assert (other != found).any()


def test_a_hunter_without_dice_needs_the_shots_of_its_tree():
    policy = policies.make("density-lowest", FOUR)
    found = by_layout(jax.random.key(0), policy, listing(FOUR), 2, turned=False)
    shots = evaluate(listing(FOUR), policy).shots
    np.testing.assert_array_equal(found.argmax(1), shots)
    np.testing.assert_array_equal(found.max(1), 2)


# --- ties --------------------------------------------------------------------------------------


def plain_shares(game, weights=None):
    """Finishing times of the heat map by recursion over histories, ties at random; Fractions."""
    boards = listing(game).boards()
    weight = [1] * len(boards) if weights is None else weights
    shares = [{} for _ in boards]

    def answer(row, cell, fired):
        ship = boards[row][cell]
        if ship < 0:
            return 0
        rest = {int(c) for c in np.flatnonzero(boards[row] == ship)} - fired - {cell}
        return 1 if rest else 1 + game.fleet[ship]

    def play(rows, fired, chance):
        heat = [
            0 if cell in fired else sum(weight[row] for row in rows if boards[row][cell] >= 0)
            for cell in range(game.cells)
        ]
        best = [cell for cell in range(game.cells) if heat[cell] == max(heat)]
        for cell in best:
            parts = {}
            for row in rows:
                parts.setdefault(answer(row, cell, fired), []).append(row)
            after = fired | {cell}
            for part in parts.values():
                left = []
                for row in part:
                    if all(boards[row][c] < 0 or c in after for c in range(game.cells)):
                        own = shares[row]
                        own[len(after)] = own.get(len(after), 0) + chance / len(best)
                    else:
                        left.append(row)
                if left:
                    play(left, after, chance / len(best))

    play(list(range(len(boards))), frozenset(), Fraction(1))
    found = np.zeros((len(boards), game.cells + 1))
    for row, own in enumerate(shares):
        for shots, share in own.items():
            found[row, shots] = float(share)
    return found


TWO = Game((3, 2), (2, 2))


@pytest.mark.parametrize("game", [TWO, Game((4, 2), (3, 2)), SMALL])
def test_ties_are_broken_in_all_ways(game):
    np.testing.assert_allclose(
        with_ties(listing(game), probability), plain_shares(game), rtol=0, atol=1e-12
    )


def test_ties_under_a_prior():
    weights = np.random.default_rng(1).integers(1, 4, len(listing(TWO)))
    found = with_ties(listing(TWO), probability, prior=weights)
    expected = plain_shares(TWO, weights.tolist())
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)
    scaled = with_ties(listing(TWO), probability, prior=weights / 7)
    np.testing.assert_allclose(scaled, expected, rtol=0, atol=1e-12)
    with pytest.raises(ValueError, match="positive"):
        with_ties(listing(TWO), probability, prior=0 * weights)


def test_games_of_the_heat_map_follow_its_exact_shares():
    games, alike = 200, classes(FOUR)
    policy = Hottest(FOUR, layouts_of(FOUR))
    found = by_layout(jax.random.key(6), policy, listing(FOUR), games, rows=alike.row)
    shares = with_ties(listing(FOUR), probability)
    np.testing.assert_allclose(shares.sum(1), 1, atol=1e-12)
    # Turned layouts have the same shares: the rule is blind to turning.
    np.testing.assert_allclose(shares, shares[alike.row][alike.of], atol=1e-12)
    expected = shares[alike.row]
    error = np.sqrt(expected * (1 - expected) / games)
    assert (np.abs(found / games - expected) <= 6 * error + 1e-12).all()
    total = found.sum(0) / found.sum()
    error = np.sqrt((expected * (1 - expected)).sum(0)) / len(expected) / np.sqrt(games)
    assert (np.abs(total - expected.mean(0)) <= 5 * error + 1e-12).all()


# --- means and the worst layout ----------------------------------------------------------------


def test_means_and_errors_are_those_of_the_games():
    rng = np.random.default_rng(2)
    games = rng.integers(0, 5, (3, 40))
    histogram = np.stack([np.bincount(row, minlength=5) for row in games]).astype(np.int64)
    credit, weights = rng.random(5), np.array([1.0, 2.0, 5.0])
    value, se = means(histogram, credit)
    np.testing.assert_allclose(value, credit[games].mean(1))
    np.testing.assert_allclose(se, credit[games].std(1, ddof=1) / np.sqrt(40))
    whole = over_layouts(histogram, credit, weights)
    assert whole.value == pytest.approx(float(weights @ value / 8))
    assert whole.se == pytest.approx(float(np.sqrt(weights**2 @ se**2) / 8))


def test_the_worst_layout_is_measured_on_games_of_its_own():
    """On every layout random fire needs the same shots: the lowest of the means found is too low,
    the figure of the last stage is not."""
    policy, credit = policies.make("random", SMALL), shots_credit(SMALL)
    key, rows = jax.random.key(7), np.arange(44)
    found = by_layout(key, policy, listing(SMALL), 40)
    mean = float(random_fire.mean(SMALL))
    stages = [Stage(10, 40), Stage(1, 4_000)]
    worst = lowest(jax.random.key(8), policy, listing(SMALL), credit, found, rows, stages)
    biased = means(found, credit)[0].min()
    assert abs(worst.estimate.value + mean) < 5 * worst.estimate.se
    assert biased < worst.estimate.value - 5 * worst.estimate.se
    assert worst.games == worst.histogram.sum() == 4_000
    with pytest.raises(ValueError, match="keep one"):
        lowest(key, policy, listing(SMALL), credit, found, rows, stages[:1])


def test_the_worst_layout_of_a_hunter_without_dice():
    policy, credit = policies.make("density-lowest", FLAT), shots_credit(FLAT)
    rows = np.arange(len(listing(FLAT)))
    found = by_layout(jax.random.key(0), policy, listing(FLAT), 64, rows=rows)
    turned = means(found, credit)[0]
    stages = [Stage(8, 128), Stage(1, 128)]
    worst = lowest(jax.random.key(1), policy, listing(FLAT), credit, found, rows, stages)
    shots = evaluate(listing(FLAT), policy).shots.astype(float)
    alike = classes(FLAT)
    exact = -np.bincount(alike.of, shots) / alike.size
    near = exact[alike.of[worst.row]]
    assert abs(worst.estimate.value - near) < 5 * worst.estimate.se + 1e-9
    assert near < exact.min() + 0.3
    assert turned.shape == (len(rows),)


# --- the table of the rules --------------------------------------------------------------------


def test_the_table_of_the_rules(monkeypatch, tmp_path):
    one = {"checkerboard by hand": rules.RULES["checkerboard by hand"]}
    monkeypatch.setattr(rules, "RULES", one)
    settings = rules.QUICK._replace(games=10, stages=((2, 20), (1, 40)))
    (board,) = rules.run(settings, tmp_path)["boards"]
    json.dumps(board)
    rows = {row["rule"]: row for row in board["rules"]}
    # The player hides at random and hunts in 8900/804 shots.
    assert board["player_shots"] == pytest.approx(8900 / 804)
    shares = with_ties(listing(FOUR), probability)
    heat, times = rows["exact posterior"], np.arange(FOUR.cells + 1)
    assert heat["shots"]["value"] == pytest.approx((shares @ times).mean())
    assert heat["shots"]["value"] == pytest.approx(heat["shots_uniform"]["value"])
    assert heat["slowest"]["value"] == pytest.approx((shares @ times).max())
    assert rows["heat map"]["published"]["worst"]["published"] == 19.5
    knows = rows["exact posterior, knowing the hider"]
    assert knows["worst"] == pytest.approx(heat["worst"]), "all are alike to it"
    for row in rows.values():
        assert row["worst"]["value"] < row["head_to_head"]["value"]
        assert row["slowest"]["value"] > row["shots_uniform"]["value"]
        assert row["both_adversarial"]["value"] > row["worst"]["value"]


def test_a_layout_is_written_by_its_ends():
    boards = listing(FOUR).boards()
    for row in (0, 17, 803):
        ships = [set(), set(), set()]
        for ship, ends in enumerate(rules.layout_text(listing(FOUR), row).split()):
            first, last = (oracles.cell(name, 4) for name in ends.split("-"))
            step = 1 if last - first < 4 else 4
            ships[ship] = set(range(first, last + 1, step))
        assert ships == [set(np.flatnonzero(boards[row] == k).tolist()) for k in range(3)]


def test_a_figure_that_differs_says_so():
    row = {"worst": {"value": 22.04, "se": 0.0}, "slowest": {"value": 16.47, "se": 0.01}}
    found = compared(row, {"worst": 22.1, "slowest": 16.45})
    assert found["worst"]["differs"]
    assert not found["slowest"]["differs"]
    assert found["slowest"]["off"] == pytest.approx(0.02)


def test_what_is_wrong_is_said():
    policy = policies.make("random", SMALL)
    with pytest.raises(ValueError, match="the layouts are of"):
        by_layout(jax.random.key(0), policy, listing(FLAT), 1)
    with pytest.raises(ValueError, match="at least one"):
        by_layout(jax.random.key(0), policy, listing(SMALL), 0)
