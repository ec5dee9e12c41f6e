"""The lists of layouts of the next layer, each filtered out of the list of its first parent."""

from typing import NamedTuple

import numpy as np
from jaxtyping import Int64, UInt8, UInt16, UInt32

from bsjax.solve.front import Bucket
from bsjax.solve.tables import Tables

_BLOCK = 1 << 16
"""Places in the parents' lists of one block."""
_STATES = 1 << 12
"""States of one block."""


class Ends(NamedTuple):
    """States whose fleet is sunk, once for each of their layouts."""

    state: UInt32[np.ndarray, " N"]
    """Number of the state in its layer."""
    layout: UInt16[np.ndarray, " N"]
    """Row of the layout in the listing."""


def allocate(tables: Tables, width: UInt8[np.ndarray, " n"]) -> list[Bucket]:
    """Empty buckets for new states of these widths, one for every width."""
    number = np.bincount(width, minlength=len(tables.widths))
    return [
        Bucket(np.zeros((n, w), np.uint16), np.zeros(n, tables.cell_type))
        for n, w in zip(number.tolist(), tables.widths.tolist(), strict=True)
    ]


def fill(
    tables: Tables,
    parents: Bucket,
    parent: Int64[np.ndarray, " n"],
    code: UInt16[np.ndarray, " n"],
    width: UInt8[np.ndarray, " n"],
    child: Int64[np.ndarray, " n"],
    into: list[Bucket],
) -> None:
    """Write the lists of some new states.

    Args:
        tables: of the game.
        parents: the states they come from.
        parent: row of each one's first parent.
        code: answer and cell of the edge that leads there (`Edges.code`).
        width: its width (index into `Tables.widths`).
        child: its row in the bucket of its width.
        into: buckets of the next layer, one for every width; written to.

    Cost: about 6 ns for each layout of each first parent.
    """
    order = np.argsort(width, kind="stable")
    step = max(min(_STATES, _BLOCK // parents.members.shape[1]), 1)
    for start in range(0, len(order), step):
        at = order[start : start + step]
        _fill_block(tables, parents, parent[at], code[at], width[at], child[at], into)


def _fill_block(
    tables: Tables,
    parents: Bucket,
    parent: np.ndarray,
    code: np.ndarray,
    width: np.ndarray,
    child: np.ndarray,
    into: list[Bucket],
) -> None:
    """`fill` for states in ascending order of their width."""
    rows = parents.members.take(parent, axis=0, mode="clip")
    members = rows.T.astype(np.int64)
    answer, cell = np.divmod(code.astype(np.int64), tables.game.cells)
    bit = tables.cell_type.type(1) << cell.astype(tables.cell_type)
    hits = parents.hits.take(parent)
    # Of the ship at the cell, x is what is not hit. A layout answers miss if x is empty, a sink if
    # x is the cell alone and the ship has this length, a hit if x has another cell.
    _, cells, layouts = tables.ship_at.shape
    members += (np.maximum(answer - 1, 0) * cells + cell) * layouts
    x = tables.ship_at.ravel().take(members, mode="clip")
    x &= ~hits
    plain = answer == 1
    x &= x - plain.astype(x.dtype)
    stays = (x == np.where(answer > 1, bit, tables.cell_type.type(0))) ^ plain
    size = np.add.reduce(stays.view(np.uint8), axis=0, dtype=np.int64)
    listed = rows.ravel().take(np.flatnonzero(np.ascontiguousarray(stays.T)), mode="clip")

    end = np.cumsum(size)
    hits = np.where(answer > 0, hits | bit, hits)
    edges = np.flatnonzero(np.diff(width, prepend=-1, append=-1))
    for a, b in zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True):
        bucket, kept = into[int(width[a])], listed[end[a] - size[a] : end[b - 1]]
        wide = bucket.members.shape[1]
        if (sizes := size[a:b]).sum() < (b - a) * wide:
            full = np.zeros((b - a, wide), np.uint16)
            full[np.arange(wide) < sizes[:, None]] = kept
        else:
            full = kept.reshape(b - a, wide)
        # The states of one width lie side by side, in the order of their first edges.
        place = slice(int(child[a]), int(child[b - 1]) + 1)
        bucket.members[place], bucket.hits[place] = full, hits[a:b]


def ends(tables: Tables, front: list[Bucket]) -> Ends:
    """The states of a layer whose fleet is sunk."""
    states, layouts, base = [], [], 0
    for bucket in front:
        over = np.flatnonzero(np.bitwise_count(bucket.hits) == tables.game.ship_cells)
        row, place = np.nonzero(bucket.members[over])
        states.append(base + over[row])
        layouts.append(bucket.members[over[row], place] - np.uint16(1))
        base += len(bucket.hits)
    return Ends(np.concatenate(states).astype(np.uint32), np.concatenate(layouts))
