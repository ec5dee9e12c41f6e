"""Expected shots by edge bias at spacing b = 2, of the player who knows the habit and of the one
who takes every layout as equally likely.

Where the opponent follows the habit the second needs ever more shots, and from a = 0.1 on the
first ever fewer.
Where it places uniformly the second does not depend on the habit: its line is flat.
"""

from itertools import pairwise

from bsjax import draw
from bsjax.draw import style
from figures.script import Results, claim, main

SPACING = 2.0
PLAYERS = {
    "assumes": ("Assumes uniform", style.SERIES[1], (0, (5, 1.5))),
    "knows": ("Knows the habit", style.SERIES[0], "solid"),
}
FACETS = {"habit": "Opponent follows the habit", "uniform": "Opponent places uniformly"}


def figure(results: Results) -> draw.Sheet:
    told = results.read("habits")
    rows = sorted((row for row in told["rows"] if row["b"] == SPACING), key=lambda row: row["a"])
    claim(len(rows) > 2, "the grid has rows at b = 2")
    edges = [row["a"] for row in rows]
    lines = {
        (player, opponent): [row[f"{player}_vs_{opponent}"] for row in rows]
        for player in PLAYERS
        for opponent in FACETS
    }
    claim(len(set(lines["assumes", "uniform"])) == 1, "a line is flat")
    claim(falls(lines["knows", "habit"][1:]), "a known habit helps the more, from a = 0.1 on")
    claim(falls(lines["assumes", "habit"][::-1]), "an unknown habit costs more the stronger it is")
    about_31 = [row["assumes_vs_habit"] for row in rows if row["a"] >= 1]
    claim(all(abs(shots - 31) < 0.6 for shots in about_31), "about 31 shots from a = 1 on")
    about_5 = [r["knows_vs_uniform"] - r["assumes_vs_uniform"] for r in rows if r["a"] >= 1]
    claim(all(round(cost) == 5 for cost in about_5), "about 5 shots more from a = 1 on")

    sheet = draw.Sheet(7.2, 3.3)
    for number, (opponent, title) in enumerate(FACETS.items()):
        left = 0.62 + number * 3.45
        sheet.text(left, 0.06, title, style.TITLE, weight="bold")
        chart = draw.Chart(
            sheet,
            (left, 0.36, 3.05, 2.4),
            x=(0, max(edges)),
            y=(0, 35),
            across="Edge bias a",
            up="" if number else "Expected shots",
        )
        for player, (name, color, dash) in PLAYERS.items():
            line = lines[player, opponent]
            chart.curve(edges, line, name, color=color, dash=dash, width=1.8)
        if number:
            chart.name_lines("lower left")
    return sheet


def falls(line: list[float]) -> bool:
    """Whether every number is below the one before."""
    return all(after < before for before, after in pairwise(line))


if __name__ == "__main__":
    main(__file__, "notebook", figure)
