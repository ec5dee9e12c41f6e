"""The strongest strategy on random boards and on the worst board found, and that board.

Filled: its games on the worst board; line: on random boards. Beside them where its shots go.
"""

import numpy as np

from bsjax import draw
from bsjax.draw import style
from bsjax.draw.sheet import text_width
from figures.classic_fleet_spread import shares
from figures.classic_fleet_worst_boards import FILLS
from figures.script import Results, claim, main
from figures.strongest_game import game_of

PARTS = {
    "kept": "Hunt, kept",
    "erased": "Hunt, erased by a rewind",
    "finisher": "Finisher",
    "final": "Final hunt",
}
FROM, TO = 20, 80
BOARD, LEFT, TOP, WIDTH, HEIGHT = 2.2, 3.1, 0.36, 3.9, 2.0


def figure(results: Results) -> draw.Sheet:
    classic, account, worst = (results.read(name) for name in ("classic", "account", "worst"))
    claim(classic["game"] == worst["game"], "one game")
    own, random = shares(worst["histogram"]), shares(classic["histogram"])
    if not worst["settings"]["quick"]:
        claim(worst["mean_shots"] > classic["mean"], "the worst board takes more shots")
    game = game_of(worst)
    sheet = draw.Sheet(LEFT + WIDTH + 0.25, TOP + BOARD + 2.36)
    sheet.text(0.3, 0.08, "The worst board found", style.TITLE, weight="bold")
    axes = sheet.axes(0.3, TOP + 0.14, BOARD, BOARD)
    drawn, cells = draw.Board(axes, game.size, BOARD / game.width * 72), np.array(worst["board"])
    for ship in range(game.ships):
        drawn.ship(np.flatnonzero(cells == ship).tolist(), "sunk", fill=FILLS[ship])
    text = (
        f"wins {100 * worst['win_rate']:.2f} ± {100 * worst['se']:.2f}% of races\n"
        f"published: ≤ {worst['published']['worst']:.1f}%"
    )
    sheet.text(0.3, TOP + BOARD + 0.22, text, style.SMALL, style.MUTED)

    sheet.text(LEFT, 0.08, "Shots of a game", style.TITLE, weight="bold")
    chart = draw.Chart(
        sheet,
        (LEFT, TOP, WIDTH, HEIGHT),
        x=(FROM, TO),
        y=(0, 1.1 * max(own.max(), random.max())),
        across="Shots",
    )
    chart.axes.set_yticks([])
    chart.axes.spines["left"].set_visible(False)
    edges = np.arange(len(random) + 1) - 0.5
    fill = {"fill": True, "alpha": 0.6, "linewidth": 0}
    chart.axes.stairs(own, edges, color=style.SERIES[1], label="worst board", **fill)
    chart.axes.stairs(random, edges, color=style.INK, linewidth=1.0, label="random boards")
    chart.name_lines("upper right")
    rows = [
        (title, [there[name]["mean"] for name in PARTS])
        for title, there in (("Random boards", account), ("Worst board", worst["account"]))
    ]
    top = TOP + BOARD + 0.72
    sheet.text(0.3, top, "Where the shots go", style.TITLE, weight="bold")
    left = 2.1
    for name, color in zip(PARTS.values(), style.SERIES, strict=False):
        sheet.text(left, top + 0.03, name, style.SMALL, color, weight="bold")
        left += text_width(name, style.SMALL, weight="bold") + 0.25
    box = 1.3, top + 0.26, LEFT + WIDTH - 1.4, 0.8
    draw.stacks(sheet, box, rows, [""] * len(PARTS))
    text = (
        f"{classic['games']:,} games on random boards, {worst['games']:,} on the worst one: "
        f"{classic['mean']:.2f} and {worst['mean_shots']:.2f} shots.\nBoards are turned at random "
        f"in every game. Races are against its own pace."
    )
    sheet.text(0.3, sheet.height - 0.4, text, style.SMALL, style.MUTED)
    return sheet


if __name__ == "__main__":
    main(__file__, "strongest", figure)
