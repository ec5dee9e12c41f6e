"""Where the information rule and the density hunters lose and win shots against the probability
rule, on the same boards, with 95% intervals.

Left: misses, which are all that hunters differ by. A miss searches if no ship is hit and afloat,
otherwise it finishes. Right: how many shots later each ship is sunk.
"""

from typing import Any

from bsjax import draw
from bsjax.draw import style
from figures.open_questions_answers import upright
from figures.script import Results, claim, main

LOOKS = {
    "information - probability": ("information", style.SERIES[0], "o"),
    "sampled": ("information, {draws:,} draws", style.SERIES[6], "s"),
    "density-lowest - probability": ("density, lowest cell", style.SERIES[1], "^"),
    "density - probability": ("density, ties at random", style.SERIES[2], "v"),
}
APART = 0.15


def figure(results: Results) -> draw.Sheet:
    told = results.read("information")
    for name in LOOKS:
        check(name, told["phases"][name], told["comparisons"][name])
    ships = len(told["settings"]["fleet"])
    misses = [("search", "searching"), ("finish", "finishing")]
    events = [("first_hit", "first\nhit")]
    events += [(f"sunk_{k}", f"{ordinal(k)}\nsunk") for k in range(1, ships + 1)]

    sheet = draw.Sheet(7.2, 3.2)
    for left, width, kinds, up in (
        (0.72, 1.9, misses, "Misses more than probability"),
        (3.35, 3.7, events, "Shots later than probability"),
    ):
        shown = [told["phases"][name][kind] for name in LOOKS for kind, _ in kinds]
        low, high = min(one["low"] for one in shown), max(one["high"] for one in shown)
        room = 0.08 * (high - low)
        top = high + room if kinds is misses else high + 5 * room
        chart = draw.Chart(
            sheet,
            (left, 0.15, width, 2.5),
            x=(-0.6, len(kinds) - 0.4),
            y=(min(low, 0) - room, max(top, 0)),
            up=up,
        )
        chart.axes.axhline(0, color=style.MUTED, linewidth=0.9, zorder=1)
        chart.axes.set_xticks(range(len(kinds)), [text for _, text in kinds])
        for number, (name, (title, color, mark)) in enumerate(LOOKS.items()):
            for place, (kind, _) in enumerate(kinds):
                x = place + (number - (len(LOOKS) - 1) / 2) * APART
                one = told["phases"][name][kind]
                label = title.format(**told["settings"]) if place == 0 else ""
                upright(chart, x, one, color, label, mark=mark)
        if kinds is events:
            chart.name_lines("upper left")
    return sheet


def ordinal(number: int) -> str:
    """1st, 2nd, 3rd, 4th, …"""
    return f"{number}{ {1: 'st', 2: 'nd', 3: 'rd'}.get(number, 'th') }"


def check(name: str, phases: dict[str, Any], whole: dict[str, Any]) -> None:
    """The parts make the whole."""
    parts = phases["search"]["mean"] + phases["finish"]["mean"]
    claim(abs(parts - whole["mean"]) < 1e-9, f"{name}: hunters differ by their misses alone")
    last = phases[max(k for k in phases if k.startswith("sunk_"))]["mean"]
    claim(abs(last - whole["mean"]) < 1e-9, f"{name}: the last ship sunk ends the game")


if __name__ == "__main__":
    main(__file__, "open_questions", figure)
