"""The named strategies: every one plays, and the published ones are what their names say."""

import jax
import jax.numpy as jnp
import numpy as np
import oracles
import pytest
from test_policies import COMPOSED, GAMES, check_contract

from bsjax import policies
from bsjax.game.game import FEEDBACK, Game
from bsjax.game.observation import Observation
from bsjax.policies.endgames import Full, Lazy, Staged
from bsjax.policies.finishers import ByDensity, Hand
from bsjax.policies.heatmap import Density
from bsjax.policies.patterns import Rule
from bsjax.policies.searches import Diagonals
from bsjax.policies.strategies import MAPS, STRATEGIES

PUBLISHED = (
    "checkerboard",
    "3-parity",
    "3-parity-lazy",
    "smart-3-parity",
    "smart-3-parity-lazy",
    "smart-3-parity-first",
    "smart-3-parity-first-lazy",
    "fastest-by-hand",
    "heat-map",
)
OTHERS = [
    *GAMES.values(),
    Game((6, 9), (4, 4), "no-side"),
    Game((9, 5), (2, 2, 1), "none"),
    Game((1, 9), (5, 2)),
    Game((16, 16), (8, 6, 5, 3, 2)),
]
"""Games without a 3, without a 2, without a big ship, and others."""
_ROUND = [(number, name) for number, name in enumerate(COMPOSED)]


def test_the_published_names_are_there():
    assert set(PUBLISHED) <= set(policies.names())
    assert len(COMPOSED) >= 40
    assert len(set(map(policies.describe, COMPOSED))) == len(COMPOSED)
    parts = [str(sorted(one.parts.items())) for one in STRATEGIES.values()]
    assert len(set(parts)) == len(parts), "no strategy stands there twice"
    for name in COMPOSED:
        assert len(policies.describe(name)) <= 120


@pytest.mark.parametrize(("number", "name"), _ROUND)
def test_every_strategy_finishes_a_game_of_its_turn(number, name):
    if name in PUBLISHED:
        check_contract(name, Game(), count=8)
        return
    base = OTHERS[number % len(OTHERS)]
    feedback = FEEDBACK[number % len(FEEDBACK)]
    check_contract(name, Game(base.size, base.fleet, base.touching, feedback), count=8)


@pytest.mark.slow
@pytest.mark.parametrize("feedback", FEEDBACK)
@pytest.mark.parametrize("number", range(len(OTHERS)))
@pytest.mark.parametrize("name", COMPOSED)
def test_every_strategy_finishes_every_game(name, number, feedback):
    base = OTHERS[number]
    check_contract(name, Game(base.size, base.fleet, base.touching, feedback), count=8)


def parts_of(name):
    made = policies.make(name, Game())
    assert isinstance(made, Rule)
    search = made.search
    return made, *((search.small, search.big) if isinstance(search, Staged) else (search, None))


def test_published_rules_have_the_parts_of_the_card():
    for name, every in (("checkerboard", 2), ("3-parity", 3), ("3-parity-lazy", 3)):
        made, small, big = parts_of(name)
        assert isinstance(small, Diagonals)
        assert small.every == every
        assert isinstance(made.finisher, Hand)
        assert isinstance(big, Lazy) == name.endswith("lazy")
    for name in PUBLISHED[3:7]:
        made, small, big = parts_of(name)
        assert small.final == ("anywhere" if "first" in name else "zones")
        assert float(small.jump) == np.float32(0.35)
        assert type(big) is (Lazy if name.endswith("lazy") else Full)
        assert isinstance(made.finisher, Hand)
    _, fastest, big = parts_of("fastest-by-hand")
    assert (fastest.sweep, fastest.final, float(fastest.jump)) == ("diagonals", "fewest", 0.0)
    assert isinstance(big, Full)
    assert isinstance(policies.make("heat-map", Game()), Density)
    assert isinstance(parts_of("smart-3-parity-computer")[0].finisher, ByDensity)


def test_a_three_ship_map_looks_for_small_ships_only():
    three = policies.make("heat-map-three-ship-lowest", Game())
    # A 2 fits at the left, a 5 at the right; no other cell is left.
    known = oracles.marked(Game(), sunk=[1, 2, 3])
    left, right = oracles.cells("A1 B1"), oracles.cells("F9 G9 H9 I9 J9")
    known["mark"][:] = 1
    known["mark"][sorted(left | right)] = 0
    for sunk, wanted in (([], left | right), ([4], right)):
        known["sunk_at"][sunk] = 0
        seen = Observation(**{name: jnp.asarray(row) for name, row in known.items()})
        heat = np.asarray(three.heat(seen))
        assert set(np.flatnonzero(heat > 0).tolist()) & (left | right) == wanted
        two_fit = heat[sorted(right)]
        assert two_fit.max() == (2 if not sunk else 1)
        cell, _ = three.act(jax.random.key(0), seen, ())
        assert int(cell) == int(np.where(known["mark"] == 0, heat, -1).argmax())
    assert set(MAPS) <= set(policies.names())
