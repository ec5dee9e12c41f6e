"""When hunts on 5×5 are over: the share of games by shot, on the layouts of the near-perfect player
and on the layout where each hunter wins fewest races.

The player's worst layout costs him few shots: what loses races there is how the shots spread. The
heat map and the rules played by hand fall far behind on theirs.
"""

from itertools import accumulate
from typing import Any

from bsjax import draw
from bsjax.draw import style
from bsjax.draw.style import Number
from figures.script import Results, claim, main
from figures.small_boards_flatness import PLAYER, by_name

HUNTERS: dict[str, tuple[str, str | tuple[Number, tuple[Number, ...]]]] = {
    PLAYER: (style.SERIES[0], "solid"),
    "heat map": (style.SERIES[1], (0, (5, 1.5))),
    "smart 3-parity core": (style.SERIES[4], (0, (3, 1, 1, 1))),
    "checkerboard by hand": (style.SERIES[3], (0, (1.2, 1.2))),
}
FACETS = {"times": "On the player's layouts", "times_worst": "On the hunter's worst layout"}
FAST, LATE = 12, 19
"""Shots at which the write-up gives shares of games."""
PUBLISHED = {"times": 0.240, "times_worst": 0.107}
"""Share of the games of the write-up's player that are over after `FAST` shots."""


def figure(results: Results) -> draw.Sheet:
    board = by_name(results.read("rules"))["5x5"]
    own = {facet: board[f"player_{facet}"] for facet in FACETS}
    rules = {one["rule"]: one for one in board["rules"]}
    over = {
        (name, facet): list(accumulate((own if name == PLAYER else rules[name])[facet]))
        for name in HUNTERS
        for facet in FACETS
    }
    for line in over.values():
        claim(abs(line[-1] - 1) < 1e-4, "all games end")
    fast, there = over[PLAYER, "times"][FAST], over[PLAYER, "times_worst"][FAST]
    apart = mean(own["times_worst"]) - mean(own["times"])
    claim(abs(apart) < 0.5, "the player's worst layout differs in the spread, not in its average")
    late = 1 - over[PLAYER, "times"][LATE]
    claim(late < 0.01, f"few of the player's games need more than {LATE} shots")
    for name in HUNTERS:
        slower = name == PLAYER or mean(rules[name]["times_worst"]) > mean(own["times_worst"]) + 1
        claim(slower, f"{name} needs more than a shot more than the player on its worst layout")

    first = next(shot for shot, share in enumerate(over[PLAYER, "times"]) if share > 0)
    sheet = draw.Sheet(7.2, 3.5)
    for number, (facet, title) in enumerate(FACETS.items()):
        left = 0.66 + number * 3.42
        sheet.text(left, 0.06, title, style.TITLE, weight="bold")
        chart = draw.Chart(
            sheet,
            (left, 0.36, 3.02, 2.4),
            x=(first - 1, 25),
            y=(0, 1),
            across="Shot",
            up="" if number else "Share of games over",
            percent=True,
        )
        shots = range(len(over[PLAYER, facet]))
        for name, (color, dash) in HUNTERS.items():
            chart.curve(shots, over[name, facet], name, color=color, dash=dash, steps=True)
        if number:
            line = over[PLAYER, "times"]
            chart.curve(shots, line, color=style.SERIES[6], steps=True, width=0.9)
        mark = {"color": style.INK, "markersize": 4, "label": "published player"}
        chart.axes.plot([FAST], [PUBLISHED[facet]], "D", **mark)
        if not number:
            chart.name_lines("lower right")
    text = (
        f"After {FAST} shots {fast:.1%} of the player's games are over, {there:.1%} on his worst "
        f"layout (published: 24.0% and 10.7%); {late:.2%} need more than {LATE}.\nThin line: the "
        "player on his own layouts once more."
    )
    sheet.text(0.1, 3.2, text, style.SMALL, style.MUTED)
    return sheet


def mean(times: list[Any]) -> float:
    """Expected shots."""
    return sum(shot * share for shot, share in enumerate(times))


if __name__ == "__main__":
    main(__file__, "small_boards", figure)
