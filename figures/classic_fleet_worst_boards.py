"""The worst board found against each of six strategies, with the races they win there."""

import numpy as np

from bsjax import draw
from bsjax.draw import style
from bsjax.game.game import Game
from figures.classic_fleet_speed_and_safety import full, worst_boards
from figures.classic_fleet_spread import SHOWN
from figures.script import Results, claim, main

GAME = Game()
FILLS = (style.SERIES[0], style.STRONG, style.PATTERN, style.PATTERN, style.SERIES[2])
"""Colours of the ships, from the longest to the shortest."""


def figure(results: Results) -> draw.Sheet:
    told = worst_boards(results)
    claim(told["game"] == str(GAME), f"the boards are of {GAME}")
    found = {row["name"]: row for row in told["strategies"]}
    shown = sorted(
        (found[name] for name in SHOWN if name in found), key=lambda row: -row["win_rate"]
    )
    if full(told):
        claim(len(shown) == len(SHOWN), "all six were searched")
        claim(shown[-1]["name"] == "heat-map", "the heat map is held down most")
    panels = [
        draw.Panel(
            row["name"],
            f"wins ≤ {row['worst_case']:.1f}% of races\n"
            f"{100 * row['win_rate']:.2f} ± {100 * row['se']:.2f}%, "
            f"{row['mean_shots']:.1f} shots",
        )
        for row in shown
    ]
    sheet, boards = draw.strip(GAME.size, panels, columns=3, cell=0.2, room=0.28)
    for board, row in zip(boards, shown, strict=True):
        put(board, row["board"])
    text = "± one standard error. Boards are turned at random in every game."
    sheet.text(0.1, sheet.height - 0.24, text, style.SMALL, style.MUTED)
    return sheet


def put(board: draw.Board, layout: list[int]) -> None:
    """Draw the ships of a board, given by the ship on each cell, −1 for water."""
    cells = np.array(layout)
    for ship, (length, fill) in enumerate(zip(GAME.fleet, FILLS, strict=True)):
        own = np.flatnonzero(cells == ship)
        spans = {int(np.ptp(side)) for side in np.divmod(own, GAME.width)} if len(own) else set()
        straight = len(own) == length and spans == {0, length - 1}
        claim(straight, f"ship {ship} lies on {length} cells in a line")
        board.ship(own.tolist(), "shown", fill=fill)


if __name__ == "__main__":
    main(__file__, "classic_fleet", figure)
