"""The edges out of a block of states: for every move and every answer it can get, a key.

Only sums over layouts that are hit are taken, and of the answers of a move the first is never
summed: its layouts are those of the state without the others.
"""

from typing import NamedTuple

import numpy as np
from jaxtyping import UInt, UInt8, UInt16, UInt64

from bsjax.solve.moves import Rule, look, moves
from bsjax.solve.sums import listed, summed
from bsjax.solve.tables import Tables


class Edges(NamedTuple):
    """Edges of B states with N moves and E edges: state by state, move by move, by answer."""

    moves: UInt8[np.ndarray, " B"]
    """Moves of each state; 0 once the fleet is sunk."""
    branches: UInt8[np.ndarray, " N"]
    """Answers of each move."""
    edges: UInt16[np.ndarray, " B"]
    """Edges of each state."""
    code: UInt16[np.ndarray, " E"]
    """Answer × C + cell, as the state lies."""
    width: UInt8[np.ndarray, " E"]
    """Width of the child (index into `Tables.widths`)."""
    key: UInt64[np.ndarray, " E"]
    """Key of the child."""


def edges(
    tables: Tables, rule: Rule, members: UInt16[np.ndarray, "B w"], hits: UInt[np.ndarray, " B"]
) -> Edges:
    """All edges of a block of states.

    Args:
        tables: of the game.
        rule: which cells may be fired at.
        members: layouts of each state.
        hits: its fired cells that hit.

    Cost: about 2 ns for each layout and edge that is not the first of its move, 10 ns for each
    of them that is hit, 130 ns an edge.
    """
    states, width = members.shape
    columns = members.T.astype(np.int64)
    seen = look(tables, rule, columns, hits)
    lists = members.ravel().astype(np.int32)
    own_hits = tables.hit_words(hits)
    own = own_hits + summed(tables.words, np.arange(states + 1, dtype=np.int32) * width, lists)
    found = moves(tables, seen, own.argmin(1))

    # Edges in the order move, answer.
    bits = np.unpackbits(found.answers, bitorder="little")
    at = np.flatnonzero(bits)
    move, answer = at >> 3, (at & 7).astype(np.uint8)
    branches = np.bitwise_count(found.answers)
    first = np.cumsum(branches, dtype=np.int64) - branches
    is_rest = np.ones(len(move), bool)
    is_rest[first] = False
    rest = np.flatnonzero(is_rest)

    # The edges that are summed: which of the state's layouts give the answer there?
    rest_move = move.take(rest)
    rest_state, rest_cell = found.state.take(rest_move), found.cell.take(rest_move)
    column = (answer.take(rest).astype(np.int64) - 1) * states + rest_state
    told = seen.told.reshape(width, -1).take(column, axis=1, mode="clip")
    bit = tables.cell_type.type(1) << rest_cell.astype(tables.cell_type)
    gives = (told & bit) != 0
    size = np.add.reduce(gives.view(np.uint8), axis=0, dtype=np.uint8 if width < 256 else np.int64)
    place = np.flatnonzero(np.ascontiguousarray(gives.T))
    place += np.repeat((rest_state - np.arange(len(rest))) * width, size)
    starts = np.zeros(len(rest) + 1, np.int32)
    np.cumsum(size, out=starts[1:])
    sums = summed(tables.words, starts, lists.take(place, mode="clip"))

    # The first edge of each move: the state without the rest of the move.
    per_move = np.zeros(len(branches) + 1, np.int32)
    np.cumsum(branches - np.uint8(1), out=per_move[1:])
    chosen = listed(per_move, np.arange(len(rest), dtype=np.int32), len(rest))
    first_sums = own.take(found.state, axis=0, mode="clip")
    first_sums -= chosen @ sums
    hit_at = np.where(answer.take(first) > 0, found.cell.astype(np.int64) + 1, 0)
    first_sums += tables.cell_words.take(hit_at, axis=0, mode="clip")
    sums += own_hits.take(rest_state, axis=0, mode="clip")
    sums += tables.cell_words.take(rest_cell.astype(np.int64) + 1, axis=0, mode="clip")

    own_size = np.count_nonzero(columns, axis=0) if width > 1 else np.ones(states, np.int64)
    first_size = own_size.take(found.state) - (chosen @ size.astype(np.uint64)).astype(np.int64)
    key = np.empty(len(move), np.uint64)
    child_width = np.empty(len(move), np.uint8)
    key[first], key[rest] = _least(first_sums), _least(sums)
    child_width[first] = tables.width_of.take(first_size)
    child_width[rest] = tables.width_of.take(size)
    code = answer.astype(np.uint16) * np.uint16(tables.game.cells) + found.cell.take(move)
    ends = np.cumsum(found.number)
    total = np.append(first, len(move))
    per_state = np.diff(total.take(ends), prepend=0)
    return Edges(
        found.number.astype(np.uint8),
        branches,
        per_state.astype(np.uint16),
        code,
        child_width,
        key,
    )


def _least(sums: UInt64[np.ndarray, "E G"]) -> UInt64[np.ndarray, " E"]:
    """The least of each row. By columns it is several times faster than along short rows."""
    least = np.minimum(sums[:, 0], sums[:, 1])
    for column in range(2, sums.shape[1]):
        np.minimum(least, sums[:, column], out=least)
    return least
