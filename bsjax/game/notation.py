"""How cells are written: `E5`, `5E` or a pair of numbers, under a stated convention.

The package writes `E5` for column E, row 5, rows counted from 1 at the top. Other programs swap
the two coordinates, put row 1 at the bottom or count from 0; a `Convention` says which. Letters
count A = first whatever the convention.
"""

import re
from dataclasses import dataclass
from typing import Literal, get_args

from bsjax.game.game import Game

First = Literal["column", "row"]
RowOne = Literal["top", "bottom"]
CountFrom = Literal[0, 1]


@dataclass(frozen=True)
class Convention:
    """How a file or a person writes cells.

    Attributes:
        first: the coordinate written first. In `E5` the letter is first, in `5E` and `5,3` the 5.
        row_one: where the first row is; with `bottom` it is the lowest one.
        count_from: the number of the first row or column where it is written as a number.

    Raises:
        ValueError: a field is none of the listed values.
    """

    first: First = "column"
    row_one: RowOne = "top"
    count_from: CountFrom = 1

    def __post_init__(self):
        for field, value, choices in (
            ("first", self.first, get_args(First)),
            ("row_one", self.row_one, get_args(RowOne)),
            ("count_from", self.count_from, get_args(CountFrom)),
        ):
            if value not in choices:
                raise ValueError(f"{field} {value!r}: choose {choices[0]} or {choices[1]}")


OWN = Convention()
"""The package's own convention."""

_LETTER_FIRST = re.compile(r"\(?\s*([A-Za-z])[\s,]*([0-9]{1,9})\s*\)?")
_NUMBER_FIRST = re.compile(r"\(?\s*([0-9]{1,9})[\s,]*([A-Za-z])\s*\)?")
_PAIR = re.compile(r"[(\[]?\s*(-?[0-9]{1,9})(?:\s*[,;]\s*|\s+)(-?[0-9]{1,9})\s*[)\]]?")
_PIECE = re.compile(r"\([^()]*\)|[^\s,;()]+")


def parse_cell(game: Game, text: str, convention: Convention = OWN) -> int:
    """Cell index of a written cell.

    Args:
        game: the rules, for the size of the board.
        text: `E5`, `e5`, `5E`, `3,4`, `(3, 4)`, `[3, 4]` or `3 4`.
        convention: which coordinate comes first, where row one is, what numbers count from.

    Raises:
        ValueError: the text is not a cell, or the cell is off the board.
    """
    for pattern in (_LETTER_FIRST, _NUMBER_FIRST, _PAIR):
        match = pattern.fullmatch(text.strip())
        if match:
            break
    else:
        raise ValueError(
            f"{text!r} is not a cell; write a letter and a number, for example "
            f"{format_cell(game, game.cells - 1)}, or two numbers, for example 3,4"
        )
    first, second = match.groups()
    column, row = (first, second) if convention.first == "column" else (second, first)
    try:
        return cell_at(game, column, row, convention)
    except ValueError as fault:
        raise ValueError(f"{text.strip()!r} is off the board: {fault}") from None


def cell_at(game: Game, column: str, row: str, convention: Convention = OWN) -> int:
    """Cell index of a column and a row, each written as a letter or a number.

    Raises:
        ValueError: one of them is neither, or lies outside the board.
    """
    across = _coordinate("column", column, game.width, convention)
    down = _coordinate("row", row, game.height, convention)
    if convention.row_one == "bottom":
        down = game.height - 1 - down
    return down * game.width + across


def format_cell(game: Game, cell: int) -> str:
    """A cell as the package writes it.

    Raises:
        ValueError: the index is not on the board.
    """
    if not 0 <= cell < game.cells:
        raise ValueError(f"cell {cell} is off the board: it has cells 0 to {game.cells - 1}")
    row, column = divmod(int(cell), game.width)
    return f"{letter(column)}{row + 1}"


def split_cells(text: str) -> list[str]:
    """The single cells in a list such as `E5,F5,G5`, `(3,4) (3,5)` or `3,4,3,5`."""
    pieces = _PIECE.findall(text)
    if len(pieces) % 2 == 0 and all(piece.lstrip("-").isdecimal() for piece in pieces):
        return [f"{a},{b}" for a, b in zip(pieces[::2], pieces[1::2], strict=True)]
    return pieces


def letter(index: int) -> str:
    """Letter of a coordinate counted from 0: A, B, … P."""
    return chr(ord("A") + index)


def _coordinate(kind: str, text: str, count: int, convention: Convention) -> int:
    """One coordinate, counted from 0 at row one or column one."""
    text, low = text.strip(), convention.count_from
    if re.fullmatch(r"-?[0-9]{1,9}", text):
        index = int(text) - low
    elif re.fullmatch(r"[A-Za-z]", text):
        index = ord(text.upper()) - ord("A")
    else:
        raise ValueError(f"{kind} {text!r} is neither a letter nor a number")
    if not 0 <= index < count:
        raise ValueError(
            f"there is no {kind} {text}; {kind}s run from A to {letter(count - 1)} "
            f"or from {low} to {count - 1 + low}"
        )
    return index
