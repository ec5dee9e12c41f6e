"""What knowing the opponent's habit changes: expected shots of the player who knows it, minus
those of the player who takes every layout as equally likely.

Against an opponent who follows the habit knowing it saves shots, the more the stronger the edge
bias a; against one who places uniformly it costs shots. The spacing b matters little.
"""

from bsjax import draw
from bsjax.draw import style
from figures.script import Results, claim, main

LOOKS = {
    0.0: (style.SERIES[0], "solid"),
    1.0: (style.SERIES[1], (0, (5, 1.5))),
    2.0: (style.INK, (0, (1, 1.2))),
    3.0: (style.SERIES[2], (0, (3, 1, 1, 1))),
    4.0: (style.SERIES[4], (0, (7, 2))),
}
"""Colour and dash by spacing b."""
FACETS = {
    "Opponent follows the habit": ("knows_vs_habit", "assumes_vs_habit"),
    "Opponent places uniformly": ("knows_vs_uniform", "assumes_vs_uniform"),
}


def figure(results: Results) -> draw.Sheet:
    told = results.read("habits")
    rows = told["rows"]
    spacings = sorted({row["b"] for row in rows})
    claim(spacings == list(LOOKS), "there is a line for every spacing")
    for quoted in told["quoted"]:
        claim(quoted["agrees_but_for_ties"], f"the text's figure {quoted}")
    change = {
        title: {(row["a"], row["b"]): row[knows] - row[assumes] for row in rows}
        for title, (knows, assumes) in FACETS.items()
    }
    true, untrue = change.values()
    claim(all(saved <= 0.01 for saved in true.values()), "knowing a true habit costs nothing")
    claim(all(cost >= -0.01 for cost in untrue.values()), "knowing an untrue habit saves nothing")
    edges = sorted({row["a"] for row in rows})
    claim(
        all(true[a, 2.0] < -untrue[a, 2.0] for a in edges if a >= 0.2),
        "from a = 0.2 on, at b = 2, a true habit saves more than an untrue one costs",
    )

    sheet = draw.Sheet(7.2, 3.3)
    low = min(true.values()) - 0.8
    high = max(untrue.values()) + 0.8
    for number, (title, lines) in enumerate(change.items()):
        left = 0.62 + number * 3.45
        sheet.text(left, 0.06, title, style.TITLE, weight="bold")
        chart = draw.Chart(
            sheet,
            (left, 0.36, 3.05, 2.4),
            x=(0, max(edges)),
            y=(low, high),
            across="Edge bias a",
            up="" if number else "Shots: knows − assumes",
        )
        chart.axes.axhline(0, color=style.MUTED, linewidth=0.8, zorder=1)
        for b, (color, dash) in LOOKS.items():
            line = [lines[a, b] for a in edges]
            chart.curve(edges, line, f"b = {b:g}", color=color, dash=dash, width=1.6)
        if number:
            chart.name_lines("lower left")
    return sheet


if __name__ == "__main__":
    main(__file__, "notebook", figure)
