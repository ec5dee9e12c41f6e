"""Which cells may be fired at in a state of knowledge, and which answers each of them can get.

States come in blocks of the same width: `members[i, b]` is the i-th layout of state b, 0 where its
list is over. Whatever is asked of all members is then one pass along the first axis.

**Finish what you hit.** Let U be the hits that lie, in at least one layout of the state, on a ship
that is hit but not sunk. If there are any, only the cells beside U may be fired at. Under both
rules a cell that no layout of the state covers is never fired at, which costs nothing.
"""

from typing import Literal, NamedTuple, get_args

import numpy as np
from jaxtyping import Int64, UInt, UInt8

from bsjax.solve.tables import Tables

Rule = Literal["finish", "all"]
RULES: tuple[Rule, ...] = get_args(Rule)


def rule_of(name: str) -> Rule:
    """A rule by its name.

    Raises:
        ValueError: there is no such rule.
    """
    for rule in RULES:
        if rule == name:
            return rule
    raise ValueError(f"moves {name!r}: choose {' or '.join(RULES)}")


class Seen(NamedTuple):
    """A block of B states of width w, looked at; K answers."""

    told: UInt[np.ndarray, "w H B"]
    """Cells at which each layout gives each of the H = K − 1 answers that hit."""
    can: UInt[np.ndarray, "K B"]
    """Cells at which some layout gives each answer."""
    allowed: UInt[np.ndarray, " B"]
    """Cells that may be fired at; none once the fleet is sunk."""


class Moves(NamedTuple):
    """The moves of a block of B states: state by state, in the order of its frame."""

    number: Int64[np.ndarray, " B"]
    """Moves of each state."""
    state: Int64[np.ndarray, " N"]
    """State of each move."""
    cell: UInt8[np.ndarray, " N"]
    """Cell fired at, as the state lies."""
    answers: UInt8[np.ndarray, " N"]
    """Answers it can get, as a set of bits."""


def look(
    tables: Tables, rule: Rule, members: Int64[np.ndarray, "w B"], hits: UInt[np.ndarray, " B"]
) -> Seen:
    """What each layout of each state answers where, and the cells allowed.

    Args:
        tables: of the game.
        rule: `finish` what you hit, or `all` cells that some layout covers.
        members: layouts of each state.
        hits: its fired cells that hit.
    """
    width, states = members.shape
    kind, one = tables.cell_type, tables.cell_type.type(1)
    told = np.zeros((width, tables.answers - 1, states), kind)
    wounded = np.zeros((width, states), kind)
    for ship, length in enumerate(tables.game.fleet):
        cells = tables.ships[ship].take(members, mode="clip")
        left = cells & ~hits
        last = left * ((left & left - one) == 0)
        told[:, tables.sink[length]] |= last
        told[:, 0] |= left ^ last
        if rule == "finish":
            wounded |= (cells ^ left) * (left != 0)
    covered = np.bitwise_or.reduce(told, axis=1)
    can = np.empty((tables.answers, states), kind)
    np.bitwise_or.reduce(told, axis=0, out=can[1:])
    some = np.bitwise_or.reduce(can[1:], axis=0)
    if width > 1:
        covered |= (members == 0) * tables.board
    can[0] = some & ~np.bitwise_and.reduce(covered, axis=0)
    if rule == "finish":
        open_hits = np.bitwise_or.reduce(wounded, axis=0)
        beside = tables.beside(open_hits) | (open_hits == 0) * tables.board
        some &= beside
    return Seen(told, can, some)


def moves(tables: Tables, seen: Seen, frame: Int64[np.ndarray, " B"]) -> Moves:
    """The moves of a block, in ascending order of the cells of the frame."""
    width = 8 * tables.cell_type.itemsize
    shift = width.bit_length() - 1
    framed = tables.turned(seen.allowed, frame)
    bits = np.unpackbits(framed.view(np.uint8), bitorder="little")
    at = np.flatnonzero(bits)
    state, place = at >> shift, at & width - 1
    cells = tables.game.cells
    cell = tables.before.ravel().take(frame.take(state) * cells + place, mode="clip")
    bit = tables.cell_type.type(1) << cell.astype(tables.cell_type)
    answers = np.zeros(len(state), np.uint8)
    for answer in range(tables.answers):
        answers |= ((seen.can[answer].take(state) & bit) != 0).view(np.uint8) << np.uint8(answer)
    return Moves(np.bitwise_count(framed).astype(np.int64), state, cell, answers)
