"""How fast the hunters play: games in lockstep, board size and devices, on the machine measured.

Speeds of one result can be compared with each other; the machine was shared.
"""

from bsjax import draw
from bsjax.draw import style
from figures.script import Results, claim, main

LOOKS = {
    "random": ("Random", style.SERIES[3], "solid"),
    "hunt-target-no-parity": ("Hunt & target without parity", style.SERIES[2], (0, (5, 1.5))),
    "hunt-target": ("Hunt & target", style.SERIES[1], "solid"),
    "density": ("Probability density", style.SERIES[0], "solid"),
}


def figure(results: Results) -> draw.Sheet:
    told = results.read("throughput")
    measured = {row["policy"] for row in told["hunters"]}
    claim(set(LOOKS) <= measured, "every hunter of the figure was measured")

    sheet = draw.Sheet(7.2, 3.2)
    panels = (
        (0.72, "slots", "slots", "Games in lockstep per device"),
        (4.2, "boards", "side", "Side of the board"),
    )
    for left, sweep, field, across in panels:
        rows = told[sweep]
        top = 1.15 * max(row["games_per_second"] for row in rows) / 1000
        ticks = sorted({row[field] for row in rows})
        chart = draw.Chart(
            sheet,
            (left, 0.2, 2.75, 2.35),
            x=(-0.2, len(ticks) - 0.8),
            y=(0, top),
            across=across,
            up="Thousand games per second" if sweep == "slots" else "",
        )
        chart.axes.set_xticks(range(len(ticks)), [f"{tick:,}" for tick in ticks])
        for name, (title, color, dash) in LOOKS.items():
            speed = [row["games_per_second"] / 1000 for row in rows if row["policy"] == name]
            places = list(range(len(speed)))
            chart.curve(places, speed, title, color=color, dash=dash, width=1.6)
        if sweep == "boards":
            chart.name_lines("upper right")
    return sheet


if __name__ == "__main__":
    main(__file__, "throughput", figure)
