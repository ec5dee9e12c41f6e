"""What a small network says of a cell beside what every layout says, on positions of its own games:
of the cells that it gives a chance of 30%, the exact posterior says 30%. Between 60 and 75% it says
some points too little."""

import numpy as np

from bsjax import draw
from bsjax.draw import style
from figures.script import Results, claim, main

ENOUGH = 50
"""Cells that a point stands for at least."""
OFF = 0.05
"""How far a point with many cells lies from the diagonal at most, below `LOW`."""
LOW = 0.6, 0.75
"""Chances between which it says too little."""
EACH = 3.5
"""Inches of a student."""


def figure(results: Results) -> draw.Sheet:
    told = results.read("calibration")
    students = told["students"][:2]
    sheet = draw.Sheet(0.7 + EACH * len(students), 3.6)
    for number, one in enumerate(students):
        left = 0.7 + EACH * number
        said, true, cells = (np.array(one[key]) for key in ("said", "true", "cells"))
        many = cells >= ENOUGH
        if not told["settings"]["quick"]:
            off, counted = true - said, cells >= 20 * ENOUGH
            near = np.abs(off[counted & (said < LOW[0])])
            claim(bool((near < OFF).all()), f"{one['name']} is calibrated below {LOW[0]:.0%}")
            between = counted & (said >= LOW[0]) & (said < LOW[1])
            claim(bool((off[between] > 0).all()), "above, it says too little")
        sheet.text(left, 0.06, f"Student {one['name']}", style.TITLE, weight="bold")
        chart = draw.Chart(
            sheet,
            (left, 0.34, 2.7, 2.5),
            x=(0, 1),
            y=(0, 1),
            across="Chance of a ship, as the student says",
            up="" if number else "Mean exact chance",
        )
        chart.axes.xaxis.set_major_formatter(lambda share, _: f"{100 * share:g}%")
        chart.axes.yaxis.set_major_formatter(lambda share, _: f"{100 * share:g}%")
        chart.curve([0, 1], [0, 1], color=style.MUTED, dash=(0, (1.2, 1.2)), width=1.0)
        size = 4 + 8 * np.log10(cells[many] / ENOUGH)
        color = style.SERIES[number]
        chart.axes.scatter(said[many], true[many], s=size, color=color, zorder=3)
        text = f"{one['positions']:,} positions; off by {one['error']:.2%}; best cell the same in"
        sheet.text(left, 3.2, f"{text} {one['agree']:.1%}", style.SMALL, style.MUTED)
    text = f"A point is a twentieth of the range, with {ENOUGH} cells or more; larger with more."
    sheet.text(0.1, 3.4, text, style.SMALL, style.MUTED)
    return sheet


if __name__ == "__main__":
    main(__file__, "distilled", figure)
