"""Written hunts in the simulator: shot for shot as their trees say, drawn as their weights say."""

from functools import cache

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from test_loop import any_player

from bsjax import hide
from bsjax.evaluate.massive import Run, simulate
from bsjax.evaluate.tree import evaluate
from bsjax.game.game import Game
from bsjax.game.replay import play_history
from bsjax.game.symmetry import cell_images
from bsjax.hide import Listed
from bsjax.play.replay import boards_of, replay, shot_order
from bsjax.play.simulate import Simulator
from bsjax.policies.mixture import Mixture
from bsjax.posterior.listed import Listing
from bsjax.runtime import streams
from bsjax.runtime.memory import Bucket
from bsjax.solve.hunts import ByCells
from bsjax.solve.playable import playable
from bsjax.solve.player import load, save

GAMES = [Game((3, 3), (2, 2)), Game((4, 2), (2, 1)), Game((5, 2), (3, 2, 1))]
SEED = 5


@cache
def player_of(game):
    return any_player(game, 8, hunts=4)


def drawn(mixture, games):
    """Hunt and symmetry of each game, from the keys that `bsjax.play` gives it."""
    key = jax.random.key(SEED)

    def opening(number):
        own = streams.game_key(key, jnp.uint32(0), jnp.uint32(0), number)
        return mixture.init(streams.stream(own, streams.OPENING))[:2]

    root, symmetry = jax.vmap(opening)(jnp.arange(games, dtype=jnp.uint32))
    return np.searchsorted(np.asarray(mixture.root), np.asarray(root)), np.asarray(symmetry)


@pytest.mark.parametrize("game", GAMES, ids=str)
def test_every_game_is_a_written_hunt_turned(game):
    player, games = player_of(game), 120
    mixture, hider = playable(player), hide.make("uniform", game)
    simulator = Simulator(mixture, hider, SEED, Bucket(64, 16), shots=True, record=True)
    batches = list(simulator.play(0, games))
    fired = [shot_order(row) for batch in batches for row in batch.shot_at]
    boards = boards_of(hider, SEED, 0, games)
    listing = Listing(game)
    played = [evaluate(listing, ByCells(hunt), keep_tree=True) for hunt in player.hunts]
    row = {board.tobytes(): at for at, board in enumerate(listing.boards() >= 0)}
    # Ships that lie alike may be told apart: any layout with these cells and this tree will do.
    seen = set()
    for number, (hunt, symmetry) in enumerate(zip(*drawn(mixture, games), strict=True)):
        image = cell_images(game.size)[symmetry].astype(int)
        # The board as the hunt sees it: cell c of it is turned into image[c].
        board, tree = boards[number][image], played[hunt].tree
        cells = np.argsort(image)[fired[number]].tolist()
        history = play_history(game, board, cells)
        told = [tree.next_cell(history[:shots]) for shots in range(len(cells) + 1)]
        assert told == [*cells, None]
        shots = played[hunt].shots[row[(board >= 0).tobytes()]] if len(row) == len(listing) else 0
        assert shots in (0, len(cells))
        seen.add((int(hunt), int(symmetry)))
    assert len(seen) >= 12
    for number in (0, 1, 17):
        board, cells = replay(mixture, hider, SEED, number)
        assert (board == boards[number]).all()
        assert cells == fired[number]


def test_hunts_and_symmetries_are_drawn_as_often_as_they_should():
    player, games = player_of(GAMES[0]), 40_000
    hunt, symmetry = drawn(playable(player), games)
    seen = np.zeros((4, 8))
    np.add.at(seen, (hunt, symmetry), 1 / games)
    share = player.weights[:, None] / 8
    assert (np.abs(seen - share) <= 5 * np.sqrt(share * (1 - share) / games)).all()
    # A hunt without weight is never drawn, wherever it stands.
    for weights in ([0, 1, 2, 0], [0, 0, 0, 3], [1, 0, 0, 0]):
        few = playable(player._replace(weights=np.array(weights, float)))
        often = np.bincount(drawn(few, 2_000)[0], minlength=4)
        assert (often[np.array(weights) == 0] == 0).all()
        assert (often[np.array(weights) > 0] > 600).all()


@pytest.mark.parametrize("game", [GAMES[0], GAMES[2]], ids=str)
def test_games_end_as_the_player_says(game, tmp_path):
    save(player_of(game), tmp_path / "player.npz")
    player, games = load(tmp_path / "player.npz"), 4_000
    mixture, listing = playable(player), Listing(game)
    rows = np.random.default_rng(9).choice(len(listing), 3, replace=False)
    cases = [(listing.layouts[[row]], None, player.finishing[row]) for row in rows]
    # All layouts at once, hidden as the player hides: his pace.
    cases.append((listing.layouts, player.hider.astype(np.float32), player.pace))
    for layouts, weights, share in cases:
        hider = Listed(game, layouts, weights)
        run = Run("player", games=games, game=game, hider="listed", seed=SEED)
        told = np.array(simulate(run, hider=hider, policy=mixture)["histogram"]) / games
        assert np.all(np.abs(told - share) <= 5 * np.sqrt(share * (1 - share) / games) + 1e-9)


def test_faults_are_said_in_one_line():
    player = player_of(GAMES[0])
    with pytest.raises(ValueError, match="without hunts"):
        playable(player._replace(weights=np.zeros(0), hunts=[]))
    with pytest.raises(ValueError, match="a weight of 0 or more for each hunt"):
        playable(player._replace(weights=np.zeros(4)))
    with pytest.raises(ValueError, match="a weight of 0 or more for each hunt"):
        playable(player._replace(weights=np.ones(3)))
    with pytest.raises(ValueError, match="no hunt of this game"):
        playable(player._replace(game=Game((3, 3), (3, 2))))
    short, long = player.hunts[0][:-1], np.append(player.hunts[0], np.uint8(0))
    for wrong in (short, long):
        with pytest.raises(ValueError, match="no hunt of this game"):
            playable(player._replace(hunts=[*player.hunts[:3], wrong]))
    one = Game((2, 1), (2,))
    with pytest.raises(ValueError, match="one layout"):
        playable(player._replace(game=one, weights=np.ones(1), hunts=[np.zeros(0, np.uint8)]))
    mixture = playable(player)
    parts = [np.asarray(part) for part in (mixture.cell, mixture.leads, mixture.layouts)]
    told = Game((3, 3), (2, 2), feedback="cells")
    with pytest.raises(ValueError, match="for feedback size"):
        Mixture.of(told, *parts, np.asarray(mixture.root), np.ones(4))
