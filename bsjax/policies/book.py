"""The opening of a hunter without dice, written down once and looked up in play.

What a hunter without dice fires after some answers is the same in every game, and nearly all the
leaves that the exact rules count in a game are counted at its first shots (`experiments/throughput`
has the share). A book holds the histories that many games reach, with the cell fired at; in play
only the others are counted. It changes the time a run takes and nothing else.

    hunter = written(policies.make("probability", Game()), games=20_000)
"""

from functools import partial
from typing import NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Int8, Int16, Int32, Key, PyTree

from bsjax.game.firing import fire
from bsjax.game.observation import HIT, NOT_FIRED, Observation, blank, impossible
from bsjax.hide import make
from bsjax.hide.base import Hider, boards
from bsjax.policies.base import Policy

_BOARDS = 1 << 14
"""Boards that say which histories are reached."""
_LEAST_SHARE = 1 / 1024
"""A history that fewer games reach is not written down."""
_BATCH = 64
_ANSWERS = 64
"""More than the answer codes of any game."""


class Book(NamedTuple):
    """N histories; the first is the empty one."""

    cell: Int16[Array, " N"]
    """Cell fired at after each."""
    child: Int32[Array, "N A"]
    """History that each answer leads to, −1 if it is not in the book; code −2 in column 0."""
    shots: Int16[Array, " N"]
    """Shots of each."""


class Booked(Policy):
    """A hunter with its book."""

    hunter: Policy
    book: Book

    @property
    def lanes(self) -> int:
        """Those of the hunter."""
        return self.hunter.lanes

    @property
    def bytes_per_game(self) -> int:
        """Those of the hunter."""
        return self.hunter.bytes_per_game

    def init(self, key: Key[Array, ""]) -> PyTree:
        """The history in the book, −1 beyond it, and the hunter's own state."""
        return jnp.int32(0), self.hunter.init(key)

    def act(
        self, key: Key[Array, ""], observation: Observation, carry: PyTree
    ) -> tuple[Int32[Array, ""], PyTree]:
        """The cell in the book, or the hunter's own."""
        before, inner = carry
        last = self.book.cell[before].astype(jnp.int32)
        told = observation.answer[last].astype(jnp.int32) - NOT_FIRED
        node = jnp.where(observation.shots == 0, 0, self.book.child[before, told])
        known = (before >= 0) & (node >= 0) & (self.book.shots[node] == observation.shots)
        # A game in the book gives its hunter nothing to count.
        shown = jax.tree.map(
            lambda mine, other: jnp.where(known, mine, other), impossible(observation), observation
        )
        cell, after = self.hunter.act(key, shown, inner)
        inner = jax.tree.map(lambda old, new: jnp.where(known, old, new), inner, after)
        booked = self.book.cell[node].astype(jnp.int32)
        return jnp.where(known, booked, cell), (jnp.where(known, node, -1), inner)


class _Page(NamedTuple):
    """Histories of one number of shots, and the boards on which they happen."""

    number: Int32[np.ndarray, " H"]
    """Number of each history in the book."""
    of: Int32[np.ndarray, " B"]
    """History of each board, a row of `number`; −1 for boards on which none happens."""
    left: Int8[np.ndarray, "B K"]
    observation: Observation
    """Of each board."""


def written(hunter: Policy, games: int) -> Policy:
    """The hunter with a book for a run of this many games.

    Args:
        hunter: a hunter without dice whose state between shots is nothing but its observation.
        games: what a book is worth: histories that less than one of them reaches are left out.

    Cost: a decision for every history in the book, each made once.
    """
    game = hunter.game
    least = max(int(_BOARDS * max(_LEAST_SHARE, 1 / games)), 1)
    board = _boards(make("uniform", game))
    cells: list[int] = []
    shots: list[int] = []
    children: list[tuple[int, int, int]] = []
    page = _first_page(hunter)
    while len(page.number):
        fired = _decide(hunter, page)
        cells += fired.tolist()
        shots += [shots[-1] + 1 if shots else 0] * len(fired)
        page, grown = _next_page(hunter, board, page, fired, least, len(cells))
        children += grown
    child = np.full((len(cells), 2 * game.ships + 4), -1, np.int32)
    for parent, answer, number in children:
        child[parent, answer - NOT_FIRED] = number
    book = Book(jnp.array(cells, jnp.int16), jnp.asarray(child), jnp.array(shots, jnp.int16))
    return Booked(game, hunter, book)


@eqx.filter_jit
def _boards(hider: Hider) -> Int8[Array, "B C"]:
    """Boards that say which histories happen how often."""
    keys = jax.random.split(jax.random.key(0), _BOARDS)
    return boards(hider.game, hider.place(keys, jnp.int32(_BOARDS), 1024).placements)


def _first_page(hunter: Policy) -> _Page:
    """The empty history."""
    game = hunter.game
    seen = jax.tree.map(lambda x: np.repeat(np.asarray(x)[None], _BOARDS, 0), blank(game))
    left = np.repeat(np.array(game.fleet, np.int8)[None], _BOARDS, 0)
    return _Page(np.zeros(1, np.int32), np.zeros(_BOARDS, np.int32), left, seen)


def _decide(hunter: Policy, page: _Page) -> Int32[np.ndarray, " H"]:
    """The cell after each history."""
    happens, row = np.unique(page.of, return_index=True)
    row = row[happens >= 0]
    cells = []
    for at in range(0, len(row), _BATCH):
        some = row[at : at + _BATCH]
        seen = jax.tree.map(lambda x, some=some: x[np.resize(some, _BATCH)], page.observation)
        cells.append(np.asarray(_act(hunter, seen))[: len(some)])
    return np.concatenate(cells)


@eqx.filter_jit
def _act(hunter: Policy, observations: Observation) -> Int32[Array, " H"]:
    """The next cell after some histories."""

    def one(observation: Observation) -> Int32[Array, ""]:
        key = jax.random.key(0)
        return hunter.act(key, observation, hunter.init(key))[0]

    return jax.vmap(one)(observations)


def _next_page(
    hunter: Policy,
    board: Int8[Array, "B C"],
    page: _Page,
    cells: Int32[np.ndarray, " H"],
    least: int,
    count: int,
) -> tuple[_Page, list[tuple[int, int, int]]]:
    """What the shots are answered, and (history, answer, number) of the histories kept."""
    fired = np.where(page.of >= 0, cells[page.of], -1).astype(np.int32)
    before = jax.tree.map(jnp.asarray, page.observation)
    after = _fire(hunter, board, jnp.asarray(page.left), before, jnp.asarray(fired))
    left, seen = jax.tree.map(np.asarray, after)
    answer = seen.answer[np.arange(len(fired)), fired].astype(np.int64)
    gone = (page.of < 0) | (left == 0).all(1)
    if hunter.game.feedback == "cells":
        # What a sink shows is more than its answer: such histories are left out.
        gone |= answer > HIT
    told = np.where(gone, -1, page.of * _ANSWERS + answer - NOT_FIRED)
    kinds, of, number = np.unique(told, return_inverse=True, return_counts=True)
    kept = (number >= least) & (kinds >= 0)
    new = np.where(kept, np.cumsum(kept) - 1, -1).astype(np.int32)
    numbers = count + np.arange(kept.sum(), dtype=np.int32)
    grown = [
        (int(page.number[kind // _ANSWERS]), int(kind % _ANSWERS) + NOT_FIRED, int(at))
        for kind, at in zip(kinds[kept], numbers, strict=True)
    ]
    return _Page(numbers, new[of], left, seen), grown


@eqx.filter_jit
def _fire(
    hunter: Policy,
    board: Int8[Array, "B C"],
    left: Int8[Array, "B K"],
    seen: Observation,
    cell: Int32[Array, " B"],
) -> tuple[Int8[Array, "B K"], Observation]:
    """One shot on every board, none where the cell is −1."""
    return jax.vmap(partial(fire, hunter.game))(board, left, seen, cell)
