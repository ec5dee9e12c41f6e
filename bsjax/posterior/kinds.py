"""The kinds of answers a shot can have, as small numbers for counting layouts by answer.

Layouts are counted by what a shot at a cell would be answered. Kind 0 is the miss; the others,
from 1, are what the feedback rule keeps apart *at one cell after one history*:

    hit        a hit
    sunk       a hit; a sink
    size       a hit; a sink, for each ship length
    name       a hit; a sink, for each ship
    cells      a hit; a sink, for each ship length, direction and cell of the ship that was shot
    hit-name   a hit on each ship; a sink of each ship

Under `cells` the ship shown is one placement. All placements of one length that hold the cell
differ in direction or in which of their cells it is, so these three tell them apart.

**Equal ships.** Under `size` and `cells` the ship told is the first of its length not announced
before. After one history that is the same ship for every layout, so the length alone decides the
kind, and `codes` turns it into the answer code of `bsjax.game.observation` when the announced
ships are given. Under `name` and `hit-name` equal ships are different ships.
"""

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from jaxtyping import Int8, Int16

from bsjax.game.game import Game
from bsjax.game.observation import HIT, MISS


class Kinds(NamedTuple):
    """Kinds of one game; column j stands for one ship cell, ship by ship, each from its first."""

    number: int
    """Number of kinds other than the miss; they are numbered from 1."""
    ship: Int8[np.ndarray, " n"]
    """Ship of each column."""
    hit: Int16[np.ndarray, " n"]
    """Kind of a hit at a column that leaves the ship afloat."""
    sunk: Int16[np.ndarray, "2 n"]
    """Kind of a hit at a column that sinks the ship, for a ship lying across and one lying down."""
    code: Int8[np.ndarray, " O"]
    """Answer code of each kind, the miss first; 0 where the length decides (see `length`)."""
    length: Int8[np.ndarray, " O"]
    """For sinks told by length, the index into `game.lengths`; −1 for all other kinds."""


@lru_cache(maxsize=64)
def kinds_of(game: Game) -> Kinds:
    """The kinds of answers under the game's feedback rule."""
    ships, fleet, rule = game.ships, game.fleet, game.feedback
    ship = np.repeat(np.arange(ships), fleet)
    place = np.concatenate([np.arange(length) for length in fleet])
    length = np.searchsorted(game.lengths, np.array(fleet))[ship]
    first = 1 + (ships if rule == "hit-name" else 1)
    hit = 1 + ship if rule == "hit-name" else np.ones_like(ship)
    across = down = {
        "hit": hit,
        "sunk": np.full_like(ship, first),
        "size": first + length,
        "cells": first + 2 * (_starts(game)[length] + place),
    }.get(rule, first + ship)
    if rule == "cells":
        down = across + 1
    number = max(int(hit.max()), int(down.max()))
    code, by_length = np.zeros(number + 1, np.int8), np.full(number + 1, -1, np.int8)
    code[0] = MISS
    code[hit] = ships + 2 + ship if rule == "hit-name" else HIT
    if rule in ("size", "cells"):
        by_length[across] = by_length[down] = length
    elif rule == "sunk":
        code[first] = ships + 1
    elif rule != "hit":
        code[across] = ship + 1
    return Kinds(
        number,
        ship.astype(np.int8),
        hit.astype(np.int16),
        np.stack([across, down]).astype(np.int16),
        code,
        by_length,
    )


def codes(
    game: Game, kind: Int16[np.ndarray, " B"], announced: Int8[np.ndarray, "B L"]
) -> Int8[np.ndarray, " B"]:
    """Answer code of each kind.

    Args:
        game: the rules.
        kind: kinds of answers, 0 for the miss.
        announced: ships of each length announced sunk before, in the order of `game.lengths`.
    """
    kinds = kinds_of(game)
    code, length = kinds.code[kind], kinds.length[kind]
    for index, cells in enumerate(game.lengths):
        alike = np.array([k for k, other in enumerate(game.fleet) if other == cells], np.int8)
        told = np.flatnonzero(length == index)
        code[told] = alike[announced[told, index]] + np.int8(1)
    return code


def _starts(game: Game) -> np.ndarray:
    """Place of each length's first cell where the distinct lengths stand one after the other."""
    return np.cumsum([0, *game.lengths])[:-1]
