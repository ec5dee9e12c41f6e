"""Layouts counted inside programs, placement by placement, against the engine on the host.

The host engine is itself tested against all layouts of small games (tests/test_exact.py).
"""

import json
from functools import cache, partial
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import oracles
import pytest
from test_exact import observation

from bsjax.game.game import FEEDBACK, PRESETS, Game
from bsjax.game.history import observe_history, parse
from bsjax.game.observation import blank, impossible
from bsjax.game.placements import overlap
from bsjax.posterior.beliefs import counted
from bsjax.posterior.evidence import read, read_many
from bsjax.posterior.exact import exact_many
from bsjax.posterior.plan import plan
from bsjax.posterior.prior import Prior, habit
from bsjax.posterior.tables import tables
from bsjax.posterior.whole import BASE_BITS
from bsjax.posterior.worklist import ACCELERATOR, CPU, layouts

GOLDEN = json.loads((Path(__file__).parent / "golden" / "classic_posteriors.json").read_text())

GAMES = {
    "longer than a side": Game((3, 2), (3,)),
    "apart": Game((4, 3), (3, 2), "none"),
    "narrow": Game((6, 2), (4, 2, 3)),
    "no sides": Game((4, 4), (3, 2, 2, 1), "no-side"),
    "dots": Game((5, 6), (3, 1, 2, 1, 1), "none"),
    "six": Game((5, 3), (2, 2, 3, 1, 2, 1)),
}
NAMED = ("name", "hit-name")
BATCH = 36

# Compiling takes nearly all the time; unoptimized programs are exact as well.
quickly = partial(jax.jit, compiler_options={"xla_backend_optimization_level": 0})


def stacked(seen):
    return jax.tree.map(lambda *parts: np.stack(parts), *seen)


def positions(game, count, seed):
    """Observations of games broken off after any number of shots, the last one included."""
    rng = np.random.default_rng(seed)
    seen = []
    for board in oracles.random_boards(game, count, seed):
        order = oracles.random_order(game, board, rng, near=rng.random())
        end = oracles.shots_to_sink_all(board, order)
        seen.append(observation(game, board, order[: rng.integers(end + 1)]))
    return seen


def contradictions(game):
    """Observations that no layout agrees with: no ship anywhere, and ships everywhere."""
    order = np.arange(game.cells, dtype=np.int16)
    none = jax.tree.map(np.asarray, blank(game))
    misses, hits = (np.full(game.cells, code, np.int8) for code in (-1, 0))
    fired = none._replace(shot_at=order, shots=np.int16(game.cells))
    return [
        jax.tree.map(np.asarray, impossible(blank(game))),
        fired._replace(answer=misses),
        fired._replace(answer=hits),
    ]


def whole(number):
    """Words as 64-bit integers."""
    low, high = (np.asarray(word).astype(np.int64) for word in number)
    return low + (high << BASE_BITS)


def folded(game, first, table):
    """Layouts on the placements of a class, added up under its first ship."""
    start, out = tables(game).start, np.zeros((len(table), tables(game).start[-1]), table.dtype)
    for ship, head in enumerate(first):
        out[:, start[head] : start[head + 1]] += table[:, start[ship] : start[ship + 1]]
    return out


def due(game, seen, first, prior=None):
    """The same from the host engine, and the layouts left."""
    found = exact_many(game, stacked(seen), prior)
    table = np.stack([np.concatenate(posterior.placements) for posterior in found])
    return folded(game, first, table), np.array([posterior.total for posterior in found])


@cache
def counter(game, told_apart, sizes=CPU):
    """Counts by evidence. The feedback rule matters to the evidence only."""
    return quickly(
        lambda evidence: layouts(game, evidence, plan(game, told_apart), sizes)[0],
    )


def by_evidence(game, seen, told_apart, sizes=CPU):
    """Layouts by placement, those of a class under its first ship."""
    evidence = [
        read_many(Game(game.size, game.fleet, game.touching, rule), stacked(some))
        for rule, some in seen.items()
    ]
    together = jax.tree.map(lambda *parts: jnp.asarray(np.concatenate(parts)), *evidence)
    neutral = Game(game.size, game.fleet, game.touching)
    found = whole(counter(neutral, told_apart, sizes)(together))
    return folded(game, plan(neutral, told_apart).first, found[:, :-1])


def cases(game, rules, seed=1):
    """Observations under some rules, `BATCH` in all, and what the host says of them."""
    seen, expected = {}, []
    for rule in rules:
        own = Game(game.size, game.fleet, game.touching, rule)
        some = positions(own, BATCH // len(rules) - 4, seed)
        seen[rule] = [
            *some[:2],
            *contradictions(own),
            *some[2:],
            jax.tree.map(np.asarray, blank(own)),
        ]
        first = plan(own, rule in NAMED).first
        expected.append(due(own, seen[rule], first)[0])
    return seen, np.concatenate(expected)


def check(name, rules):
    game, told_apart = GAMES[name], rules[0] in NAMED
    seen, expected = cases(game, rules)
    found = by_evidence(game, seen, told_apart)
    np.testing.assert_array_equal(found, expected)
    per_rule = BATCH // len(rules)
    for at in range(0, BATCH, per_rule):
        assert not found[at + 2 : at + 5].any(), "nothing agrees with these"
        assert found[at + per_rule - 1].any()


def fast(*names):
    """All games, those not named as slow tests."""
    return [name if name in names else pytest.param(name, marks=pytest.mark.slow) for name in GAMES]


@pytest.mark.parametrize("name", fast("no sides"))
def test_rules_that_name_no_ship(name):
    check(name, [rule for rule in FEEDBACK if rule not in NAMED])


@pytest.mark.parametrize("name", fast("no sides"))
def test_rules_that_name_ships(name):
    check(name, NAMED)


@cache
def golden():
    game = Game(feedback="name")
    seen = []
    for case in GOLDEN["cases"][::2]:
        told = [{"miss": "miss", "hit": "hit"}.get(shot["answer"]) for shot in case["shots"]]
        tokens = [
            f"{shot['cell']}:{word or 'sunk=' + shot['ship']}"
            for shot, word in zip(case["shots"], told, strict=True)
        ]
        seen.append(observe_history(game, parse(game, " ".join(tokens))))
    return game, stacked(seen), GOLDEN["cases"][::2]


def test_golden_histories():
    game, seen, known = golden()
    found = jax.vmap(counted(game).masses)
    masses = quickly(found)(jax.tree.map(jnp.asarray, seen))
    placement, total = whole(masses.placement)[:, :-1], whole(masses.total)
    assert total.tolist() == [case["layouts"] for case in known]
    ship = placement @ tables(game).masks[:-1, :-1].astype(np.int64)
    assert (ship.sum(1) == game.ship_cells * total).all()
    np.testing.assert_allclose(
        ship / total[:, None], [case["p_ship"] for case in known], rtol=0, atol=1e-6
    )
    start = tables(game).start
    for ship in range(game.ships):
        own = placement[:, start[ship] : start[ship + 1]]
        np.testing.assert_array_equal(own.sum(1), total)


def test_leaves_beyond_24_bits():
    """One ship known on the largest board, against products of matrices."""
    game = Game((16, 16), (7, 4, 3, 2))
    apart = [
        (~overlap(game, *pair)).astype(np.float64)
        for pair in ((7, 4), (7, 3), (7, 2), (4, 3), (3, 2), (4, 2))
    ]
    start = tables(game).start
    seen, expected = [], []
    for place in np.random.default_rng(0).integers(start[1], size=8).tolist():
        cells = tables(game).masks[place, :-1].nonzero()[0]
        board = np.full(game.cells, -1, np.int8)
        board[cells] = 0
        seen.append(observation(game, board, cells.tolist()))
        four, three, two = (part[place] for part in apart[:3])
        table = (apart[3] * three) @ (apart[4] * two) * apart[5]
        expected.append(int((table.sum(1) * four).sum()))
    found = by_evidence(game, {"size": seen}, False)
    assert min(expected) > 1 << 24
    assert any(n % 8 for n in expected)
    assert found[:, : start[1]].sum(1).tolist() == expected
    for ship in range(game.ships):
        assert found[:, start[ship] : start[ship + 1]].sum(1).tolist() == expected


@pytest.mark.slow
def test_sums_over_very_many_leaves():
    """Six ships: one placement is met in hundreds of thousands of leaves."""
    game = Game((9, 9), (5, 4, 3, 2, 2, 2))
    seen = [jax.tree.map(np.asarray, blank(game))]
    expected, total = due(game, seen, plan(game, False).first)
    assert total[0] == 874_361_986_848
    np.testing.assert_array_equal(by_evidence(game, {"size": seen}, False), expected)


# --- priors ------------------------------------------------------------------------------------


def weighs_as_the_host(game, prior, seen):
    """Shares of the total by placement, and the total up to the scale of the weights."""
    belief = counted(game, prior)
    found = quickly(jax.vmap(belief.masses))(jax.tree.map(jnp.asarray, stacked(seen)))
    expected, total = due(game, seen, plan(game, game.feedback in NAMED).first, prior)
    scale = np.prod([weight.max() for weight in prior.weights])
    units, weight = whole(found.placement), whole(found.total)
    np.testing.assert_allclose(weight * np.asarray(found.unit) * scale, total, rtol=1e-5)
    assert (units[:, -1] == 0).all()
    some = total > 0
    np.testing.assert_allclose(
        units[some, :-1] / weight[some, None],
        expected[some] / total[some, None],
        rtol=1e-5,
        atol=1e-5,
    )
    assert (units[~some] == 0).all()


@pytest.mark.parametrize(
    ("name", "edge"),
    [("no sides", 0.6), pytest.param("narrow", -0.5, marks=pytest.mark.slow)],
)
def test_habits(name, edge):
    game = GAMES[name]
    prior = habit(game, edge)
    assert not counted(game, prior).told_apart
    weighs_as_the_host(
        game, prior, [*positions(game, 20, seed=5), *contradictions(game), blank(game)]
    )


def test_equal_ships_may_differ_in_weight():
    """Each ship has weights of its own, some of them 0."""
    game = GAMES["no sides"]
    rng = np.random.default_rng(6)
    weights = [rng.random(n) * 3 for n in np.diff(tables(game).start)]
    weights[1][:4] = 0
    prior = Prior(game, weights)
    assert counted(game, prior).told_apart
    weighs_as_the_host(
        game, prior, [*positions(game, 20, seed=7), *contradictions(game), blank(game)]
    )


def test_weights_do_not_depend_on_the_batch():
    """The same whole numbers whichever games stand beside a game, and in whatever order."""
    game = GAMES["no sides"]
    belief = counted(game, habit(game, 0.6))
    seen = stacked(positions(game, 20, seed=9))
    mixed = np.random.default_rng(10).permutation(20)[:12]
    read_all = quickly(jax.vmap(partial(read, game)))

    def weighed(rows, sizes):
        evidence = read_all(jax.tree.map(lambda x: jnp.asarray(x[rows]), seen))
        return layouts(game, evidence, plan(game, belief.told_apart), sizes, belief.weights)

    # The launches of a platform are fixed: products of other sizes may round differently.
    for sizes in (CPU, *SIZES.values()):
        found, unit = weighed(np.arange(20), sizes)
        other, other_unit = weighed(mixed, sizes)
        np.testing.assert_array_equal(whole(other), whole(found)[mixed])
        np.testing.assert_array_equal(other_unit, unit[mixed])


@pytest.mark.slow
def test_habits_on_the_classic_board():
    game, seen, _ = golden()
    rows = [jax.tree.map(lambda x, row=row: x[row], seen) for row in range(10)]
    weighs_as_the_host(game, habit(game, 0.4), rows)


# --- what is refused ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("game", "words"),
    [
        (PRESETS["ten-ship"], r"needs up to [\d,]+ leaves here"),
        (Game((16, 16), (2, 2, 2, 2)), "too many equal ships to count in play; sample"),
        pytest.param(
            Game((16, 16)),
            "too many layouts to count in play; sample",
            marks=pytest.mark.slow,
        ),
    ],
    ids=["leaves", "equal ships", "layouts"],
)
def test_games_too_large_are_refused(game, words):
    with pytest.raises(ValueError, match=words) as fault:
        counted(game)
    assert "\n" not in str(fault.value)


def test_priors_that_do_not_fit_are_refused():
    game = GAMES["apart"]
    with pytest.raises(ValueError, match=r"the prior is of 4x4 .* the game is 4x3"):
        counted(game, habit(GAMES["no sides"], 0.5))
    with pytest.raises(ValueError, match="factors of pairs has no closed form; take the sampled"):
        counted(game, habit(game, 0.5, 0.5))
    ten = PRESETS["ten-ship"]
    with pytest.raises(ValueError, match=r"needs up to [\d,]+ leaves here"):
        counted(ten, habit(ten, 0.5))


# --- sizes and batches -------------------------------------------------------------------------


SIZES = {
    "few": CPU._replace(launch=3, grow=30, pop=2),
    "many": ACCELERATOR,
}


@pytest.mark.parametrize("which", ["few", pytest.param("many", marks=pytest.mark.slow)])
def test_sizes_change_nothing(which):
    """Queues of a few leaves, and a stack from which partials are taken one by one."""
    game = GAMES["no sides"]
    seen, expected = cases(game, [rule for rule in FEEDBACK if rule not in NAMED], seed=2)
    np.testing.assert_array_equal(by_evidence(game, seen, False, SIZES[which]), expected)


def test_a_batch_changes_nothing():
    """In any order, and with fewer beside it."""
    game = GAMES["no sides"]
    rules = [rule for rule in FEEDBACK if rule not in NAMED]
    seen, expected = cases(game, rules, seed=2)
    turned = {rule: some[::-1] for rule, some in reversed(seen.items())}
    np.testing.assert_array_equal(by_evidence(game, turned, False), expected[::-1])
    few = {"size": seen["size"][4:6]}
    at = rules.index("size") * BATCH // len(rules) + 4
    np.testing.assert_array_equal(by_evidence(game, few, False), expected[at : at + 2])


def test_batches_nest():
    """Rows of games in rows, as one work list."""
    game = GAMES["longer than a side"]
    seen = [*positions(game, 8, seed=8), *contradictions(game), blank(game)]
    rows = jax.tree.map(lambda x: jnp.asarray(x).reshape(3, 4, *x.shape[1:]), stacked(seen))
    found = quickly(jax.vmap(jax.vmap(counted(game).masses)))(rows)
    expected, total = due(game, seen, [0])
    assert whole(found.total).ravel().tolist() == total.tolist()
    np.testing.assert_array_equal(
        whole(found.placement).reshape(12, -1), np.pad(expected, ((0, 0), (0, 1)))
    )


def test_one_batch_has_one_prior():
    game = GAMES["longer than a side"]
    belief = counted(game, habit(game, 0.5))

    def total(factor):
        weights = belief.weights * factor
        return type(belief)(game, weights, belief.told_apart).masses(blank(game)).total

    with pytest.raises(ValueError, match="all games of a batch share differs"):
        jax.vmap(total)(jnp.ones(2, jnp.float32))
