"""Where the shots of a game go: searching for ships, and finishing those found.

A fleet is sunk by as many hits as it has cells, so hunters differ by their misses alone. A miss
*finishes* if some ship is hit and afloat when it is fired, otherwise it *searches*; the board
decides, not what the hunter knows.
"""

from typing import Any

import numpy as np
from jaxtyping import Int8, Int16, Int64

from experiments.open_questions.compare import difference

_CHUNK = 10_000
_NEVER = np.iinfo(np.int16).max

Phases = dict[str, Int64[np.ndarray, " N"]]
"""Of every game: `search` and `finish` misses; `search_0`, `search_1`, … the search misses with
so many ships sunk; `first_hit` and `sunk_1`, `sunk_2`, … the number of the shot, from 1, that
first hits a ship and that sinks the first, second, … one."""


def phases(boards: Int8[np.ndarray, "N C"], shot_at: Int16[np.ndarray, "N C"]) -> Phases:
    """The phases of games played to the end.

    Args:
        boards: ship on each cell, −1 for water.
        shot_at: number of the shot at each cell from 0, −1 where there was none.
    """
    parts = [
        _phases(boards[at : at + _CHUNK], np.asarray(shot_at[at : at + _CHUNK]))
        for at in range(0, len(boards), _CHUNK)
    ]
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


def _phases(boards: Int8[np.ndarray, "N C"], shot_at: Int16[np.ndarray, "N C"]) -> Phases:
    ships = int(boards.max()) + 1
    own = [boards == ship for ship in range(ships)]
    first = np.stack([np.where(cells, shot_at, _NEVER).min(1) for cells in own], 1)
    last = np.stack([np.where(cells, shot_at, -1).max(1) for cells in own], 1)
    missed = (boards < 0) & (shot_at >= 0)
    finishing, sunk = np.zeros(boards.shape, bool), np.zeros(boards.shape, np.int8)
    for ship in range(ships):
        begun, ended = first[:, ship, None], last[:, ship, None]
        finishing |= (begun < shot_at) & (shot_at < ended)
        sunk += ended < shot_at
    search = missed & ~finishing
    in_order = np.sort(last, 1) + 1
    found = {
        "search": search.sum(1),
        "finish": (missed & finishing).sum(1),
        "first_hit": first.min(1).astype(np.int64) + 1,
    }
    for number in range(ships):
        found[f"search_{number}"] = (search & (sunk == number)).sum(1)
        found[f"sunk_{number + 1}"] = in_order[:, number].astype(np.int64)
    return found


def compared(hunter: Phases, base: Phases) -> dict[str, dict[str, Any]]:
    """Mean of each phase of both hunters, and the paired difference on the boards both met."""
    told = {}
    for name, ours in hunter.items():
        both = min(len(ours), len(base[name]))
        own, other = ours[:both], base[name][:both]
        told[name] = {
            "hunter_mean": float(own.mean()),
            "base_mean": float(other.mean()),
            **difference(own - other),
        }
    return told
