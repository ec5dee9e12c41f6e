"""How many shots more the probability rule needs over draws than over the exact posterior, by the
number of draws a decision, on the same boards, with 95% intervals.

The exact rule breaks ties to the lowest cell, or at random, as draws do.
"""

from bsjax import draw
from bsjax.draw import style
from figures.open_questions_answers import upright
from figures.script import Results, claim, main

LOOKS = {
    "exact": ("exact, ties to the lowest cell", style.SERIES[0], "o", 0.96),
    "random ties": ("exact, ties at random", style.SERIES[1], "s", 1.04),
}


def figure(results: Results) -> draw.Sheet:
    told = results.read("draws")
    numbers, pairs = told["numbers"], told["comparisons"]
    claim(numbers == sorted(numbers), "numbers of draws ascend")
    shown = {base: [pairs[f"{number} - {base}"] for number in numbers] for base in LOOKS}
    every = [one for group in shown.values() for one in group]
    low, high = min(one["low"] for one in every), max(one["high"] for one in every)
    room = 0.08 * (high - low)

    sheet = draw.Sheet(4.6, 3.0)
    chart = draw.Chart(
        sheet,
        (0.72, 0.12, 3.7, 2.35),
        x=(numbers[0] / 1.6, numbers[-1] * 1.6),
        y=(min(low, 0) - room, max(high, 0) + room),
        across="Draws a decision",
        up="Shots more than the exact rule",
    )
    chart.axes.set_xscale("log")
    chart.axes.set_xticks(numbers, [f"{number:,}" for number in numbers])
    chart.axes.minorticks_off()
    chart.axes.axhline(0, color=style.MUTED, linewidth=0.9, zorder=1)
    for base, (title, color, mark, aside) in LOOKS.items():
        at = [number * aside for number in numbers]
        chart.curve(at, [one["mean"] for one in shown[base]], color=color, width=1.0)
        for number, (x, one) in enumerate(zip(at, shown[base], strict=True)):
            upright(chart, x, one, color, title if not number else "", mark=mark)
    chart.name_lines("upper right")
    return sheet


if __name__ == "__main__":
    main(__file__, "open_questions", figure)
