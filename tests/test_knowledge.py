"""States of knowledge: published counts, a plain enumeration, folders that survive a kill."""

import json
import shutil
import subprocess
import sys
from functools import cache
from itertools import combinations, pairwise
from pathlib import Path

import numpy as np
import pytest
from oracles import beside, clash, positions, turns
from typer.testing import CliRunner

from bsjax.cli import app
from bsjax.cli import load as load_commands
from bsjax.game.game import Game
from bsjax.game.symmetry import cell_images
from bsjax.solve.knowledge import build, load
from bsjax.solve.merge import merge, parted
from bsjax.solve.pages import joined, pages
from bsjax.solve.tables import layout_images, orbits, tables_of

GOLDEN = json.loads((Path(__file__).parent / "golden" / "small_boards.json").read_text())["boards"]


def name(case):
    return f"{case['size']} {case['moves']}"


@pytest.mark.parametrize("case", GOLDEN[:-1], ids=name)
def test_counts_are_the_published_ones(case):
    width, height = map(int, case["size"].split("x"))
    graph = build(Game((width, height), tuple(case["fleet"])), case["moves"])
    assert [layer.counts.states for layer in graph.layers] == case["layers"]
    told = graph.as_json()
    assert told["states"] == case["states"]
    assert (told["moves"], told["edges"]) == (case["moves_count"], case["edges"])


# --- plain Python ------------------------------------------------------------------------------


class PlainStates:
    """States of knowledge from the rules in words: sets of layouts, turned and compared."""

    def __init__(self, game, rule):
        self.game, self.rule = game, rule
        self.layouts = self._layouts()
        number = {layout: index for index, layout in enumerate(self.layouts)}
        self.turns = turns(game.size)
        self.images = [
            [
                number[frozenset(frozenset(t[c] for c in s) for s in layout)]
                for layout in self.layouts
            ]
            for t in self.turns
        ]

    def _layouts(self):
        ships = {ship for n in set(self.game.fleet) for ship in positions(self.game.size, n)}
        return [
            frozenset(chosen)
            for chosen in combinations(sorted(ships, key=sorted), self.game.ships)
            if sorted(map(len, chosen)) == sorted(self.game.fleet)
            and not any(
                clash(self.game.size, self.game.touching, a, b) for a, b in combinations(chosen, 2)
            )
        ]

    def folded(self, layouts, hits):
        return min(
            (tuple(sorted(image[i] for i in layouts)), tuple(sorted(turn[c] for c in hits)))
            for turn, image in zip(self.turns, self.images, strict=True)
        )

    def root(self):
        return self.folded(range(len(self.layouts)), ())

    def answer(self, layout, hits, cell):
        for ship in self.layouts[layout]:
            if cell in ship:
                return len(ship) if ship <= {*hits, cell} else "hit"
        return "miss"

    def allowed(self, layouts, hits):
        ships = [ship for layout in layouts for ship in self.layouts[layout]]
        cells = {cell for ship in ships for cell in ship} - set(hits)
        wounds = {c for ship in ships if not ship <= set(hits) for c in ship if c in hits}
        if self.rule == "finish" and wounds:
            cells &= {c for wound in wounds for c in beside(self.game.size, wound)}
        return sorted(cells)

    def moves(self, state):
        """For each cell allowed, the states its answers lead to."""
        layouts, hits = state
        found = []
        for cell in self.allowed(layouts, hits):
            parts = {}
            for layout in layouts:
                parts.setdefault(self.answer(layout, hits, cell), []).append(layout)
            found.append(
                [
                    self.folded(part, hits if answer == "miss" else (*hits, cell))
                    for answer, part in parts.items()
                ]
            )
        return found

    def layers(self):
        """States, moves and edges of each layer."""
        layer, told = {self.root()}, []
        while layer:
            moves = [move for state in layer for move in self.moves(state)]
            told.append((len(layer), len(moves), sum(map(len, moves))))
            layer = {child for move in moves for child in move}
        return told

    def value(self, credit, weights):
        """Most credit to be expected, by plain recursion."""

        @cache
        def best(state, shots):
            layouts, hits = state
            if len(hits) == self.game.ship_cells:
                return credit[shots] * sum(weights[i] for i in layouts)
            return max(sum(best(child, shots + 1) for child in move) for move in self.moves(state))

        return best(self.root(), 0) / sum(weights)


TINY = [
    Game((3, 3), (2, 2)),
    Game((3, 3), (2,)),
    Game((3, 3), (3, 1)),
    Game((4, 2), (2, 1)),
    Game((3, 2), (1, 1)),
    Game((4, 3), (3, 2), touching="none"),
    Game((11, 3), (8,)),
]


@pytest.mark.parametrize("rule", ["finish", "all"])
@pytest.mark.parametrize("game", TINY, ids=str)
def test_every_layer_equals_the_plain_enumeration(game, rule):
    layers = [tuple(layer.counts) for layer in build(game, rule).layers]
    assert layers == PlainStates(game, rule).layers()


def test_layouts_turn_as_their_cells_do():
    listing = tables_of(Game((4, 4), (2, 3, 2))).listing
    boards = listing.boards() >= 0
    for cells, rows in zip(cell_images((4, 4)), layout_images(listing), strict=True):
        assert (boards[rows][:, cells] == boards).all()
    assert len(np.unique(orbits(tables_of(Game((4, 4), (3, 3, 2))).listing))) == 103


# --- parts of the build ------------------------------------------------------------------------


@pytest.mark.parametrize("parts", [1, 8])
def test_merge_numbers_equal_keys_alike(parts):
    rng = np.random.default_rng(3)
    key = rng.integers(0, 5_000, 20_000).astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    width = (key >> np.uint64(61)).astype(np.uint8)
    cuts = [0, 7_000, 7_001, 20_000]
    pieces = [slice(a, b) for a, b in pairwise(cuts)]
    merged = merge([parted(key[p], parts) for p in pieces], [width[p] for p in pieces])
    found, first, number = np.unique(key, return_index=True, return_inverse=True)
    assert (merged.first == np.sort(first)).all()
    assert (merged.width == width[merged.first]).all()
    # One number for each key, by width and then by the first edge.
    assert (merged.child == merged.child[first][number]).all()
    order = np.lexsort((first, width[first]))
    assert (merged.child[first][order] == np.arange(len(found))).all()


def test_pages_give_every_child_back():
    rng = np.random.default_rng(4)
    moves = rng.integers(0, 26, 9_000).astype(np.uint8)
    branches = rng.integers(1, 5, int(moves.sum())).astype(np.uint8)
    child = rng.integers(0, 1_000, int(branches.sum())).astype(np.uint32)
    cut = 6_000
    move, edge = int(moves[:cut].sum()), int(branches[: int(moves[:cut].sum())].sum())
    found = joined(
        [
            pages(moves[:cut], branches[:move], child[:edge], answers=4, none=1_000),
            pages(moves[cut:], branches[move:], child[edge:], answers=4, none=1_000),
        ]
    )
    assert found.total > 2
    state = np.repeat(np.arange(len(moves)), moves)
    number = np.arange(len(state)) - np.repeat(np.cumsum(moves, dtype=int) - moves, moves)
    told = found.children(state, number)
    assert (told[told >= 0] == child).all()
    assert ((told >= 0).sum(1) == branches).all()


def test_workers_change_nothing():
    game = Game((4, 4), (3, 2))
    one, three = build(game, workers=1), build(game, workers=3)
    for a, b in zip(one.layers, three.layers, strict=True):
        assert all(np.array_equal(x, y) for x, y in zip(a.pages, b.pages, strict=True))
        assert all(np.array_equal(x, y) for x, y in zip(a.ends, b.ends, strict=True))


# --- folders -----------------------------------------------------------------------------------

KILLED = """
import os, signal, sys
from pathlib import Path
from bsjax.game.game import Game
from bsjax.solve import knowledge, layers
out, count, where = Path(sys.argv[1]), 0, sys.argv[2]
write = layers._write

def stop(path, arrays):
    global count
    if path.name == where:
        path.with_name(path.name + ".partial").mkdir()
        os.kill(os.getpid(), signal.SIGKILL)
    write(path, arrays)

layers._write = stop
knowledge.build(Game((4, 4), (3, 2)), out=out)
"""


def files(path):
    return {
        str(file.relative_to(path)): file.read_bytes()
        for file in sorted(path.glob("layer_*/*.npy"))
    }


@pytest.mark.parametrize("where", ["layer_00", "layer_06", "front_07"])
def test_a_killed_build_goes_on(tmp_path, where):
    whole, broken = tmp_path / "whole", tmp_path / "broken"
    fresh = build(Game((4, 4), (3, 2)), out=whole)
    done = subprocess.run([sys.executable, "-c", KILLED, broken, where], check=False)
    assert done.returncode == -9
    assert (broken / f"{where}.partial").exists()
    with pytest.raises(ValueError, match="--resume"):
        build(Game((4, 4), (3, 2)), out=broken)
    with pytest.raises(ValueError, match="no complete state graph"):
        load(broken)
    kept = sorted(broken.glob("layer_*[0-9]"))[: 6 if where != "layer_00" else 0]
    before = {path: path.stat().st_mtime_ns for path in kept}
    resumed = build(Game((4, 4), (3, 2)), out=broken, resume=True)
    assert {path: path.stat().st_mtime_ns for path in kept} == before
    assert files(broken) == files(whole)
    assert not list(broken.glob("*.partial"))
    assert not list(broken.glob("front_*"))
    assert resumed.as_json() == fresh.as_json() == load(broken).as_json()


def test_a_folder_of_another_graph_is_left_alone(tmp_path):
    build(Game((3, 3), (2, 2)), out=tmp_path)
    with pytest.raises(ValueError, match="holds another run: rule was 'finish', now 'all'"):
        build(Game((3, 3), (2, 2)), "all", out=tmp_path, resume=True)
    shutil.rmtree(tmp_path / "layer_03")
    with pytest.raises(ValueError, match="layer_03 is missing"):
        load(tmp_path)


def test_faults_are_said_in_one_line(tmp_path):
    with pytest.raises(ValueError, match="choose finish or all"):
        build(Game((3, 3), (2,)), "some")
    with pytest.raises(ValueError, match="feedback size only"):
        build(Game((3, 3), (2,), feedback="name"))
    with pytest.raises(ValueError, match="layouts"):
        build(Game((7, 7), (3, 3, 2)))
    with pytest.raises(ValueError, match="too large to solve"):
        build(Game((10, 10), (2,)))
    with pytest.raises(ValueError, match="raise the memory"):
        build(Game((4, 4), (3, 3, 2)), memory=1 << 16)
    with pytest.raises(ValueError, match="--out DIR"):
        build(Game((3, 3), (2,)), resume=True)
    with pytest.raises(ValueError, match="no complete state graph"):
        load(tmp_path)


def test_command(tmp_path):
    load_commands()
    words = ["solve", "--graph", "--size", "3x3", "--fleet", "2,2", "--json", "--out"]
    told = json.loads(CliRunner().invoke(app, [*words, str(tmp_path)]).stdout)
    assert told["layers"] == GOLDEN[0]["layers"]
    assert (told["states"], told["moves"], told["edges"]) == (642, 1507, 2724)
    again = CliRunner().invoke(app, [*words, str(tmp_path), "--resume"])
    assert json.loads(again.stdout)["states"] == 642
    line = CliRunner().invoke(app, words[:-2]).stdout
    assert "642 states in 10 layers, 1,507 moves, 2,724 edges" in line
    # The process holds an interpreter and JAX at least, and not more than the machine has.
    assert 64 << 20 < told["peak_bytes"] < 1 << 40
    assert line.endswith(" GiB\n")
