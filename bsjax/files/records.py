"""Records of named fields, and the cells they speak of.

Rows of a table and objects of a JSON file are both read as a `Record`, so boards and shot logs
understand the same names in both.
"""

import re
from collections.abc import Iterator

from bsjax.files.places import Field, Place
from bsjax.game.game import Game
from bsjax.game.notation import Convention, cell_at, parse_cell

Record = dict[str, Field]
"""Fields by their name in lower case; empty ones are left out."""

CELL = ("cell", "square", "coordinate")
COLUMN = ("column", "col", "x")
ROW = ("row", "y")


def named(record: Record, names: tuple[str, ...]) -> Field | None:
    """The first field that has one of these names."""
    return next((record[name] for name in names if name in record), None)


def cell_of(
    game: Game,
    record: Record,
    at: Place,
    convention: Convention,
    names: tuple[str, ...] = CELL,
) -> tuple[int, Place]:
    """The cell a record speaks of, and where that is written.

    Args:
        game: the rules.
        record: its fields: a cell, or a column (x) and a row (y).
        at: where the record stands, for the error.
        convention: how cells are written; the columns x and y say themselves which is which.
        names: names of the field that holds the cell.

    Raises:
        ValueError: no cell is named, it is not a cell, or it is off the board.
    """
    cell, column, row = (named(record, some) for some in (names, COLUMN, ROW))
    if cell is not None:
        with cell.place.blamed():
            return parse_cell(game, cell.text, convention), cell.place
    if column is not None and row is not None:
        with column.place.blamed():
            return cell_at(game, column.text, row.text, convention), column.place
    raise at.fault(f"no cell here; give it as {names[0]}, or as a column (x) and a row (y)")


def is_header(line: str, names: tuple[str, ...]) -> bool:
    """Whether a line is the header of a table with one of these columns."""
    return any(text.lower() in names for _, text in _split(line, _delimiter(line)))


def read_table(file: str, text: str) -> tuple[Record, list[tuple[Place, Record]]]:
    """The header of a table and its rows; fields apart by comma, semicolon or tab.

    Blank lines and lines that start with `#` are passed over.

    Raises:
        ValueError: a column has no name or one used before, or a row has too many fields.
    """
    lines = [
        (number, line)
        for number, line in enumerate(text.splitlines(), 1)
        if line.strip() and not line.startswith("#")
    ]
    if not lines:
        raise Place(file).fault("an empty table; the first line names the columns")
    (number, head), *body = lines
    delimiter, header = _delimiter(head), Record()
    for column, name in _split(head, delimiter):
        at = Place(file, number, column)
        if not name or name.lower() in header:
            raise at.fault(f"column name {name!r} is empty or used before; name each column once")
        header[name.lower()] = Field(name, at)
    rows = []
    for number, line in body:
        fields = list(_split(line, delimiter))
        if len(fields) > len(header):
            raise Place(file, number, fields[len(header)][0]).fault(
                f"{len(fields)} fields in this row, the header names {len(header)}; "
                'put a field that holds a comma in quotes, "3,4"'
            )
        row = {
            name: Field(value, Place(file, number, column))
            for name, (column, value) in zip(header, fields, strict=False)
            if value
        }
        rows.append((Place(file, number), row))
    return header, rows


def _delimiter(line: str) -> str:
    """What separates the fields of a header."""
    return max(",;\t", key=line.count)


def _split(line: str, delimiter: str) -> Iterator[tuple[int, str]]:
    """The fields of a line and their columns, from 1; quotes may hold the delimiter."""
    quoted = rf' *(?P<quoted>"(?:[^"]|"")*") *(?={delimiter}|$)'
    field, start = re.compile(rf"{quoted}|(?P<plain>[^{delimiter}]*)"), 0
    while start <= len(line):
        match = field.match(line, start)
        assert match is not None, "the plain form matches anything"
        if match["quoted"] is not None:
            yield match.start("quoted") + 1, match["quoted"][1:-1].replace('""', '"').strip()
        else:
            text = match["plain"]
            yield start + len(text) - len(text.lstrip()) + 1, text.strip()
        start = match.end() + 1
