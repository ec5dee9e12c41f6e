"""Teachers against slow answers; lessons; a student learns from them."""

import json
from functools import partial

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import oracles
import pytest
from test_recipes import recipes_of

from bsjax import policies
from bsjax.evaluate.by_board import by_board
from bsjax.evaluate.tree import evaluate
from bsjax.game.game import Game
from bsjax.game.observation import UNFIRED, Observation
from bsjax.game.symmetry import cell_images
from bsjax.game.tokens import Shot
from bsjax.learn.distill import course_of, distill, players
from bsjax.learn.lessons import labelled, lessons, losses, opened, played_on
from bsjax.learn.network import SIZES, Network, Size
from bsjax.learn.step import Settings
from bsjax.learn.targets import ByRule, by_probability
from bsjax.learn.teachers import by_mixture, by_policy, taught
from bsjax.learn.train import Plan
from bsjax.posterior.beliefs import enumerated
from bsjax.posterior.listed import Listing
from bsjax.solve.best_reply import best_reply
from bsjax.solve.hunts import ByCells
from bsjax.solve.knowledge import build
from bsjax.solve.player import save
from bsjax.solve.recipes import rebuild, save_recipes
from bsjax.solve.written import alone

GAME = Game((3, 3), (2, 2))
NOWHERE = jnp.full(9, -1, jnp.int8)
"""A board that is not looked at."""
SIZES["least"] = Size(8, 2)
QUICK = Settings(network="least", games=64, rate=1e-2)


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    """A player of two different best replies."""
    graph = build(GAME, "all")
    listing, replies = graph.tables.listing, []
    late = np.arange(10.0) >= 7
    for credit in (-np.arange(10.0), -late.astype(float)):
        replies.append(alone(best_reply(graph, credit)))
    weights = np.array([0.7, 0.3])
    hider = np.where(replies[0].shots >= np.median(replies[0].shots), 2.0, 1.0)
    player = replies[0]._replace(
        hider=hider / hider.sum(),
        finishing=0.7 * replies[0].finishing + 0.3 * replies[1].finishing,
        weights=weights,
        hunts=[replies[0].hunts[0], replies[1].hunts[0]],
    )
    assert len(listing) == 44
    path = tmp_path_factory.mktemp("player") / "two.npz"
    save(player, path)
    return path


def observation(planes):
    return Observation(**{name: jnp.asarray(plane) for name, plane in planes.items()})


def history(game, board, shots):
    answers = oracles.Known(game)
    told = []
    for shot, truth in zip(shots, oracles.truths(game, board, shots), strict=True):
        answers.fire(shot, truth)
        told.append(Shot(shot, answers.answer[shot]))
    return told, answers.planes()


# --- teachers ------------------------------------------------------------------------------------


@pytest.mark.parametrize("weighted", [False, True])
def test_a_rule_is_taught_with_the_posterior_of_its_hider(weighted):
    """Heat maps and choices against a replay of all layouts."""
    game = Game((4, 4), (3, 2))
    listing, rng = Listing(game), np.random.default_rng(1)
    weights = rng.random(len(listing)) if weighted else np.ones(len(listing))
    belief = enumerated(game, weights if weighted else None)
    teacher = by_probability(game, belief)
    label = jax.jit(lambda seen: teacher.label(jax.random.key(0), seen, ())[0])
    cells = listing.boards() >= 0
    for board in oracles.random_boards(game, 25, seed=2):
        order = oracles.random_order(game, board, rng, near=0.5)
        fired = order[: rng.integers(oracles.shots_to_sink_all(board, order))]
        told, planes = history(game, board, fired)
        left = listing.after(tuple(told), weights)
        share = np.bincount(left.row, left.weight, minlength=len(listing))
        heat = share @ cells / share.sum()
        found = label(observation(planes))
        assert found.known
        assert found.seen
        np.testing.assert_allclose(found.heat, heat, atol=1e-5)
        free = np.where(planes["mark"] == UNFIRED, heat, -1)
        best = np.isclose(free, free.max(), atol=1e-9)
        np.testing.assert_allclose(found.moves, best / best.sum(), atol=1e-6)


def test_boards_teach_the_posterior():
    """The mean over all layouts of what their boards say is the posterior, in both labels."""
    game = Game((4, 4), (3, 2))
    found = taught(game, "probability", "boards")
    boards = Listing(game).boards()
    teacher = found.teacher
    exact = by_probability(game, enumerated(game))
    rng = np.random.default_rng(4)
    label = jax.jit(lambda seen, board: teacher.label(jax.random.key(0), seen, board)[0])
    for board in oracles.random_boards(game, 8, seed=5):
        order = oracles.random_order(game, board, rng, near=0.5)
        fired = order[: rng.integers(oracles.shots_to_sink_all(board, order))]
        told, planes = history(game, board, fired)
        seen = observation(planes)
        left = Listing(game).after(tuple(told), np.ones(len(boards)))
        begun = [teacher.begin(jnp.int32(0), jnp.asarray(boards[row])) for row in left.row]
        said = jax.vmap(partial(label, seen))(jnp.stack(begun))
        weight = np.asarray(left.weight) / left.weight.sum()
        truth, _ = exact.label(jax.random.key(0), seen, ())
        np.testing.assert_allclose(weight @ said.heat, truth.heat, atol=1e-5)
        free = np.where(planes["mark"] == UNFIRED, truth.heat, 0)
        np.testing.assert_allclose(weight @ said.moves, free / free.sum(), atol=1e-5)
        assert said.known.all()
        assert said.seen.all()


def test_boards_teach_one_rule_only():
    with pytest.raises(ValueError, match="boards teach the probability rule"):
        taught(GAME, "information", "boards")
    with pytest.raises(ValueError, match="boards teach the probability rule"):
        taught(GAME, "probability", "boards", 10)


def test_a_student_of_boards_hunts_well(tmp_path):
    """It finds the ships of 4×4 nearly as fast as the exact rule, and knows how likely they are."""
    game = Game((4, 4), (3, 2))
    found = taught(game, "probability", "boards")
    settings = QUICK._replace(network="swift", games=256, rate=2e-2, student=1.0, grown=1e-6)
    plan = Plan(minutes=None, steps=240, tests=2, boards=64)
    told = distill(found, settings, plan, tmp_path / "run", games=500).measures
    assert told["paired"]["difference"] < 0.6
    assert told["mapped"]["error"] < 0.08


def test_weights_of_layouts_are_checked():
    with pytest.raises(ValueError, match="3 weights for"):
        enumerated(GAME, np.ones(3))


def test_the_hunts_of_a_mixture_vote(file):
    """Against the hunts themselves, asked one by one what they fire after the same history."""
    found = by_mixture(file, coded=False)
    assert found.player is not None
    listing = Listing(GAME)
    trees = [evaluate(listing, ByCells(hunt), keep_tree=True).tree for hunt in found.player.hunts]
    teacher = found.teacher
    label, after = eqx.filter_jit(teacher.label), eqx.filter_jit(teacher.after)
    rng, split = np.random.default_rng(3), 0
    for board in listing.boards():
        carry, told = teacher.begin(jnp.int32(0), NOWHERE), oracles.Known(GAME)
        shots, order = [], []
        while len({*np.flatnonzero(board >= 0)} - {*order}) > 0:
            seen = observation(told.planes())
            said, thoughts = label(jax.random.key(0), seen, carry)
            votes = np.zeros(9)
            for tree, weight in zip(trees, (0.7, 0.3), strict=True):
                assert tree is not None
                fires = _fires(tree, shots)
                if fires is not None:
                    votes[fires] += weight
            assert votes.sum() > 0
            np.testing.assert_allclose(said.moves, votes / votes.sum(), atol=1e-6)
            split += (votes > 0).sum() > 1
            cell = int(rng.choice(np.flatnonzero(votes)))
            truth = list(oracles.truths(GAME, board, [*order, cell]))[-1]
            told.fire(cell, truth)
            shots.append(Shot(cell, told.answer[cell]))
            order.append(cell)
            carry = after(observation(told.planes()), jnp.int32(cell), carry, thoughts)
    assert split > 10


def _fires(tree, shots):
    """The cell a stored hunt fires after these shots, None if it would not have fired them."""
    for number, shot in enumerate(shots):
        if tree.next_cell(tuple(shots[:number])) != shot.cell:
            return None
    return tree.next_cell(tuple(shots))


def test_off_its_path_a_mixture_falls_back_on_the_likeliest_ship(file):
    found = by_mixture(file, coded=False)
    teacher = found.teacher
    carry = teacher.begin(jnp.int32(0), NOWHERE)
    told = oracles.Known(GAME)
    said, thoughts = teacher.label(jax.random.key(0), observation(told.planes()), carry)
    cell = int(np.flatnonzero(np.asarray(said.moves) == 0)[0])
    told.fire(cell, oracles.Truth(False, False, -1, frozenset()))
    seen = observation(told.planes())
    carry = teacher.after(seen, jnp.int32(cell), carry, thoughts)
    assert not carry.weight.any()
    said, _ = teacher.label(jax.random.key(0), seen, carry)
    assert said.known
    assert said.moves.max() == 1
    assert said.moves.argmax() == jnp.where(seen.mark == UNFIRED, said.heat, -1).argmax()


def test_hunts_are_told_apart_by_their_paths(file):
    """Lessons of single hunts: every move is certain, and both hunts are met."""
    course = course_of(by_mixture(file, coded=True))
    assert course.temperature == 0
    slots = opened(course, jax.random.key(1), jnp.int32(0), 64)
    label, _ = labelled(course, jax.random.key(2), slots)
    assert (label.moves.max(1) == 1).all()
    assert len(np.unique(np.asarray(slots.path), axis=0)) == 2


def test_a_policy_is_taught_while_the_game_is_its_own():
    found = by_policy(policies.make("hunt-target", GAME), "hunt-target", hunts=3)
    teacher = found.teacher
    assert not teacher.anywhere
    told = oracles.Known(GAME)
    carry = teacher.begin(jnp.int32(2), NOWHERE)
    again = teacher.begin(jnp.int32(2), NOWHERE)
    said, thoughts = teacher.label(jax.random.key(0), observation(told.planes()), carry)
    same, _ = teacher.label(jax.random.key(9), observation(told.planes()), again)
    np.testing.assert_array_equal(said.moves, same.moves)
    own = int(said.moves.argmax())
    for cell, known in ((own, True), ((own + 1) % 9, False)):
        told = oracles.Known(GAME)
        told.fire(cell, oracles.Truth(False, False, -1, frozenset()))
        seen = observation(told.planes())
        after = teacher.after(seen, jnp.int32(cell), carry, thoughts)
        assert bool(teacher.label(jax.random.key(0), seen, after)[0].known) == known


def test_hunts_from_recipes_teach(tmp_path):
    """In their own game a hunt is played as its tree says; missing hunts are told of."""
    recipes, hunts = recipes_of(Game((4, 3), (3, 2)))
    path = tmp_path / "mix.recipes"
    save_recipes(path, recipes)
    with pytest.raises(ValueError, match="lacks 3 of 3 hunts"):
        taught(recipes.game, str(path), hunts=5)
    rebuild(recipes, tmp_path / "mix.hunts")
    found = taught(recipes.game, str(path), hunts=5)
    assert found.told["hunts"] == 5
    assert found.told["teacher"].startswith("hunts mix.recipes ")
    course = course_of(found)
    assert course.temperature == 0
    slots = opened(course, jax.random.key(1), jnp.int32(0), 64)
    label, _ = labelled(course, jax.random.key(2), slots)
    assert (label.moves.max(1) == 1).all()
    firsts = {int(hunt.cells[0]) for hunt in hunts}
    images = cell_images(recipes.game.size)
    turned = {int(image[cell]) for image in images for cell in firsts}
    assert {*np.asarray(label.moves.argmax(1)).tolist()} <= turned
    inside = taught(Game((4, 3), (4, 3, 2)), str(path), hunts=2)
    course = course_of(inside)
    assert course.temperature == 1, "a path does not tell what comes after a hit"
    slots = opened(course, jax.random.key(1), jnp.int32(0), 8)
    label, _ = labelled(course, jax.random.key(2), slots)
    assert label.known.all()


# --- lessons -------------------------------------------------------------------------------------


def test_games_of_the_teacher_finish_as_his_player_does(file):
    """Drawn move by move from the votes, a mixture finishes on every layout as it should."""
    found = by_mixture(file, coded=False)
    assert found.player is not None
    course = course_of(found)
    listing, count = Listing(GAME), 44 * 400
    step = jax.jit(partial(_one_step, course))
    slots = opened(course, jax.random.key(3), jnp.int32(0), count)
    # Every layout equally often; and no game is replaced, since the rows are remembered.
    board = jnp.asarray(np.tile(listing.boards(), (400, 1)))
    slots, shots = slots._replace(board=board), np.zeros(count)
    alive = np.ones(count, bool)
    for number in range(9):
        shots += alive
        slots = step(jax.random.fold_in(jax.random.key(4), number), slots)
        alive &= ~np.asarray(slots.over)
    assert not alive.any()
    shots = shots.reshape(400, 44)
    # A hunt that is not turned, against the mean over turned layouts: compare the grand mean.
    exact = found.player.shots.mean()
    assert abs(shots.mean() - exact) < 5 * shots.std() / np.sqrt(shots.size)


def _one_step(course, key, slots):
    label, thoughts = labelled(course, key, slots)
    scores = jnp.zeros((len(slots.over), 9))
    after = played_on(course, key, slots, label, thoughts, scores, jnp.float32(0), jnp.int32(0))
    over = slots.over | (after.board != slots.board).any(1) | (after.observation.shots == 0)
    kept = jax.tree.map(
        lambda new, old: jnp.where(over.reshape(-1, *(1,) * (old.ndim - 1)), old, new),
        after,
        slots,
    )
    return kept._replace(over=over | after.over)


def test_losses_are_those_of_plain_numpy():
    game = Game((4, 4), (3, 2))
    course = course_of(taught(game, "probability"), turns=False)
    network = Network(jax.random.key(5), Size(8, 2))
    slots = opened(course, jax.random.key(6), jnp.int32(0), 6)
    label, _ = labelled(course, jax.random.key(7), slots)
    lesson = lessons(course, jax.random.key(8), slots, label)
    found, scores, odds = losses(network, course, lesson)
    share = np.exp(scores) / np.exp(scores).sum(1, keepdims=True)
    moves, heat = np.asarray(label.moves), np.asarray(label.heat)
    assert float(found.moves) == pytest.approx(-(moves * np.log(share)).sum(), rel=1e-5)
    chance = 1 / (1 + np.exp(-np.asarray(odds)))
    cross = -(heat * np.log(chance) + (1 - heat) * np.log(1 - chance))
    assert float(found.heat) == pytest.approx(cross.mean(1).sum(), rel=1e-5)
    assert float(found.overlap) == pytest.approx(np.minimum(share, moves).sum(), rel=1e-5)
    assert float(found.lessons) == float(found.maps) == 6


def test_turned_lessons_say_the_same():
    """The label of a turned observation is the turned label, and scores come back unturned."""
    game = Game((4, 4), (3, 2))
    found = taught(game, "probability")
    course = course_of(found, turns=True)
    slots = opened(course, jax.random.key(1), jnp.int32(0), 16)
    network = Network(jax.random.key(2), Size(8, 2))
    for number in range(5):
        key = jax.random.fold_in(jax.random.key(3), number)
        label, thoughts = labelled(course, key, slots)
        lesson = lessons(course, key, slots, label)
        assert isinstance(found.teacher, ByRule)
        again, _ = jax.vmap(partial(found.teacher.label, key, carry=()))(lesson.observation)
        np.testing.assert_allclose(lesson.label.moves, again.moves, atol=1e-6)
        np.testing.assert_allclose(lesson.label.heat, again.heat, atol=1e-6)
        _, scores, _ = losses(network, course, lesson)
        np.testing.assert_array_equal(np.isneginf(scores), slots.observation.mark != UNFIRED)
        slots = played_on(
            course, key, slots, label, thoughts, scores, jnp.float32(0.5), jnp.int32(0)
        )


# --- training ------------------------------------------------------------------------------------


def test_a_student_learns(file, tmp_path):
    """Much better than random in a few steps, judged exactly, beside its teacher."""
    found = by_mixture(file, coded=False)
    plan = Plan(minutes=None, steps=160, tests=2, boards=64)
    done = distill(found, QUICK, plan, tmp_path / "run", games=200)
    random = by_board(
        jax.random.key(1), policies.make("random", GAME), Listing(GAME).boards(), 50
    ).sum(0)
    student, teacher = players(found, done.hunter, latents=64)
    assert teacher is not None
    chance = random @ np.arange(10) / random.sum()
    gap = chance - teacher.shots.mean()
    assert student.shots.mean() < teacher.shots.mean() + 0.3 * gap
    np.testing.assert_allclose(student.finishing.sum(1), 1)
    told = done.measures
    assert told["mapped"]["overlap"] > 0.5
    assert sum(told["mapped"]["cells"]) > 0
    assert told["paired"]["games"] == 200
    lines = (tmp_path / "run" / "metrics.jsonl").read_text().splitlines()
    assert [json.loads(line)["step"] for line in lines] == list(range(8, 161, 8))
    assert all(np.isfinite(list(json.loads(line).values())).all() for line in lines)
