"""What a shot would be answered, by the masses of every belief, against the engine on the host."""

from functools import cache, partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from test_exact import answers as told_by
from test_exact import consistent, game_of, histories, observation
from test_whole import joined, split
from test_worklist import NAMED, contradictions, folded, quickly, stacked, whole

from bsjax.game.game import FEEDBACK, Game
from bsjax.game.observation import UNFIRED, blank, observe
from bsjax.posterior.answers import answers, expected_left, likeliest, told
from bsjax.posterior.beliefs import Counted, Masses, counted, enumerated
from bsjax.posterior.drawn import Drawn
from bsjax.posterior.evidence import read
from bsjax.posterior.exact import exact_many
from bsjax.posterior.importance import draw
from bsjax.posterior.plan import plan
from bsjax.posterior.prior import habit
from bsjax.posterior.tables import tables
from bsjax.posterior.whole import BASE_BITS, DIGIT_BITS, Whole

ROWS = 24
"""Observations of every batch, so that programs are shared."""


@cache
def cases(game):
    """Boards and shots, what was seen, and the posteriors on the host."""
    some = [*histories(game, ROWS - 1, seed=11), (np.full(game.cells, -1, np.int8), [])]
    seen = stacked([observation(game, board, cells) for board, cells in some])
    return some, seen, exact_many(game, seen)


def slow(*names):
    return [pytest.param(name, marks=pytest.mark.slow) for name in names]


def on_device(seen):
    return jax.tree.map(jnp.asarray, seen)


def classes(game):
    """First ships, and which ships each of them stands for."""
    first = plan(game, game.feedback in NAMED).first
    return sorted(set(first.tolist())), first


def judged(game, masses, shot):
    """All that rules look at, of one game."""
    found = answers(game, tuple(classes(game)[0]), masses.placement, shot)
    rows = told(game, found, masses.total)
    return found, rows, expected_left(game, found, masses.total), likeliest(found)


@cache
def judge(game):
    return quickly(jax.vmap(partial(judged, game)))


def agree(game, result, posteriors, scale):
    """Answers, rows and scores of a batch against the host; the host counts `scale` times more."""
    found, rows, left, likely = result
    heads, first = classes(game)
    ship, hit, sunk, last = (whole(part) for part in found)
    rows = whole(rows)
    for b, (posterior, times) in enumerate(zip(posteriors, scale, strict=True)):
        unfired = ~posterior.shot
        np.testing.assert_array_equal(ship[b] * times, posterior.ship)
        for row, head in enumerate(heads):
            own = first == head
            np.testing.assert_array_equal(hit[b, row] * times, posterior.hit_ship[own].sum(0))
            np.testing.assert_array_equal(sunk[b, row] * times, posterior.sunk[own].sum(0))
        np.testing.assert_array_equal(last[b].sum(0) * times, posterior.sunk.sum(0))
        assert (rows[b].sum(0) * times == posterior.total)[unfired].all()
        np.testing.assert_array_equal(rows[b, 0] * times, posterior.total - posterior.ship)
        value = sum(
            np.asarray(digit[b]).astype(object) << DIGIT_BITS * place
            for place, digit in enumerate(reversed(left))
        )
        squares = np.array(posterior.squares(), object)
        assert (-value * times**2 == squares)[unfired].all()
        high, low = (np.asarray(word[b]).astype(np.int64) for word in likely)
        np.testing.assert_array_equal(((high << BASE_BITS) + low) * times, posterior.ship)


def host_masses(game, posteriors):
    """Masses as a belief forms them, from the host."""
    first = classes(game)[1]
    table = folded(game, first, np.stack([np.concatenate(p.placements) for p in posteriors]))
    table = np.pad(table, ((0, 0), (0, 1)))
    total = np.array([posterior.total for posterior in posteriors], table.dtype)

    return Masses(words(table), words(total), jnp.ones(len(total), jnp.float32))


def words(n):
    """64-bit integers as words."""
    low, high = n & ((1 << BASE_BITS) - 1), n >> BASE_BITS
    return Whole(jnp.asarray(low, jnp.int32), jnp.asarray(high, jnp.int32))


# --- answers -----------------------------------------------------------------------------------


@pytest.mark.parametrize("feedback", FEEDBACK)
@pytest.mark.parametrize("name", ["mixed", *slow("dots", "four", "narrow")])
def test_answers_of_whole_whole(name, feedback):
    game = game_of(name, feedback)
    _, seen, posteriors = cases(game)
    shot = jnp.asarray(seen.mark != UNFIRED)
    result = judge(game)(host_masses(game, posteriors), shot)
    agree(game, result, posteriors, [1] * ROWS)


def test_answers_of_the_classic_board():
    """Any numbers on the placements, up to 2⁴⁰, added up and squared as Python integers."""
    game, rng = Game(), np.random.default_rng(0)
    table, heads = tables(game), classes(game)[0]
    masses = rng.integers(1 << rng.integers(41, size=761)).astype(object)
    masses[table.start[3] : table.start[4]] = masses[-1] = 0
    total, shot = (1 << 45) - 1, rng.random(100) < 0.3
    masks = table.masks[:-1, :-1]
    left = (masks & ~shot).sum(1)
    own = Masses(split([masses.tolist()]), split([total]), jnp.ones(1, jnp.float32))
    found, rows, scores, _ = judge(game)(own, jnp.asarray(shot)[None])
    ship = masses[:-1] @ masks
    own = [table.ship[:-1] == head for head in heads]
    hit, sunk = (
        [(masses[:-1] * (chosen & some)) @ masks * ~shot for some in own]
        for chosen in (left > 1, left == 1)
    )
    for part, expected in ((found.ship, ship), (found.hit, hit), (found.sunk, sunk)):
        assert joined(part) == [np.array(expected).tolist()]
    expected = [total - ship, sum(hit), *sunk]
    assert joined(rows) == [[row.tolist() for row in expected]]
    value = sum(
        np.asarray(digit[0]).astype(object) << DIGIT_BITS * place
        for place, digit in enumerate(reversed(scores))
    )
    assert (-value == sum(row * row for row in expected)).all()


def test_lines_shown():
    """Under `cells` every line that a sink could show is an answer of its own."""
    game = game_of("mixed", "cells")
    some, seen, posteriors = cases(game)
    shot = jnp.asarray(seen.mark != UNFIRED)
    rows = whole(judge(game)(host_masses(game, posteriors), shot)[1])
    for b, (board, cells) in enumerate(some):
        left = consistent(game, board, cells)
        for cell in set(range(game.cells)) - set(cells):
            codes, shown = told_by(game, left, [*cells, cell])
            kinds = {}
            for kind in zip(codes[:, -1].tolist(), shown[:, -1].tolist(), strict=True):
                # Which of two equal ships it is, is not told.
                kinds[kind] = kinds.get(kind, 0) + 1
            assert sorted(n for n in rows[b, :, cell].tolist() if n) == sorted(kinds.values())


def test_answers_of_weights():
    """Weights of a prior, as whole numbers of units of 2⁻⁴⁰ of all of them."""
    game = game_of("mixed", "name")
    prior = habit(game, 0.5)
    some = list(histories(game, ROWS, seed=12))
    seen = stacked([observation(game, *case) for case in some])
    posteriors = exact_many(game, seen, prior)
    table = np.stack([np.concatenate(p.placements) / p.total for p in posteriors])
    units = 1 << 40
    table = np.pad((table * units).astype(np.int64), ((0, 0), (0, 1)))
    masses = Masses(words(table), words(np.full(ROWS, units)), jnp.ones(ROWS, jnp.float32))
    found, rows, left, likely = judge(game)(masses, jnp.asarray(seen.mark != UNFIRED))
    ship, hit, sunk, _ = (whole(part) / units for part in found)
    rows = whole(rows) / units
    digits = (
        np.asarray(digit).astype(object) << DIGIT_BITS * i for i, digit in enumerate(left[::-1])
    )
    left = (sum(digits) / units**2).astype(float)
    high, low = (np.asarray(word).astype(np.int64) for word in likely)
    for b, posterior in enumerate(posteriors):
        unfired = ~posterior.shot
        np.testing.assert_allclose(ship[b], posterior.p_ship, atol=1e-6)
        np.testing.assert_array_equal((high[b] << BASE_BITS) + low[b], whole(found.ship)[b])
        np.testing.assert_allclose(sunk[b], posterior.sunk / posterior.total, atol=1e-6)
        np.testing.assert_allclose(hit[b], posterior.hit_ship / posterior.total, atol=1e-6)
        np.testing.assert_allclose(rows[b].sum(0)[unfired], 1, atol=1e-5)
        due = np.array(posterior.squares()) / posterior.total**2
        np.testing.assert_allclose(-left[b][unfired], due[unfired], atol=1e-5)


# --- beliefs -----------------------------------------------------------------------------------


def viewed(belief, keys, seen):
    """Views, masses, and what rules look at, of a batch."""

    def one(key, observation):
        view = belief.view(key, observation)
        masses = belief.masses(view)
        return view, masses, judged(belief.game, masses, observation.mark != UNFIRED)

    return jax.vmap(one)(keys, seen)


view_all = quickly(viewed)


def keys(count, seed=0):
    return jax.random.split(jax.random.key(seed), count)


def check_exact(belief, scale):
    game = belief.game
    _, seen, posteriors = cases(game)
    _, masses, result = view_all(belief, keys(ROWS), on_device(seen))
    times = [scale(posterior) for posterior in posteriors]
    agree(game, result, posteriors, times)
    expected = host_masses(game, posteriors)
    totals = [posterior.total for posterior in posteriors]
    assert (whole(masses.total) * times).tolist() == totals
    np.testing.assert_array_equal(
        whole(masses.placement) * np.array(times)[:, None], whole(expected.placement)
    )
    # Nothing is left on the ships that another one stands for.
    heads, start = classes(game)[0], tables(game).start
    assert belief.classes == tuple(heads)
    for ship in set(range(game.ships)) - set(heads):
        assert not whole(masses.placement)[:, start[ship] : start[ship + 1]].any()


@pytest.mark.parametrize("feedback", FEEDBACK)
@pytest.mark.parametrize("name", ["mixed", *slow("four")])
def test_enumerated(name, feedback):
    """The list holds equal ships alike unless they are named."""
    game = game_of(name, feedback)
    check_exact(enumerated(game), lambda p: 1 if feedback in NAMED else p.orders)


@pytest.mark.parametrize("feedback", ["cells", *slow(*(r for r in FEEDBACK if r != "cells"))])
def test_counted(feedback):
    check_exact(counted(game_of("mixed", feedback)), lambda p: 1)


def test_nothing_agrees():
    """A contradiction has no mass, and all answers of it none."""
    game = game_of("mixed", "name")
    seen = on_device(stacked([*contradictions(game)] * (ROWS // 3)))
    for belief in (enumerated(game), Drawn(game, 64)):
        _, masses, (found, *_) = view_all(belief, keys(ROWS), seen)
        for part in jax.tree.leaves((masses.placement, masses.total, found)):
            assert not np.asarray(part).any()


def test_lists_have_limits():
    with pytest.raises(ValueError, match="layouts") as fault:
        enumerated(Game())
    assert "\n" not in str(fault.value)


def test_memory_grows_with_the_work():
    game, larger = game_of("mixed"), game_of("five")
    assert 0 < Drawn(game, 10).bytes_per_game < Drawn(game, 100).bytes_per_game
    assert 0 < enumerated(game).bytes_per_game < enumerated(larger).bytes_per_game
    assert Counted(game, None, False).bytes_per_game > 0
    assert not enumerated(game).rolls_dice
    assert Drawn(game).rolls_dice


# --- draws -------------------------------------------------------------------------------------

SAMPLE = 4096


@pytest.mark.parametrize(
    ("name", "feedback", "edge"),
    [
        ("five", "size", None),
        ("mixed", "sunk", 0.6),
        pytest.param("five-sides", "hit-name", None, marks=pytest.mark.slow),
    ],
)
def test_drawn_is_within_the_error_of_the_sample(name, feedback, edge):
    game = game_of(name, feedback)
    prior = None if edge is None else habit(game, edge)
    belief = Drawn(game, SAMPLE, prior)
    some = list(histories(game, ROWS, seed=13))
    seen = stacked([observation(game, *case) for case in some])
    posteriors = exact_many(game, seen, prior)
    heads, first = classes(game)
    start = tables(game).start
    view, masses, (found, *_) = view_all(belief, keys(ROWS), on_device(seen))
    view = jax.tree.map(np.asarray, view)
    placement, total = whole(masses.placement), whole(masses.total)
    masks = tables(game).masks[:, :-1]
    errors = []
    for b, posterior in enumerate(posteriors):
        weight, own = view.weight[b].astype(float), view.placement[b]
        assert total[b] == view.weight[b].sum() > 0
        # Masses are the weights of the draws, added up.
        expected = np.zeros(start[-1] + 1, np.int64)
        for ship in range(game.ships):
            shift = start[first[ship]] - start[ship]
            np.add.at(expected, own[:, ship] + shift, view.weight[b])
        np.testing.assert_array_equal(placement[b], expected)
        # Sums over the draws of each cell, against the heat map.
        holds = masks[own].any(1)
        np.testing.assert_array_equal(whole(found.ship)[b], view.weight[b] @ holds)
        share = posterior.p_ship
        error = np.sqrt(weight**2 @ (holds - share) ** 2) / total[b]
        common = (share * total[b] ** 2 / (weight**2).sum() > 20) & (share < 1 - 1e-9)
        errors.append((whole(found.ship)[b] / total[b] - share)[common] / error[common])
        assert not whole(found.ship)[b][share < 1e-12].any()
    errors = np.concatenate(errors)
    assert len(errors) > 90
    assert np.abs(errors).max() < 5
    assert np.sqrt((errors**2).mean()) < 1.3
    assert belief.classes == tuple(heads)


def after(belief, view, cell, answer):
    """A view after one more shot, for many shots."""
    return jax.vmap(belief.after, in_axes=(None, 0, 0))(view, cell, answer)


@pytest.mark.parametrize("feedback", ["size", "hit-name", *slow("hit", "sunk", "name")])
def test_draws_after_a_shot_are_those_that_answer_so(feedback):
    game = game_of("mixed", feedback)
    belief = Drawn(game, 256)
    table = tables(game)
    step = quickly(partial(after, belief))
    viewing = quickly(belief.view)
    observing = quickly(jax.vmap(partial(observe, game), in_axes=(None, 0, 0)))
    for number, (board, cells) in enumerate(histories(game, 6, seed=14)):
        unfired = [c for c in range(game.cells) if c not in cells]
        if len(unfired) < 2:
            continue
        seen = on_device(observation(game, board, cells))
        view = viewing(jax.random.key(number), seen)
        drawn = np.asarray(view.placement)
        valid = np.asarray(view.weight) > 0
        boards = np.full((len(drawn), game.cells), -1, np.int8)
        for ship in range(game.ships):
            boards[table.masks[drawn[:, ship], :-1]] = ship
        codes = {c: told_by(game, boards, [*cells, c])[0][:, -1] for c in unfired}
        # Every shot with every answer that some draw gives to it, 40 in all.
        shots = [(c, code) for c in unfired for code in np.unique(codes[c][valid])]
        shots = (shots * 40)[:40]
        cell, answer = (np.array(part) for part in zip(*shots, strict=True))
        fired = jnp.asarray(cell, jnp.int32), jnp.asarray(answer, jnp.int8)
        found = step(view, *fired)
        for part, due in zip(found.observation, observing(seen, *fired), strict=True):
            np.testing.assert_array_equal(part, due)
        for row, (fired, code) in enumerate(shots):
            due = np.where(valid & (codes[fired] == code), view.weight, 0)
            np.testing.assert_array_equal(found.weight[row], due)
            np.testing.assert_array_equal(found.placement[row], drawn)
            shot = np.isin(np.arange(game.cells), [*cells, fired])
            np.testing.assert_array_equal(found.left[row], (table.masks[:, :-1] & ~shot).sum(1))


@pytest.mark.parametrize("which", ["drawn", "enumerated", "counted"])
def test_no_belief_foresees_shown_cells(which):
    """Under `cells` an answer is more than a code."""
    game = game_of("mixed", "cells")
    belief = {"drawn": Drawn(game, 8), "enumerated": enumerated(game)}.get(which)
    belief = belief or Counted(game, None, False)

    def after():
        view = belief.view(jax.random.key(0), blank(game))
        return belief.after(view, jnp.int32(0), jnp.int8(-1))

    with pytest.raises(ValueError, match="must show the cells of a sunk ship"):
        jax.eval_shape(after)


def test_draws_go_on_until_one_agrees():
    """Further rounds while all draws failed, 16 at most; each with a key of its own."""
    game = game_of("four", "hit")
    board = np.array([0, 0, 0, -1, 1, 1, 2, 2, -1, 3] + [-1] * 6, np.int8)
    seen = on_device(observation(game, board, [0, 2, 4, 7, 9, 3, 8, 10]))
    belief = Drawn(game, 1)
    dice = keys(24, 5)
    found = quickly(jax.vmap(belief.view, in_axes=(0, None)))(dice, seen)

    @quickly
    @partial(jax.vmap, in_axes=(0, None))
    @partial(jax.vmap, in_axes=(None, 0))
    def rounds(key, number):
        own = jax.random.fold_in(key, number)
        return draw(game, read(game, seen), own, 1)

    every = rounds(dice, jnp.arange(16, dtype=jnp.int32))
    some = np.asarray(every.weight > 0).any(2)
    used = np.where(some.any(1), some.argmax(1), 15)
    assert (used > 0).any(), "some first rounds fail"
    assert (used == 0).any(), "not all of them do"
    for row, number in enumerate(used):
        np.testing.assert_array_equal(found.placement[row], every.placement[row, number])
        np.testing.assert_array_equal(found.weight[row] > 0, every.weight[row, number] > 0)


def test_a_sample_needs_a_draw():
    with pytest.raises(ValueError, match="0 draws: take at least one"):
        Drawn(Game(), 0)
