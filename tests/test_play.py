"""Lockstep against plain loops: refilled slots, numbered games, recorded shots, broken hunters."""

from functools import cache, partial

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import oracles
import pytest
from jaxtyping import Array, Int32

from bsjax import policies
from bsjax.game.firing import fire
from bsjax.game.game import FEEDBACK, PRESETS, Game
from bsjax.game.observation import UNFIRED
from bsjax.play.games import play
from bsjax.policies.base import Policy
from bsjax.policies.playing import finished, shoot, start
from bsjax.runtime import lockstep, streams

SMALL = Game((7, 5), (4, 3, 2, 1))

# --- lockstep ----------------------------------------------------------------------------------

TASKS = 23


def toy_length(number):
    """Steps a toy task takes: 0 to 12, in no order."""
    return number * 7 % 13


def toy_result(number):
    """The same task in a plain loop."""
    value, trail = number, []
    for step in range(toy_length(number)):
        value = (value * 31 + step) % 1009
        trail.append(value)
    return value, toy_length(number), trail[-1] if trail else -1


@cache
def toy(tasks, slots, stride):
    def begin(number):
        steps = number * 7 % 13
        return {"value": number, "step": jnp.int32(0), "end": steps, "last": jnp.int8(-1)}

    def step(state):
        value = (state["value"] * 31 + state["step"]) % 1009
        over = state["step"] >= state["end"]
        new = {**state, "value": value, "step": state["step"] + 1, "last": state["last"] * 0 + 1}
        return jax.tree.map(lambda old, new: jnp.where(over, old, new), state, new)

    def run(count):
        return lockstep.run(
            begin,
            step,
            lambda state: state["step"] >= state["end"],
            lambda state: (state["value"], {"steps": state["step"], "last": state["last"]}),
            tasks=tasks,
            count=count,
            slots=slots,
            stride=stride,
        )

    return jax.jit(run)


@pytest.mark.parametrize(
    ("tasks", "slots", "stride"),
    [(TASKS, 1, 1), (TASKS, 4, 1), (TASKS, 5, 4), (TASKS, TASKS, 3), (TASKS, 99, 2), (1, 8, 4)],
)
def test_lockstep_is_a_plain_loop(tasks, slots, stride):
    for count in sorted({0, 1, min(3, tasks), tasks // 2, tasks - 1, tasks}):
        value, kept = jax.device_get(toy(tasks, slots, stride)(jnp.int32(count)))
        assert value.shape == kept["steps"].shape == kept["last"].shape == (tasks,)
        assert kept["last"].dtype == np.int8
        for number in range(tasks):
            expected = toy_result(number) if number < count else (0, 0, 0)
            assert value[number] == expected[0], (count, number)
            assert kept["steps"][number] == expected[1]
            moved = 1 if expected[1] else -1
            assert kept["last"][number] == (moved if number < count else 0)


def test_lockstep_carries_keys():
    """States may hold typed keys: each task draws from its own."""

    def begin(number):
        return jax.random.fold_in(jax.random.key(0), number), jnp.int32(0)

    def step(state):
        key, count = state
        return jax.lax.cond(
            count < 3, lambda: (jax.random.split(key)[0], count + 1), lambda: (key, count)
        )

    draws = lockstep.run(
        begin,
        step,
        lambda state: state[1] == 3,
        lambda state: jax.random.bits(state[0]),
        tasks=7,
        count=jnp.int32(7),
        slots=3,
        stride=2,
    )
    for number in range(7):
        key = jax.random.fold_in(jax.random.key(0), number)
        for _ in range(3):
            key = jax.random.split(key)[0]
        assert int(draws[number]) == int(jax.random.bits(key))


# --- streams -----------------------------------------------------------------------------------


def plain_key(seed, number):
    key = jax.random.fold_in(jax.random.key(seed), number // 2**32)
    return jax.random.fold_in(key, number % 2**32)


def test_game_keys_follow_the_game_number():
    firsts = (0, 1, 2**32 - 3, 2**32, 5 * 2**32 - 1, 2**64 - 8)
    for first in firsts:
        high, low = streams.split_number(first)
        assert high * 2**32 + low == first
        for offset in range(5):
            key = streams.game_key(
                jax.random.key(3), jnp.uint32(high), jnp.uint32(low), jnp.uint32(offset)
            )
            expected = plain_key(3, first + offset)
            assert jax.random.key_data(key).tolist() == jax.random.key_data(expected).tolist()


def test_streams_of_a_game_differ():
    key = plain_key(0, 7)
    words = {
        tuple(jax.random.key_data(streams.stream(key, which)).tolist())
        for which in (streams.BOARD, streams.OPENING, streams.DICE)
    }
    assert len(words) == 3


@pytest.mark.parametrize("number", [-1, 2**64])
def test_game_numbers_have_limits(number):
    with pytest.raises(ValueError, match="between 0 and"):
        streams.split_number(number)


# --- games -------------------------------------------------------------------------------------


@cache
def player(slots, record=True):
    return jax.jit(partial(play, slots=slots, record=record))


def run(policy, boards, *, seed=0, first=0, count=None, slots=16, record=True):
    high, low = streams.split_number(first)
    count = len(boards) if count is None else count
    words = jnp.uint32(high), jnp.uint32(low)
    keys = streams.game_keys(jax.random.key(seed), *words, len(boards))
    played = player(slots, record)(policy, jnp.asarray(boards), keys, jnp.int32(count))
    return jax.device_get(played)


def assert_same(a, b):
    for field, plane in a._asdict().items():
        np.testing.assert_array_equal(plane, getattr(b, field), err_msg=field)


def rows(played, which):
    return jax.tree.map(lambda x: x[which], played)


class ByPlan(Policy):
    """Fires in an order drawn before the game; counts its shots in its carry."""

    def init(self, key):
        return jax.random.permutation(key, jnp.arange(self.game.cells)), jnp.int32(0)

    def act(self, key, observation, carry):
        order, number = carry
        return order[number], (order, number + 1)


class ByDice(Policy):
    """The cell not fired at with the largest draw of this shot's key."""

    def act(self, key, observation, carry):
        draws = jax.random.uniform(key, (self.game.cells,))
        allowed = observation.mark == UNFIRED
        return jnp.argmax(jnp.where(allowed, draws, -1.0)).astype(jnp.int32), carry


BOARDS = oracles.random_boards(SMALL, 60, seed=1)


def hunters():
    return {
        "density": policies.make("density", SMALL),
        "random": policies.make("random", SMALL),
        "plan": ByPlan(SMALL),
    }


@pytest.mark.parametrize("name", ["density", "random", "plan"])
def test_results_do_not_depend_on_slots(name):
    policy = hunters()[name]
    whole = run(policy, BOARDS, slots=16)
    for slots in (1, 500):
        assert_same(run(policy, BOARDS, slots=slots), whole)


def test_the_order_of_shots_is_kept_on_demand():
    policy = policies.make("density", SMALL)
    short = run(policy, BOARDS, record=False)
    assert short.shot_at is None
    np.testing.assert_array_equal(short.shots, run(policy, BOARDS).shots)


@pytest.mark.parametrize("name", ["density", "random", "plan"])
def test_results_do_not_depend_on_the_split(name):
    policy = hunters()[name]
    for first in (0, 2**32 - 40, 3 * 2**32 + 5):
        whole = run(policy, BOARDS, first=first)
        for cut in (30, 41):
            one = run(policy, BOARDS, first=first, count=cut)
            assert_same(rows(one, slice(cut)), rows(whole, slice(cut)))
            assert not np.any(one.shots[cut:])
            assert not one.legal[cut:].any()
            assert not one.shot_at[cut:].any()
            turned = np.roll(BOARDS, -cut, axis=0)
            other = run(policy, turned, first=first + cut, count=60 - cut)
            assert_same(rows(other, slice(60 - cut)), rows(whole, slice(cut, None)))
    assert (run(policy, BOARDS, seed=1).shot_at != run(policy, BOARDS, seed=2).shot_at).any()


def test_no_games():
    played = run(policies.make("random", SMALL), BOARDS, count=0)
    assert not played.shots.any()
    assert not played.legal.any()


def test_game_numbers_cross_the_word():
    """Games around number 2^32 are those played one at a time, and all different."""
    policy, first = policies.make("random", SMALL), 2**32 - 4
    boards = np.repeat(BOARDS[:1], 60, axis=0)
    whole = run(policy, boards, first=first)
    for i in range(8):
        alone = run(policy, boards, first=first + i, count=1)
        assert_same(rows(alone, 0), rows(whole, i))
    assert len({tuple(row) for row in whole.shot_at.tolist()}) == 60
    early = run(policy, boards, first=0)
    assert not {tuple(row) for row in early.shot_at.tolist()} & {
        tuple(row) for row in whole.shot_at.tolist()
    }, "the upper word counts"


@pytest.mark.parametrize("feedback", FEEDBACK)
def test_recorded_shots_replay(feedback):
    base = PRESETS["ten-ship"]
    game = Game(base.size, base.fleet, base.touching, feedback)
    boards = oracles.random_boards(game, 20, seed=2)
    played = run(policies.make("hunt-target", game), boards)
    assert played.legal.all()
    for board, shots, shot_at in zip(boards, played.shots, played.shot_at, strict=True):
        order = [int(np.flatnonzero(shot_at == number)[0]) for number in range(shots)]
        assert (shot_at >= 0).sum() == shots
        assert shot_at.min() >= -1
        assert oracles.shots_to_sink_all(board, order) == shots
        assert board[order[-1]] >= 0, "the last shot sinks the last ship"


def test_opening_and_dice_come_from_their_streams():
    first = 2**32 - 2
    planned, diced = (
        run(ByPlan(SMALL), BOARDS, first=first),
        run(ByDice(SMALL), BOARDS, first=first),
    )
    draw = jax.jit(lambda key: jax.random.uniform(key, (SMALL.cells,)))
    for i in (0, 1, 2, 40):
        key = plain_key(0, first + i)
        opening = streams.stream(key, streams.OPENING)
        order = jax.random.permutation(opening, jnp.arange(SMALL.cells)).tolist()
        shots = oracles.shots_to_sink_all(BOARDS[i], order)
        assert planned.shots[i] == shots
        assert planned.shot_at[i][order[:shots]].tolist() == list(range(shots))

        dice, left = streams.stream(key, streams.DICE), set(range(SMALL.cells))
        order = []
        while left:
            draws = np.asarray(draw(jax.random.fold_in(dice, len(order))))
            order.append(max(left, key=lambda cell, draws=draws: draws[cell]))
            left.remove(order[-1])
        shots = oracles.shots_to_sink_all(BOARDS[i], order)
        assert diced.shots[i] == shots
        assert diced.shot_at[i][order[:shots]].tolist() == list(range(shots))


def test_a_finished_game_stays_as_it_is():
    policy = ByPlan(SMALL)
    shot = jax.jit(shoot)
    state = start(policy, jnp.asarray(BOARDS[0]), jax.random.key(0))
    for _ in range(SMALL.cells + 1):
        before, state = state, shot(policy, state)
        if bool(finished(before)):
            break
    assert not np.any(state.left)
    for old, new in zip(jax.tree.leaves(before), jax.tree.leaves(state), strict=True):
        assert jnp.array_equal(old, new)


@pytest.mark.parametrize("feedback", FEEDBACK)
def test_fire_answers_by_the_rules(feedback):
    """`fire` on a board gives the referee's observation after every shot."""
    game = Game((5, 5), (3, 3, 2), feedback=feedback)
    boards = oracles.random_boards(game, 40, seed=4)
    rng = np.random.default_rng(5)
    orders = np.array([oracles.random_order(game, b, rng, near=0.5) for b in boards], np.int32)

    def step(state, cell):
        board, left, observation = state
        left, observation = fire(game, board, left, observation, cell)
        return (board, left, observation), (left, observation)

    @jax.jit
    @jax.vmap
    def shoot_all(board, order):
        opening = start(policies.make("random", game), board, jax.random.key(0))
        return jax.lax.scan(step, (board, opening.left, opening.observation), order)[1]

    left, seen = jax.device_get(shoot_all(jnp.asarray(boards), jnp.asarray(orders)))
    for i, (board, order) in enumerate(zip(boards, orders.tolist(), strict=True)):
        known = oracles.Known(game)
        for t, (cell, truth) in enumerate(
            zip(order, oracles.truths(game, board, order), strict=True)
        ):
            known.fire(cell, truth)
            for field, plane in known.planes().items():
                np.testing.assert_array_equal(getattr(seen, field)[i, t], plane, err_msg=field)
            unhit = [k for c, k in enumerate(board) if k >= 0 and c not in order[: t + 1]]
            assert left[i, t].tolist() == [unhit.count(k) for k in range(game.ships)]


# --- compilation -------------------------------------------------------------------------------


def test_one_trace_per_game_hunter_and_batch():
    traces = []

    class Counted(Policy):
        def act(self, key, observation, carry):
            traces.append(self.game)
            return policies.make("random", self.game).act(key, observation, carry)

    playing = jax.jit(partial(play, slots=8, record=False))

    def once(game, boards, seed, first, count):
        high, low = streams.split_number(first)
        words = jnp.uint32(high), jnp.uint32(low)
        keys = streams.game_keys(jax.random.key(seed), *words, len(boards))
        playing(Counted(game), jnp.asarray(boards), keys, jnp.int32(count))
        return len(traces), playing._cache_size()

    per_trace, programs = once(SMALL, BOARDS, 0, 0, 60)
    assert programs == 1
    same = Game(SMALL.size, SMALL.fleet)
    for seed, first, count in ((1, 0, 60), (0, 2**40, 60), (0, 0, 3), (5, 7, 0)):
        assert once(same, BOARDS[::-1], seed, first, count) == (per_trace, 1)
    # Another batch size and another game are one more program each.
    assert once(SMALL, BOARDS[:30], 0, 0, 30) == (2 * per_trace, 2)
    other = Game(SMALL.size, SMALL.fleet, feedback="name")
    assert once(other, BOARDS, 0, 0, 60) == (3 * per_trace, 3)
    assert once(other, BOARDS, 9, 9, 9) == (3 * per_trace, 3)


# --- broken hunters ----------------------------------------------------------------------------


class Stubborn(Policy):
    """Fires at cell 3 for ever."""

    def act(self, key, observation, carry):
        return jnp.int32(3), carry


class Astray(Policy):
    """Fires beyond the board from its third shot on, unless the first shot hit."""

    beyond: Int32[Array, ""] = eqx.field()

    def act(self, key, observation, carry):
        cell = observation.shots.astype(jnp.int32)
        stray = (cell >= 2) & (observation.answer[0] < 0)
        return jnp.where(stray, self.beyond, cell), carry


def test_a_hunter_that_fires_twice_is_caught():
    played = run(Stubborn(SMALL), BOARDS)
    assert not played.legal.any()


@pytest.mark.parametrize("beyond", [-1, -7, SMALL.cells, 2**31 - 1])
def test_a_hunter_that_leaves_the_board_is_caught(beyond):
    played = run(Astray(SMALL, jnp.int32(beyond)), BOARDS)
    hit = BOARDS[:, 0] >= 0
    assert 0 < hit.sum() < len(BOARDS)
    np.testing.assert_array_equal(played.legal, hit)
    # Its neighbours in the batch go on: row by row until the last ship cell.
    last = SMALL.cells - np.argmax(BOARDS[:, ::-1] >= 0, axis=1)
    np.testing.assert_array_equal(played.shots[hit], last[hit])


def test_a_one_shot_game():
    game = Game((1, 1), (1,))
    played = run(policies.make("density", game), np.zeros((4, 1), np.int8))
    assert played.shots.tolist() == [1] * 4
    assert played.legal.all()
    assert played.shot_at.tolist() == [[0]] * 4
