"""Races won on random boards against races won on the worst board found, for every strategy that
was searched, coloured by what playing it takes.

Right, the strong ones once more, larger. Hollow marks are published: joined to ours where the
strategy is one of ours (above or below it where only the worst case was published), alone for the
players that come from self-play.
"""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float64
from matplotlib.patches import Rectangle

from bsjax import draw
from bsjax.draw import names, style
from bsjax.draw.sheet import text_width
from bsjax.policies.strategies import MAPS, STRATEGIES
from figures.script import Results, claim, main

HAND, COUNT, COMPUTER, MAP = "by hand", "by hand with one count", "computer", "heat map"
MIXTURE, SELF_PLAY = "mixture of rules", "self-play, published"
KINDS = {
    HAND: style.SERIES[0],
    COUNT: style.SERIES[4],
    COMPUTER: style.SERIES[2],
    MAP: style.SERIES[1],
    MIXTURE: style.SERIES[5],
    SELF_PLAY: style.MUTED,
}
"""What it takes to play, and its colour."""
PARTS: dict[tuple[str, Any], str] = {
    ("finish", "density"): COMPUTER,
    ("endgame", "count"): COUNT,
    ("densest", True): COUNT,
}
"""What a part of a rule takes; the first that a rule has decides."""
MACHINES = {
    "best strategy": (0.5, 0.439),
    "classic-board self-play": (0.523, 0.263),
    "best, earlier version": (0.527, 0.2),
}
"""Published players from self-play: races won on random boards, and on the worst board found."""
DIE = "rule mixture"
FAMILY = "-jump-"
"""In the names of strategies that differ in their jump alone: without a name here."""
NOISE = 0.01
"""Worst cases that differ by less are not told apart."""
STRONG = 0.31
"""Races won on the worst board, of the strategies that are drawn larger."""
WHOLE = (0.34, -0.04, 0.70, 0.46)
TOP, HEIGHT = 0.34, 2.9
"""Of a panel, in inches."""
LEADER = 0.1
"""A name that stands further off, in inches, has a line to its mark."""
OVER = 0.1
"""How far a name may stand out to the right of its panel."""

Box = tuple[float, float, float, float]
"""Left, lower, right and upper edge, in shares of races."""


class Frame(NamedTuple):
    """A panel: its left edge and its width in inches, and the range that it shows."""

    left: float
    width: float
    box: Box

    @property
    def scale(self) -> Float64[np.ndarray, " 2"]:
        """Units of the axes in an inch."""
        left, lower, right, upper = self.box
        return np.array([(right - left) / self.width, (upper - lower) / HEIGHT])

    def inches(self, places: Sequence[tuple[float, float]]) -> names.Places:
        """Places in inches from the lower left corner."""
        return (np.array(places).reshape(-1, 2) - self.box[:2]) / self.scale


class Point(NamedTuple):
    """A strategy by its two numbers, shares of races."""

    name: str
    kind: str
    random: float
    worst: float
    published: tuple[float, float] | None = None


def figure(results: Results) -> draw.Sheet:
    table, boards = results.read("strategies"), worst_boards(results)
    points = [*searched(table, boards), mixed(results.read("mixture"))]
    if full(table, boards):
        check(points)
    points += [Point(name, SELF_PLAY, *both, both) for name, both in MACHINES.items()]
    box = around([one for one in points if one.kind != SELF_PLAY and one.worst > STRONG])
    strong = [one for one in points if inside(one, box)]

    frames = Frame(0.55, 2.8, WHOLE), Frame(3.85, 3.4, box)
    sheet = draw.Sheet(7.4, 4.2)
    for frame, text in zip(frames, ("All", "The strong ones, larger"), strict=True):
        sheet.text(frame.left, 0.06, text, style.TITLE, weight="bold")
    whole = panel(sheet, frames[0], points, [one for one in points if one not in strong])
    whole.axes.set_ylabel("Races won on the worst board found", labelpad=5, **style.type_of())
    outline = {"fill": False, "edgecolor": style.MUTED, "linewidth": 0.8}
    corner, size = box[:2], (box[2] - box[0], box[3] - box[1])
    whole.axes.add_patch(Rectangle(corner, *size, **outline))
    panel(sheet, frames[1], strong, strong)
    key(sheet, TOP + HEIGHT + 0.5, list(KINDS))
    note = (
        "Hollow: published. Small: the first version of smart 3-parity with other chances to jump. "
        "Worst cases are upper bounds."
    )
    sheet.text(0.1, TOP + HEIGHT + 0.7, note, style.SMALL, style.MUTED)
    return sheet


def full(*told: dict[str, Any]) -> bool:
    """Whether none of these results is of a quick run, which plays too few games to be right."""
    return not any(one["settings"]["quick"] for one in told)


def worst_boards(results: Results) -> dict[str, Any]:
    """Every strategy that was searched, the safest first.

    Those searched twice are told by the search of the heat maps, which had the whole budget.
    """
    told, maps = results.read("hard_boards"), results.read("heat_maps")
    rows = {row["name"]: row for row in (*told["strategies"], *maps["strategies"])}
    claim(maps["game"] == told["game"], "both searches are of one game")
    return {
        "game": told["game"],
        "settings": {"quick": not full(told, maps)},
        "strategies": sorted(rows.values(), key=lambda row: -row["win_rate"]),
    }


def kind_of(name: str) -> str:
    """What it takes to play a strategy of the registry."""
    if name in MAPS:
        return MAP
    parts = STRATEGIES[name].parts if name in STRATEGIES else {}
    return next((kind for part, kind in PARTS.items() if part in parts.items()), HAND)


def key(sheet: draw.Sheet, top: float, kinds: Iterable[str]) -> None:
    """What the colours mean."""
    left = 0.1
    for kind in dict.fromkeys(kinds):
        sheet.text(left, top, f"● {kind}", style.SMALL, KINDS[kind])
        left += text_width(f"● {kind}", style.SMALL) + 0.24


def searched(table: dict[str, Any], boards: dict[str, Any]) -> list[Point]:
    """The strategies whose worst boards were searched for, in the order of the search."""
    rows, points = {row["name"]: row for row in table["strategies"]}, []
    for one in told_of(table, boards):
        row = rows[one["name"]]
        random, bound = row["race"]["win"]["value"], one["published_worst"]
        told = row["published"]["win"]
        published = None if bound is None else (random if told is None else told, bound)
        worst = one["worst_case"] / 100
        points.append(Point(one["name"], kind_of(one["name"]), random, worst, published))
    return points


def told_of(table: dict[str, Any], boards: dict[str, Any]) -> list[dict[str, Any]]:
    """Searches for the strategies of the table, in the order of the searches.

    A quick table is shorter than the searches; a full one has all strategies.
    """
    known = {row["name"] for row in table["strategies"]}
    found = [row for row in boards["strategies"] if row["name"] in known]
    short = table["settings"]["quick"] or len(found) == len(boards["strategies"])
    claim(short, "the table has every strategy that was searched")
    return found


def mixed(told: dict[str, Any]) -> Point:
    """The die over rules."""
    random = told["hiding"]["die"]["uniform"]["win"]["value"]
    worst, bound = told["mixture"]["worst"]["worst_case"] / 100, told["published"]["worst"]
    return Point(DIE, MIXTURE, random, worst, (random, bound))


def check(points: list[Point]) -> None:
    """What the write-up says of this chart, of the strategies at hand."""
    for one in points:
        claim(one.worst < one.random, f"{one.name} does worse on its worst board")
        claim(one.kind != MAP or one.worst < 0.24, f"{one.name} is held to ≤ 24%")
    by_name = {one.name: one for one in points}
    fastest = max(points, key=lambda one: one.random)
    claim(fastest.kind == MAP, "a heat map is the fastest")
    card, own = by_name["smart-3-parity"], by_name["fastest-by-hand"]
    claim(own.random > card.random and own.worst < card.worst, "speed costs the card its safety")
    best = max(one.worst for one in points if one.name != DIE)
    claim(by_name[DIE].worst > best - NOISE, "the mixture is as safe as any rule alone, or safer")


def around(points: Sequence[Point]) -> Box:
    """A box around these points with some room; all of the chart where there is none."""
    if not points:
        return WHOLE
    places = [(one.random, one.worst) for one in points]
    places += [one.published for one in points if one.published]
    low, high = np.min(places, axis=0), np.max(places, axis=0)
    room = np.array([0.012, 0.006])
    (left, lower), (right, upper) = (low - room).tolist(), (high + room).tolist()
    return left, lower, right, upper


def inside(one: Point, box: Box) -> bool:
    """Whether a point is in a box."""
    return box[0] < one.random < box[2] and box[1] < one.worst < box[3]


def panel(
    sheet: draw.Sheet, frame: Frame, points: Sequence[Point], named: Sequence[Point]
) -> draw.Chart:
    """A chart of this range with the points in it, some of them named."""
    left, lower, right, upper = frame.box
    chart = draw.Chart(
        sheet,
        (frame.left, TOP, frame.width, HEIGHT),
        x=(left, right),
        y=(lower, upper),
        across="Races won on random boards",
        percent=True,
    )
    chart.axes.xaxis.set_major_formatter(chart.axes.yaxis.get_major_formatter())
    hollow = {"markersize": 4.6, "markerfacecolor": style.PAPER, "zorder": 3}
    for one in points:
        color = KINDS[one.kind]
        if one.published:
            ends = zip((one.random, one.worst), one.published, strict=True)
            chart.axes.plot(*ends, color=color, linewidth=0.8, zorder=2)
            chart.axes.plot(*one.published, "o", markeredgecolor=color, **hollow)
        if one.kind != SELF_PLAY:
            size = 3 if FAMILY in one.name else 5
            chart.axes.plot(one.random, one.worst, "o", color=color, markersize=size, zorder=4)
    name(chart, frame, points, [one for one in named if FAMILY not in one.name])
    return chart


def name(chart: draw.Chart, frame: Frame, points: Sequence[Point], told: Sequence[Point]) -> None:
    """Write the names of some of these points beside them."""
    marks = frame.inches([(one.random, one.worst) for one in points])
    others = frame.inches([one.published for one in points if one.published])
    marks = np.concatenate([marks, others])
    links = []
    for one in points:
        if one.published:
            start, end = frame.inches([(one.random, one.worst), one.published])
            links.append(np.linspace(start, end, 12))
    own = frame.inches([(one.random, one.worst) for one in told])
    widths = [text_width(one.name, style.SMALL) for one in told]
    boxes = names.placed(own, widths, marks, (frame.width + OVER, HEIGHT), lines=links)
    corner = np.array(frame.box[:2])
    for one, box, at in zip(told, boxes, own, strict=True):
        end = names.nearest(box, at)
        if np.hypot(*(end - at)) > LEADER:
            line = corner + np.stack([at, end]) * frame.scale
            chart.axes.plot(*line.T, color=style.MUTED, linewidth=0.5, zorder=1)
        ink = style.type_of(style.SMALL, KINDS[one.kind])
        x, y = (corner + np.array(box[:2]) * frame.scale).tolist()
        chart.axes.text(x, y, one.name, ha="left", va="bottom", zorder=5, **ink)


if __name__ == "__main__":
    main(__file__, "classic_fleet", figure)
