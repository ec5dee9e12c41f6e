"""Boards as JSON.

A cell is `"E5"`, `[5, 5]` or `{"x": 5, "y": 5}`. A ship is a list of cells, `{"name": "cruiser",
"cells": […]}` or `{"start": "E5", "direction": "horizontal", "length": 3}`. A board is a list of
ships, `{"ships": […]}` or ships by name, `{"cruiser": […], …}`. A file is one board, a list of
boards or `{"boards": […]}`.
"""

from bsjax.files.board_tables import DIRECTION, LENGTH, SHIP, START, placed
from bsjax.files.fleets import FoundBoard, FoundShip
from bsjax.files.nodes import Node, read_json
from bsjax.files.places import Field, Place
from bsjax.files.records import COLUMN, ROW, cell_of
from bsjax.game.game import Game
from bsjax.game.notation import Convention, parse_cell

_CELL, _SHIP, _BOARD, _BOARDS = range(4)
_PLACEMENT = (*START, *COLUMN, *ROW, *DIRECTION, *LENGTH)


def boards_of_json(file: str, text: str, game: Game, convention: Convention) -> list[FoundBoard]:
    """The boards of a JSON file.

    Raises:
        ValueError: a fault in the file, at its place.
    """
    top = read_json(file, text)
    kind = _kind(top)
    if kind > _BOARDS:
        raise top.place.fault("lists too deep; a file is one board or a list of boards")
    if kind == _CELL:
        raise top.place.fault("a single cell; a board is a list of ships, a ship a list of cells")
    if kind == _SHIP:
        return [(top.place, [_ship(game, top, convention)])]
    boards = top.items("boards") if kind == _BOARDS else [top]
    return [(board.place, _ships(game, board, convention)) for board in boards]


def _kind(node: Node) -> int:
    """What a node is meant to be, judged by its fields or its first item."""
    value = node.value
    if isinstance(value, dict):
        names = {name.lower() for name in value}
        if "boards" in names:
            return _BOARDS
        if "ships" in names:
            return _BOARD
        if names & {"cells", "start", *DIRECTION}:
            return _SHIP
        return _CELL if names & {*START, *COLUMN, *ROW} else _BOARD
    if isinstance(value, list):
        if not value:
            raise node.place.fault("an empty list; a board lists its ships, a ship its cells")
        return _CELL if _is_pair(value) else _kind(value[0]) + 1
    if not isinstance(value, str):
        raise node.place.fault('expected a cell here, such as "E5" or [5, 5]')
    return _CELL


def _is_pair(nodes: list[Node]) -> bool:
    """Whether a list is one cell: two coordinates, at least one of them a number."""
    values = [node.value for node in nodes]
    coordinates = all(isinstance(value, int | str) for value in values)
    return len(values) == 2 and coordinates and any(isinstance(value, int) for value in values)


def _ships(game: Game, board: Node, convention: Convention) -> list[FoundShip]:
    """The ships of a board."""
    fields = board.fields()
    ships = fields.get("ships", board)
    if isinstance(ships.value, dict):
        return [_ship(game, ship, convention, name) for name, ship in ships.value.items()]
    return [_ship(game, ship, convention) for ship in ships.items()]


def _ship(game: Game, node: Node, convention: Convention, name: str = "") -> FoundShip:
    """One ship, from its cells or its placement."""
    fields = node.fields()
    name = next((fields[key].text() for key in SHIP if key in fields), name)
    if fields and "cells" not in fields:
        kept = {key: fields[key] for key in fields if key in _PLACEMENT}
        record = Node(kept, node.place).record()
        if name:
            record["ship"] = Field(name, node.place)
        return placed(game, record, node.place, convention)
    cells = fields.get("cells", node).items()
    if not cells:
        raise node.place.fault("a ship without cells")
    found = [_cell(game, cell, convention) for cell in cells]
    return FoundShip(tuple(cell for cell, _ in found), tuple(place for _, place in found), name)


def _cell(game: Game, node: Node, convention: Convention) -> tuple[int, Place]:
    """One cell and where it stands."""
    if isinstance(node.value, dict):
        return cell_of(game, node.record(), node.place, convention)
    text = node.text()
    with node.place.blamed():
        return parse_cell(game, text, convention), node.place
