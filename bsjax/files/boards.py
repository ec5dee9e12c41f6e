"""Boards from files, and written to them."""

import re
from pathlib import Path
from typing import Literal, get_args

import numpy as np
from jaxtyping import Int8

from bsjax.files.board_json import boards_of_json
from bsjax.files.board_tables import TABLE, boards_of_table
from bsjax.files.fleets import assemble
from bsjax.files.grids import boards_of_grids
from bsjax.files.places import Place, read_text
from bsjax.files.records import is_header
from bsjax.game.game import Game
from bsjax.game.notation import OWN, Convention, letter

BoardFormat = Literal["text", "csv", "json"]

_READERS = {"text": boards_of_grids, "csv": boards_of_table, "json": boards_of_json}


def read_boards(
    path: str | Path,
    game: Game,
    convention: Convention = OWN,
    format: BoardFormat | None = None,
) -> Int8[np.ndarray, "n C"]:
    """The boards in a file.

    Args:
        path: a text grid (`bsjax.files.grids`), a CSV table (`bsjax.files.board_tables`) or JSON
            (`bsjax.files.board_json`); `-` is standard input.
        game: the rules; each board must hold its fleet and keep its touching rule.
        convention: how cells are written, and which line of a drawing is row one.
        format: `text`, `csv` or `json`; None goes by the suffix and the first sign.

    Returns:
        The ship on each cell, −1 for water; ship k is the one of length `game.fleet[k]`. Ships of
        equal length that the file does not name take their numbers in the order of their letters,
        otherwise in the order found.

    Raises:
        OSError: the file cannot be read.
        ValueError: `FILE:LINE:COLUMN: what is wrong and what to do`.
    """
    file, text = read_text(path)
    if format is not None and format not in _READERS:
        raise ValueError(f"format {format!r}: choose one of {', '.join(get_args(BoardFormat))}")
    found = _READERS[format or _format(file, text)](file, text, game, convention)
    if not found:
        raise Place(file).fault("no board here; draw one, or list the cells of its ships")
    return np.stack([assemble(game, ships, at) for at, ships in found])


def _format(file: str, text: str) -> BoardFormat:
    """The format of a file by its suffix and its first line."""
    body = text.lstrip()
    if file.lower().endswith(".json") or body[:1] in ("[", "{"):
        return "json"
    lines = (line for line in body.splitlines() if line.strip() and not line.startswith("#"))
    first = next(lines, "")
    return "csv" if is_header(first, TABLE) or _has_words(file, first) else "text"


def _has_words(file: str, line: str) -> bool:
    """Whether the first line of a CSV file looks like a header, of columns we do not know."""
    return file.lower().endswith(".csv") and bool(re.search(r"[A-Za-z]{3,}\s*[,;\t]", line))


def write_board_text(game: Game, board: Int8[np.ndarray, " C"]) -> str:
    """The board as a text grid that `read_boards` reads back: `.` water, `A` ship 0, `B` ship 1."""
    signs = "".join("." if ship < 0 else letter(ship) for ship in board.tolist())
    rows = (signs[start : start + game.width] for start in range(0, game.cells, game.width))
    return "\n".join(rows) + "\n"
