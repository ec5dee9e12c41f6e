"""One contract for every hunter, and what each one is supposed to do."""

from functools import cache, partial
from math import comb, sqrt

import jax
import jax.numpy as jnp
import numpy as np
import oracles
import pytest
from oracles import UNFIRED

from bsjax import policies
from bsjax.game.game import FEEDBACK, PRESETS, TOUCHING, Game
from bsjax.game.observation import Observation
from bsjax.play.games import play
from bsjax.policies.choose import best_cell, cell_bits, uniform_cell
from bsjax.policies.hunt import ANY, ranks
from bsjax.policies.hunt import pattern as search_pattern
from bsjax.policies.over import RULES
from bsjax.policies.playing import finished, shoot, start
from bsjax.policies.strategies import MAPS, STRATEGIES
from bsjax.runtime import streams

CLASSIC = Game(feedback="cells")
GAMES = {
    "classic": PRESETS["classic"],
    "ten-ship": PRESETS["ten-ship"],
    "rectangle": Game((7, 5), (4, 3, 2, 1, 1)),
}
THINKING = (*RULES, "rollout")
"""Hunters that judge by layouts: slower to compile, and not for every game."""
COMPOSED = (*STRATEGIES, *MAPS)
"""Put together from parts: so many that each plays fewer games."""
LIGHT = tuple(name for name in policies.names() if name not in (*THINKING, *COMPOSED))
SMALL = Game((5, 4), (3, 2))
WIDEST = Game((16, 16), (8, 7, 6, 5, 5, 4, 4, 3, 3, 2, 2, 1))


def observation(planes):
    return Observation(**{name: jnp.asarray(plane) for name, plane in planes.items()})


def keys(seed, count):
    return jax.random.split(jax.random.key(seed), count)


ZERO = jnp.uint32(0), jnp.uint32(0)
"""Number of the first game."""
playing = jax.jit(partial(play, slots=512, record=False))


def shots_of(policy, boards, seed):
    own = streams.game_keys(jax.random.key(seed), *ZERO, len(boards))
    played = jax.device_get(playing(policy, boards, own, jnp.int32(len(boards))))
    assert played.legal.all()
    return played.shots.astype(float)


def chooser(policy):
    """`act` with many keys on many observations, jitted."""

    @jax.jit
    @partial(jax.vmap, in_axes=(0, None))
    @partial(jax.vmap, in_axes=(None, 0))
    def act(key, seen):
        return policy.act(key, seen, policy.init(key))[0]

    return act


# --- the contract ------------------------------------------------------------------------------


@jax.jit
def to_the_end(policy, boards, dice):
    """Side by side, without refilling: half the compilation of `play`, and there are many."""
    state = jax.vmap(lambda board, key: start(policy, board, key))(boards, dice)
    state = jax.lax.while_loop(
        lambda state: ~jax.vmap(finished)(state).all(),
        jax.vmap(lambda one: shoot(policy, one)),
        state,
    )
    return state.legal, state.observation.shots, state.observation.shot_at


def check_contract(name, game, count):
    policy = policies.make(name, game)
    boards = oracles.random_boards(game, count, seed=3)
    legal, *orders = jax.device_get(to_the_end(policy, boards, keys(4, count)))
    assert legal.all(), "every shot went to a cell not fired at"
    for board, shots, shot_at in zip(boards, *orders, strict=True):
        order = np.argsort(shot_at)[-int(shots) :]
        np.testing.assert_array_equal(shot_at[order], np.arange(shots))
        assert (shot_at >= 0).sum() == shots
        assert oracles.shots_to_sink_all(board, order) == shots, "it stops when all are sunk"
    again = jax.device_get(to_the_end(policy, boards, keys(4, count)))
    np.testing.assert_array_equal(again[2], orders[1], err_msg="same keys, same shots")


@pytest.mark.parametrize("feedback", FEEDBACK)
@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("name", LIGHT)
def test_every_hunter_finishes_every_game(name, game, feedback):
    base = GAMES[game]
    check_contract(name, Game(base.size, base.fleet, base.touching, feedback), count=32)


@pytest.mark.parametrize("name", LIGHT)
def test_every_hunter_finishes_the_widest_game(name):
    check_contract(name, WIDEST, count=8)


@pytest.mark.parametrize(
    ("size", "touching"),
    [((1, 9), "allowed"), ((1, 9), "none"), ((9, 1), "no-side"), ((2, 6), "none")],
)
@pytest.mark.parametrize("name", LIGHT)
def test_every_hunter_finishes_narrow_games(name, size, touching):
    check_contract(name, Game(size, (4, 2), touching), count=12)


@pytest.mark.parametrize("name", THINKING)
def test_hunters_that_think_finish_small_games(name):
    check_contract(name, SMALL, count=8)
    check_contract(name, Game((2, 6), (4, 2), "none", "name"), count=8)


def test_hunters_that_think_say_which_games_are_beyond_them():
    for name in RULES:
        with pytest.raises(ValueError, match=r"leaves here, about .* hours"):
            policies.make(name, PRESETS["ten-ship"])
    for name in RULES:
        if name.startswith("lookahead"):
            with pytest.raises(ValueError, match="does not play feedback 'cells'"):
                policies.make(name, CLASSIC)


@pytest.mark.parametrize(
    ("name", "game"),
    [*((name, PRESETS["ten-ship"]) for name in LIGHT), *((name, SMALL) for name in THINKING)],
)
def test_act_is_pure_and_batches(name, game):
    policy = policies.make(name, game)
    before = jax.tree.map(np.array, jax.tree.leaves(policy))
    planes = oracles.random_positions(game, 12, seed=6)
    seen, dice = observation(planes), keys(7, 5)
    choose = chooser(policy)
    shots = np.asarray(choose(dice, seen))
    assert shots.shape == (5, 12)
    assert shots.dtype == np.int32
    for row in shots:
        assert (planes["mark"][np.arange(12), row] == UNFIRED).all()
    np.testing.assert_array_equal(shots, choose(dice, seen))

    @jax.jit
    def single(key, seen):
        return policy.act(key, seen, policy.init(key))

    for i, j in ((0, 0), (1, 5), (4, 11)):
        cell, carry = single(dice[i], jax.tree.map(lambda x, j=j: x[j], seen))
        assert int(cell) == shots[i, j]
        fresh = policy.init(dice[i])
        assert jax.tree.structure(carry) == jax.tree.structure(fresh)
    after = jax.tree.leaves(policy)
    assert all(np.array_equal(a, b) for a, b in zip(before, after, strict=True))


def test_the_registry():
    assert {"random", "hunt-target", "hunt-target-no-parity", "density"} <= set(policies.names())
    for name in policies.names():
        assert policies.describe(name)
        assert "\n" not in policies.describe(name)
        assert policies.make(name, PRESETS["classic"]).game == PRESETS["classic"]
    with pytest.raises(ValueError, match="did you mean 'density'") as fault:
        policies.make("densty", CLASSIC)
    assert "\n" not in str(fault.value)
    with pytest.raises(ValueError, match="twice"):
        policies.register("random", "again")(lambda game: policies.make("random", game))


# --- choosing among cells ----------------------------------------------------------------------


def assert_uniform(cells, expected):
    """Chi-squared of the counts over exactly these cells, within four standard errors."""
    expected = sorted(expected)
    found, counts = np.unique(cells, return_counts=True)
    assert set(found.tolist()) == set(expected)
    mean, df = len(cells) / len(expected), len(expected) - 1
    assert mean > 50
    chi2 = ((counts - mean) ** 2 / mean).sum()
    assert abs(chi2 - df) < 4 * sqrt(2 * df)


def test_uniform_cell_is_uniform():
    rng = np.random.default_rng(8)
    allowed = rng.random(100) < 0.37
    cells = jax.jit(jax.vmap(lambda key: uniform_cell(key, jnp.asarray(allowed))))(keys(9, 20_000))
    assert_uniform(np.asarray(cells), np.flatnonzero(allowed))


def test_uniform_cell_reaches_every_cell_of_the_widest_board():
    cells = jax.jit(jax.vmap(lambda key: uniform_cell(key, jnp.ones(256, bool))))(keys(10, 30_000))
    assert_uniform(np.asarray(cells), range(256))


def test_uniform_cell_takes_the_only_cell():
    choose = jax.jit(uniform_cell)
    for cell in (0, 1, 57, 255):
        assert int(choose(jax.random.key(cell), jnp.arange(256) == cell)) == cell
    assert int(choose(jax.random.key(0), jnp.zeros(256, bool))) == 0


def test_neighbouring_draws_are_independent():
    """The pair (first choice, choice without it) is uniform over ordered pairs of 12 cells."""

    @jax.jit
    @jax.vmap
    def pair(key):
        allowed = jnp.ones(12, bool)
        first = uniform_cell(key, allowed)
        second = uniform_cell(key, allowed & (jnp.arange(12) != first))
        return first * 12 + second

    pairs = [12 * a + b for a in range(12) for b in range(12) if a != b]
    assert_uniform(np.asarray(pair(keys(11, 30_000))), pairs)


def test_every_bit_of_the_key_matters():
    """Flipping any bit of either key word flips about half of the cells' bits."""
    cells, words = 256, np.array([[0x12345678, 0x9ABCDEF0]] * 65, np.uint32)
    for bit in range(64):
        words[bit + 1, bit // 32] ^= np.uint32(1 << bit % 32)
    draw = jax.jit(jax.vmap(lambda data: cell_bits(jax.random.wrap_key_data(data), cells)))
    bits = np.asarray(draw(jnp.asarray(words)))
    assert len(np.unique(bits[0])) == cells
    flipped = np.unpackbits((bits[1:] ^ bits[0]).view(np.uint8), axis=1)
    assert (abs(flipped.mean(1) - 0.5) < 0.15).all()


def test_best_cell_breaks_ties_uniformly():
    score = np.zeros(100, np.int32)
    score[[3, 50, 51, 52, 99]] = 7
    score[[10, 11]] = 8
    allowed = np.ones(100, bool)
    allowed[[10, 11, 51]] = False
    choose = jax.jit(
        jax.vmap(lambda key: best_cell(key, [jnp.asarray(score)], jnp.asarray(allowed)))
    )
    assert_uniform(np.asarray(choose(keys(12, 4_000))), [3, 50, 52, 99])


def test_best_cell_compares_score_by_score():
    rng = np.random.default_rng(13)
    scores = rng.integers(-2, 2, (300, 3, 30), dtype=np.int32)
    allowed = rng.random((300, 30)) < 0.6
    allowed[:, 0] = True

    @jax.jit
    @jax.vmap
    def choose(key, scores, allowed):
        return best_cell(key, list(scores), allowed)

    chosen = np.asarray(choose(keys(14, 300), jnp.asarray(scores), jnp.asarray(allowed)))
    for cell, rows, free in zip(chosen.tolist(), scores.tolist(), allowed.tolist(), strict=True):
        ranked = {c: tuple(row[c] for row in rows) for c in range(30) if free[c]}
        assert cell in ranked
        assert ranked[cell] == max(ranked.values())


# --- random ------------------------------------------------------------------------------------


def test_random_is_uniform_over_cells_not_fired_at():
    planes = oracles.random_positions(CLASSIC, 6, seed=15)
    act = chooser(policies.make("random", CLASSIC))
    shots = np.asarray(act(keys(16, 12_000), observation(planes)))
    for mark, column in zip(planes["mark"], shots.T, strict=True):
        assert_uniform(column, np.flatnonzero(mark == UNFIRED))


def test_random_needs_the_exact_number_of_shots():
    count = 20_000
    boards = oracles.random_boards(CLASSIC, count, seed=17)
    shots = shots_of(policies.make("random", CLASSIC), boards, seed=18)
    assert abs(shots.mean() - (100 - 83 / 18)) < 4 * shots.std() / sqrt(count)
    for t in (80, 85, 90, 95, 99):
        exact = comb(t, 17) / comb(100, 17)
        assert abs((shots <= t).mean() - exact) < 4 * sqrt(exact * (1 - exact) / count)


# --- hunt and target ---------------------------------------------------------------------------


def test_pattern_sizes():
    assert search_pattern((10, 10), 2).sum() == 50
    assert search_pattern((10, 10), 3).sum() == 34
    assert search_pattern((10, 10), 1).all()
    grid = search_pattern((7, 5), 3).reshape(5, 7)
    assert [(r, c) for r in range(5) for c in range(7) if grid[r, c]] == [
        (r, c) for r in range(5) for c in range(7) if (r + c) in (0, 3, 6, 9)
    ]


def test_every_ship_meets_the_pattern_on_every_board():
    for width in range(1, 17):
        for height in range(1, 17):
            for m in range(1, 9):
                grid = search_pattern((width, height), m).reshape(height, width)
                for lines in (grid, grid.T):
                    for length in range(m, min(8, lines.shape[1]) + 1):
                        runs = np.lib.stride_tricks.sliding_window_view(lines, length, axis=1)
                        assert runs.any(-1).all(), (width, height, m, length)


@cache
def ranker(game, parity):
    return jax.jit(jax.vmap(lambda seen: ranks(game, seen, parity=parity)))


@pytest.mark.parametrize("parity", [True, False])
@pytest.mark.parametrize("touching", TOUCHING)
@pytest.mark.parametrize("fleet", [(5, 4, 3, 3, 2), (4, 3, 3, 1, 2)])
def test_ranks_are_the_state_machine(fleet, touching, parity):
    size = (10, 10) if len(set(fleet) & {5}) else (9, 8)
    game = Game(size, fleet, touching)
    parts = [
        oracles.random_positions(Game(size, fleet, touching, feedback), 40, seed=20 + i)
        for i, feedback in enumerate(FEEDBACK)
    ]
    planes = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    found = np.asarray(ranker(game, parity)(observation(planes)))
    for rank, mark, sunk_at in zip(found, planes["mark"], planes["sunk_at"], strict=True):
        expected = oracles.target_cells(game, mark, sunk_at, parity=parity)
        assert expected, "with a ship afloat there is always a cell to search or to follow up"
        assert rank.max() > ANY
        assert set(np.flatnonzero(rank == rank.max()).tolist()) == expected


@pytest.mark.parametrize("name", ["hunt-target", "hunt-target-no-parity"])
def test_hunt_and_target_fires_at_any_of_these_cells(name):
    planes = oracles.random_positions(CLASSIC, 16, seed=30)
    shots = np.asarray(chooser(policies.make(name, CLASSIC))(keys(31, 6_000), observation(planes)))
    for mark, sunk_at, column in zip(planes["mark"], planes["sunk_at"], shots.T, strict=True):
        expected = oracles.target_cells(CLASSIC, mark, sunk_at, parity=name == "hunt-target")
        if len(expected) > 1:
            assert_uniform(column, expected)
        else:
            assert set(column.tolist()) == expected


def fires_at(**marks):
    seen = jax.tree.map(lambda x: x[None], observation(oracles.marked(CLASSIC, **marks)))
    shots = chooser(policies.make("hunt-target", CLASSIC))(keys(32, 3_000), seen)
    return set(np.unique(shots).tolist())


def test_the_write_up_finishes_a_cruiser():
    assert fires_at(hits="E5") == oracles.cells("E4 E6 D5 F5")
    assert fires_at(hits="E5", misses="E4") == oracles.cells("E6 D5 F5")
    assert fires_at(hits="E5", misses="E4 E6") == oracles.cells("D5 F5")
    assert fires_at(hits="E5 F5", misses="E4 E6") == oracles.cells("D5 G5")
    assert fires_at(hits="E5 F5", misses="E4 E6 G5") == oracles.cells("D5")
    # Sunk: back to the chequerboard, since the destroyer is still afloat.
    fired = oracles.cells("D5 E5 F5 E4 E6 G5")
    even = {c for c in range(100) if sum(divmod(c, 10)) % 2 == 0} - fired
    assert fires_at(closed="D5 E5 F5", misses="E4 E6 G5", sunk=[2]) == even
    # Every third diagonal once the destroyer is gone, one cell in five once only the carrier is.
    third = {c for c in range(100) if sum(divmod(c, 10)) % 3 == 0}
    assert fires_at(closed="A1 B1", sunk=[4]) == third - oracles.cells("A1 B1")
    fifth = {c for c in range(100) if sum(divmod(c, 10)) % 5 == 0}
    assert fires_at(sunk=[1, 2, 3, 4]) == fifth


def test_ships_side_by_side_make_false_lines():
    # Both ends of the line are misses: the ships lie the other way, side by side.
    assert fires_at(hits="E5 F5", misses="D5 G5") == oracles.cells("E4 F4 E6 F6")
    # The gap between two hits is one of the neighbours, not the end of a line.
    assert fires_at(hits="E5 G5") == oracles.cells("D5 F5 H5 E4 E6 G4 G6")
    # A line in the corner has one end.
    assert fires_at(hits="A1 B1") == oracles.cells("C1")
    # What is left of two ships when one of them has sunk is followed up.
    assert fires_at(closed="E5 F5", hits="G5", sunk=[4]) == oracles.cells("G4 G6 H5")


def test_the_hunters_need_as_many_shots_as_published():
    """Means of 1,000 games in the write-up, each good to 0.9 shots (two standard errors)."""
    count = 2_000
    boards = oracles.random_boards(CLASSIC, count, seed=33)
    published = {"hunt-target-no-parity": 60.3, "hunt-target": 50.5, "density": 44.4}
    for name, mean in published.items():
        shots = shots_of(policies.make(name, CLASSIC), boards, seed=34)
        error = sqrt(shots.var() / count + shots.var() / 1_000)
        assert abs(shots.mean() - mean) < 4 * error, name


# --- density -----------------------------------------------------------------------------------


@pytest.mark.parametrize("touching", TOUCHING)
def test_density_fires_at_a_cell_of_the_highest_count(touching):
    game = Game((7, 5), (4, 3, 2, 1), touching)
    planes = oracles.random_positions(game, 60, seed=40)
    shots = np.asarray(
        chooser(policies.make("density", game))(keys(41, 2_000), observation(planes))
    )
    rows = zip(planes["mark"], planes["sunk_at"], shots.T, strict=True)
    for mark, sunk_at, column in rows:
        count = oracles.digits(game, mark, sunk_at)[::-1].T.tolist()
        best = {c for c in range(35) if count[c] == max(count)}
        assert set(np.unique(column).tolist()) == best


def test_density_of_a_fleet_beyond_one_word():
    planes = oracles.random_positions(WIDEST, 10, seed=42)
    shots = np.asarray(
        chooser(policies.make("density", WIDEST))(keys(43, 2_000), observation(planes))
    )
    rows = zip(planes["mark"], planes["sunk_at"], shots.T, strict=True)
    for mark, sunk_at, column in rows:
        count = oracles.digits(WIDEST, mark, sunk_at)[::-1].T.tolist()
        best = {c for c in range(256) if count[c] == max(count)}
        assert set(np.unique(column).tolist()) == best
