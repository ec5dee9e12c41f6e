"""The standard fleet: the share of games over within a given number of shots, 1,000 boards for
every hunter.

The greedy rules over draws, the same rules over the exact posterior and the placement density
nearly coincide; random fire needs twice as many shots.
"""

import numpy as np

from bsjax import draw
from bsjax.draw import style
from figures.script import Results, claim, main

LOOKS = {
    "probability exact": ("Probability, exact", style.SERIES[0], "solid"),
    "probability": ("Probability, {draws:,} draws", style.SERIES[0], (0, (1, 1.2))),
    "information exact": ("Information, exact", style.SERIES[1], "solid"),
    "information": ("Information, {draws:,} draws", style.SERIES[1], (0, (1, 1.2))),
    "density": ("Placement density", style.SERIES[4], (0, (5, 1.5))),
    "random": ("Random fire", style.SERIES[3], "solid"),
}


def figure(results: Results) -> draw.Sheet:
    told = results.read("standard_fleet")
    hunters = told["hunters"]
    claim(set(hunters) == set(LOOKS), "there is a curve for every hunter")
    claim(len({one["games"] for one in hunters.values()}) == 1, "all met as many boards")
    greedy = [one["mean"] for name, one in hunters.items() if name != "random"]
    claim(max(greedy) < hunters["random"]["mean"], "random fire needs the most shots")
    cells = len(hunters["random"]["histogram"]) - 1

    sheet = draw.Sheet(6.4, 3.3)
    chart = draw.Chart(
        sheet,
        (0.72, 0.15, 5.5, 2.6),
        x=(0, cells),
        y=(0, 1.01),
        across="Shots",
        up="Games over",
        percent=True,
    )
    for name, (title, color, dash) in LOOKS.items():
        own = hunters[name]
        within = np.cumsum(own["histogram"]) / own["games"]
        label = f"{title.format(draws=told['draws'])}: {own['mean']:.1f}"
        chart.curve(
            list(range(cells + 1)), within.tolist(), label, color=color, dash=dash, steps=True
        )
    chart.name_lines("upper left")
    return sheet


if __name__ == "__main__":
    main(__file__, "notebook", figure)
