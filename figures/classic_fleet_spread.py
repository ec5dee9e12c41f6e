"""How the shots of six strategies spread on the worst board found against each, beside those on
random boards.

All games of the heat map there are long ones: the search found where it looks last.
"""

from typing import Any

import numpy as np
from jaxtyping import Float64

from bsjax import draw
from bsjax.draw import style
from figures.classic_fleet_speed_and_safety import KINDS, full, key, kind_of, worst_boards
from figures.script import Results, claim, main

SHOWN = (
    "smart-3-parity",
    "smart-3-parity-first-computer",
    "3-parity",
    "checkerboard",
    "fastest-by-hand",
    "heat-map",
)
LONG = (55, 80)
"""Shots within which all games of the heat map end on its worst board."""
PUBLISHED = "60 to 75"
"""Shots of all games of the heat map on the worst board that was published."""
FROM, TO = 20, 85
"""Shots that are drawn."""
LEFT, TOP, WIDTH, HEIGHT, STEP = 1.9, 0.34, 3.6, 0.44, 0.56

Shares = Float64[np.ndarray, " T"]


def figure(results: Results) -> draw.Sheet:
    table, boards = results.read("strategies"), worst_boards(results)
    random = {row["name"]: shares(row["histogram"]) for row in table["strategies"]}
    worst = {row["name"]: row for row in boards["strategies"]}
    shown = [name for name in SHOWN if name in worst]
    if full(table, boards):
        check(worst)

    sheet = draw.Sheet(7.2, TOP + STEP * len(shown) + 0.94)
    sheet.text(LEFT + WIDTH + 0.14, 0.1, "On the worst board", style.SMALL, weight="bold")
    for number, name in enumerate(shown):
        last = number == len(shown) - 1
        at, row, color = TOP + STEP * number, worst[name], KINDS[kind_of(name)]
        own = shares(row["histogram"])
        chart = draw.Chart(
            sheet,
            (LEFT, at, WIDTH, HEIGHT),
            x=(FROM, TO),
            y=(0, 1.06 * max(own.max(), random[name].max())),
            across="Shots" if last else "",
        )
        chart.axes.set_yticks([])
        chart.axes.spines["left"].set_visible(False)
        if not last:
            chart.axes.tick_params(labelbottom=False, length=0)
        edges = np.arange(len(random[name]) + 1) - 0.5
        chart.axes.stairs(own, edges, fill=True, color=color, alpha=0.75, linewidth=0)
        chart.axes.stairs(random[name], edges, color=style.INK, linewidth=0.9)
        sheet.text(LEFT - 0.1, at + 0.2, name, style.SMALL, color, across="right")
        told = row["shots"]
        note = f"{told['mean']:.1f} shots, {told['best']} to {told['worst']}\n"
        note += f"wins ≤ {row['worst_case']:.1f}% of races"
        sheet.text(LEFT + WIDTH + 0.14, at + 0.08, note, style.SMALL, style.MUTED)
    games = min(worst[name]["games"] for name in shown)
    text = (
        f"Filled: {games:,} games on the worst board found; line: on random boards. Every pair has "
        "a scale of its own."
    )
    if "heat-map" in worst:
        told = worst["heat-map"]["shots"]
        text += (
            f"\nEvery game of the heat map on its worst board takes {told['best']} to "
            f"{told['worst']} shots (published: {PUBLISHED})."
        )
    below = TOP + STEP * len(shown) + 0.4
    key(sheet, below, [kind_of(name) for name in shown])
    sheet.text(0.1, below + 0.18, text, style.SMALL, style.MUTED)
    return sheet


def shares(histogram: list[int]) -> Shares:
    """Shares of games over at each shot."""
    counts = np.array(histogram, float)
    return counts / counts.sum()


def check(worst: dict[str, dict[str, Any]]) -> None:
    """Full results: all six are there, and the heat map's games are long."""
    missing = [name for name in SHOWN if name not in worst]
    claim(not missing, f"a worst board was searched for against {', '.join(missing)}")
    told, (low, high) = worst["heat-map"]["shots"], LONG
    text = f"the heat map needs {low} to {high} shots in every game on its worst board"
    claim(low <= told["best"] and told["worst"] <= high, text)
    wide = {name: worst[name]["shots"]["worst"] - worst[name]["shots"]["best"] for name in SHOWN}
    claim(min(wide, key=lambda name: wide[name]) == "heat-map", "its games differ least")


if __name__ == "__main__":
    main(__file__, "classic_fleet", figure)
