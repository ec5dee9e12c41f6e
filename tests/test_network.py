"""The network against plain loops, and as a hunter: legal, deterministic, the same by latent."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import oracles
import pytest

from bsjax.evaluate.by_board import by_board
from bsjax.evaluate.tree import evaluate
from bsjax.game.game import PRESETS, Game
from bsjax.game.observation import Observation, blank
from bsjax.game.symmetry import cell_images
from bsjax.learn.features import LINE, NUMBERS, PLANES, features
from bsjax.learn.hunter import Hunter, Latent, judged
from bsjax.learn.network import REACH, SIZES, Network, Size, along
from bsjax.policies.playing import finished, shoot, start
from bsjax.posterior.listed import Listing

SMALL = Game((4, 4), (3, 2))
SMALLEST = Size(8, 2)


def network(seed=0, size=SMALLEST, **options):
    return Network(jax.random.key(seed), size, **options)


def with_larger_heads(net):
    """A fresh network has nearly equal scores; this one has opinions."""
    return jax.tree.map(lambda x: x * 4 if x.shape[-1:] == (2,) else x, net)


def slow(net, planes, numbers, line, width):
    """The network with loops over the cells, in float64."""

    def dense(layer, x):
        return x @ np.asarray(layer.weight, float) + np.asarray(layer.bias, float)

    def along(board, kernel, row, column, down, right):
        total = np.zeros(board.shape[2])
        for tap, away in enumerate(range(-REACH, REACH + 1)):
            r, c = row + away * down, column + away * right
            if 0 <= r < board.shape[0] and 0 <= c < board.shape[1]:
                total += board[r, c] * np.asarray(kernel[tap], float)
        return total

    board = np.asarray(planes, float).T.reshape(-1, width, len(PLANES))
    beside = numbers.astype(float)
    height = board.shape[0]
    places = [(r, c) for r in range(height) for c in range(width)]
    x = np.zeros((height, width, net.size.width))
    for r, c in places:
        where = np.array([r / max(height - 1, 1), c / max(width - 1, 1), 1.0])
        seen = dense(net.stem, board[r, c]) + dense(net.place, where) + dense(net.beside, beside)
        if line is not None:
            seen = seen + dense(net.line, line[:, r * width + c].astype(float))
        x[r, c] = np.maximum(seen, 0)
    for block in net.blocks:
        whole = dense(block.board, np.concatenate([x.mean((0, 1)), beside]))
        new = x.copy()
        for r, c in places:
            mixed = along(x, block.lines.row, r, c, 0, 1) + whole
            mixed += along(x, block.lines.column, r, c, 1, 0)
            new[r, c] += dense(block.out, np.maximum(mixed, 0))
        x = new
    return np.array([dense(net.heads, x[place]) for place in places]).T


@pytest.mark.parametrize("path", [False, True])
@pytest.mark.parametrize("size", [(10, 10), (5, 3), (1, 6), (16, 16)])
def test_the_network_is_what_the_loops_say(size, path):
    net, rng = network(1, Size(6, 3)), np.random.default_rng(2)
    planes = rng.normal(size=(len(PLANES), size[0] * size[1])).astype(np.float32)
    numbers = rng.normal(size=len(NUMBERS)).astype(np.float32)
    line = rng.normal(size=(len(LINE), planes.shape[1])).astype(np.float32) if path else None
    found = net(
        jnp.asarray(planes),
        jnp.asarray(numbers),
        None if line is None else jnp.asarray(line),
        size[0],
    )
    expected = slow(net, planes, numbers, line, size[0])
    np.testing.assert_allclose(np.stack(found), expected, rtol=2e-4, atol=2e-4)


def test_slopes_are_those_of_the_plain_sum():
    """The sum along a line has a derivative of its own."""
    rng = np.random.default_rng(3)
    board, slope = jnp.asarray(rng.normal(size=(2, 7, 6, 3)), jnp.float32)
    kernel = jnp.asarray(rng.normal(size=(2 * REACH + 1, 3)), jnp.float32)
    for axis in (0, 1):

        def plain(x, k, axis=axis):
            pad = [(REACH, REACH) if n == axis else (0, 0) for n in range(3)]
            wide = jnp.pad(x, pad)
            size = x.shape[axis]
            parts = [jax.lax.slice_in_dim(wide, t, t + size, axis=axis) for t in range(len(k))]
            return sum(
                part * jnp.broadcast_to(k[tap], part.shape) for tap, part in enumerate(parts)
            )

        found = jax.vjp(lambda x, k, axis=axis: along(x, k, axis), board, kernel)[1](slope)
        expected = jax.vjp(plain, board, kernel)[1](slope)
        for one, other in zip(found, expected, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-5)


def test_sizes():
    counts = {name: network(size=size).parameters for name, size in SIZES.items()}
    assert counts["swift"] < counts["tiny"] < 50_000
    assert counts["tiny"] < counts["small"] < counts["base"]
    assert all(network(size=size).size == size for size in SIZES.values())


def test_bfloat16_is_near():
    seen = jax.vmap(partial(features, SMALL))(positions(SMALL, 8, 3))
    wide, narrow = network(4), network(4, bfloat16=True)
    one, other = (
        jax.vmap(lambda p, n, net=net: net(p, n, None, 4))(*seen) for net in (wide, narrow)
    )
    assert other[0].dtype == jnp.float32
    np.testing.assert_allclose(one[0], other[0], atol=0.05)


def test_paths_tell_hunts_apart():
    seen, net = blank(SMALL), network(5)
    one, two = (
        jnp.asarray(np.random.default_rng(n).permutation(16) + 1, jnp.int16) for n in (3, 4)
    )
    first, again, other, none = (
        judged(net, SMALL, seen, path)[0] for path in (one, one, two, None)
    )
    np.testing.assert_array_equal(first, again)
    assert not np.allclose(first, other, atol=1e-4)
    assert not np.allclose(first, none, atol=1e-4)


def positions(game, count, seed):
    planes = oracles.random_positions(game, count, seed)
    return Observation(**{name: jnp.asarray(plane) for name, plane in planes.items()})


def test_cells_fired_at_are_ruled_out():
    seen = positions(PRESETS["classic"], 20, 6)
    judge = jax.vmap(lambda s: judged(network(7), PRESETS["classic"], s))
    scores, odds = judge(seen)
    np.testing.assert_array_equal(np.isneginf(scores), np.asarray(seen.mark) != 0)
    assert np.isfinite(odds).all()


# --- as a hunter ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "game",
    [
        PRESETS["classic"],
        Game((7, 5), (4, 3, 2, 1, 1), feedback="cells"),
        Game((16, 16), (8, 7, 6, 5, 5, 4, 4, 3, 3, 2, 2, 1)),
        Game((1, 9), (4, 2), "none", "hit-name"),
    ],
    ids=str,
)
@pytest.mark.parametrize("temperature", [0.0, 1.0])
def test_it_keeps_the_contract(game, temperature):
    hunter = Hunter(game, network(8), temperature=temperature)
    count = 6
    boards = jnp.asarray(oracles.random_boards(game, count, seed=9))
    dice = jax.random.split(jax.random.key(10), count)

    @jax.jit
    def to_the_end(hunter, boards, dice):
        state = jax.vmap(lambda board, key: start(hunter, board, key))(boards, dice)
        return jax.lax.while_loop(
            lambda state: ~jax.vmap(finished)(state).all(),
            jax.vmap(lambda one: shoot(hunter, one)),
            state,
        )

    played = to_the_end(hunter, boards, dice)
    assert played.legal.all()
    assert (played.left == 0).all()
    again = to_the_end(hunter, boards, dice)
    np.testing.assert_array_equal(played.observation.shot_at, again.observation.shot_at)


def test_a_latent_is_a_fixed_hunt():
    """The exact pass over all layouts and games one by one agree, latent by latent."""
    listing, net = Listing(SMALL), with_larger_heads(network(11))
    hunter = Hunter(SMALL, net, temperature=1.0)
    distinct = set()
    for number in range(3):
        latent = hunter.init(jax.random.key(number))
        fixed = hunter.with_latent(latent)
        exact = evaluate(listing, fixed).shots
        times = by_board(jax.random.key(5), fixed, listing.boards(), 1, turned=False)
        np.testing.assert_array_equal(times.argmax(1), exact)
        distinct.add(exact.tobytes())
    assert len(distinct) == 3


def test_a_turned_hunter_plays_the_turned_board():
    listing, net = Listing(SMALL), with_larger_heads(network(12))
    images = cell_images(SMALL.size)
    base = Hunter(SMALL, net)
    straight = Latent(jnp.int32(0), None, jnp.uint32(0))
    boards = listing.boards()
    key = jax.random.key(13)
    alone = by_board(key, base.with_latent(straight), boards, 1, turned=False)
    for g in (1, 5):
        turned = base.with_latent(straight._replace(turn=jnp.int32(g)))
        dealt = np.empty_like(boards)
        dealt[:, images[g]] = boards
        found = by_board(key, turned, dealt, 1, turned=False)
        np.testing.assert_array_equal(found, alone)


def test_noise_draws_by_the_scores():
    net = with_larger_heads(network(14))
    hunter = Hunter(SMALL, net, temperature=1.0, turns=False)
    seen, count = blank(SMALL), 20_000

    @jax.jit
    @jax.vmap
    def first(key):
        return hunter.act(key, seen, hunter.init(key))[0]

    cells = np.bincount(first(jax.random.split(jax.random.key(15), count)), minlength=16)
    share = np.asarray(jax.nn.softmax(judged(net, SMALL, seen)[0]))
    assert (abs(cells / count - share) < 5 * np.sqrt(share * (1 - share) / count)).all()
    assert share.max() > 1.2 * share.min()


def test_hunts_are_drawn_by_their_shares():
    shares = jnp.asarray([0.2, 0.2, 1.0])
    paths = jnp.asarray(np.arange(48).reshape(3, 16), jnp.int16)
    hunter = Hunter(SMALL, network(), shares, paths)
    drawn = jax.vmap(hunter.init)(jax.random.split(jax.random.key(16), 4000)).path
    found = np.bincount(np.asarray(drawn)[:, 0] // 16, minlength=3) / 4000
    assert (abs(found - [0.2, 0.0, 0.8]) < 5 * np.sqrt(0.16 / 4000)).all()
    assert found[1] == 0


def test_a_negative_temperature_is_refused():
    with pytest.raises(ValueError, match="temperature -1"):
        Hunter(SMALL, network(), temperature=-1.0)
