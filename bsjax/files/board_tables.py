"""Boards as CSV tables of cells or of placements.

A header names the columns: `ship,cell` with one row a cell, or `ship,start,direction,length` with
one row a ship (`ship` may be missing there). `x,y` or `column,row` may stand for the cell, and a
column `board` tells several boards apart.
"""

from bsjax.files.fleets import FoundBoard, FoundShip
from bsjax.files.places import Place
from bsjax.files.records import CELL, Record, cell_of, named, read_table
from bsjax.game.game import Game
from bsjax.game.notation import Convention, format_cell

SHIP = ("ship", "name")
START = ("start", *CELL)
DIRECTION = ("direction", "orientation")
LENGTH = ("length", "size")
TABLE = (*SHIP, *START, *DIRECTION, "board")
"""Column names by which a table is known; any one of them will do."""

ACROSS, DOWN, ROWS_GROW = "across", "down", "rows grow"
_DIRECTIONS = {
    **dict.fromkeys(("horizontal", "across", "h", "right"), ACROSS),
    **dict.fromkeys(("vertical", "v"), ROWS_GROW),
    "down": DOWN,
}


def boards_of_table(file: str, text: str, game: Game, convention: Convention) -> list[FoundBoard]:
    """The boards of a CSV file, in the order in which they first occur.

    Raises:
        ValueError: a fault in the table, at its place.
    """
    header, rows = read_table(file, text)
    whole = named(header, DIRECTION) is not None
    if not whole and named(header, SHIP) is None:
        raise Place(file).fault(
            "no column ship; a table of cells says which ship each cell belongs to, a table of "
            "placements has the columns start,direction,length"
        )
    boards: dict[str, tuple[Place, dict[str, list[FoundShip]]]] = {}
    for number, (at, row) in enumerate(rows):
        which = row["board"].text if "board" in row else ""
        ships = boards.setdefault(which, (at, {}))[1]
        if whole:
            ships[str(number)] = [placed(game, row, at, convention)]
        else:
            name = named(row, SHIP)
            if name is None:
                raise at.fault("no ship here; say which ship the cell belongs to")
            cell, place = cell_of(game, row, at, convention)
            ships.setdefault(name.text, []).append(FoundShip((cell,), (place,), name.text))
    return [(at, [_joined(parts) for parts in ships.values()]) for at, ships in boards.values()]


def _joined(parts: list[FoundShip]) -> FoundShip:
    """One ship from its cells."""
    cells = tuple(cell for part in parts for cell in part.cells)
    places = tuple(place for part in parts for place in part.places)
    return FoundShip(cells, places, parts[0].name)


def placed(game: Game, record: Record, at: Place, convention: Convention) -> FoundShip:
    """A ship from its first cell, its direction and its length.

    `across` goes to the right and `down` down the board; `vertical` goes to growing row numbers,
    which is up where row 1 is at the bottom. A ship the game names needs no length.

    Raises:
        ValueError: a field is missing or wrong, or the ship leaves the board.
    """
    start, place = cell_of(game, record, at, convention, START)
    name, direction, size = (named(record, some) for some in (SHIP, DIRECTION, LENGTH))
    if direction is None:
        raise at.fault("no direction here; write horizontal or vertical")
    way = _DIRECTIONS.get(direction.text.lower())
    if way is None:
        raise direction.place.fault(
            f"direction {direction.text!r}: write horizontal (or across, h) or vertical "
            "(or down, v)"
        )
    ship = name.text.lower() if name is not None else ""
    if size is not None:
        if not size.text.isdecimal() or not 1 <= int(size.text) <= game.cells:
            raise size.place.fault(f"length {size.text!r}: write the number of cells, such as 3")
        length = int(size.text)
    elif ship in game.ship_names:
        length = game.fleet[game.ship_names.index(ship)]
    else:
        raise at.fault("no length here; write the number of cells, such as 3")

    row, column = divmod(start, game.width)
    up = way == ROWS_GROW and convention.row_one == "bottom"
    room = game.width - column if way == ACROSS else row + 1 if up else game.height - row
    if length > room:
        raise place.fault(
            f"a ship of {length} cells from {format_cell(game, start)} {direction.text} leaves "
            f"the board, there is room for {room}"
        )
    step = 1 if way == ACROSS else -game.width if up else game.width
    cells = tuple(start + step * i for i in range(length))
    return FoundShip(cells, (place,) * length, name.text if name is not None else "")
