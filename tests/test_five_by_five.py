"""The whole state graph of 5×5 {3,3,2}: minutes of all cores, 10 GB of memory and 9 GB on disk."""

from fractions import Fraction

import pytest
from test_knowledge import GOLDEN

from bsjax.evaluate.credit import shots_credit
from bsjax.game.game import Game
from bsjax.solve.best_reply import best_reply
from bsjax.solve.knowledge import build

CASE = GOLDEN[-1]

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def graph(tmp_path_factory):
    """Built once, in a folder: in memory it would take half as much again."""
    return build(Game((5, 5), (3, 3, 2)), out=tmp_path_factory.mktemp("solve") / "5x5")


def test_it_is_the_published_graph(graph):
    assert [layer.counts.states for layer in graph.layers] == CASE["layers"]
    assert (graph.moves, graph.edges) == (CASE["moves_count"], CASE["edges"])


def test_it_needs_the_known_shots(graph):
    reply = best_reply(graph, shots_credit(graph.game))
    total, layouts = CASE["min_shots"]
    assert -reply.value == total / layouts
    assert reply.play().figures().mean == Fraction(total, layouts)
