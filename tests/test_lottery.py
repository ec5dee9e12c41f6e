"""A student as a lottery over its hunts: hunt by hunt, and the shares that suit it."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from bsjax.evaluate.tree import evaluate
from bsjax.game.game import Game
from bsjax.learn.hunter import Hunter, Latent
from bsjax.learn.lottery import as_player, lottery_of, weighed
from bsjax.learn.network import Network, Size
from bsjax.posterior.listed import Listing
from bsjax.solve.best_reply import finishing
from bsjax.solve.player import win_rates

GAME = Game((4, 4), (3, 2))
SHARES = np.array([0.2, 0.7, 0.1])


def opinionated(seed=3):
    """A network that follows paths more than anything else."""
    net = Network(jax.random.key(seed), Size(8, 2))
    return jax.tree.map(lambda x: x * 4, net)


def of_hunts(seed=4):
    """A hunter of three paths."""
    rng = np.random.default_rng(seed)
    paths = np.stack([rng.permutation(16) + 1 for _ in SHARES]).astype(np.int16)
    shares = jnp.asarray(np.cumsum(SHARES), jnp.float32)
    return Hunter(GAME, opinionated(), shares, jnp.asarray(paths))


def even(listing):
    return np.full(len(listing), 1 / len(listing))


def test_a_lottery_over_latents_is_played_as_game_by_game():
    """The pass over all hunts together against every hunt alone, turned in all ways."""
    listing = Listing(GAME)
    hunter, hider = Hunter(GAME, opinionated(), temperature=1.0), even(listing)
    player = as_player(hunter, listing, hider, "all", 5, seed=2)
    expected = np.zeros_like(player.finishing)
    for key in jax.random.split(jax.random.key(2), 5):
        shots = evaluate(listing, hunter.with_latent(hunter.init(key))).shots
        expected += finishing(listing, shots) / 5
    np.testing.assert_allclose(player.finishing, expected)
    with pytest.raises(ValueError, match="draw at least one"):
        as_player(hunter, listing, hider, "all", 0, seed=2)
    with pytest.raises(ValueError, match="the layouts are of"):
        as_player(hunter, Listing(Game((3, 3), (2, 2))), hider, "all", 5, seed=2)


def test_single_hunts_are_all_played_by_their_shares():
    """Nothing is drawn: the lottery is the student."""
    listing, hunter = Listing(GAME), of_hunts()
    found = lottery_of(hunter, listing, 1, seed=0)
    np.testing.assert_allclose(found.share, SHARES, atol=1e-6)
    expected = 0
    for path, share in zip(hunter.paths, SHARES, strict=True):
        fixed = hunter.with_latent(Latent(jnp.int32(0), path, jnp.uint32(0)))
        expected = expected + share * finishing(listing, evaluate(listing, fixed).shots)
    for latents in (1, 7):
        player = as_player(hunter, listing, even(listing), "all", latents, seed=latents)
        np.testing.assert_allclose(player.finishing, expected, atol=1e-6)


@pytest.mark.parametrize("tried", [0, 300])
def test_shares_are_found_that_do_better_on_the_worst_layout(tried):
    listing, hunter = Listing(GAME), of_hunts()
    hider = even(listing)

    def worst(hunter):
        player = as_player(hunter, listing, hider, "all", 1, seed=0)
        return win_rates(player, player.pace).min()

    better = weighed(hunter, listing, hider, tried=tried, seed=1)
    assert worst(better) > worst(hunter)
    assert better.shares[-1] == pytest.approx(1)
    np.testing.assert_array_equal(np.sort(better.paths, axis=1)[:, -1], 16)
    again = weighed(hunter, listing, hider, tried=tried, seed=1)
    np.testing.assert_array_equal(better.paths, again.paths)
    if tried:
        assert worst(better) > worst(weighed(hunter, listing, hider)) + 0.01


def test_moves_that_are_drawn_are_not_weighed():
    listing = Listing(GAME)
    with pytest.raises(ValueError, match="nothing to weigh"):
        weighed(Hunter(GAME, opinionated()), listing, even(listing))
