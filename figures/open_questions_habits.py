"""What knowing an opponent's liking for the edge is worth: shots saved where it is true, and shots
lost where the opponent places uniformly, on the standard fleet (with 95% intervals) and on two
ships (over all layouts).

Lines are habits without spacing, rings those whose ships also avoid each other (b = 2).
"""

from typing import Any

from bsjax import draw
from bsjax.draw import style
from figures.open_questions_answers import upright
from figures.script import Results, claim, main

FACETS = {"saving": "Opponent follows the habit", "cost": "Opponent places uniformly"}
UP = {"saving": "Shots saved by knowing the habit", "cost": "Shots lost by expecting it"}
FLEETS = {"standard": ("Standard fleet", style.SERIES[0]), "two": ("Two ships", style.SERIES[1])}
ASIDE = 0.012
"""How far to the side the habits with spacing are drawn."""


def figure(results: Results) -> draw.Sheet:
    told = results.read("habits")
    rows = told["rows"]
    for one in told["boards"]:
        check(one)
    plain = sorted((row for row in rows if not row["touch"]), key=lambda row: row["edge"])
    spaced = [row for row in rows if row["touch"]]
    widest = max(row["edge"] for row in rows)

    sheet = draw.Sheet(7.2, 3.3)
    for number, (what, title) in enumerate(FACETS.items()):
        left = 0.62 + number * 3.45
        sheet.text(left, 0.06, title, style.TITLE, weight="bold")
        heights = [h for row in rows for h in (row[what]["high"], row["two_ships"][what])]
        lows = [h for row in rows for h in (row[what]["low"], row["two_ships"][what])]
        chart = draw.Chart(
            sheet,
            (left, 0.36, 2.95, 2.4),
            x=(0, 1.06 * widest),
            y=(min(0, 1.1 * min(lows)), 1.12 * max(heights)),
            across="Edge bias a",
            up=UP[what],
        )
        chart.axes.axhline(0, color=style.MUTED, linewidth=0.8, zorder=1)
        edges = [0, *(row["edge"] for row in plain)]
        of_two = [0, *(row["two_ships"][what] for row in plain)]
        of_five = [0, *(row[what]["mean"] for row in plain)]
        for (name, color), line in zip(FLEETS.values(), (of_five, of_two), strict=True):
            dash = "solid" if line is of_five else (0, (5, 1.5))
            chart.curve(edges, line, name, color=color, dash=dash, width=1.6)
        for row in plain:
            upright(chart, row["edge"], row[what], FLEETS["standard"][1])
        for row in spaced:
            ring(chart, row["edge"] - ASIDE, row[what], FLEETS["standard"][1])
            two = {end: row["two_ships"][what] for end in ("low", "mean", "high")}
            ring(chart, row["edge"] + ASIDE, two, FLEETS["two"][1])
        if not number:
            chart.name_lines("upper left")
    return sheet


def ring(chart: draw.Chart, x: float, one: dict[str, Any], color: str) -> None:
    """A habit with spacing."""
    chart.axes.plot([x, x], [one["low"], one["high"]], color=color, linewidth=1.1)
    look: dict[str, Any] = {"markersize": 5.5, "markerfacecolor": style.PAPER}
    chart.axes.plot([x], [one["mean"]], "o", color=color, **look)


def check(one: dict[str, Any]) -> None:
    """The boards are those of the opponent."""
    for what in ("edge_squares", "touching_pairs"):
        off = one[what]["in_standard_errors"]
        claim(abs(off) < 5, f"boards of {one['opponent']}: {what} off by {off:.1f} standard errors")
    cell = one["largest_cell_in_standard_errors"]
    claim(cell < 5, f"boards of {one['opponent']}: a cell is off by {cell:.1f} standard errors")
    gap = abs(one["edge_squares_by_marginals"] - one["edge_squares"]["exactly"])
    claim(gap < 1e-6, f"boards of {one['opponent']}: both exact means of edge squares agree")


if __name__ == "__main__":
    main(__file__, "open_questions", figure)
