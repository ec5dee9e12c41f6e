"""Boards drawn as text: one sign a cell, one line a row, a blank line between boards.

Signs may stand apart by white space or commas, or packed side by side. A line of column labels
above or below, and labels before the rows, are optional. Where no sign for water is drawn, blanks
are water.

Without labels the lines are the rows from row one on: under a convention with row 1 at the bottom
the first line is the lowest row. Row labels, growing or falling, say which row a line is.

What the signs mean is `bsjax.files.signs`.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

from bsjax.files.fleets import FoundBoard
from bsjax.files.places import Field, Place
from bsjax.files.signs import WATER, Drawing, ships_of_drawing
from bsjax.game.game import Game
from bsjax.game.notation import Convention, letter


class _Line(NamedTuple):
    """One line of a drawing: all of its text, and the pieces apart by blanks."""

    text: str
    place: Place
    pieces: tuple[Field, ...]


class _Row(NamedTuple):
    """One row of a board: its label, if it has one, and its signs."""

    label: Field | None
    signs: tuple[Field, ...]
    end: Place
    """Where the next sign would stand."""


def boards_of_grids(file: str, text: str, game: Game, convention: Convention) -> list[FoundBoard]:
    """The boards drawn in a text.

    Raises:
        ValueError: a fault in a drawing, at its place.
    """
    lines = [_line(file, number, line) for number, line in enumerate(text.splitlines(), 1)]
    blank_water = not any(
        sign in WATER
        for line in lines
        if not _is_header(game, line)
        for piece in line.pieces
        if piece.text != "10"  # a label
        for sign in piece.text
    )
    boards = []
    for block in _blocks(game, lines, blank_water):
        rows = _rows(game, block, blank_water)
        boards.append((block[0].place, ships_of_drawing(game, _drawing(game, rows, convention))))
    return boards


def _line(file: str, number: int, text: str) -> _Line:
    """A line and its pieces."""
    text = re.sub("[,;]", " ", text).rstrip()
    pieces = tuple(
        Field(match[0], Place(file, number, match.start() + 1))
        for match in re.finditer(r"\S+", text)
    )
    return _Line(text, Place(file, number), pieces)


def _is_header(game: Game, line: _Line) -> bool:
    """Whether a line holds the labels of all columns, perhaps after the corner's sign."""
    texts = [piece.text.upper() for piece in line.pieces]
    numbers = range(game.width)
    labels = (
        "".join(letter(n) for n in numbers),
        "".join(str(n) for n in numbers),
        "".join(str(n + 1) for n in numbers),
        "".join(str((n + 1) % 10) for n in numbers),
    )
    corner = len(texts) > 1 and not texts[0].isalnum()
    return "".join(texts) in labels or (corner and "".join(texts[1:]) in labels)


def _blocks(game: Game, lines: list[_Line], blank_water: bool) -> list[list[_Line]]:
    """The lines of each board, without its header."""
    blocks: list[list[_Line]] = [[]]
    for line in lines:
        if line.pieces:
            blocks[-1].append(line)
        elif blocks[-1]:
            blocks.append([])
    blocks = [block for block in blocks if block]
    if blank_water and any(len(block) not in (game.height, game.height + 1) for block in blocks):
        blocks = _blocks_by_height(game, lines)
    bare = []
    for block in blocks:
        rows = block
        if len(block) != game.height:
            if _is_header(game, block[0]):
                rows = block[1:]
            elif _is_header(game, block[-1]):
                rows = block[:-1]
        if len(rows) != game.height:
            at = rows[game.height].place if len(rows) > game.height else block[-1].place
            raise at.fault(
                f"{len(rows)} row{'s' if len(rows) != 1 else ''} in this drawing, the board has "
                f"{game.height}; boards are drawn with a blank line between them"
            )
        bare.append(rows)
    return bare


def _blocks_by_height(game: Game, lines: list[_Line]) -> list[list[_Line]]:
    """Boards whose rows may be blank: each takes as many lines as it has rows."""
    blocks, at = [], 0
    while at < len(lines):
        # The first row may read like a header only if every column can hold another ship.
        certain = game.width > game.ships or lines[at].text.startswith(" ")
        height = game.height + (certain and _is_header(game, lines[at]))
        block = lines[at : at + height]
        at += height
        if at < len(lines) and not lines[at].pieces:
            at += 1
        if any(line.pieces for line in block):
            file, last, _ = block[-1].place
            missing = range(last + 1, last + 1 + height - len(block))
            blocks.append(block + [_line(file, number, "") for number in missing])
    return blocks


def _rows(game: Game, block: list[_Line], blank_water: bool) -> list[_Row]:
    """The rows of a board, of one and the same style."""
    width = game.width
    apart = [
        len(line.pieces) in (width, width + 1) and all(len(p.text) == 1 for p in line.pieces[1:])
        for line in block
    ]
    # A drawing without water in which blanks only separate must be full of ships.
    full = game.ship_cells == game.cells
    if width > 1 and 2 * sum(apart) >= len(block) and (full or not blank_water):
        rows = _separated(block, width)
    elif blank_water:
        rows = _padded(game, block)
    elif max(len(line.pieces) for line in block) <= 2:
        rows = _packed(block)
    else:
        rows = _separated(block, width)
    for row in rows:
        if len(row.signs) != width:
            at = row.signs[width].place if len(row.signs) > width else row.end
            raise at.fault(
                f"{len(row.signs)} cell{'s' if len(row.signs) != 1 else ''} in this row, the board "
                f"has {width} columns; correct the row or give the size of the board"
            )
    return rows


def _separated(block: list[_Line], width: int) -> list[_Row]:
    """Rows of signs apart by blanks, all with a label or none."""
    labelled = _labelled(block, width + 1)
    for line in block:
        for piece in line.pieces[labelled:]:
            if len(piece.text) > 1:
                raise piece.place.fault(f"{piece.text!r} is more than one sign; draw one a cell")
    return [
        _Row(line.pieces[0] if labelled else None, line.pieces[labelled:], _end(line))
        for line in block
    ]


def _packed(block: list[_Line]) -> list[_Row]:
    """Rows of signs side by side, all with a label or none."""
    labelled = _labelled(block, 2)
    rows = []
    for line in block:
        pieces = line.pieces[labelled:]
        if len(pieces) > 1:
            raise pieces[1].place.fault("a blank within a row; draw water as one of " + WATER)
        signs = _signs(pieces[0].text, pieces[0].place) if pieces else ()
        rows.append(_Row(line.pieces[0] if labelled else None, signs, _end(line)))
    return rows


def _padded(game: Game, block: list[_Line]) -> list[_Row]:
    """Rows in which blanks are water, the ones at the end left out or not."""
    labels = [re.match(r"\s*([0-9]{1,2}|[A-Z])(?=[\s.:|)]|$)[.:|)]?\s?", x.text) for x in block]
    start = 0
    if max(len(line.text) for line in block) > game.width and all(labels):
        start = max(match.end() for match in labels if match)
    return [
        _Row(
            line.pieces[0] if start else None,
            _signs(line.text[start:].ljust(game.width), line.place._replace(column=start + 1)),
            _end(line),
        )
        for line in block
    ]


def _labelled(block: list[_Line], pieces: int) -> bool:
    """Whether most lines have this many pieces, the first of which can be a label."""
    marked = [
        len(line.pieces) == pieces and _label(line.pieces[0].text).isalnum() for line in block
    ]
    return 2 * sum(marked) > len(block)


def _label(text: str) -> str:
    """A row label without its punctuation."""
    return text.rstrip(".:)|").upper()


def _signs(text: str, place: Place) -> tuple[Field, ...]:
    """The signs of a packed row."""
    return tuple(
        Field(sign, place._replace(column=place.column + i)) for i, sign in enumerate(text)
    )


def _end(line: _Line) -> Place:
    """The place after the last sign of a line."""
    return line.place._replace(column=len(line.text) + 1)


def _drawing(game: Game, rows: Sequence[_Row], convention: Convention) -> Drawing:
    """The signs that are not water, on their cells."""
    drawing: Drawing = {}
    for index, row in zip(_order(rows), rows, strict=True):
        down = index if convention.row_one == "top" else game.height - 1 - index
        for column, sign in enumerate(row.signs):
            if sign.text not in WATER:
                drawing[down * game.width + column] = sign
    return drawing


def _order(rows: Sequence[_Row]) -> Sequence[int]:
    """Which row each line is, counted from row one."""
    labels = [row.label for row in rows if row.label is not None]
    if not labels:
        return range(len(rows))
    texts = [_label(label.text) for label in labels]
    growing = range(len(rows))
    for start in (1, 0):
        numbers = [str(n + start) for n in growing]
        for names in (numbers, [letter(n) for n in growing]):
            if texts == names:
                return growing
            if texts == names[::-1]:
                return growing[::-1]
    raise labels[0].place.fault(
        f"the rows are labelled {', '.join(texts)}; label them 1 to {len(rows)} or A to "
        f"{letter(len(rows) - 1)}, or leave the labels out (the board has {len(rows[0].signs)} "
        "columns)"
    )
