"""The Normal computer finishes off a cruiser, and the state each shot leads to.

After the hit at E5 it tries E4 and E6, and both miss. F5 hits and shows that the ship lies across.
G5 misses, D5 at the other end sinks it: with no hit left to chase, the hunt goes on.
"""

from bsjax import draw
from bsjax.draw import style
from bsjax.game.game import Game
from bsjax.game.history import parse
from figures.script import Results, claim, main

GAME = Game(feedback="cells")
CELLS = ["E5", "E4", "E6", "F5", "G5", "D5"]
THEN = ["Target", "Target", "Target", "Line", "Line", "Hunt"]
COLUMNS = {"Shot": 0.0, "Cell": 0.45, "Result": 0.9, "Then": 1.65}
"""Left edges in inches from the table's."""
LINE = 0.25


def figure(results: Results) -> draw.Sheet:
    told = results.read("finishing")
    shots = told["shots"]
    claim([shot["cell"] for shot in shots] == CELLS, f"the shots go to {', '.join(CELLS)}")
    claim([shot["then"] for shot in shots] == THEN, f"the states are {', '.join(THEN)}")
    claim(all(shot["is_allowed"] for shot in shots), "the machine allows every shot")

    # The table stands where a second board would.
    sheet, (board, table) = draw.strip(
        GAME.size,
        [draw.Panel(), draw.Panel()],
        cell=0.25,
        key=[
            ("miss-number", "Miss, numbered in order"),
            ("sunk", "Sunk ship, its hits numbered"),
        ],
    )
    board.shots(parse(GAME, told["history"]))
    box = table.axes.get_position()
    left, top = box.x0 * sheet.width, (1 - box.y1) * sheet.height + 0.35
    table.axes.remove()
    for name, across in COLUMNS.items():
        sheet.text(left + across, top, name, style.BODY, style.MUTED, weight="bold")
    for number, shot in enumerate(shots, 1):
        words = (str(number), shot["cell"], shot["result"], shot["then"])
        y = top + 0.04 + number * LINE
        sheet.rule(left, y - 0.06, 2.2)
        for across, word in zip(COLUMNS.values(), words, strict=True):
            weight = "bold" if word == shot["then"] else "normal"
            sheet.text(left + across, y, word, style.BODY, weight=weight)
    return sheet


if __name__ == "__main__":
    main(__file__, "how_the_computer", figure)
