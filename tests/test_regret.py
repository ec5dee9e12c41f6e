"""CFR+ over states of knowledge: plain recursion, lotteries of hunts, and the game as a tree."""

from functools import cache

import numpy as np
import pytest
from test_knowledge import TINY, PlainStates

from bsjax.evaluate.tree import evaluate
from bsjax.game.game import Game
from bsjax.solve.best_reply import best_reply, finishing
from bsjax.solve.dice import drawn, places, visits
from bsjax.solve.exploit import exploited
from bsjax.solve.hunts import ByChoice
from bsjax.solve.knowledge import build
from bsjax.solve.pasts import KINDS, Averages, dependence, unfolded
from bsjax.solve.regret import Learner
from bsjax.solve.tables import classes

GAME = Game((3, 3), (2, 2))


@cache
def graph(rule="finish"):
    return build(GAME, rule)


def even(states):
    return [np.zeros(layer.counts.moves) for layer in states.layers]


def pure(states, choice):
    """The dice of a hunt without dice."""
    dice = even(states)
    for layer, chosen, one in zip(states.layers, choice, dice, strict=True):
        owner, place = places(layer)
        number = np.arange(len(owner)) - np.searchsorted(owner, owner)
        one[place] = number == chosen[owner]
    return dice


@pytest.mark.parametrize("rule", ["finish", "all"])
@pytest.mark.parametrize("game", TINY[:5], ids=str)
def test_even_dice_finish_as_plain_recursion_says(game, rule):
    states, plain = build(game, rule), PlainStates(game, rule)

    @cache
    def times(layout, left, hits):
        """Chance of each number of further shots in a layout."""
        if len(hits) == sum(game.fleet):
            return {0: 1.0}
        found, cells = {}, plain.allowed(left, hits)
        for cell in cells:
            told = plain.answer(layout, hits, cell)
            rest = frozenset(i for i in left if plain.answer(i, hits, cell) == told)
            after = hits if told == "miss" else hits | {cell}
            for more, chance in times(layout, rest, after).items():
                found[more + 1] = found.get(more + 1, 0) + chance / len(cells)
        return found

    finished = visits(states, even(states)).finishing
    assert finished.sum(1) == pytest.approx(1)
    boards = states.tables.listing.boards(classes(game).row)
    for row, board in zip(finished, boards, strict=True):
        own = frozenset(frozenset(np.flatnonzero(board == k).tolist()) for k in range(game.ships))
        known = frozenset(range(len(plain.layouts)))
        for shots, chance in times(plain.layouts.index(own), known, frozenset()).items():
            assert row[shots] == pytest.approx(chance, rel=1e-12)


@pytest.mark.parametrize("rule", ["finish", "all"])
def test_dice_play_a_lottery_of_hunts(rule):
    states, rng = graph(rule), np.random.default_rng(3)
    listing, row = states.tables.listing, classes(GAME).row
    averages = Averages(states)
    finished = np.zeros((len(row), GAME.cells + 1))
    for number in range(1, 9):
        choice = drawn(states, even(states), rng)
        shots = evaluate(listing, ByChoice(states, choice)).shots
        found = visits(states, pure(states, choice)).finishing
        assert found == pytest.approx(finishing(listing, shots)[row], abs=1e-15)
        averages.add(pure(states, choice), float(number))
        finished = finished + number * found
    finished = (finished / 36)[classes(GAME).of]
    told = {kind: averages.finishing(kind) for kind in KINDS}
    for found in told.values():
        assert found.sum(1) == pytest.approx(1)
    # Dice rolled anew at every state finish as the lottery does, though they forget its draw.
    assert told["lottery"] == pytest.approx(finished, abs=1e-14)
    assert told["all pasts"] == pytest.approx(finished, abs=1e-14)
    for kind in ("one past", "mean dice"):
        assert np.abs(told[kind] - finished).max() > 0.01


def test_drawn_hunts_follow_the_dice():
    states, rng = graph(), np.random.default_rng(8)
    listing, row = states.tables.listing, classes(GAME).row
    weights = [rng.random(layer.counts.moves) for layer in states.layers]
    games = 60
    found = np.stack(
        [
            finishing(listing, evaluate(listing, ByChoice(states, choice)).shots)[row]
            for choice in (drawn(states, weights, rng) for _ in range(games))
        ]
    )
    error = found.std(0) / games**0.5
    away = np.abs(found.mean(0) - visits(states, weights).finishing)
    assert (away <= 5 * error + 1e-3).all()


def test_states_and_their_tree_learn_the_same():
    states = graph()
    unfold = unfolded(states)
    tree = unfold.graph
    assert tree.states > 10 * states.states
    weights = classes(GAME).of % 3 + 1.0
    credit = np.linspace(1, 0, GAME.cells + 1)
    value = best_reply(states, credit, weights, choices=False).value
    assert best_reply(tree, credit, weights, choices=False).value == pytest.approx(value, rel=1e-12)
    short, long = Learner(states), Learner(tree)
    averages = Averages(tree)
    for _ in range(12):
        assert short.step() == pytest.approx(long.step(), abs=1e-5)
    a, b = short.average(), long.average()
    assert a.hider == pytest.approx(b.hider, abs=1e-5)
    assert a.finishing == pytest.approx(b.finishing, abs=1e-4)
    # Every node rolls the dice of its state, in every round; over the rounds the past tells more.
    once = visits(tree, long.regret, keep=True).often
    averages.add(even(tree))
    averages.add(long.regret)
    assert once is not None
    assert dependence(states, unfold, once) < 1e-4
    assert dependence(states, unfold, averages.often) > 0.01


def test_regrets_vanish():
    states, learner = graph(), Learner(graph())
    averages, gained = Averages(states), {}
    for number in range(1, 151):
        learner.step()
        averages.add(learner.regret, learner.weight)
        if number in (15, 150):
            gained[number] = exploited(states, learner.average()).hunt - 0.5
    average = learner.average()
    assert average.hider.sum() == pytest.approx(1)
    assert 0 <= gained[150] < gained[15] / 3
    assert gained[150] < 0.002
    assert exploited(states, average).worst > 0.498
    assert average.finishing == pytest.approx(averages.finishing("all pasts"), abs=1e-12)
    # Followed along one past of each state, the same dice are no strong player.
    wrong = average._replace(finishing=averages.finishing("one past"))
    assert exploited(states, wrong).hunt > 0.51


def test_a_learner_goes_on_with_the_same_bits(tmp_path):
    def learned(folder, marks):
        found = []
        for rounds in marks:
            found = [Learner(graph(), out=folder, resume=folder.exists())]
            found[0].play(rounds, every=2)
            found[0].close()
        return found

    memory = Learner(graph(), workers=1)
    memory.play(7)
    for other in [*learned(tmp_path / "once", (7,)), *learned(tmp_path / "parts", (2, 3, 7))]:
        for a, b in zip(other.regret, memory.regret, strict=True):
            assert (a == b).all()
        assert (other.average().finishing == memory.average().finishing).all()
        assert (other.last().hider == memory.last().hider).all()
    with pytest.raises(ValueError, match="another run: rule was 'finish', now 'all'"):
        Learner(graph("all"), out=tmp_path / "once", resume=True)
