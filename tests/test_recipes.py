"""Beliefs in whole numbers, hunts from recipes, finishing times in bytes, and many rows."""

import numpy as np
import pytest

from bsjax.evaluate.credit import race_credit
from bsjax.evaluate.hunt_trees import digest as digest_of_tree
from bsjax.evaluate.hunt_trees import grown
from bsjax.evaluate.hunt_trees import load as load_tree
from bsjax.game.game import Game
from bsjax.posterior.listed import Listing
from bsjax.solve import many_rows
from bsjax.solve.by_trial import Style
from bsjax.solve.hunts import ByCells
from bsjax.solve.many_rows import solve_rows
from bsjax.solve.matrix_game import exact
from bsjax.solve.pool import Compact, Pool, compacted, members
from bsjax.solve.recipes import (
    Recipe,
    Recipes,
    digest,
    load_recipes,
    play,
    rebuild,
    save_recipes,
)
from bsjax.solve.snapshot import EVEN, belief, counted, credit_of, snapshot
from bsjax.solve.tables import classes, layout_images

GAMES = [Game((4, 3), (3, 2)), Game((4, 4), (3, 2)), Game((4, 4), (3, 3, 2))]


def recipes_of(game, seed=0):
    """Three hunts of two snapshots and two credits."""
    rng, classes_ = np.random.default_rng(seed), classes(game)
    hider = rng.random((2, len(classes_.size))) + 0.05
    snapshots = np.stack([snapshot(one / one.sum(), classes_.size) for one in hider])
    pace = rng.random((2, game.cells + 1))
    credits = np.stack([counted(race_credit(one / one.sum())) for one in pace])
    recipes = [
        Recipe(0, 1, Style(2, 0.0, 1), 0.0, 0, 0),
        Recipe(1, 0, Style(5, 0.25, 3), 0.3, 26, 7),
        Recipe(1, 1, Style(0, 0.0, 3), 0.6, 128, 8),
    ]
    found = Recipes(
        game, snapshots, credits, recipes, np.array([0.5, 0.3, 0.2]), np.zeros((3, 16), np.uint8)
    )
    hunts = [play(found.job(n)) for n in range(3)]
    return found._replace(digests=np.stack([digest(hunt) for hunt in hunts])), hunts


def test_a_snapshot_is_the_hider_within_half_a_step():
    rng, size = np.random.default_rng(0), classes(GAMES[1]).size
    hider = np.exp(2 * rng.standard_normal(len(size)))
    hider /= hider.sum()
    levels = snapshot(hider, size)
    each = hider / size
    assert levels.max() == 255
    again = 2.0 ** ((levels.astype(float) - 255) / 8) * each.max()
    assert again == pytest.approx(each, rel=2 ** (1 / 16) - 1 + 1e-9)
    # Nobody is told that a layout is impossible.
    assert snapshot(np.where(np.arange(len(size)) == 3, 0, hider), size)[3] == 0


@pytest.mark.parametrize("blur", [0.0, 0.4])
def test_a_belief_is_whole_and_near_the_snapshot(blur):
    game = GAMES[2]
    rng, (of, size, _) = np.random.default_rng(1), classes(game)
    hider = rng.random(len(size)) + 0.1
    levels = snapshot(hider / hider.sum(), size)
    told = belief(levels, of, blur=blur, even=EVEN // 2, seed=3)
    assert (told == np.rint(told)).all()
    assert told.min() >= 1
    assert told.sum() < 1 << 32
    plain = 2.0 ** (levels.astype(float) / 8)[of]
    share = plain / plain.sum()
    factor = 2 * told / told.sum() - 1 / len(of)
    spread = np.log(factor / share)
    assert spread.std() == pytest.approx(blur, abs=5 * blur / np.sqrt(2 * len(of)) + 1e-4)
    other = belief(levels, of, blur=blur, even=EVEN // 2, seed=4)
    assert (told == other).all() == (blur == 0)


def test_random_words_are_those_of_every_numpy():
    # PCG64's stream is fixed by its definition; recipes depend on it.
    levels, of = np.full(1, 255, np.uint8), np.zeros(4, np.int64)
    assert belief(levels, of, blur=0.5, seed=12).tolist() == [
        182648832,
        416808960,
        450363392,
        309198848,
    ]


def test_credit_is_counted():
    credit = race_credit(np.full(17, 1 / 17))
    again = credit_of(counted(credit))
    assert again == pytest.approx(credit, abs=2.0**-21)
    assert (again * 2**20 == counted(credit)).all()


@pytest.mark.parametrize("game", GAMES, ids=str)
def test_bytes_are_what_counts_are(game):
    rng, listing, (of, size, _) = np.random.default_rng(4), Listing(game), classes(game)
    shots = rng.integers(1, game.cells + 1, (6, len(listing))).astype(np.uint8)
    share = np.array([0.2, 0, 0.3, 0.1, 0.4, 0])
    words = np.stack([compacted(one, members(of, size)) for one in shots])
    compact = Compact(size, words, np.arange(6), share, share)
    credit, hider = rng.random(game.cells + 1), rng.random(len(size))
    plain = np.stack([np.bincount(of, credit[one]) / size for one in shots], 1)
    assert compact.payoff(credit) == pytest.approx(plain, rel=1e-6)
    assert compact.payoff(credit).dtype == np.float32
    assert compact.won(credit) == pytest.approx(plain @ share)
    times = sum(
        weight * np.stack([np.bincount(of, one == t) / size for t in range(game.cells + 1)], 1)
        for weight, one in zip(share, shots, strict=True)
    )
    assert compact.times(game.cells) == pytest.approx(times, abs=1e-12)
    assert compact.pace(hider, game.cells) == pytest.approx(hider @ times)
    # The two ways to keep hunts drop and join the same ones.
    counts = np.stack([finishing_counts(of, size, one, game.cells) for one in shots])
    counted_pool = Pool(size, counts[:4], np.arange(4), share[:4], share[:4])
    compact = Compact(size, words[:4], np.arange(4), share[:4], share[:4])
    rows = np.array([4, 1, 5])
    one, two = counted_pool.joined(counts[rows], 10, 5), compact.joined(words[rows], 10, 5)
    for field in ("number", "share", "used"):
        assert (getattr(one, field) == getattr(two, field)).all()
    assert one.payoff(credit) == pytest.approx(two.payoff(credit), rel=1e-6)


def finishing_counts(of, size, shots, cells):
    found = np.zeros((len(size), cells + 1), np.uint8)
    np.add.at(found, (of, shots), 1)
    return found


def test_layouts_turn_as_their_boards_do():
    game = Game((4, 3), (2, 2))
    listing = Listing(game)
    taken = [{tuple(np.flatnonzero(b == k)) for k in range(2)} for b in listing.boards()]
    for image in layout_images(listing):
        assert sorted(image.tolist()) == list(range(len(listing)))
    upside_down = [{tuple(sorted(11 - c for c in ship)) for ship in ships} for ships in taken]
    turned = [[taken[row] for row in image] for image in layout_images(listing)]
    assert upside_down in turned


@pytest.mark.parametrize("game", GAMES[:2], ids=str)
def test_recipes_give_the_same_hunts(game, tmp_path):
    found, hunts = recipes_of(game)
    save_recipes(tmp_path / "hunts.npz", found)
    again = load_recipes(tmp_path / "hunts.npz")
    for a, b in zip(again, found, strict=True):
        assert (a == b).all() if isinstance(a, np.ndarray) else a == b
    paths = rebuild(again, tmp_path / "hunts")
    listing = Listing(game)
    for path, hunt in zip(paths, hunts, strict=True):
        tree, shots = grown(listing, ByCells(hunt.cells))
        assert digest_of_tree(load_tree(path)) == digest_of_tree(tree)
        assert (shots == hunt.shots).all()
    # Whole files are kept, damaged and missing ones are made again.
    before = [path.stat().st_mtime_ns for path in paths]
    paths[0].write_bytes(paths[0].read_bytes()[:-1])
    paths[1].unlink()
    assert rebuild(again, tmp_path / "hunts") == paths
    assert [path.stat().st_mtime_ns == time for path, time in zip(paths, before, strict=True)] == [
        False,
        False,
        True,
    ]
    load_tree(paths[0])


def test_a_hunt_that_came_out_otherwise_is_refused(tmp_path):
    found, _ = recipes_of(GAMES[0])
    found.digests[1, 0] ^= 1
    with pytest.raises(ValueError, match="hunt 1 came out otherwise than when its recipe"):
        rebuild(found, tmp_path)
    assert len(list(tmp_path.glob("*.hunt"))) == 1


def test_damaged_recipes_are_refused(tmp_path):
    path = tmp_path / "hunts.npz"
    found, _ = recipes_of(GAMES[0])
    save_recipes(path, found)
    whole = path.read_bytes()
    rng = np.random.default_rng(3)
    for place in rng.integers(len(whole), size=60).tolist():
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 0x10]) + whole[place + 1 :])
        held = loaded(path)
        # Some bytes are none that the archive reads.
        assert held is None or (held.digests == found.digests).all()
        assert held is None or held.recipes == found.recipes
    for damaged in (b"", b"nothing", whole[:-40]):
        path.write_bytes(damaged)
        with pytest.raises(ValueError, match="holds no recipes"):
            load_recipes(path)
    path.write_bytes(whole)
    with np.load(path) as held:
        parts = {name: held[name] for name in held.files}
    parts["weights"] = parts["weights"][::-1]
    np.savez(path, **parts)
    with pytest.raises(ValueError, match="its checksum does not match"):
        load_recipes(path)


def loaded(path):
    """The recipes, or None where they are refused in one clear line."""
    try:
        return load_recipes(path)
    except ValueError as error:
        if "holds no recipes" in str(error) and "\n" not in str(error):
            return None
        raise


@pytest.mark.parametrize(("rows", "columns", "seed"), [(400, 30, 0), (3000, 50, 1), (60, 80, 2)])
def test_many_rows_are_solved(rows, columns, seed, monkeypatch):
    rng = np.random.default_rng(seed)
    payoff = (0.5 + 0.1 * rng.standard_normal((rows, columns))).astype(np.float32)
    best = exact(payoff)
    monkeypatch.setattr(many_rows, "EXACT", 0)
    monkeypatch.setattr(many_rows, "_FEWEST", 8)
    for tolerance in (1e-3, 1e-6):
        found = solve_rows(payoff, tolerance=tolerance)
        assert found.gap <= tolerance
        assert found.low - 1e-9 <= best.low <= found.high + 1e-9
        assert found.rows.sum() == pytest.approx(1)
        assert found.columns.sum() == pytest.approx(1)
        assert min(found.rows.min(), found.columns.min()) >= 0
        # What it says of itself is so, on all rows.
        assert found.low == pytest.approx((payoff.astype(float) @ found.columns).min(), abs=1e-9)
        assert found.high == pytest.approx((found.rows @ payoff.astype(float)).max(), abs=1e-9)
    warm = solve_rows(payoff, start=found.columns, likely=found.rows)
    assert warm.low == pytest.approx(best.low, abs=1e-4)


def test_many_rows_of_a_game_without_spread(monkeypatch):
    monkeypatch.setattr(many_rows, "EXACT", 0)
    found = solve_rows(np.full((50, 4), 0.5, np.float32))
    assert (found.low, found.high) == pytest.approx((0.5, 0.5))
    with pytest.raises(ValueError, match="finite"):
        solve_rows(np.full((50, 4), np.nan, np.float32))
