"""Learning an opponent's edge bias from the boards of earlier games, and what it is worth.

Above, the estimates: the band holds eight of ten, the curve is the median, the grey line the
truth. Below, the shots that the next game needs more than with the habit known, with 95%
intervals; the dashed line is a player who assumes uniform placement.
"""

from typing import Any

from bsjax import draw
from bsjax.draw import style
from figures.script import Results, claim, main

LOOKS = {
    "prior": ("normal prior on a", style.SERIES[0], -0.07),
    "likelihood": ("maximum likelihood", style.SERIES[1], 0.07),
}
RANGE = (-0.6, 1.6)
"""Of the estimates shown."""


def figure(results: Results) -> draw.Sheet:
    told = results.read("estimate")
    rows = told["rows"]
    sheet = draw.Sheet(7.2, 5.0)
    for number, row in enumerate(rows):
        for name in LOOKS:
            check(row, name)
        left = 0.66 + number * 3.45
        games = [one["games"] for one in row["estimates"]["prior"]]
        sheet.text(left, 0.06, f"True edge bias a = {row['edge']:g}", style.TITLE, weight="bold")
        above = panel(sheet, left, 0.34, RANGE, games, "Estimate of a", "", number)
        above.axes.axhline(row["edge"], color=style.MUTED, linewidth=0.9, zorder=2)
        every = [one["more_than_knowing"] for name in LOOKS for one in row["estimates"][name]]
        low, high = min(one["low"] for one in every), max(one["high"] for one in every)
        room = 0.06 * (high - low)
        below = panel(
            sheet,
            left,
            2.6,
            (min(low, 0) - room, high + room),
            games,
            "Shots more than knowing",
            "Earlier games",
            number,
        )
        below.axes.axhline(0, color=style.MUTED, linewidth=0.9, zorder=1)
        uniform = row["saving"]["mean"]
        below.axes.axhline(uniform, color=style.INK, linewidth=0.9, linestyle=(0, (4, 2)), zorder=1)
        for name, (title, color, aside) in LOOKS.items():
            estimates = row["estimates"][name]
            band(above, estimates, color)
            places = [place + aside for place in range(len(estimates))]
            means = [one["more_than_knowing"]["mean"] for one in estimates]
            below.curve(places, means, title, color=color, width=1.2)
            for x, one in zip(places, estimates, strict=True):
                ends = one["more_than_knowing"]
                below.axes.plot([x, x], [ends["low"], ends["high"]], color=color, linewidth=1.4)
                below.axes.plot([x], [ends["mean"]], "o", color=color, markersize=3.5)
        if not number:
            below.name_lines("upper right")
    return sheet


def panel(
    sheet: draw.Sheet,
    left: float,
    top: float,
    y: tuple[float, float],
    games: list[int],
    up: str,
    across: str,
    number: int,
) -> draw.Chart:
    """A chart over numbers of games, evenly spaced."""
    chart = draw.Chart(
        sheet,
        (left, top, 2.95, 1.95),
        x=(-0.4, len(games) - 0.6),
        y=y,
        across=across,
        up="" if number else up,
    )
    chart.axes.set_xticks(range(len(games)), [str(n) for n in games])
    return chart


def band(chart: draw.Chart, estimates: list[dict[str, Any]], color: str) -> None:
    """Eight of ten estimates, and their median."""
    places = list(range(len(estimates)))
    found = [one["estimate"] for one in estimates]
    low, high = [one["p10"] for one in found], [one["p90"] for one in found]
    chart.axes.fill_between(places, low, high, color=color, alpha=0.18, linewidth=0)
    chart.curve(places, [one["median"] for one in found], color=color)


def check(row: dict[str, Any], name: str) -> None:
    """What holds of every estimate."""
    rows = row["estimates"][name]
    if rows[0]["games"] == 0:
        gap = abs(rows[0]["more_than_knowing"]["mean"] - row["saving"]["mean"])
        claim(gap < 1e-9, "without earlier games the player assumes uniform placement")
    spreads = [one["estimate"]["p90"] - one["estimate"]["p10"] for one in rows if one["games"]]
    claim(spreads[-1] < spreads[0], "many games tell more than one")


if __name__ == "__main__":
    main(__file__, "open_questions", figure)
