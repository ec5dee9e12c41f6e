"""Ships found in a file, put together as the board of a game.

Ships are matched to the fleet by length, and by name where the file uses the game's own names.
Ships of equal length without a name take their numbers in the order found.
"""

from itertools import pairwise
from typing import NamedTuple

import numpy as np
from jaxtyping import Int8

from bsjax.files.places import Place
from bsjax.game.bitsets import denied, members
from bsjax.game.game import Game
from bsjax.game.notation import format_cell
from bsjax.game.tokens import fleet_text


class FoundShip(NamedTuple):
    """One ship of a file."""

    cells: tuple[int, ...]
    places: tuple[Place, ...]
    """Where each cell is written."""
    name: str = ""
    """What the file calls it."""


FoundBoard = tuple[Place, list[FoundShip]]
"""Where a board starts, and its ships."""


def assemble(game: Game, ships: list[FoundShip], at: Place) -> Int8[np.ndarray, " C"]:
    """The board that these ships make: ship k of the fleet on each of its cells, −1 for water.

    Args:
        game: the rules.
        ships: all ships of the board.
        at: where the board starts, for faults that concern all of it.

    Raises:
        ValueError: a ship is not straight, ships overlap or touch where they may not, or they
            are not the fleet. The line starts with the place.
    """
    board = np.full(game.cells, -1, np.int8)
    for ship in ships:
        _require_straight(game, ship)
    for number, found in zip(_numbers(game, ships, at), ships, strict=True):
        for cell, place in zip(found.cells, found.places, strict=True):
            if board[cell] >= 0:
                raise place.fault(f"{format_cell(game, cell)} is on another ship; move one of them")
        board[list(found.cells)] = number
        if game.touching != "allowed":
            _require_apart(game, board, found)
    return board


def _require_straight(game: Game, ship: FoundShip) -> None:
    """The cells are one straight line without gaps."""
    line = sorted(zip(ship.cells, ship.places, strict=True))
    for (before, _), (cell, place) in pairwise(line):
        step, same_row = cell - before, cell // game.width == before // game.width
        if step == 0:
            raise place.fault(f"{format_cell(game, cell)} is listed twice for this ship")
        first = line[1][0] - line[0][0]
        if step != first or not (step == game.width or (step == 1 and same_row)):
            raise place.fault(
                f"{format_cell(game, cell)} does not continue the ship from "
                f"{format_cell(game, before)}; a ship is a straight line of neighbouring cells"
            )


def _numbers(game: Game, ships: list[FoundShip], at: Place) -> list[int]:
    """Index in the fleet of each ship."""
    numbers = [_named(game, ship) for ship in ships]
    for index, (number, ship) in enumerate(zip(numbers, ships, strict=True)):
        if number >= 0 and number in numbers[:index]:
            raise ship.places[0].fault(f"the {game.ship_names[number]} is placed twice")
    for index, ship in enumerate(ships):
        length = len(ship.cells)
        if numbers[index] < 0:
            free = [k for k, n in enumerate(game.fleet) if n == length and k not in numbers]
            if not free:
                have = game.fleet.count(length)
                raise ship.places[0].fault(
                    f"a ship of {length} cell{'s' if length > 1 else ''}, but the fleet "
                    f"{fleet_text(game)} has {f'only {have} of them' if have else 'none'}; "
                    "correct the board or give the fleet it has"
                )
            numbers[index] = free[0]
    missing = [str(n) for k, n in enumerate(game.fleet) if k not in numbers]
    if missing:
        raise at.fault(
            f"this board has no ship of {' and '.join(missing)} cells; the fleet is "
            f"{fleet_text(game)}, correct the board or give the fleet it has"
        )
    return numbers


def _named(game: Game, ship: FoundShip) -> int:
    """Index of the ship the file names, −1 where its name says nothing.

    A bare number is as likely a label as the name of a ship, and says no more than its length.
    """
    name = ship.name.lower()
    if name.isdecimal() or name not in game.ship_names:
        return -1
    number = game.ship_names.index(name)
    if len(ship.cells) != game.fleet[number]:
        raise ship.places[0].fault(
            f"the {name} has {game.fleet[number]} cells, this one has {len(ship.cells)}"
        )
    return number


def _require_apart(game: Game, board: Int8[np.ndarray, " C"], ship: FoundShip) -> None:
    """The ship keeps the distance the touching rule asks for from those on the board."""
    for cell, place in zip(ship.cells, ship.places, strict=True):
        for other in members(denied(game)[cell]):
            if board[other] >= 0 and board[other] != board[cell]:
                raise place.fault(
                    f"{format_cell(game, cell)} touches the ship on {format_cell(game, other)}, "
                    f"and ships may not touch (touching {game.touching})"
                )
