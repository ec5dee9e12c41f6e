"""Paths of hunts against the hunts themselves, and as planes; the rewind beside its own games."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import oracles
import pytest
from test_rewind import policy_of

from bsjax.game.game import Game
from bsjax.game.observation import Observation
from bsjax.learn.distill import course_of
from bsjax.learn.features import in_line
from bsjax.learn.paths import paths_of
from bsjax.learn.targets import ByRewind
from bsjax.learn.teachers import by_policy, taught
from bsjax.policies import make

GAME = Game((4, 4), (3, 2))
NOWHERE = jnp.full(24, -1, jnp.int8)
WATER = oracles.Truth(False, False, -1, frozenset())


def seen_by(told):
    return Observation(**{name: jnp.asarray(plane) for name, plane in told.planes().items()})


@pytest.mark.parametrize("name", ["hunt-target", "density"])
def test_a_path_is_what_the_policy_does_on_water(name):
    policy, hunts = make(name, GAME), 3
    found = np.asarray(paths_of(by_policy(policy, name, hunts).teacher))
    act = eqx.filter_jit(policy.act)
    for hunt, path in enumerate(found):
        opening, dice = jax.random.split(jax.random.fold_in(jax.random.key(hunts), hunt))
        carry, told = policy.init(opening), oracles.Known(GAME)
        for shot in range(path.max()):
            seen = seen_by(told)
            cell, carry = act(jax.random.fold_in(dice, seen.shots), seen, carry)
            assert path[int(cell)] == shot + 1
            told.fire(int(cell), WATER)
        assert path.max() >= 5
        assert sorted(path[path > 0]) == list(range(1, path.max() + 1))
    assert len(np.unique(found, axis=0)) == hunts


def test_one_hunt_needs_no_path():
    course = course_of(taught(GAME, "probability"))
    assert course.paths is None
    assert paths_of(course.teacher) is None


def test_planes_of_a_path():
    rng = np.random.default_rng(0)
    for _ in range(20):
        cells, length = 24, int(rng.integers(1, 25))
        path, unfired = np.zeros(cells, np.int16), rng.random(cells) < 0.6
        path[rng.permutation(cells)[:length]] = np.arange(1, length + 1)
        place, early = np.zeros((2, cells))
        line = sorted((path[c], c) for c in range(cells) if unfired[c] and path[c])
        for number, (_, cell) in enumerate(line):
            place[cell] = 1 / (number + 1)
        for cell in np.flatnonzero(path):
            early[cell] = 1 - (path[cell] - 1) / cells
        found = in_line(jnp.asarray(path), jnp.asarray(unfired))
        np.testing.assert_allclose(found, [place, early], rtol=1e-6)


# --- the rewind ----------------------------------------------------------------------------------


def rewinding():
    found = by_policy(policy_of("6x4"), "rewind", hunts=4).teacher
    assert isinstance(found, ByRewind)
    return found


def test_misses_of_others_only_shorten_the_path_of_a_rewind():
    teacher = rewinding()
    label, after = eqx.filter_jit(teacher.label), eqx.filter_jit(teacher.after)
    rng = np.random.default_rng(1)
    for hunt, path in enumerate(np.asarray(paths_of(teacher))):
        order = [cell for _, cell in sorted((number, c) for c, number in enumerate(path) if number)]
        for _ in range(3):
            carry, told = teacher.begin(jnp.int32(hunt), NOWHERE), oracles.Known(teacher.game)
            own, fired = [], set()
            # Later every board is ruled out, and what is asked for means nothing.
            while len(fired) < 8:
                seen = seen_by(told)
                said, thoughts = label(jax.random.key(0), seen, carry)
                assert said.known
                cell = int(said.moves.argmax())
                if rng.random() < 0.4:
                    free = [c for c in range(24) if c not in fired and c != cell]
                    cell = int(rng.choice(free))
                else:
                    own.append(cell)
                fired.add(cell)
                told.fire(cell, WATER)
                carry = after(seen_by(told), jnp.int32(cell), carry, thoughts)
            left = [cell for cell in order if cell in own or cell not in fired]
            assert own == left[: len(own)]


def test_a_hit_that_the_hunt_does_not_hear_of_ends_its_game():
    teacher = rewinding()
    carry, told = teacher.begin(jnp.int32(0), NOWHERE), oracles.Known(teacher.game)
    said, thoughts = teacher.label(jax.random.key(0), seen_by(told), carry)
    own = int(said.moves.argmax())
    for cell, known in ((own, True), ((own + 7) % 24, False)):
        told = oracles.Known(teacher.game)
        told.fire(cell, oracles.Truth(True, False, -1, frozenset()))
        then = teacher.after(seen_by(told), jnp.int32(cell), carry, thoughts)
        said, _ = teacher.label(jax.random.key(0), seen_by(told), then)
        assert bool(said.known) == known
