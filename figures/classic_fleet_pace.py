"""What a game of so many shots wins against each of the paces, and what one shot more costs it.

Against a fixed pace a game's share of wins depends on its length alone. The published pace is
known by figures only; the four shares that were published are marked.
"""

from typing import Any

from bsjax import draw
from bsjax.draw import style
from bsjax.draw.style import Number
from figures.script import Results, claim, main

PUBLISHED = "reconstruction"
"""Name of the published pace, which is known by figures only."""
LOOKS: tuple[tuple[str, str | tuple[Number, tuple[Number, ...]]], ...] = (
    (style.SERIES[0], "solid"),
    (style.SERIES[1], (0, (5, 1.5))),
)
TOLD = (25, 30, 35, 40, 43, 46, 50, 55, 60, 65, 70)
"""Shots of the table."""


def figure(results: Results) -> draw.Sheet:
    told = results.read("paces")
    paces, published = told["paces"], told["published"]
    check(paces[PUBLISHED], published)
    for name, pace in paces.items():
        win = pace["conversion"]["win"]
        claim(win == sorted(win, reverse=True), f"{name}: a shot more never wins more")

    sheet = draw.Sheet(7.2, 3.1)
    chart = draw.Chart(
        sheet,
        (0.62, 0.15, 3.3, 2.45),
        x=(12, 76),
        y=(0, 1),
        across="Shots of a game",
        up="Races won against the pace",
        percent=True,
    )
    for (name, pace), (color, dash) in zip(paces.items(), LOOKS, strict=True):
        found = pace["conversion"]
        label = f"{name} ({pace['mean']:.1f})"
        chart.curve(found["shots"], found["win"], label, color=color, dash=dash)
    shares = [one["win"] for one in published["win"]]
    mark = {"markersize": 5, "markeredgecolor": style.INK, "markerfacecolor": style.PAPER}
    at = [one["shots"] for one in published["win"]]
    chart.axes.plot(at, shares, "D", color=style.INK, label="published shares", zorder=4, **mark)
    for x, share in zip(at, shares, strict=True):
        kind = style.type_of(style.SMALL)
        chart.axes.text(x + 1.3, share + 0.015, f"{share:.1%}", ha="left", va="bottom", **kind)
    chart.name_lines("lower left")
    numbers(sheet, paces)
    return sheet


def check(pace: dict[str, Any], published: dict[str, Any]) -> None:
    """The reconstruction has every figure that was published, to its last digit."""
    for ours, theirs in zip(pace["win"], published["win"], strict=True):
        text = f"{theirs['shots']} shots win {theirs['win']:.1%}"
        claim(abs(ours["win"] - theirs["win"]) < 5e-4, text)
    claim(abs(pace["mean"] - published["mean"]) < 0.05, "the mean of the pace is the published one")
    for figure in ("median", "p05", "p95"):
        claim(pace[figure] == published[figure], f"{figure} of the pace is the published one")
    for figure in ("least_step", "most_step"):
        claim(abs(pace[figure] - published[figure]) < 5e-4, f"{figure} is the published one")


def numbers(sheet: draw.Sheet, paces: dict[str, Any]) -> None:
    """The table of shots: what they win, and what one more costs, against every pace."""
    left, top, step = 4.3, 0.12, 0.175
    columns = [left + 0.95 + 1.22 * number for number in range(len(paces))]
    sheet.text(left + 0.32, top + 0.2, "Shots", style.SMALL, style.MUTED, across="right")
    for column, name in zip(columns, paces, strict=True):
        sheet.text(column + 0.42, top, name, style.SMALL, weight="bold", across="right")
        sheet.text(column - 0.06, top + 0.2, "wins", style.SMALL, style.MUTED, across="right")
        sheet.text(column + 0.42, top + 0.2, "1 more", style.SMALL, style.MUTED, across="right")
    sheet.rule(left, top + 0.36, columns[-1] + 0.42 - left)
    for row, shots in enumerate(TOLD):
        y = top + 0.41 + row * step
        sheet.text(left + 0.32, y, str(shots), style.SMALL, across="right")
        for column, pace in zip(columns, paces.values(), strict=True):
            win, cost = at(pace, shots)
            sheet.text(column - 0.06, y, f"{100 * win:.1f}%", style.SMALL, across="right")
            text = f"−{100 * cost:.1f}"
            sheet.text(column + 0.42, y, text, style.SMALL, style.MUTED, across="right")
    note = "1 more: points that one shot more costs.\nIn brackets: mean shots of the pace."
    sheet.text(left, top + 0.47 + len(TOLD) * step, note, style.SMALL, style.MUTED)


def at(pace: dict[str, Any], shots: int) -> tuple[float, float]:
    """What a game of so many shots wins, and what it loses if it takes one more.

    The ends of the table are shares of games of next to nothing.
    """
    found = pace["conversion"]
    place = shots - found["shots"][0]
    if place < 0:
        return 1.0, 0.0
    if place >= len(found["shots"]):
        return 0.0, 0.0
    return found["win"][place], found["step"][place]


if __name__ == "__main__":
    main(__file__, "classic_fleet", figure)
