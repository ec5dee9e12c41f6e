"""The best joint reply: bounds that hold, trials that are kept, and what a limit leaves open."""

import json

import numpy as np
import pytest
from test_loop import SMALL, any_player, graph

from bsjax.evaluate.credit import race_credit
from bsjax.game.game import Game
from bsjax.solve import joint as searching
from bsjax.solve.best_reply import at_once, best_reply
from bsjax.solve.exploit import exploited
from bsjax.solve.joint import BEATS, best_joint
from bsjax.solve.tables import classes

LARGER = Game((4, 3), (3, 2))


def each_reply(player):
    """What the best hunt wins from every class of layouts, one backward pass each."""
    paces = player.finishing[classes(player.game).row]
    return np.array(
        [best_reply(graph(player.game), race_credit(pace), player.hider).value for pace in paces]
    )


@pytest.mark.parametrize("seed", range(4))
def test_few_trials_find_the_best_of_all(seed):
    player = any_player(LARGER, seed)
    won = each_reply(player)
    found = best_joint(graph(LARGER), player, memory=1)
    assert found.value == pytest.approx(won.max(), abs=1e-12)
    assert won[found.on] == pytest.approx(found.value, abs=1e-12)
    assert found.value <= found.at_most <= found.value + BEATS
    hunt = best_reply(graph(LARGER), race_credit(player.pace), player.hider).value
    assert found.hunt == pytest.approx(hunt, abs=1e-12)
    # With room for all at once none is left out, and it comes to the same.
    whole = best_joint(graph(LARGER), player)
    assert (whole.tried, whole.on) == (len(won), found.on)
    assert found.tried < len(won)


@pytest.mark.parametrize("seed", range(3))
def test_bounds_hold_after_every_trial(seed):
    player = any_player(LARGER, seed)
    won = each_reply(player)
    credits = np.stack([race_credit(one) for one in player.finishing[classes(LARGER).row]])
    trials = searching._Trials(np.arange(len(won)), credits, None)
    trials.hunt = 0.5
    while len(on := trials.next(2)):
        trials.add(on, won[on] if trials.on else np.append(0.5, won[on]))
        rest = np.setdiff1d(np.arange(len(won)), trials.on)
        assert (trials.bound[rest] >= won[rest] - 1e-9).all()
        assert not trials.bound[trials.on].any()
    assert max(trials.won) == pytest.approx(won.max(), abs=BEATS)


def test_a_limit_leaves_a_bound():
    player = any_player(LARGER, 5)
    won = each_reply(player)
    some = exploited(graph(LARGER), player, most=3, memory=1)
    full = exploited(graph(LARGER), player)
    assert (some.tried, full.tried, full.classes) == (3, len(won), len(won))
    assert some.joint <= full.joint <= some.joint_at_most
    assert some[:5] == pytest.approx(full[:5], rel=1e-12)
    with pytest.raises(ValueError, match="at least"):
        exploited(graph(LARGER), player, most=0)
    with pytest.raises(ValueError, match="the graph is of 3x2"):
        exploited(graph(Game((3, 2), (2,))), player)


def test_trials_that_are_kept_are_not_repeated(tmp_path, monkeypatch):
    player, states = any_player(LARGER, 6), graph(LARGER)
    whole = best_joint(states, player, memory=1)
    best_joint(states, player, memory=1, most=2, out=tmp_path)
    (path,) = tmp_path.iterdir()
    assert len(json.loads((path / "checkpoint.json").read_text())["state"]["on"]) == 2
    asked = []

    def counted(graph, hider, credits, **more):
        asked.append(len(credits))
        return plain(graph, hider, credits, **more)

    plain = searching.best_values
    monkeypatch.setattr(searching, "best_values", counted)
    assert best_joint(states, player, memory=1, out=tmp_path) == whole
    assert sum(asked) == whole.tried - 2
    assert best_joint(states, player, memory=1, out=tmp_path) == whole
    assert sum(asked) == whole.tried - 2
    # Another player has trials of his own.
    best_joint(states, any_player(LARGER, 7), memory=1, most=1, out=tmp_path)
    assert len(list(tmp_path.iterdir())) == 2


def test_rows_of_a_pass():
    assert at_once(graph(SMALL), 1) == 1
    assert at_once(graph(SMALL), 1 << 30) > 100
