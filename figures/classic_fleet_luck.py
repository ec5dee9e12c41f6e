"""Luck with the 2: the games of 3-parity whose first set of diagonals meets the 2, and the others.

Two games in three are lucky, and then it is as fast as the best hunters; in the third it is among
the slow ones.
"""

from typing import Any

import numpy as np

from bsjax import draw
from bsjax.draw import style
from figures.classic_fleet_speed_and_safety import full
from figures.script import Results, claim, main

KINDS = {
    "met": ("the first set meets the 2", style.SERIES[0]),
    "missed": ("it misses the 2", style.SERIES[1]),
}
FROM, TO = 20, 90
"""Shots that are drawn."""


def figure(results: Results) -> draw.Sheet:
    told = results.read("luck")
    for kind in KINDS:
        check(kind, told[kind], full(told))

    sheet = draw.Sheet(7.2, 2.95)
    shares = {kind: np.array(told[kind]["histogram"]) / told["games"] for kind in KINDS}
    chart = draw.Chart(
        sheet,
        (0.62, 0.15, 3.5, 2.2),
        x=(FROM, TO),
        y=(0, 1.3 * max(share.max() for share in shares.values())),
        across="Shots",
        up="Share of all games",
    )
    chart.axes.yaxis.set_major_formatter(lambda share, _: f"{100 * share:g}%")
    for kind, (text, color) in KINDS.items():
        edges = np.arange(len(shares[kind]) + 1) - 0.5
        chart.axes.stairs(shares[kind], edges, fill=True, color=color, alpha=0.25, linewidth=0)
        chart.axes.stairs(shares[kind], edges, color=color, linewidth=1.3, label=text)
    chart.name_lines("upper right")
    numbers(sheet, told)
    text = (
        f"{told['games']:,} games of {told['name']} on random boards; ± one standard error; in "
        "brackets: published."
    )
    sheet.text(0.1, 2.72, text, style.SMALL, style.MUTED)
    return sheet


def check(kind: str, one: dict[str, Any], whole: bool) -> None:
    """Both kinds of games are those of the write-up, within what its rounding and luck allow."""
    published = one["published"]
    claim(sum(one["histogram"]) == one["games"], "every game is counted once")
    if not whole:
        return
    off = abs(one["share"] - published["share"])
    error = np.sqrt(published["share"] * (1 - published["share"]) / (one["games"] / one["share"]))
    claim(off < 5 * error, f"the share of games that {kind} it is that of two sets of three")
    claim(abs(one["mean"] - published["mean"]) < 0.3, f"{kind}: {published['mean']} shots")
    win = one["race"]["win"]["value"]
    claim(abs(win - published["win"]) < 0.01, f"{kind}: {published['win']:.1%} of races")


def numbers(sheet: draw.Sheet, told: dict[str, Any]) -> None:
    """Share, shots and races of both kinds, beside the published."""
    left, top = 4.45, 0.2
    for name, at in (("Games", 0.3), ("Mean shots", 0.72), ("Races won", 1.14)):
        sheet.text(left, top + at, name, style.SMALL)
    for (kind, (_, color)), column in zip(KINDS.items(), (left + 1.6, left + 2.65), strict=True):
        one, published = told[kind], told[kind]["published"]
        win = one["race"]["win"]
        title = "meets" if kind == "met" else "misses"
        sheet.text(column, top, title, style.BODY, color, across="right")
        pairs = (
            (f"{100 * one['share']:.2f}%", f"{published['share']:.1%}"),
            (f"{one['mean']:.2f} ± {one['se']:.2f}", f"{published['mean']:.1f}"),
            (f"{100 * win['value']:.2f} ± {100 * win['se']:.2f}%", f"{published['win']:.1%}"),
        )
        for row, (ours, theirs) in enumerate(pairs):
            at = top + 0.3 + 0.42 * row
            sheet.text(column, at, ours, style.SMALL, across="right")
            sheet.text(column, at + 0.15, f"({theirs})", style.SMALL, style.MUTED, across="right")
    sheet.rule(left, top + 0.21, 2.65)


if __name__ == "__main__":
    main(__file__, "classic_fleet", figure)
