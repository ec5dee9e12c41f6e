"""Boards in a row, each under a title and over a note, with one key for all."""

from collections.abc import Sequence
from typing import NamedTuple

from bsjax.draw import key as keys
from bsjax.draw import style
from bsjax.draw.board import Board
from bsjax.draw.sheet import LEADING, Sheet, text_width
from bsjax.draw.style import Number

CELL = 0.27
"""Size of a cell in inches."""

_MARGIN = 0.08
_LABELS = 0.21
"""Room for the row numbers and the column letters."""
_LINE = style.SMALL * LEADING / 72
_TITLE = style.TITLE * 1.5 / 72
_BETWEEN = 0.22


class Panel(NamedTuple):
    """What is written around one board; a line break starts a new line of the note."""

    title: str = ""
    note: str = ""


def strip(
    size: tuple[int, int],
    panels: Sequence[Panel],
    *,
    cell: Number = CELL,
    columns: int | None = None,
    key: Sequence[keys.Entry] = (),
    labels: bool = True,
    room: Number = 0.0,
) -> tuple[Sheet, list[Board]]:
    """Empty boards on a sheet, ready to be drawn on.

    Args:
        size: width and height of every board in cells.
        panels: one per board.
        cell: size of a cell in inches.
        columns: boards per row, by default all in one row.
        key: signs and their meanings, below all boards.
        labels: write column letters and row numbers.
        room: inches left free at the bottom of the sheet.

    Returns:
        The sheet, and the boards in the order of the panels.
    """
    columns = columns or len(panels)
    lead = _LABELS if labels else 0.0
    wide, high = size[0] * cell, size[1] * cell
    above = _TITLE if any(panel.title for panel in panels) else 0.0
    notes = max((panel.note.count("\n") + 1 for panel in panels if panel.note), default=0)
    below = notes * _LINE + (0.05 if notes else 0.0)
    words = max(map(_words, panels), default=0.0)
    across, down = lead + max(wide, words) + _BETWEEN, above + lead + high + below + _BETWEEN
    lines = -(-len(panels) // columns)
    width = 2 * _MARGIN + columns * across - _BETWEEN
    tall = _MARGIN + lines * down - _BETWEEN
    rows = len(keys.rows(key, width - 2 * _MARGIN))
    foot = rows * keys.ROW + (0.1 if rows else 0.0) + _MARGIN + room
    sheet = Sheet(width, tall + foot)
    boards = []
    for number, panel in enumerate(panels):
        left = _MARGIN + number % columns * across + lead
        top = _MARGIN + number // columns * down
        if panel.title:
            sheet.text(left, top, panel.title, style.TITLE, weight="bold")
        top += above + lead
        axes = sheet.axes(left, top, wide, high)
        boards.append(Board(axes, size, cell * 72, labels=labels))
        if panel.note:
            sheet.text(left, top + high + 0.06, panel.note, style.SMALL, style.MUTED)
    if rows:
        keys.draw_key(sheet, _MARGIN, tall + 0.1, width - 2 * _MARGIN, key)
    return sheet, boards


def _words(panel: Panel) -> float:
    """Width of the widest line around a board in inches."""
    lines = [text_width(line, style.SMALL) for line in panel.note.split("\n")]
    return max(text_width(panel.title, style.TITLE, weight="bold"), *lines)
