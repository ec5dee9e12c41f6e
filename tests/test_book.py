"""Books of openings change no shot, and slots without a game change no result."""

from functools import cache, partial

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import oracles
import pytest
from test_exact import observation
from test_worklist import contradictions, quickly, stacked

from bsjax import policies
from bsjax.evaluate.massive import Limits, Run, simulate
from bsjax.evaluate.tree import evaluate
from bsjax.game.game import FEEDBACK, Game
from bsjax.game.history import play_history
from bsjax.game.observation import UNFIRED, WATER
from bsjax.play.games import play
from bsjax.policies.base import Policy
from bsjax.policies.bayes import Greedy
from bsjax.policies.book import Booked, written
from bsjax.policies.over import RULES, over
from bsjax.policies.playing import finished, shoot, start
from bsjax.posterior.listed import Listing
from bsjax.runtime import lockstep, streams

GAME = Game((4, 4), (3, 2))

# --- books -------------------------------------------------------------------------------------


@jax.jit
def to_the_end(policy, boards):
    """Side by side; cells of the shots in their order."""
    keys = jax.random.split(jax.random.key(0), len(boards))
    state = jax.vmap(lambda board, key: start(policy, board, key))(boards, keys)
    state = jax.lax.while_loop(
        lambda state: ~jax.vmap(finished)(state).all(),
        jax.vmap(lambda one: shoot(policy, one)),
        state,
    )
    return state.legal, state.observation.shot_at


def games_of(policy, boards):
    legal, shot_at = jax.device_get(to_the_end(policy, jnp.asarray(boards)))
    assert legal.all()
    return shot_at


def padded(booked):
    """The same book with empty pages behind it, so that one program serves books of any length."""
    rows = 1024 << (len(booked.book.cell) >> 10).bit_length()
    cell, child, shots = (
        jnp.asarray(np.pad(page, [(0, rows - len(page))] + [(0, 0)] * (page.ndim - 1)))
        for page in map(np.asarray, booked.book)
    )
    return Booked(booked.game, booked.hunter, type(booked.book)(cell, child, shots))


def check_book(hunter, boards, shares):
    """Games with books of these lengths are those without; returns how long the books are."""
    expected = games_of(hunter, boards)
    sizes = []
    for games in shares:
        booked = written(hunter, games)
        np.testing.assert_array_equal(games_of(padded(booked), boards), expected)
        sizes.append(len(booked.book.cell))
    assert sizes == sorted(sizes)
    return sizes


def test_a_book_changes_no_shot():
    """The empty history alone, the common ones, nearly all."""
    hunter = over("probability", GAME, posterior="enumerate")
    sizes = check_book(hunter, oracles.random_boards(GAME, 100, seed=1), [1, 30, 10**6])
    assert sizes[0] == 1
    assert sizes[1] > 10
    assert sizes[2] > 300


RULED = [
    (rule, feedback)
    for rule in RULES
    for feedback in FEEDBACK
    if not (rule.startswith("lookahead") and feedback == "cells")
]
SLOW = [
    pytest.param(*one, marks=pytest.mark.slow) for one in RULED if one != ("information", "cells")
]


@pytest.mark.parametrize(("rule", "feedback"), [("information", "cells"), *SLOW])
def test_books_of_every_rule(rule, feedback):
    game = Game(GAME.size, GAME.fleet, feedback=feedback)
    boards = oracles.random_boards(game, 100, seed=2)
    (size,) = check_book(over(rule, game, posterior="enumerate"), boards, [1000])
    assert size > 20


@pytest.mark.slow
@pytest.mark.parametrize("feedback", ["size", "cells", "hit-name"])
def test_a_book_of_the_classic_game(feedback):
    game = Game(feedback=feedback)
    boards = oracles.random_boards(game, 8, seed=3)
    (size,) = check_book(over("probability", game), boards, [3000])
    assert size > 300


def common_histories(hunter, share):
    """Of all histories, those that at least this share of the layouts reach, in plain NumPy.

    Returns the cell fired at after each, by (cell, answer) pairs.
    """
    listing = Listing(hunter.game)
    tree = evaluate(listing, hunter, keep_tree=True).tree
    boards = listing.boards()
    reached = {}
    for board in boards:
        told, cells = (), []
        while (cell := tree.next_cell(play_history(hunter.game, board, cells))) is not None:
            reached.setdefault(told, [cell, 0])[1] += 1
            cells.append(cell)
            told = tuple(
                (shot.cell, shot.answer) for shot in play_history(hunter.game, board, cells)
            )
    return {told: cell for told, (cell, n) in reached.items() if n >= share * len(boards)}


def test_a_book_holds_the_common_histories():
    """Nearly those that the layouts say are common: the boards that say so are drawn."""
    hunter = over("probability", GAME, posterior="enumerate")
    book = jax.tree.map(np.asarray, written(hunter, 100).book)
    found, pages = {}, [((), 0)]
    for told, node in pages:
        cell = int(book.cell[node])
        found[told] = cell
        assert book.shots[node] == len(told)
        pages += [
            ((*told, (cell, code - 2)), int(child))
            for code, child in enumerate(book.child[node])
            if child >= 0
        ]
    assert len(pages) == len(book.cell), "every history is reached from the empty one"
    sure, possible = common_histories(hunter, 1.5 / 100), common_histories(hunter, 0.6 / 100)
    assert sure.items() <= found.items() <= possible.items()
    assert len(sure) > 10


def middle(game, count, seed):
    """Games broken off anywhere before their end, by shots that no hunter would choose."""
    rng = np.random.default_rng(seed)
    seen = []
    for board in oracles.random_boards(game, count, seed):
        order = oracles.random_order(game, board, rng, near=rng.random())
        end = oracles.shots_to_sink_all(board, order)
        seen.append(observation(game, board, order[: rng.integers(end)]))
    return seen


@jax.jit
def decide(policy, seen):
    """One decision of many games, none of which the hunter has played."""
    key = jax.random.key(0)
    return jax.vmap(lambda seen: policy.act(key, seen, policy.init(key))[0])(seen)


def test_a_book_opened_in_the_middle():
    """The hunter's own cell, wherever the game is taken over; −1 where no layout is left."""
    game = GAME
    hunter = over("probability", game, posterior="enumerate")
    booked = written(hunter, 1000)
    first = int(booked.book.cell[0])
    boards = oracles.random_boards(game, 8, seed=4)
    opened = [observation(game, board, [first]) for board in boards]
    deeper = [observation(game, board, [first, 0 if first else 1]) for board in boards]
    nothing = contradictions(game)
    seen = stacked([*opened, *deeper, *middle(game, 45, seed=5), *nothing])
    expected = np.asarray(decide(hunter, seen))
    assert (expected[-len(nothing) :] == -1).all()
    fired = expected[: -len(nothing)]
    assert (seen.mark[np.arange(len(fired)), fired] == UNFIRED).all()
    # A game in which nothing was shot yet opens the book, whatever it shows.
    found = np.asarray(decide(booked, seen))
    played = seen.shots > 0
    np.testing.assert_array_equal(found[played], expected[played])
    assert (found[~played] == first).all()


# --- whole runs --------------------------------------------------------------------------------


class Asked(list):
    """A list that may be a static field."""

    __hash__ = object.__hash__


class Prepares(Policy):
    """A hunter that is another one once it is prepared."""

    asked: list = eqx.field(static=True)

    def prepared(self, games):
        self.asked.append(games)
        return policies.make("density-lowest", self.game)

    def act(self, key, observation, carry):
        raise AssertionError("the prepared hunter plays")


def test_a_run_plays_the_prepared_hunter():
    game, asked = Game((5, 4), (3, 2, 2)), Asked()
    run = Run("mine", 300, game, seed=3)
    found = simulate(run, policy=Prepares(game, asked))
    assert asked == [300]
    assert found["policy"] == "mine"
    expected = simulate(run._replace(policy="density-lowest"))
    assert found["histogram"] == expected["histogram"]


class Unprepared(Greedy):
    """A greedy hunter without a book."""

    def prepared(self, games):
        return self


@pytest.mark.slow
def test_a_book_changes_no_run():
    game = GAME
    hunter = over("probability", game, posterior="enumerate")
    assert isinstance(hunter.prepared(300), Booked)
    plain = Unprepared(game, hunter.belief, hunter.rule)
    run, limits = Run("probability", 300, game, seed=4), Limits(slots=64)
    with_book, without = (
        simulate(run, policy=one, limits=limits)["histogram"] for one in (hunter, plain)
    )
    assert with_book == without


def test_the_book_needs_the_memory_of_its_hunter():
    hunter = over("probability", GAME, posterior="enumerate")
    booked = written(hunter, 2)
    assert booked.bytes_per_game == hunter.bytes_per_game > 0
    assert booked.lanes == hunter.lanes


# --- idle slots --------------------------------------------------------------------------------


def test_slots_without_a_task_start_nothing():
    """With two slots and three tasks, the seven tasks beyond are never begun."""
    stepped = []

    def step(state):
        number, left = state
        over = left <= 0
        jax.debug.callback(lambda n, o: None if o else stepped.append(int(n)), number, over)
        return number, jnp.where(over, left, left - 1)

    found = lockstep.run(
        lambda number: (number, 3 + number),
        step,
        lambda state: state[1] <= 0,
        lambda state: state[0],
        tasks=10,
        count=jnp.int32(3),
        slots=2,
        stride=2,
    )
    jax.effects_barrier()
    assert found.tolist() == [0, 1, 2, *[0] * 7]
    assert {number: stepped.count(number) for number in set(stepped)} == {0: 3, 1: 4, 2: 5}


class Watched(Policy):
    """Fires row by row, and reports what it is shown."""

    seen: list = eqx.field(static=True)

    def act(self, key, observation, carry):
        jax.debug.callback(
            lambda *row: self.seen.append(tuple(np.asarray(part).tolist() for part in row)),
            observation.mark,
            observation.shots,
        )
        return observation.shots.astype(jnp.int32), carry


def first_keys(games):
    """Keys of the first games of seed 0."""
    return streams.game_keys(jax.random.key(0), jnp.uint32(0), jnp.uint32(0), games)


@pytest.mark.parametrize(("slots", "count"), [(4, 6), (8, 3)])
def test_slots_without_a_game_show_a_closed_one(slots, count):
    """Every game is opened once, and slots that have none show a board without open cells."""
    game, seen = Game((3, 2), (2,)), Asked()
    boards = np.full((8, 6), -1, np.int8)
    for row, cells in enumerate([(0, 1), (4, 5), (1, 2), (2, 5), (0, 3), (3, 4), (1, 4), (0, 1)]):
        boards[row, list(cells)] = 0
    found = play(
        Watched(game, seen),
        jnp.asarray(boards),
        first_keys(8),
        jnp.int32(count),
        slots=slots,
        record=False,
    )
    jax.effects_barrier()
    last = 6 - np.argmax(boards[:, ::-1] >= 0, axis=1)
    assert found.shots.tolist() == [*last[:count].tolist(), *[0] * (8 - count)]
    assert found.legal.tolist() == [True] * count + [False] * (8 - count)
    opened = [mark for mark, shots in seen if shots == 0 and UNFIRED in mark]
    closed = [mark for mark, shots in seen if shots == 0 and UNFIRED not in mark]
    assert len(opened) == count
    assert all(mark == [WATER] * 6 for mark in closed)
    assert bool(closed) == (slots > count)


@cache
def counting(game):
    return over("information", game, posterior="exact")


eight_slots = quickly(partial(play, slots=8, record=True))


@pytest.mark.parametrize("count", [1, 7])
def test_idle_slots_change_no_counting_game(count):
    """Beside slots that hold no game the work list has less to do and says the same."""
    game = Game((4, 3), (3, 2))
    hunter = counting(game)
    boards = oracles.random_boards(game, 8, seed=7)
    whole, part = (
        jax.device_get(eight_slots(hunter, jnp.asarray(boards), first_keys(8), n))
        for n in (jnp.int32(8), jnp.int32(count))
    )
    assert whole.legal.all()
    np.testing.assert_array_equal(part.shot_at[:count], whole.shot_at[:count])
    np.testing.assert_array_equal(part.shots[:count], whole.shots[:count])
    assert not part.legal[count:].any()
    assert not part.shots[count:].any()
