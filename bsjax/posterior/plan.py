"""Which three ships a leaf is counted by: fixed once for a game, so that programs are static.

Under rules that tell no equal ships apart (`hit`, `sunk`, `size`, `cells`) ships of equal length
are interchangeable after every history, and form a *class* that goes by its first ship. Leaves
that leave ships of the same classes free are a *group*: one compiled piece of the closed form
(`bsjax.posterior.closed_form`) serves them. A leaf with fewer than three free ships joins a group
in which the others are *absent*; twins (ships of one class) are then both free or both absent.
"""

from collections.abc import Iterator
from functools import lru_cache
from itertools import combinations
from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Int16, Int32

from bsjax.game.game import Game
from bsjax.posterior.closed_form import Three
from bsjax.posterior.leaves import FREE


class Group(NamedTuple):
    """Three ships that share their matrices."""

    ships: Three
    twins: Three
    """For each of the three, the first one of its class; see `bsjax.posterior.closed_form`."""


class Plan(NamedTuple):
    """Groups of a game with K ships; sets of ships are numbers, ship k in bit k."""

    first: Int32[np.ndarray, " K"]
    """First ship of the class of each ship."""
    groups: tuple[Group, ...]
    group: Int16[np.ndarray, " 2^K"]
    """Group of every set of free ships, −1 where there are more than three."""
    absent: Bool[np.ndarray, "2^K 3"]
    """Which of the three are absent."""


@lru_cache(maxsize=32)
def plan(game: Game, told_apart: bool) -> Plan:
    """The groups of a game.

    Args:
        game: the rules.
        told_apart: no two ships are interchangeable: answers name them, or a prior differs.
    """
    ships = range(game.ships)
    first = [k if told_apart else game.fleet.index(game.fleet[k]) for k in ships]
    groups: list[Group] = []
    group = np.full(1 << game.ships, -1, np.int16)
    absent = np.ones((1 << game.ships, FREE), bool)
    # Sets of three come first: smaller ones can join their groups.
    for free in sorted(range(1 << game.ships), key=lambda s: -s.bit_count()):
        if free.bit_count() > FREE:
            continue
        classes = sorted(first[k] for k in ships if free >> k & 1)
        fitting = (
            (number, gone)
            for number, one in enumerate(groups)
            for gone in _ways_to_join(one, classes)
        )
        found = next(fitting, None)
        if found is None:
            groups.append(_group(classes))
            found = len(groups) - 1, next(_ways_to_join(groups[-1], classes))
        group[free], absent[free] = found
    return Plan(np.array(first, np.int32), tuple(groups), group, absent)


def _group(classes: list[int]) -> Group:
    """The group of these ships, filled up with ships that are never there."""
    twins = [classes.index(ship) for ship in classes]
    extra = range(len(classes), FREE)
    a, b, c = [*classes, *(0 for _ in extra)]
    i, j, k = [*twins, *extra]
    return Group((a, b, c), (i, j, k))


def _ways_to_join(group: Group, classes: list[int]) -> Iterator[tuple[bool, ...]]:
    """Which of the three would be absent if ships of these classes are the free ones."""
    for chosen in combinations(range(FREE), len(classes)):
        gone = tuple(k not in chosen for k in range(FREE))
        whole = all(gone[k] == gone[group.twins[k]] for k in range(FREE))
        if whole and sorted(group.ships[k] for k in chosen) == classes:
            yield gone
