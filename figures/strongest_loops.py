"""How self-play closes: races won on the worst layout against the mixture's own pace, by round.

Every layout is listed and every hunt scored on all of them, so each point is exact.
"""

from typing import Any

from bsjax import draw
from bsjax.draw import style
from figures.script import Results, claim, main

LEFT, TOP, WIDTH, HEIGHT = 0.62, 0.2, 4.4, 2.7
GOAL = 48.0
"""Percent that the long run was to reach."""


def figure(results: Results) -> draw.Sheet:
    boards, ten = results.read("loops")["boards"], results.read("ten")
    runs = [*boards, ten]
    if not ten["settings"]["quick"]:
        for run in boards:
            claim(run["last"]["worst"] > 49, f"{label(run)}: more than 49% on the worst layout")
    for run in runs:
        claim(run["curve"][-1]["worst"] > run["curve"][0]["worst"], f"{label(run)} gets better")

    sheet = draw.Sheet(LEFT + WIDTH + 2.5, TOP + HEIGHT + 0.86)
    most = max(run["rounds"] for run in runs)
    chart = draw.Chart(
        sheet,
        (LEFT, TOP, WIDTH, HEIGHT),
        x=(0, most * 1.02),
        y=(10, 51),
        across="Rounds",
        up="Races won on the worst layout (%)",
    )
    chart.axes.axhline(50, color=style.RULE, linewidth=0.9)
    for number, (run, color) in enumerate(zip(runs, style.SERIES, strict=False)):
        rounds = [row["number"] for row in run["curve"]]
        chart.curve(rounds, [row["worst"] for row in run["curve"]], label(run), color=color)
        text = (
            f"{label(run)}: {run['last']['worst']:.2f}%\n{run['last']['used']} of "
            f"{run['tried']:,} hunts used, {run['seconds'] / 3600:.1f} h"
        )
        place = LEFT + WIDTH + 0.15, TOP + 0.06 + 0.44 * number
        sheet.text(*place, text, style.SMALL, color)
    told = published(runs)
    sheet.text(0.1, sheet.height - 0.3, told, style.SMALL, style.MUTED)
    return sheet


def label(run: dict[str, Any]) -> str:
    """Board and fleet of a run."""
    size, fleet = run["game"].split()[:2]
    return f"{size.replace('x', '×')} {fleet}"


def published(runs: list[dict[str, Any]]) -> str:
    """What the write-up says of the same boards."""
    known = [
        f"{label(run)} {run['published_value']:.1f}% (value)"
        for run in runs
        if run.get("published_value")
    ]
    known += [
        f"{label(run)} {run['published']['worst']:.2f}% with {run['published']['used']} hunts"
        for run in runs
        if run.get("published")
    ]
    return "Published: " + ", ".join(known) if known else ""


if __name__ == "__main__":
    main(__file__, "strongest", figure)
