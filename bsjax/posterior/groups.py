"""The work list of many leaves: groups that share their matrices, in launches of fixed sizes.

Leaves of any number of observations form one flat list. Those that leave the same three ships
free are a group, sorted so that leaves which are added up lie next to each other, and cut into
launches of 1,024, 128 and 16 leaves, so that a handful of compiled programs serves every history.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from jaxtyping import Array, Int32

from bsjax.game.game import Game
from bsjax.posterior.closed_form import Three
from bsjax.posterior.evidence import Evidence
from bsjax.posterior.leaves import FREE, Leaves
from bsjax.posterior.tables import Tables, tables

LAUNCHES = (1024, 128, 16)
"""Leaves of one launch; at most 4,096, so that sums over it fit 32 bits."""


class Group(NamedTuple):
    """Leaves that leave the same ships free."""

    rows: np.ndarray
    """Their numbers; leaves that are added up lie next to each other."""
    ships: tuple[int, int, int]
    """Three ships, the free ones among them."""
    absent: tuple[bool, bool, bool]
    """Which of the three are not free."""
    twins: Three
    """For each of the three, the first one of its class; see `bsjax.posterior.closed_form`."""


class Sums(NamedTuple):
    """What was computed for some leaves of a group."""

    group: Group
    rows: np.ndarray
    """Numbers of the leaves."""
    leaf: Array | np.ndarray
    """Layouts of each; entries beyond the rows are padding."""
    heads: np.ndarray
    """First leaf of every run that was added up."""
    placement: list[Array] | list[np.ndarray]
    """Of the three ships, layouts with each placement, summed over each run; none if not wanted."""
    scale: np.ndarray
    """Factor of each leaf still to be applied, to it and to the run it is the head of."""


def groups(game: Game, evidence: Evidence, leaves: Leaves) -> Iterator[Group]:
    """Leaves by the classes of their free ships, ascending by observation and ways."""
    ships, none = game.ships, tables(game).start[-1]
    classes = evidence.alike.argmax(2)[leaves.observation]
    free = np.where(leaves.place == none, classes, ships)
    free = np.pad(free, ((0, 0), (0, FREE)), constant_values=ships)
    free.sort(axis=1)
    key = free[:, :FREE] @ (ships + 1) ** np.arange(FREE)[::-1]
    order = np.lexsort((leaves.ways, leaves.observation, key))
    for rows in np.split(order, np.diff(key[order]).nonzero()[0] + 1):
        if not len(rows):
            continue
        found = [ship for ship in free[rows[0], :FREE].tolist() if ship < ships]
        # Places of absent ships are filled by others of the fleet, so as to share programs.
        others = [ship for ship in range(ships) if ship not in found] + [0] * FREE
        three = sorted(
            [(ship, False) for ship in found]
            + [(ship, True) for ship in others[: FREE - len(found)]]
        )
        a, b, c = (three.index(one) for one in three)
        (ship_a, no_a), (ship_b, no_b), (ship_c, no_c) = three
        yield Group(rows, (ship_a, ship_b, ship_c), (no_a, no_b, no_c), (a, b, c))


def launches(rows: np.ndarray) -> Iterator[np.ndarray]:
    """The rows in pieces of the sizes of `LAUNCHES`, the last one not full."""
    at = 0
    for size in LAUNCHES:
        while len(rows) - at >= size or (size == LAUNCHES[-1] and at < len(rows)):
            yield rows[at : at + size]
            at += size


def runs(*columns: np.ndarray) -> np.ndarray:
    """Where a run of rows that agree in all columns starts."""
    starts = np.zeros(len(columns[0]), bool)
    starts[:1] = True
    for column in columns:
        starts[1:] |= column[1:] != column[:-1]
    return starts


def placed(game: Game, place: Int32[np.ndarray, "N K"], group: Group) -> np.ndarray:
    """The placements of the ships placed, without as many "none" as is safe: [N, A]."""
    free = FREE if not any(group.absent) else 0
    return np.sort(place, axis=1)[:, : game.ships - free]


def columns(table: Tables, ship: int) -> slice:
    """The placements of a ship."""
    return slice(table.start[ship], table.start[ship + 1])
