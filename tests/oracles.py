"""Slow and independent answers to what the package computes fast: plain Python and NumPy.

Everything here is written from the rules in words. A ship is a frozenset of cells, a position of
the board is looked up in sets, and nothing is imported from the package but `Game` itself.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache

import numpy as np

from bsjax.game.game import Game

UNFIRED, WATER, OPEN, CLOSED = 0, 1, 2, 3

Ship = frozenset[int]
Size = tuple[int, int]


# --- the board ---------------------------------------------------------------------------------


def cell(name: str, width: int = 10) -> int:
    """`E5` is column E, row 5: columns from A, rows from 1."""
    return (int(name[1:]) - 1) * width + "ABCDEFGHIJKLMNOP".index(name[0])


def cells(names: str, width: int = 10) -> set[int]:
    return {cell(name, width) for name in names.split()}


def spread(size: Size, a: int, b: int) -> tuple[int, int]:
    """Rows and columns between two cells."""
    (row_a, column_a), (row_b, column_b) = divmod(a, size[0]), divmod(b, size[0])
    return abs(row_a - row_b), abs(column_a - column_b)


@cache
def beside(size: Size, a: int) -> Ship:
    """Cells that share a side with `a`."""
    return frozenset(b for b in range(size[0] * size[1]) if sum(spread(size, a, b)) == 1)


@cache
def cornering(size: Size, a: int) -> Ship:
    """Cells that share only a corner with `a`."""
    return frozenset(b for b in range(size[0] * size[1]) if spread(size, a, b) == (1, 1))


@cache
def halo(size: Size, touching: str, a: int) -> Ship:
    """Cells next to a ship cell `a` where no other ship may lie."""
    if touching == "allowed":
        return frozenset()
    if touching == "no-side":
        return beside(size, a)
    return beside(size, a) | cornering(size, a)


@cache
def positions(size: Size, length: int) -> tuple[Ship, ...]:
    """Every position of a ship: straight runs of cells inside the board, each once."""
    width, height = size
    found = set()
    for row in range(height):
        for column in range(width):
            right = [(row, column + i) for i in range(length)]
            down = [(row + i, column) for i in range(length)]
            for run in (right, down):
                if all(r < height and c < width for r, c in run):
                    found.add(frozenset(r * width + c for r, c in run))
    return tuple(sorted(found, key=sorted))


@cache
def positions_through(size: Size, length: int, a: int) -> tuple[Ship, ...]:
    return tuple(ship for ship in positions(size, length) if a in ship)


def clash(size: Size, touching: str, one: Ship, other: Ship) -> bool:
    """Whether two ships may not stand together."""
    return any(b in one or b in halo(size, touching, a) for a in one for b in other)


def turns(size: Size) -> list[list[int]]:
    """Cell images under every rotation and reflection that keeps the board's sides."""
    width, height = size
    images = []
    for swap in (False, True) if width == height else (False,):
        for flip_row in (False, True):
            for flip_column in (False, True):
                image = []
                for a in range(width * height):
                    row, column = divmod(a, width)
                    row, column = (column, row) if swap else (row, column)
                    row = height - 1 - row if flip_row else row
                    column = width - 1 - column if flip_column else column
                    image.append(row * width + column)
                images.append(image)
    return images


# --- boards and orders of shots ----------------------------------------------------------------


def random_boards(game: Game, count: int, seed: int) -> np.ndarray:
    """Uniformly random layouts by rejection: int8[count, C], ship on each cell or −1.

    Every ship is drawn on its own and a layout with a clash is thrown away; a row is dropped at
    its first clash, since the ships drawn later could not save it.
    """
    rng = np.random.default_rng(seed)
    masks, halos = {}, {}
    for length in set(game.fleet):
        ships = positions(game.size, length)
        masks[length] = np.zeros((len(ships), game.cells), bool)
        halos[length] = np.zeros((len(ships), game.cells), bool)
        for i, ship in enumerate(ships):
            masks[length][i, list(ship)] = True
            for a in ship:
                halos[length][i, list({a} | halo(game.size, game.touching, a))] = True
    found, total = [], 0
    while total < count:
        boards = np.full((4096, game.cells), -1, np.int8)
        taken = np.zeros(boards.shape, bool)
        for k, length in enumerate(game.fleet):
            pick = rng.integers(len(masks[length]), size=len(boards))
            free = ~(taken & masks[length][pick]).any(1)
            boards, taken, pick = boards[free], taken[free], pick[free]
            boards[masks[length][pick]] = k
            taken |= halos[length][pick]
        found.append(boards)
        total += len(boards)
    return np.concatenate(found)[:count]


def random_order(game: Game, board: np.ndarray, rng: np.random.Generator, near: float) -> list[int]:
    """All cells in a random order; with probability `near` the next one is beside a hit."""
    left, hits, order = set(range(game.cells)), set(), []
    while left:
        close = [b for a in sorted(hits) for b in sorted(beside(game.size, a)) if b in left]
        pool = close if close and rng.random() < near else sorted(left)
        shot = int(pool[rng.integers(len(pool))])
        left.remove(shot)
        order.append(shot)
        if board[shot] >= 0:
            hits.add(shot)
    return order


# --- what a hunter is told ---------------------------------------------------------------------


@dataclass
class Truth:
    """What a shot truly did."""

    hit: bool
    sunk: bool
    ship: int
    shown: Ship


@dataclass
class Known:
    """All planes of an observation, kept as dictionaries and sets."""

    game: Game
    answer: dict[int, int] = field(default_factory=dict)
    order: dict[int, int] = field(default_factory=dict)
    named: dict[int, int] = field(default_factory=dict)
    closed: set[int] = field(default_factory=set)
    sunk_at: dict[int, int] = field(default_factory=dict)
    sunk_cell: dict[int, int] = field(default_factory=dict)
    readings: list[list[Ship]] = field(default_factory=list)
    """All ships that could explain it, for every sink that had to be read off the board."""

    def tell(self, truth: Truth) -> int:
        """The answer code of a shot."""
        game = self.game
        if not truth.hit:
            return -1
        if game.feedback == "hit-name" and not truth.sunk:
            return game.ships + 2 + truth.ship
        if game.feedback == "hit" or not truth.sunk:
            return 0
        if game.feedback == "sunk":
            return game.ships + 1
        return 1 + self.label(truth.ship)

    def label(self, ship: int) -> int:
        """The ship as it is told: by length alone, the first one not yet announced."""
        if self.game.feedback in ("name", "hit-name"):
            return ship
        return self.first(self.game.fleet[ship])

    def first(self, length: int) -> int:
        fleet = enumerate(self.game.fleet)
        return next(k for k, n in fleet if n == length and k not in self.sunk_at)

    def fire(self, shot: int, truth: Truth) -> None:
        """Take in the answer to a shot; −1 is no shot."""
        if shot < 0:
            return
        game, number = self.game, len(self.order)
        told = self.label(truth.ship) if truth.sunk and game.feedback != "sunk" else -1
        self.answer[shot] = self.tell(truth)
        self.order[shot] = number
        if game.feedback == "hit-name" and truth.hit:
            self.named[shot] = truth.ship
        if not truth.sunk or game.feedback == "hit":
            return
        if game.feedback == "cells":
            self.closed |= truth.shown
            self.named.update(dict.fromkeys(truth.shown, told))
        elif game.feedback == "hit-name":
            self.closed |= {a for a, ship in self.named.items() if ship == truth.ship}
        else:
            told = self.read(shot, told)
        if told >= 0:
            self.sunk_at[told], self.sunk_cell[told] = number, shot

    def read(self, shot: int, told: int) -> int:
        """Close the hits of a sink if only one ship can explain it; returns the ship sunk."""
        game = self.game
        hits = {a for a, code in self.answer.items() if code >= 0} - self.closed

        def touched(ship: Ship, hits: set[int]) -> bool:
            """Whether a hit beside the ship would have to be another ship's."""
            return any(beside(game.size, a) & (hits - ship) for a in ship)

        if game.feedback == "sunk":
            lengths = {n for k, n in enumerate(game.fleet) if k not in self.sunk_at}
        else:
            lengths = {game.fleet[told]}
        ways = [
            ship
            for length in lengths
            for ship in positions_through(game.size, length, shot)
            if ship <= hits and not (game.touching != "allowed" and touched(ship, hits))
        ]
        self.readings.append(ways)
        if len(ways) == 1:
            self.closed |= ways[0]
        if game.feedback != "sunk":
            return told
        fitting = {len(ship) for ship in ways}
        return self.first(fitting.pop()) if len(fitting) == 1 else -1

    def planes(self) -> dict[str, np.ndarray]:
        """The observation as arrays, by field name."""
        game = self.game
        out = {
            "mark": np.full(game.cells, UNFIRED, np.int8),
            "answer": np.full(game.cells, -2, np.int8),
            "shot_at": np.full(game.cells, -1, np.int16),
            "ship_at": np.full(game.cells, -1, np.int8),
            "sunk_at": np.full(game.ships, -1, np.int16),
            "sunk_cell": np.full(game.ships, -1, np.int16),
            "shots": np.array(len(self.order), np.int16),
        }
        for a, code in self.answer.items():
            hit = CLOSED if a in self.closed else OPEN
            out["mark"][a] = hit if code >= 0 else WATER
            out["answer"][a] = code
        for name, at in (("shot_at", self.order), ("ship_at", self.named)):
            out[name][list(at)] = list(at.values())
        for name, at in (("sunk_at", self.sunk_at), ("sunk_cell", self.sunk_cell)):
            out[name][list(at)] = list(at.values())
        return out


def marked(
    game: Game, *, hits: str = "", misses: str = "", closed: str = "", sunk: Sequence[int] = ()
) -> dict[str, np.ndarray]:
    """Planes of a position written in cell names, `hits="E5 F5"`; only the marks and the sinks."""
    planes = Known(game).planes()
    for names, mark in ((hits, OPEN), (misses, WATER), (closed, CLOSED)):
        planes["mark"][sorted(cells(names, game.width))] = mark
    planes["sunk_at"][list(sunk)] = 0
    return planes


def truths(game: Game, board: np.ndarray, shots: Sequence[int]) -> Iterator[Truth]:
    """What each shot at a board does; −1 is no shot."""
    left = {k: set(np.flatnonzero(board == k).tolist()) for k in range(game.ships)}
    for shot in shots:
        if shot < 0 or board[shot] < 0:
            yield Truth(hit=False, sunk=False, ship=-1, shown=frozenset())
            continue
        ship = int(board[shot])
        left[ship].discard(shot)
        whole = frozenset(np.flatnonzero(board == ship).tolist())
        yield Truth(True, not left[ship], ship, frozenset() if left[ship] else whole)


def random_positions(game: Game, count: int, seed: int) -> dict[str, np.ndarray]:
    """Stacked planes of games broken off at a random shot, before the fleet was sunk."""
    rng = np.random.default_rng(seed)
    rows = []
    for board in random_boards(game, count, seed):
        order = random_order(game, board, rng, near=rng.random())
        fired = order[: rng.integers(shots_to_sink_all(board, order))]
        known = Known(game)
        for truth, shot in zip(truths(game, board, fired), fired, strict=True):
            known.fire(shot, truth)
        rows.append(known.planes())
    return {name: np.stack([row[name] for row in rows]) for name in rows[0]}


def shots_to_sink_all(board: np.ndarray, order: Sequence[int]) -> int:
    """Shots until no ship cell is left, −1 if the order ends before."""
    left = set(np.flatnonzero(board >= 0).tolist())
    for number, shot in enumerate(order, start=1):
        left.discard(int(shot))
        if not left:
            return number
    return -1


# --- what a hunter makes of it -----------------------------------------------------------------


def proven_water(game: Game, mark: np.ndarray) -> set[int]:
    """Cells not fired at that the touching rule denies to every ship not yet explained."""
    out: set[int] = set()
    for a in np.flatnonzero(mark == CLOSED).tolist():
        out |= halo(game.size, game.touching, a)
    if game.touching == "none":
        for a in np.flatnonzero(mark == OPEN).tolist():
            out |= cornering(game.size, a)
    return {a for a in out if mark[a] == UNFIRED}


def digits(game: Game, mark: np.ndarray, sunk_at: np.ndarray) -> np.ndarray:
    """N_h of every cell not fired at, placement by placement: int64[L_max, C], 0 elsewhere.

    A placement of a ship afloat is consistent if it covers no miss and no closed hit, covers no
    cell that touches a closed hit against the rule, and touches no open hit that it does not
    cover.
    """
    size, touching = game.size, game.touching
    out = np.zeros((max(game.fleet), game.cells), np.int64)
    closed = np.flatnonzero(mark == CLOSED).tolist()
    opened = set(np.flatnonzero(mark == OPEN).tolist())
    banned = {*np.flatnonzero(mark == WATER).tolist(), *closed}
    for a in closed:
        banned |= halo(size, touching, a)
    for k, length in enumerate(game.fleet):
        if sunk_at[k] >= 0:
            continue
        for ship in positions(size, length):
            near = {b for a in ship for b in halo(size, touching, a)} - ship
            if ship & banned or near & opened:
                continue
            covered = len(ship & opened)
            for a in ship - opened:
                out[covered, a] += 1
    return out


def target_cells(game: Game, mark: np.ndarray, sunk_at: np.ndarray, *, parity: bool) -> set[int]:
    """Cells among which hunt and target chooses, from the state machine in words."""
    width, height = game.size
    afloat = [n for k, n in enumerate(game.fleet) if sunk_at[k] < 0]
    possible = set(np.flatnonzero(mark == UNFIRED).tolist()) - proven_water(game, mark)

    def is_open(row: int, column: int) -> bool:
        inside = 0 <= row < height and 0 <= column < width
        return inside and mark[row * width + column] == OPEN

    ends, sides = set(), set()
    for row in range(height):
        for column in range(width):
            if not is_open(row, column):
                continue
            for down, right in ((0, 1), (0, -1), (1, 0), (-1, 0)):
                # Walk the run of open hits that starts here to its far end.
                steps = 1
                while is_open(row + steps * down, column + steps * right):
                    steps += 1
                r, c = row + steps * down, column + steps * right
                if 0 <= r < height and 0 <= c < width:
                    (ends if steps > 1 else sides).add(r * width + c)
    if ends & possible:
        return ends & possible
    if sides & possible:
        return sides & possible
    if not parity:
        return possible
    m = min(afloat)
    return {a for a in possible if sum(divmod(a, width)) % m == 0}
