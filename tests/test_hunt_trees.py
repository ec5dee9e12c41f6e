"""Written hunts as compact trees: replayed on every layout, as files, and one step at a time."""

from functools import cache, partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from bsjax import hide
from bsjax.evaluate import hunt_trees
from bsjax.evaluate.hunt_trees import digest, grown, load, loaded, save, stack
from bsjax.evaluate.tree import evaluate
from bsjax.game.game import Game
from bsjax.game.symmetry import cell_images
from bsjax.play.games import play
from bsjax.play.replay import boards_of, shot_order
from bsjax.play.simulate import Simulator
from bsjax.policies import trees as trees_module
from bsjax.policies.by_trees import ByTrees, answer_of
from bsjax.policies.trees import LOST, HuntTree, cell, stacked, step
from bsjax.posterior.listed import Listing
from bsjax.runtime import streams
from bsjax.runtime.memory import Bucket
from bsjax.solve.by_trial import ByTrial, Style
from bsjax.solve.hunts import ByCells, Writing

GAMES = [
    Game((3, 3), (2, 2)),
    Game((4, 2), (2, 1)),
    Game((5, 2), (3, 2, 1)),
    Game((4, 4), (3, 3, 2)),
    Game((5, 4), (4, 3), "none"),
    Game((3, 3), (3, 3, 3)),
]
"""The last one has layouts that no shots tell apart: three rows or three columns."""


@cache
def written(game, hunts=3):
    """Some hunts as cells, and when they finish."""
    listing, rng, found = Listing(game), np.random.default_rng(2), []
    for number in range(hunts):
        belief = np.exp(rng.standard_normal(len(listing)))
        style = Style(int(rng.integers(game.cells)), 0.25 * number, 1)
        writing = Writing(ByTrial(listing, belief, np.zeros(game.cells + 1), style))
        shots = evaluate(listing, writing).shots
        found.append((writing.written(), shots))
    return found


@cache
def made(game):
    return [grown(Listing(game), ByCells(cells))[0] for cells, _ in written(game)]


def replayed(trees, listing, rows=slice(None)):
    """Shots of each hunt of a stack on every layout, not turned, all layouts in lockstep."""
    boards = jnp.asarray(listing.boards(rows))
    keys, count = jax.random.split(jax.random.key(0), len(boards)), jnp.int32(len(boards))
    playing = jax.jit(partial(play, slots=64, record=False))
    found = []
    for hunt in range(len(trees.root)):
        weights = np.eye(len(trees.root))[hunt]
        played = playing(ByTrees.of(trees, weights, turned=False), boards, keys, count)
        assert np.asarray(played.legal).all()
        found.append(np.asarray(played.shots))
    return found


@pytest.mark.parametrize("game", GAMES, ids=str)
def test_a_replay_finishes_every_layout_as_evaluated(game):
    listing = Listing(game)
    for shots, (_, expected) in zip(
        replayed(stack(listing, made(game)), listing), written(game), strict=True
    ):
        np.testing.assert_array_equal(shots, expected)


@pytest.mark.slow
def test_a_replay_of_a_large_hunt():
    listing = Listing(Game((8, 8), (3, 3, 2)))
    style = Style(27, 0.0, 1)
    hunt = ByTrial(listing, np.ones(len(listing)), np.zeros(65), style)
    tree, shots = grown(listing, hunt)
    np.testing.assert_array_equal(replayed(stack(listing, [tree]), listing)[0], shots)


@pytest.mark.parametrize("game", GAMES[:4], ids=str)
def test_every_step_is_that_of_the_tree_pass(game):
    """Of the whole tree, against the nodes and sets of layouts kept by the pass itself."""
    listing = Listing(game)
    kept = evaluate(listing, ByCells(written(game)[1][0]), keep_tree=True).tree
    trees = stack(listing, made(game))
    kinds, answers = answer_of(game), 2 + len(game.lengths)
    number = {0: int(trees.root[1])}
    stepping = jax.jit(jax.vmap(step, in_axes=(None, None, 0)))
    image, nothing = jnp.arange(game.cells), jnp.zeros(game.cells, bool)
    for node in range(len(kept)):
        if kept.cell[node] < 0:
            continue
        after = np.asarray(
            stepping(trees, jnp.int32(number[node]), jnp.arange(answers, dtype=jnp.int32))
        )
        assert int(cell(trees, jnp.int32(number[node]), image, nothing)) == kept.cell[node]
        children = range(kept.first[node], kept.first[node] + kept.children[node])
        told = {int(kinds[kept.answer[child] + 1]): child for child in children}
        for answer in range(answers):
            if answer not in told:
                assert after[answer] == LOST
            elif kept.cell[told[answer]] >= 0:
                number[told[answer]] = int(after[answer])
            else:
                assert after[answer] == -1 - kept.row[told[answer]]
    assert len(set(number.values())) == len(number) == (kept.cell >= 0).sum()


def test_a_layout_alone_and_a_hunt_that_is_lost():
    game = GAMES[0]
    listing, trees = Listing(game), stack(Listing(game), made(game))
    image, nothing = jnp.asarray(cell_images(game.size)[3]), jnp.zeros(game.cells, bool)
    alone = jnp.int32(-1 - 4)
    ships = np.sort(listing.cells[:, 4]).astype(int)
    assert int(step(trees, alone, jnp.int32(1))) == int(alone)
    assert int(step(trees, alone, jnp.int32(2))) == int(alone)
    assert int(step(trees, alone, jnp.int32(0))) == LOST
    assert int(step(trees, jnp.int32(LOST), jnp.int32(1))) == LOST
    fired = nothing
    for ship_cell in ships:
        assert int(cell(trees, alone, image, fired)) == int(image[ship_cell])
        fired = fired.at[int(image[ship_cell])].set(True)
    assert int(cell(trees, alone, image, fired)) == -1
    assert int(cell(trees, jnp.int32(LOST), image, nothing)) == -1


def test_games_are_hunts_by_weight_turned():
    game, games, weights = GAMES[3], 400, np.array([1.0, 0.0, 3.0])
    listing = Listing(game)
    policy, hider = ByTrees.of(stack(listing, made(game)), weights), hide.make("uniform", game)
    simulator = Simulator(policy, hider, 5, Bucket(512, 64), shots=True, record=True)
    batches = list(simulator.play(0, games))
    boards = boards_of(hider, 5, 0, games)
    keys = streams.game_keys(jax.random.key(5), jnp.uint32(0), jnp.uint32(0), games)
    openings = jax.vmap(lambda key: streams.stream(key, streams.OPENING))(keys)
    root, symmetry, _ = jax.vmap(policy.init)(openings)
    hunt = np.searchsorted(np.asarray(policy.trees.root), np.asarray(root))
    row = {board.tobytes(): at for at, board in enumerate(listing.boards() >= 0)}
    shots = np.concatenate([batch.shots for batch in batches])
    fired = [shot_order(order) for batch in batches for order in batch.shot_at]
    for game_number in range(games):
        image = cell_images(game.size)[symmetry[game_number]].astype(int)
        own = (boards[game_number][image] >= 0).tobytes()
        if len(row) == len(listing):
            assert shots[game_number] == written(game)[hunt[game_number]][1][row[own]]
        assert fired[game_number][0] == image[written(game)[hunt[game_number]][0][0]]
    share = weights / weights.sum()
    often = np.bincount(hunt, minlength=3) / games
    assert (np.abs(often - share) <= 5 * np.sqrt(share * (1 - share) / games)).all()
    turned = np.bincount(np.asarray(symmetry), minlength=8) / games
    assert (np.abs(turned - 1 / 8) <= 5 * np.sqrt(7 / 64 / games)).all()


def test_files_are_mapped_and_any_of_them_are_loaded(tmp_path):
    game = GAMES[3]
    listing, own = Listing(game), made(game)
    paths = [tmp_path / f"{number}.hunt" for number in range(3)]
    for tree, path in zip(own, paths, strict=True):
        save(tree, path)
        again = load(path)
        assert again.game == game
        assert isinstance(again.cell, np.memmap)
        assert digest(again) == digest(tree)
        assert path.stat().st_size == 512 + tree.bytes
        assert tree.bytes == 3 * len(tree.cell) + 4 * len(tree.layout)
        for mine, other in zip(tree[2:], again[2:], strict=True):
            np.testing.assert_array_equal(mine, other)
    few = loaded(listing, paths[1:])
    for shots, (_, expected) in zip(replayed(few, listing), written(game)[1:], strict=True):
        np.testing.assert_array_equal(shots, expected)
    assert len({digest(tree) for tree in own}) == 3


def test_a_game_of_one_layout_decides_nothing(tmp_path):
    game = Game((2, 1), (2,))
    listing = Listing(game)
    tree, shots = grown(listing, ByCells(np.zeros(0, np.uint8)))
    save(tree, tmp_path / "one.hunt")
    trees = loaded(listing, [tmp_path / "one.hunt"])
    np.testing.assert_array_equal(replayed(trees, listing)[0], shots)


def test_faults_are_said_in_one_line(tmp_path, monkeypatch):
    game = GAMES[0]
    listing, (first, *_) = Listing(game), made(game)
    path = tmp_path / "a.hunt"
    save(first, path)
    whole = path.read_bytes()
    for wrong in (whole[:-1], whole + b"0", whole[:-1] + b"\1", b"{}" + whole[2:], b"", b"[]\n"):
        path.write_bytes(wrong)
        with pytest.raises(ValueError, match=r"a\.hunt holds no hunt .*write it again") as fault:
            load(path)
        assert "\n" not in str(fault.value)
    other = Listing(GAMES[3])
    with pytest.raises(ValueError, match="not made for the layouts"):
        stack(other, [first])
    with pytest.raises(ValueError, match="stack one or more"):
        stack(listing, [])
    with pytest.raises(ValueError, match="stack one or more"):
        stacked([first, first._replace(listing="of another order")], listing.cells.T)
    with pytest.raises(ValueError, match="for feedback size"):
        grown(Listing(Game((3, 3), (2, 2), feedback="name")), ByCells(np.zeros(0, np.uint8)))
    with pytest.raises(ValueError, match="a weight of 0 or more for each hunt"):
        ByTrees.of(stack(listing, [first]), np.ones(2))
    monkeypatch.setattr(trees_module, "MOST", len(first.cell))
    with pytest.raises(ValueError, match="int32 numbers fewer"):
        stack(listing, [first])


def test_hunts_that_do_not_count_are_written_down_too():
    from bsjax.evaluate.fixed_hunts import ByPolicy
    from bsjax.policies import make

    game = GAMES[3]
    listing = Listing(game)
    tree, shots = grown(listing, ByPolicy(listing, make("density-lowest", game)))
    assert isinstance(tree, HuntTree)
    np.testing.assert_array_equal(replayed(stack(listing, [tree]), listing)[0], shots)
    assert hunt_trees.digest(tree) not in {digest(other) for other in made(game)}
