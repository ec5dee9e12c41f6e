"""Placement density against a count placement by placement, and the write-up's own numbers."""

from functools import cache

import jax
import jax.numpy as jnp
import numpy as np
import oracles
import pytest
from oracles import CLOSED, OPEN, UNFIRED

from bsjax.game.game import FEEDBACK, TOUCHING, Game
from bsjax.game.observation import Observation
from bsjax.posterior.density import density, digits, fits_one_word, weight

CLASSIC = Game()
FLEETS = {
    "classic": ((10, 10), (5, 4, 3, 3, 2)),
    "rectangle": ((7, 5), (4, 3, 2, 1)),
    "ten-ship": ((10, 10), (4, 3, 3, 2, 2, 2, 1, 1, 1, 1)),
    "row": ((9, 1), (3, 1)),
    "column": ((1, 9), (2, 2)),
    "dots": ((4, 4), (1, 1)),
}
WIDEST = Game((16, 16), (8, 7, 6, 5, 5, 4, 4, 3, 3, 2, 2, 1))


@cache
def positions(game, count=30):
    """Observations of that many games under each feedback rule, broken off at a random shot."""
    parts = [
        oracles.random_positions(
            Game(game.size, game.fleet, game.touching, feedback), count, seed=10 + i
        )
        for i, feedback in enumerate(FEEDBACK)
    ]
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


def observation(planes):
    return Observation(**{name: jnp.asarray(plane) for name, plane in planes.items()})


@cache
def counted(game):
    return jax.jit(jax.vmap(lambda o: digits(game, o)))


@cache
def scored(game):
    return jax.jit(jax.vmap(lambda o: density(game, o)))


def classic_density(**marks):
    planes = oracles.marked(CLASSIC, **marks)
    one = jax.tree.map(lambda x: x[None], observation(planes))
    d = np.asarray(scored(CLASSIC)(one))[0]
    return np.where(planes["mark"] == UNFIRED, d, -1)


def at(d, names):
    return {int(d[cell]) for cell in oracles.cells(names)}


# --- the write-up's numbers --------------------------------------------------------------------


def test_before_the_first_shot():
    d = classic_density()
    assert at(d, "A1 J1 A10 J10") == {10}
    assert at(d, "E5 F5 E6 F6") == {34}
    assert d.max() == 34
    assert (d == 34).sum() == 4
    assert d.min() == 10
    assert d.sum() == 120 * 5 + 140 * 4 + 2 * 160 * 3 + 180 * 2


def test_weight_of_a_hit():
    assert weight((5, 4, 3, 3, 2)) == 35
    assert weight((4, 3, 3, 2)) == 25


def test_after_one_hit():
    d = classic_density(hits="E5")
    assert at(d, "F5 E6") == {12 * 35 + 22} == {442}
    assert at(d, "E4 D5") == {441}
    rest = np.delete(d, sorted(oracles.cells("F5 E6 E4 D5")))
    assert rest.max() < 441


def test_after_two_hits_in_a_line():
    d = classic_density(hits="E5 F5")
    assert at(d, "D5 G5") == {7 * 35**2 + 5 * 35 + 21} == {8771}
    assert np.delete(d, sorted(oracles.cells("D5 G5"))).max() < 8771


def test_the_gap_between_two_hits_comes_first():
    d = classic_density(hits="E5 G5")
    assert np.argmax(d) == oracles.cell("F5")
    assert (d == d.max()).sum() == 1


def test_misses_make_a_chequerboard():
    """Nobody told it: each of twelve misses is fired where no earlier one is next to it."""
    shots = []
    for _ in range(12):
        d = classic_density(misses=" ".join(shots))
        shot = int(np.argmax(d))
        shots.append("ABCDEFGHIJ"[shot % 10] + str(shot // 10 + 1))
    assert shots[:2] == ["E5", "F6"]
    fired = oracles.cells(" ".join(shots))
    assert len(fired) == 12
    assert not any(oracles.beside((10, 10), cell) & fired for cell in fired)


# --- against the count -------------------------------------------------------------------------


@cache
def expected_digits(game):
    planes = positions(game)
    rows = zip(planes["mark"], planes["sunk_at"], strict=True)
    return np.stack([oracles.digits(game, mark, sunk_at) for mark, sunk_at in rows])


@pytest.mark.parametrize("touching", TOUCHING)
@pytest.mark.parametrize("name", FLEETS)
def test_digits_count_the_consistent_placements(name, touching):
    game = Game(*FLEETS[name], touching)
    planes, expected = positions(game), expected_digits(game)
    unfired = planes["mark"] == UNFIRED
    seen = np.asarray(counted(game)(observation(planes)))
    np.testing.assert_array_equal(np.where(unfired[:, None], seen, 0), expected)


@pytest.mark.parametrize("touching", TOUCHING)
@pytest.mark.parametrize("name", FLEETS)
def test_density_is_the_number_with_these_digits(name, touching):
    game = Game(*FLEETS[name], touching)
    assert fits_one_word(game)
    planes, expected = positions(game), expected_digits(game)
    unfired = planes["mark"] == UNFIRED
    assert (expected < weight(game.fleet)).all(), "digits in base w"
    base = weight(game.fleet) ** np.arange(max(game.fleet))
    d = np.asarray(scored(game)(observation(planes)))
    np.testing.assert_array_equal(d[unfired], (expected * base[:, None]).sum(1)[unfired])


@pytest.mark.parametrize("touching", TOUCHING)
@pytest.mark.parametrize("name", ["classic", "ten-ship", "rectangle"])
def test_the_positions_are_worth_counting(name, touching):
    """They hold open hits, several on one placement too, explained hits and sunk ships."""
    planes = positions(Game(*FLEETS[name], touching))
    assert (planes["mark"] == OPEN).any(1).mean() > 0.5
    assert (planes["mark"] == CLOSED).any(1).mean() > 0.2
    assert (planes["sunk_at"] >= 0).any(1).mean() > 0.2
    assert (expected_digits(Game(*FLEETS[name], touching))[:, 2:] > 0).any()


def test_some_ship_afloat_always_fits():
    """The best cell has a positive count: the true placement of a ship afloat is consistent."""
    for name in ("rectangle", "ten-ship"):
        for touching in TOUCHING:
            game = Game(*FLEETS[name], touching)
            planes = positions(game)
            seen = np.asarray(scored(game)(observation(planes)))
            assert (np.where(planes["mark"] == UNFIRED, seen, 0).max(1) > 0).all()


def test_any_marks_at_all_where_touching_is_allowed():
    """Marks no game could show: the count is defined on each placement alone."""
    game = Game((7, 5), (4, 3, 2, 1))
    rng = np.random.default_rng(5)
    planes = {name: np.stack([plane] * 200) for name, plane in oracles.marked(game).items()}
    planes["mark"] = rng.choice(4, (200, 35), p=[0.5, 0.2, 0.2, 0.1]).astype(np.int8)
    planes["sunk_at"] = np.where(rng.random((200, 4)) < 0.3, 0, -1).astype(np.int16)
    seen = np.asarray(counted(game)(observation(planes)))
    for mark, sunk_at, found in zip(planes["mark"], planes["sunk_at"], seen, strict=True):
        expected = oracles.digits(game, mark, sunk_at)
        np.testing.assert_array_equal(np.where(mark == UNFIRED, found, 0), expected)


def test_a_fleet_beyond_one_word():
    assert not fits_one_word(WIDEST)
    planes = positions(WIDEST, 2)
    seen = np.asarray(counted(WIDEST)(observation(planes)))
    for mark, sunk_at, found in zip(planes["mark"], planes["sunk_at"], seen, strict=True):
        expected = oracles.digits(WIDEST, mark, sunk_at)
        np.testing.assert_array_equal(np.where(mark == UNFIRED, found, 0), expected)
    one = jax.tree.map(lambda x: x[0], observation(planes))
    with pytest.raises(ValueError, match="exceed 31 bits"):
        density(WIDEST, one)


@pytest.mark.parametrize("touching", TOUCHING)
@pytest.mark.parametrize("name", ["classic", "rectangle", "dots"])
def test_density_turns_with_the_board(name, touching):
    game = Game(*FLEETS[name], touching)
    planes = positions(game)
    unfired = planes["mark"] == UNFIRED
    d = np.where(unfired, np.asarray(scored(game)(observation(planes))), -1)
    for image in oracles.turns(game.size):
        turned = dict(planes)
        turned["mark"] = np.empty_like(planes["mark"])
        turned["mark"][:, image] = planes["mark"]
        e = np.where(turned["mark"] == UNFIRED, scored(game)(observation(turned)), -1)
        np.testing.assert_array_equal(e[:, image], d)
