"""Every position of the cruiser in one row, and how many of them pass over each cell.

There is one position for each starting cell k = 1 … 8. Cell 5 is covered by the three positions
that start at k = 3, 4 and 5.
"""

import numpy as np

from bsjax import draw
from bsjax.draw import style
from bsjax.draw.board import Board
from figures.script import Results, claim, main

CELL = 0.3
LEFT, TOP, RIGHT = 0.78, 0.28, 0.1
SHOWN = 4
"""Cell 5 of the row, counted from 0."""


def figure(results: Results) -> draw.Sheet:
    row = results.read("placements")["row"]
    positions, covers = row["positions"], row["covers"]
    over = [k for k, cells in enumerate(positions) if SHOWN in cells]
    claim(len(positions) == 8, "the cruiser has 8 positions in a row")
    claim(
        covers == [1, 2, 3, 3, 3, 3, 3, 3, 2, 1], "each cell is covered 1, 2, 3, …, 3, 2, 1 times"
    )
    claim([k + 1 for k in over] == [3, 4, 5], "cell 5 is covered from k = 3, 4 and 5")

    width, lines = len(covers), len(positions)
    below = TOP + lines * CELL + 0.12
    sheet = draw.Sheet(LEFT + width * CELL + RIGHT, below + CELL + 0.1)
    for cell in range(width):
        chosen = cell == SHOWN
        sheet.text(
            LEFT + (cell + 0.5) * CELL,
            TOP - 0.2,
            str(cell + 1),
            style.SMALL,
            style.INK if chosen else style.MUTED,
            weight="bold" if chosen else "normal",
            across="center",
        )
    board = Board(
        sheet.axes(LEFT, TOP, width * CELL, lines * CELL), (width, lines), CELL * 72, labels=False
    )
    board.shade([k * width + SHOWN for k in range(lines)])
    for k, cells in enumerate(positions):
        board.ship(
            [k * width + cell for cell in cells],
            "shown",
            color=style.SUNK,
            fill=style.STRONG if k in over else style.PAPER,
        )
        words = f"k = {k + 1}"
        top = TOP + (k + 0.5) * CELL - 0.06
        sheet.text(LEFT - 0.12, top, words, style.SMALL, style.MUTED, across="right")
    counts = Board(sheet.axes(LEFT, below, width * CELL, CELL), (width, 1), CELL * 72, labels=False)
    counts.heat(np.array(covers), high=6, numbers="d").best([SHOWN])
    sheet.text(LEFT - 0.12, below + 0.03, "positions\nover it", style.SMALL, across="right")
    return sheet


if __name__ == "__main__":
    main(__file__, "how_the_computer", figure)
