"""The graph of all states of knowledge of a small game, layer by layer.

A state is how many shots were fired, the set of layouts that fit all answers, and the set of fired
cells that hit; states that the symmetries of the board turn into each other are one. Layer t holds
the states after t shots that the allowed moves can reach. Under `size` feedback nothing else
matters for the rest of the game: misses are in the set of layouts, hits are not (two states with
the same layouts can differ in which ship cells were fired at already).

One layer is made from the one before in four passes:

1. every allowed move and answer of every state gives the key of a child (`edges`);
2. the keys are sorted, equal keys are one child, new children are numbered (`merge`);
3. the lists of layouts of the children are filtered from their first parents' (`children`);
4. the edges are laid out for the backward pass and written down (`pages`, `layers`).

    graph = build(Game((4, 4), (3, 3, 2)))
    graph.states, graph.moves, graph.edges      # 202416, 601341, 1152207
"""

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Int64, UInt8, UInt16

from bsjax.game.game import Game
from bsjax.runtime import devices
from bsjax.runtime.origin import origin
from bsjax.runtime.progress import Progress
from bsjax.runtime.run_folder import RunFolder
from bsjax.solve.children import allocate, ends, fill
from bsjax.solve.edges import edges
from bsjax.solve.front import Bucket, Chunk, chunks, count, opening
from bsjax.solve.layers import Counts, Layer, Shelf, read
from bsjax.solve.merge import Keys, Merged, Spread, merge, parted, parts_for
from bsjax.solve.moves import Rule, rule_of
from bsjax.solve.pages import Pages, joined, pages
from bsjax.solve.tables import Tables, tables_of

MEMORY = 16 << 30
"""Bytes that one layer may take by default."""
BYTES_AN_EDGE = 21
"""Memory of one edge of a layer while its keys are sorted, and twice the lists beside it."""

_BLOCK = 1 << 16
"""Places in the lists of states whose edges are made at once: its arrays stay in the cache."""
_STATES = 1 << 12
"""States whose edges are made at once."""


class Graph:
    """All states of knowledge of a game.

    Attributes:
        game: the game.
        rule: which cells may be fired at (`bsjax.solve.moves`).
        layers: the states after 0, 1, … shots, their edges, and which of them are ends.
    """

    def __init__(self, game: Game, rule: Rule, layers: list[Layer]):
        self.game = game
        self.rule: Rule = rule
        self.layers = layers

    @property
    def tables(self) -> Tables:
        """Lookup tables of the game."""
        return tables_of(self.game)

    @property
    def states(self) -> int:
        """States in all layers."""
        return sum(layer.counts.states for layer in self.layers)

    @property
    def moves(self) -> int:
        """Pairs of a state and a cell that may be fired at."""
        return sum(layer.counts.moves for layer in self.layers)

    @property
    def edges(self) -> int:
        """Triples of a state, such a cell and an answer it can get."""
        return sum(layer.counts.edges for layer in self.layers)

    def as_json(self) -> dict[str, Any]:
        """What `bsjax solve --graph` reports."""
        return {
            "size": list(self.game.size),
            "fleet": list(self.game.fleet),
            "touching": self.game.touching,
            "rule": self.rule,
            "states": self.states,
            "moves": self.moves,
            "edges": self.edges,
            "layers": [layer.counts.states for layer in self.layers],
        }


class _Piece(NamedTuple):
    """The edges of one chunk of states."""

    moves: UInt8[np.ndarray, " n"]
    branches: UInt8[np.ndarray, " N"]
    edges: UInt16[np.ndarray, " n"]
    code: UInt16[np.ndarray, " E"]
    width: UInt8[np.ndarray, " E"]


def build(
    game: Game,
    rule: str = "finish",
    *,
    out: Path | None = None,
    resume: bool = False,
    workers: int | None = None,
    memory: int = MEMORY,
    quiet: bool = True,
) -> Graph:
    """Build the state graph of a game, or go on building it.

    Args:
        game: a small game under `size` feedback.
        rule: `finish` what you hit, or `all` cells that some layout covers.
        out: run folder; without it the graph stays in memory.
        resume: go on with the graph in `out`; layers that are complete are not built again.
        workers: threads; all cores by default. They change no result.
        memory: bytes that the arrays of one layer may take.
        quiet: show no progress.

    Raises:
        ValueError: the game cannot be listed, its feedback is not `size`, a layer needs more than
            the memory, or the folder holds something else.
        OSError: the folder cannot be written; the layers that are complete are kept.

    Cost: about 75 ns for each layout of each state and 150 ns an edge, on one core; on disk 4.6
    bytes an edge and 2 a state, in memory also about 21 an edge of the largest layer and its
    lists twice.
    """
    chosen = rule_of(rule)
    if resume and out is None:
        raise ValueError("to go on with a state graph give its folder: --out DIR")
    tables = tables_of(game)
    folder = None if out is None else RunFolder(out, _settings(game, chosen), resume=resume)
    try:
        shelf = Shelf(folder)
        front = opening(tables) if shelf.front is None else shelf.front
        with threads(workers) as spread:
            while not shelf.complete:
                title = f"layer {len(shelf.layers)} of at most {game.cells}"
                with Progress(title, count(front), "states", quiet=quiet) as progress:
                    layer, front = _next(tables, chosen, front, spread, memory, progress)
                shelf.add(layer, front)
        graph = Graph(game, chosen, shelf.layers)
        if folder is not None:
            folder.finish(graph.as_json(), origin(None))
        return graph
    finally:
        if folder is not None:
            folder.close()


def load(path: Path) -> Graph:
    """A state graph that `build` wrote.

    Raises:
        ValueError: the folder holds none, or one that is not complete.
    """
    try:
        settings = json.loads((path / "settings.json").read_text())
        state = json.loads((path / "checkpoint.json").read_text())["state"]
        if settings["kind"] != "state graph" or not state["complete"]:
            raise ValueError("not complete")
    except (OSError, ValueError, KeyError) as error:
        raise ValueError(
            f"{path} holds no complete state graph ({error}); build it with solve --graph --out"
        ) from None
    game = Game(tuple(settings["size"]), tuple(settings["fleet"]), settings["touching"])
    return Graph(game, rule_of(settings["rule"]), read(path, state["layers"]))


def _settings(game: Game, rule: Rule) -> dict[str, Any]:
    return {
        "kind": "state graph",
        "size": list(game.size),
        "fleet": list(game.fleet),
        "touching": game.touching,
        "rule": rule,
    }


def _next(
    tables: Tables,
    rule: Rule,
    front: list[Bucket],
    spread: Spread,
    memory: int,
    progress: Progress,
) -> tuple[Layer, list[Bucket]]:
    """The edges of a layer, and the lists of the next."""
    work = list(chunks(front))
    parts = parts_for(count(front))
    lists = sum(bucket.members.nbytes for bucket in front)

    def expand(chunk: Chunk) -> tuple[_Piece, Keys]:
        return _piece(tables, rule, front[chunk.bucket].part(chunk.rows), parts)

    pieces: list[_Piece] = []
    keys: list[Keys] = []
    starts = [0]
    for chunk, (piece, key) in zip(work, spread(expand, work), strict=True):
        pieces.append(piece)
        keys.append(key)
        starts.append(starts[-1] + len(piece.code))
        progress.advance(chunk.states)
        if (needed := 2 * lists + BYTES_AN_EDGE * starts[-1]) > memory:
            raise ValueError(
                f"a layer of {count(front):,} states needs more than {needed:,} bytes, allowed are "
                f"{memory:,}; raise the memory or choose a smaller game"
            )
    merged = merge(keys, [piece.width for piece in pieces], spread)
    following = _fronts(tables, front, work, pieces, merged, spread)

    def lay_out(number: int) -> Pages:
        piece, child = pieces[number], merged.child[starts[number] : starts[number + 1]]
        none = len(merged.first)
        return pages(piece.moves, piece.branches, child, answers=tables.answers, none=none)

    laid = joined(list(spread(lay_out, range(len(pieces)))))
    counts = Counts(count(front), len(laid.first), starts[-1])
    return Layer(counts, laid, ends(tables, front)), following


def _piece(tables: Tables, rule: Rule, states: Bucket, parts: int) -> tuple[_Piece, Keys]:
    """The edges of some states, made block by block, and their keys."""
    number, width = states.members.shape
    step = max(min(_STATES, _BLOCK // width), 1)
    blocks = [
        edges(tables, rule, *states.part(slice(start, start + step)))
        for start in range(0, number, step)
    ]
    *fields, key = (np.concatenate(arrays) for arrays in zip(*blocks, strict=True))
    return _Piece(*fields), parted(key, parts)


def _fronts(
    tables: Tables,
    front: list[Bucket],
    work: list[Chunk],
    pieces: list[_Piece],
    merged: Merged,
    spread: Spread,
) -> list[Bucket]:
    """The lists of the next layer."""
    following = allocate(tables, merged.width)
    # Row of each new state in the bucket of its width.
    base = np.cumsum([0, *(len(bucket.hits) for bucket in following)])
    starts = np.cumsum([0, *(len(piece.code) for piece in pieces)])
    bounds = np.searchsorted(merged.first, starts)

    def one(number: int) -> None:
        new = slice(int(bounds[number]), int(bounds[number + 1]))
        piece, chunk = pieces[number], work[number]
        first, width = merged.first[new], merged.width[new]
        child: Int64[np.ndarray, " n"] = merged.child.take(first) - base.take(width)
        edge = first - starts[number]
        parent = np.searchsorted(np.cumsum(piece.edges, dtype=np.int64), edge, side="right")
        states = front[chunk.bucket].part(chunk.rows)
        fill(tables, states, parent, piece.code.take(edge), width, child, following)

    for _ in spread(one, range(len(pieces))):
        pass
    return following


@contextmanager
def threads(workers: int | None) -> Iterator[Spread]:
    """`map` on several cores, in order; NumPy and SciPy work outside Python's lock."""
    pool = ThreadPoolExecutor(workers or devices.cores())
    try:
        yield pool.map
    finally:
        pool.shutdown(cancel_futures=True)
