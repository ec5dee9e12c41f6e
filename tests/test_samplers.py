"""Weighted draws from posteriors, against all layouts of small games and against exact counts."""

import json
from functools import cache
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import oracles
import pytest
from test_exact import SMALL, consistent, game_of, histories, observation
from test_posterior_prior import habit_weights

from bsjax.game.game import FEEDBACK, PRESETS, Game
from bsjax.game.history import Shot, observe_history, parse
from bsjax.game.observation import blank
from bsjax.game.placements import denied_masks, placement_masks
from bsjax.posterior.bits import pack, pick
from bsjax.posterior.estimates import (
    effective_size,
    placement_mass,
    placement_sums,
    scaled,
    valid,
)
from bsjax.posterior.evidence import read_many
from bsjax.posterior.importance import Draws, draw, prior_scale
from bsjax.posterior.lines import fitting, lines, options, window
from bsjax.posterior.prior import habit
from bsjax.posterior.tables import tables
from bsjax.runtime.hashed import hashed

GOLDEN = json.loads((Path(__file__).parent / "golden" / "classic_posteriors.json").read_text())

SAMPLE = 4096


@cache
def sampler(game, size=SAMPLE, prior=None):
    """Draws for a batch of evidence. The feedback rule matters to the evidence only."""
    return jax.jit(
        jax.vmap(lambda evidence, key: draw(game, evidence, key, size, prior), in_axes=(0, 0))
    )


def drawn(game, seen, seed=0, size=SAMPLE, prior=None):
    """Draws after a list of observations, as NumPy arrays."""
    evidence = read_many(game, jax.tree.map(lambda *x: np.stack(x), *seen), prior)
    neutral = Game(game.size, game.fleet, game.touching)
    keys = jax.random.split(jax.random.key(seed), len(seen))
    found = sampler(neutral, size, prior)(jax.tree.map(jnp.asarray, evidence), keys)
    return Draws(np.asarray(found.placement), np.asarray(found.weight, np.float64))


def uses(game, boards, weights=None):
    """Layouts (or their weight) on each placement, from a list of layouts."""
    weights = np.ones(len(boards)) if weights is None else weights
    parts = []
    for k, length in enumerate(game.fleet):
        masks = placement_masks(game.size, length).astype(np.float32)
        parts.append(weights @ ((boards == k).astype(np.float32) @ masks.T == length))
    return np.append(np.concatenate(parts), 0)


def scores(game, placement, weight, share):
    """Errors of the sampled share of each placement in standard errors, where it is not rare."""
    none = tables(game).start[-1]
    first, second = np.zeros(none + 1), np.zeros(none + 1)
    np.add.at(first, placement, weight[:, None])
    np.add.at(second, placement, weight[:, None] ** 2)
    total, squares = weight.sum(), (weight**2).sum()
    assert (first[share == 0] <= 0).all()
    error = np.sqrt(np.maximum((1 - 2 * share) * second + share**2 * squares, 0)) / total
    common = (share * total**2 / squares > 20) & (share < 1 - 1e-9)
    return ((first / total - share)[common] / error[common]).ravel()


def total_score(weight, due):
    """Error of the mean weight in standard errors; rounding alone is no error."""
    error = weight.std(ddof=1) / np.sqrt(len(weight)) + 1e-6 * due
    return (weight.mean() - due) / error


# --- bits --------------------------------------------------------------------------------------

BOARDS = [
    Game(),
    Game((16, 16), (8, 5, 1)),
    Game((7, 3), (3, 2, 1), "no-side"),
    Game((1, 16), (4, 1), "none"),
    Game((12, 5), (6, 3, 3, 2, 2, 1, 1), "none"),
    Game((4, 4), (1, 1)),
]


@pytest.mark.parametrize("game", BOARDS, ids=str)
def test_lines_say_where_ships_fit(game):
    """Words of a board with some ships on it, against masks of cells."""
    rng, table, all_lines = np.random.default_rng(3), tables(game), lines(game)
    where = [denied_masks(game, length) for length in game.fleet]
    for _ in range(5):
        lain = rng.integers(table.start[-1], size=rng.integers(4))
        words = [jnp.uint32(np.bitwise_or.reduce(row[lain])) for row in all_lines.denied]
        taken = np.zeros(game.cells, bool)
        for one in lain:
            ship = table.ship[one]
            taken |= where[ship][one - table.start[ship]]
        for ship, length in enumerate(game.fleet):
            bits = np.array([fitting(~word, length) for word in words])
            at = (bits[:, None] >> np.arange(32, dtype=np.uint32)) & 1
            found = all_lines.start[ship][at.astype(bool)]
            fits = ~(placement_masks(game.size, length) & taken).any(1)
            due = table.start[ship] + fits.nonzero()[0]
            assert sorted(found[found < table.start[-1]]) == due.tolist()
        for cell in rng.integers(game.cells, size=3):
            around = window(all_lines, words, jnp.uint32(all_lines.window[cell]))
            bits = np.array(options(all_lines, game, around))
            at = (bits[:, None] >> np.arange(32, dtype=np.uint32)) & 1
            found = all_lines.option[cell][at.astype(bool)]
            fits = ~(table.masks[:-1, :-1] & taken).any(1) & table.masks[:-1, cell]
            assert sorted(found[found < table.start[-1]]) == fits.nonzero()[0].tolist()


def test_pack():
    bits = np.random.default_rng(0).random((3, 5, 32)) < 0.4
    due = (bits * (1 << np.arange(32, dtype=np.uint64))).sum(-1).astype(np.uint32)
    np.testing.assert_array_equal(pack(jnp.asarray(bits)), due)


@pytest.mark.parametrize("words", [1, 3, 10])
def test_every_bit_is_picked_as_often(words):
    """Random words spread evenly over 32 bits reach every set bit, in equal shares."""
    rng = np.random.default_rng(words)
    for density in (0.03, 0.5, 1.0):
        bits = rng.random((words, 32)) < density
        bits[rng.integers(words), 7] = True
        chosen = [jnp.full(4096, word) for word in pack(jnp.asarray(bits))]
        even = jnp.asarray(np.arange(4096, dtype=np.uint32) * np.uint32(1 << 20))
        count, which = pick(chosen, even)
        assert (np.asarray(count) == bits.sum()).all()
        picked = np.bincount(np.asarray(which), minlength=32 * words)
        assert (picked[~bits.ravel()] == 0).all()
        assert np.ptp(picked[bits.ravel()]) <= 1


def test_hashed_words_are_even():
    """Chi-square over bytes and over pairs of neighbouring numbers, for several keys."""
    for seed in range(4):
        words = np.asarray(hashed(jax.random.key(seed), jnp.arange(1 << 18, dtype=jnp.uint32)))
        for shift in (0, 8, 16, 24):
            seen = np.bincount(words >> shift & 255, minlength=256)
            assert abs(((seen - 1024) ** 2 / 1024).sum() - 255) < 5 * np.sqrt(2 * 255)
        for lag in (1, 2, 10, 4096):
            pairs = (words[:-lag] >> 27) * np.uint32(32) + (words[lag:] >> 27)
            seen, due = np.bincount(pairs, minlength=1024), len(pairs) / 1024
            assert abs(((seen - due) ** 2 / due).sum() - 1023) < 5 * np.sqrt(2 * 1023)


# --- agreement ---------------------------------------------------------------------------------


@pytest.mark.parametrize("feedback", FEEDBACK)
@pytest.mark.parametrize("name", SMALL)
def test_all_layouts_listed(name, feedback):
    game = game_of(name, feedback)
    cases = list(histories(game, 12, seed=len(name)))
    found = drawn(game, [observation(game, board, cells) for board, cells in cases])
    errors, totals = [], []
    for (board, cells), placement, weight in zip(cases, *found, strict=True):
        left = consistent(game, board, cells)
        share = uses(game, left) / len(left)
        errors.append(scores(game, placement, weight, share))
        totals.append(total_score(weight, len(left)))
    assert np.abs(totals).max() < 5
    errors = np.concatenate(errors)
    if len(errors):
        assert np.abs(errors).max() < 5.5
        assert np.sqrt((errors**2).mean()) < 1.5


def classic_histories():
    game = Game(feedback="name")
    for case in GOLDEN["cases"]:
        told = [{"miss": "miss", "hit": "hit"}.get(shot["answer"]) for shot in case["shots"]]
        tokens = [
            f"{shot['cell']}:{word or 'sunk=' + shot['ship']}"
            for shot, word in zip(case["shots"], told, strict=True)
        ]
        yield observe_history(game, parse(game, " ".join(tokens)))


def test_golden_histories():
    """The heat map and the count of five ships, on 20 histories with up to 60 shots."""
    game, size = Game(feedback="name"), 30_000
    found = drawn(game, list(classic_histories()), size=size)
    masks = tables(game).masks[:, :-1]
    errors, totals = [], []
    for case, placement, weight in zip(GOLDEN["cases"], *found, strict=True):
        share, holds = np.array(case["p_ship"]), masks[placement].any(1)
        first, second = weight @ holds, weight**2 @ holds
        total, squares = weight.sum(), (weight**2).sum()
        error = np.sqrt(np.maximum((1 - 2 * share) * second + share**2 * squares, 0)) / total
        common = (share * total**2 / squares > 20) & (share < 1 - 1e-6)
        errors.append((first / total - share)[common] / error[common])
        totals.append(total_score(weight, case["layouts"]))
        assert (first[share == 0] == 0).all()
    errors = np.concatenate(errors)
    assert np.abs(totals).max() < 5
    assert np.abs(errors).max() < 5.5
    assert 0.8 < np.sqrt((errors**2).mean()) < 1.2


@pytest.mark.parametrize(
    ("name", "edge", "touch"),
    [("five", 0.5, 0.0), ("five", 0.3, 1.5), ("four-sides", -0.4, -0.7), ("dots", 0.4, 0.0)],
)
def test_habits(name, edge, touch):
    game = game_of(name)
    prior = habit(game, edge, touch)
    cases = list(histories(game, 6, seed=4))
    found = drawn(game, [observation(game, *case) for case in cases], prior=prior)
    for (board, cells), placement, weight in zip(cases, *found, strict=True):
        left = consistent(game, board, cells)
        due = habit_weights(game, left, edge, touch)
        share = uses(game, left, due) / due.sum()
        assert abs(total_score(weight, due.sum() / np.exp(prior_scale(prior)))) < 5
        errors = scores(game, placement, weight, np.where(share < 1e-12, 0, share))
        assert (np.abs(errors) < 5.5).all()


def test_draws_are_layouts():
    """Eight ships on the largest board, most of them hit: hits take two words."""
    game = Game((16, 16), (8, 7, 6, 5, 4, 3, 2, 1), "none", "hit")
    board = oracles.random_boards(game, 1, seed=1)[0]
    order = oracles.random_order(game, board, np.random.default_rng(1), near=0.9)[:60]
    seen = observation(game, board, order)
    allowed = read_many(game, jax.tree.map(lambda x: x[None], seen)).allowed[0]
    placement, weight = drawn(game, [seen], size=2048)
    table = tables(game)
    placement = placement[0, weight[0] > 0]
    assert len(placement) > 20
    assert (placement < table.start[-1]).all()
    assert allowed[placement].all()
    for a in range(game.ships):
        assert (table.ship[placement[:, a]] == a).all()
        for b in range(a):
            assert not table.meets[placement[:, a], placement[:, b]].any()
    hits = [cell for cell in order if board[cell] >= 0]
    assert table.masks[placement][:, :, hits].any(1).all()


# --- estimates ---------------------------------------------------------------------------------


def test_placement_mass_is_the_weighted_share():
    game = Game()
    seen = list(classic_histories())[7]
    placement, weight = (part[0] for part in drawn(game, [seen], size=30_000))
    draws = Draws(jnp.asarray(placement), jnp.asarray(weight, jnp.float32))
    due = np.zeros(tables(game).start[-1] + 1)
    np.add.at(due, placement, (weight / weight.sum())[:, None])
    found = np.asarray(placement_mass(game, draws))
    np.testing.assert_allclose(found[:-1], due[:-1], rtol=1e-4, atol=1e-6)
    assert found.sum() == pytest.approx(game.ships, rel=1e-6)
    assert int(valid(draws)) == (weight > 0).sum()
    due = weight.sum() ** 2 / (weight**2).sum()
    assert float(effective_size(draws)) == pytest.approx(due, rel=1e-4)


@pytest.mark.parametrize("largest", [1e-36, 1.0, 1.4e32])
def test_sums_do_not_overflow(largest):
    game, size = Game((4, 4), (2,)), 1 << 15
    weight = jnp.full(size, largest, jnp.float32)
    whole, unit = scaled(weight)
    sums = placement_sums(game, jnp.zeros((size, 1), jnp.int32), whole)
    assert int(sums[0]) == pytest.approx(1 << 30, rel=1e-4)
    assert float(unit) * int(sums[0]) == pytest.approx(largest * size, rel=1e-4)
    assert float(effective_size(Draws(sums, weight))) == pytest.approx(size, rel=1e-4)


def test_a_contradiction_has_no_weight():
    game = Game((4, 4), (3, 2))
    seen = observe_history(game, tuple(Shot(cell, 0) for cell in (0, 15, 3)))
    placement, weight = (part[0] for part in drawn(game, [seen]))
    draws = Draws(jnp.asarray(placement), jnp.asarray(weight, jnp.float32))
    assert (weight == 0).all()
    assert (placement_mass(game, draws) == 0).all()
    assert float(effective_size(draws)) == int(valid(draws)) == 0


# --- contract ----------------------------------------------------------------------------------


def test_a_draw_depends_on_its_key_and_number_alone():
    game = Game()
    seen = list(classic_histories())[:6]
    evidence = jax.tree.map(
        jnp.asarray, read_many(game, jax.tree.map(lambda *x: np.stack(x), *seen))
    )
    keys = jax.random.split(jax.random.key(5), 6)
    together, longer = sampler(game, 96)(evidence, keys), sampler(game, 160)(evidence, keys)
    for row in (0, 5):
        own = jax.tree.map(lambda x, row=row: x[row : row + 1], evidence)
        alone = sampler(game, 96)(own, keys[row : row + 1])
        for part, single, more in zip(together, alone, longer, strict=True):
            np.testing.assert_array_equal(part[row], single[0])
            np.testing.assert_array_equal(part[row], more[row, :96])
    assert len(np.unique(together.placement.reshape(-1, 5), axis=0)) > 500


def test_the_ten_ships():
    game = PRESETS["ten-ship"]
    placement, weight = drawn(game, [blank(game)], size=8192)
    none = tables(game).start[-1]
    share = np.zeros(none + 1)
    np.add.at(share, placement[0], weight[0][:, None] / weight[0].sum())
    ship = share @ tables(game).masks[:, :-1]
    assert ship.sum() == pytest.approx(game.ship_cells)
    # The empty board looks the same in all eight positions.
    plane = ship.reshape(10, 10)
    effective = weight[0].sum() ** 2 / (weight[0] ** 2).sum()
    assert effective > 1000
    for turned in (plane.T, plane[::-1], plane[:, ::-1]):
        assert np.abs(turned - plane).max() < 6 * np.sqrt(2 * 0.25 / effective)


def test_a_prior_of_another_fleet_is_refused():
    game = Game((4, 3), (3, 2))
    with pytest.raises(ValueError, match=r"the prior is of 4x3 \{2,3\}"):
        drawn(game, [blank(game)], prior=habit(Game((4, 3), (2, 3)), 0.5))
