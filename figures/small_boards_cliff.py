"""Races won on the worst layout on 4×4 and on 5×5: the near-perfect players, the self-play
mixtures, and every hand-written rule.

Nothing lies between the rules and the mixtures, and the gap grows with the board: what chases
density loses most.
"""

from statistics import fmean
from typing import Any, NamedTuple

from bsjax import draw
from bsjax.draw import style
from bsjax.draw.style import Number
from figures.script import Results, claim, main
from figures.small_boards_flatness import PLAYER, by_name

MIXTURE = "self-play mixture"
DENSITY = ("heat map", "particle filter", "3-parity densest first")
BY_HAND = ("checkerboard by hand", "3-parity by hand")
KINDS = {
    "mixture of hunts": style.SERIES[0],
    "chases density": style.SERIES[1],
    "played by hand": style.SERIES[4],
    "other rule": style.SERIES[3],
}
LEFT, WIDTH, TOP, HEIGHT = 0.62, 2.3, 0.16, 5.2
LINE = 0.135
"""Distance of two labels in inches."""
HIGH = 52
"""Upper end of the scale in percent."""


class Line(NamedTuple):
    """One hunter."""

    name: str
    kind: str
    small: float
    """Win rate on the worst layout of 4×4, in percent."""
    large: float
    """On that of 5×5."""


def figure(results: Results) -> draw.Sheet:
    boards = by_name(results.read("rules"))
    mixtures = {one["board"]: one for one in results.read("self_play")["boards"]}
    lines = [
        Line(PLAYER, "mixture of hunts", *(boards[at]["player_worst"] for at in ("4x4", "5x5"))),
        Line(MIXTURE, "mixture of hunts", *(mixtures[at]["worst"] for at in ("4x4", "5x5"))),
        *rules(boards),
    ]
    mixed = [one.large for one in lines if one.kind == "mixture of hunts"]
    ruled = [one.large for one in lines if one.kind != "mixture of hunts"]
    claim(min(mixed) > max(ruled) + 20, "5×5: more than 20 points lie between rules and mixtures")
    fall = {one.name: one.small - one.large for one in lines}
    least = min(fall[name] for name in DENSITY)
    claim(least > max(fall[name] for name in BY_HAND), "what chases density falls further")
    claim(max(fall[PLAYER], fall[MIXTURE]) < least, "mixtures fall less than that")

    sheet = draw.Sheet(LEFT + WIDTH + 2.9, TOP + HEIGHT + 0.62)
    box, up = (LEFT, TOP, WIDTH, HEIGHT), "Races won on the worst layout"
    chart = draw.Chart(sheet, box, x=(-0.12, 1.04), y=(0, HIGH), up=up)
    chart.axes.set_xticks([0, 1], ["4×4", "5×5"])
    chart.axes.set_yticks(range(0, 51, 10), [f"{rate}%" for rate in range(0, 51, 10)])
    lines.sort(key=lambda one: one.large, reverse=True)
    places = apart([TOP + (1 - one.large / HIGH) * HEIGHT for one in lines], LINE)
    ends = sheet.axes(LEFT + WIDTH, 0, 0.4, sheet.height)
    ends.set_xlim(0, 1)
    ends.set_ylim(sheet.height, 0)
    ends.set_axis_off()
    for one, place in zip(lines, places, strict=True):
        color = KINDS[one.kind]
        width = 1.0 if one.kind == "other rule" else 1.8
        chart.curve([0, 1], [one.small, one.large], color=color, width=width)
        chart.axes.plot([0, 1], [one.small, one.large], "o", color=color, markersize=3)
        at = TOP + (1 - one.large / HIGH) * HEIGHT
        ends.plot([0.06, 0.9], [at, place], color=style.RULE, linewidth=0.7)
        left = LEFT + WIDTH + 0.4
        sheet.text(
            left + 0.3, place - 0.065, f"{one.large:.1f}", style.SMALL, color, across="right"
        )
        top, won = place - 0.065, f"{one.large:.1f}"
        sheet.text(left + 0.3, top, won, style.SMALL, color, across="right")
        sheet.text(left + 0.38, top, one.name, style.SMALL, color)
    at = LEFT
    for kind, color in KINDS.items():
        sheet.text(at, TOP + HEIGHT + 0.36, f"■ {kind}", style.SMALL, color)
        at += 1.3
    return sheet


def rules(boards: dict[str, dict[str, Any]]) -> list[Line]:
    """The rules that both boards have."""
    small, large = (
        {one["rule"]: one["worst"]["value"] for one in boards[at]["rules"]} for at in ("4x4", "5x5")
    )
    kinds = dict.fromkeys(DENSITY, "chases density") | dict.fromkeys(BY_HAND, "played by hand")
    return [
        Line(name, kinds.get(name, "other rule"), small[name], large[name])
        for name in large
        if name in small
    ]


def apart(places: list[float], least: Number) -> list[float]:
    """Ascending places moved as little as needed to stand `least` apart."""
    blocks: list[list[float]] = []
    for place in places:
        blocks.append([place])
        while len(blocks) > 1 and fmean(blocks[-1]) - fmean(blocks[-2]) < least * mean_size(blocks):
            blocks[-2:] = [blocks[-2] + blocks[-1]]
    return [
        fmean(block) + least * (number - (len(block) - 1) / 2)
        for block in blocks
        for number in range(len(block))
    ]


def mean_size(blocks: list[list[float]]) -> float:
    """Mean length of the last two blocks: how far apart their middles must be, in labels."""
    return (len(blocks[-2]) + len(blocks[-1])) / 2


if __name__ == "__main__":
    main(__file__, "small_boards", figure)
