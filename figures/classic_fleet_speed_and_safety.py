"""Races won on random boards against races won on the worst board found, for every strategy that
was searched, coloured by what playing it takes.

Right, the strong ones once more, larger. Hollow marks are published: joined to ours where the
strategy is one of ours (above or below it where only the worst case was published), alone for the
players that come from self-play.
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float64
from matplotlib.patches import Rectangle

from bsjax import draw
from bsjax.draw import style
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
STRONG = 0.31
"""Races won on the worst board, of the strategies that are drawn larger."""
WHOLE = (0.34, 0.0, 0.64, 0.46)
TOP, WIDTH, HEIGHT = 0.34, 3.1, 2.55
"""Of a panel, in inches."""
LINE, MARK = 0.115, 0.055
"""Height of a name and half the width of a mark in inches."""
RINGS = (0.075, 0.12, 0.18, 0.25, 0.33, 0.42, 0.52, 0.64, 0.78, 0.95)
"""How far from its mark a name may stand."""

Box = tuple[float, float, float, float]
"""Left, lower, right and upper edge."""
Places = Float64[np.ndarray, "N 2"]


class Point(NamedTuple):
    """A strategy by its two numbers, shares of races."""

    name: str
    kind: str
    random: float
    worst: float
    published: tuple[float, float] | None = None


def figure(results: Results) -> draw.Sheet:
    table, boards = results.read("strategies"), results.read("hard_boards")
    points = [*searched(table, boards), mixed(results.read("mixture"))]
    if full(table, boards):
        check(points)
    points += [Point(name, SELF_PLAY, *both, both) for name, both in MACHINES.items()]
    box = around([one for one in points if one.kind != SELF_PLAY and one.worst > STRONG])
    strong = [one for one in points if inside(one, box)]

    sheet = draw.Sheet(7.4, 3.85)
    sheet.text(0.55, 0.06, "All", style.TITLE, weight="bold")
    sheet.text(4.2, 0.06, "The strong ones, larger", style.TITLE, weight="bold")
    whole = panel(sheet, 0.55, WHOLE, points, [one for one in points if one not in strong])
    whole.axes.set_ylabel("Races won on the worst board found", labelpad=5, **style.type_of())
    outline = {"fill": False, "edgecolor": style.MUTED, "linewidth": 0.8}
    corner, size = box[:2], (box[2] - box[0], box[3] - box[1])
    whole.axes.add_patch(Rectangle(corner, *size, **outline))
    panel(sheet, 4.2, box, strong, strong)
    left = 0.2
    for kind, color in KINDS.items():
        sheet.text(left, 3.4, f"● {kind}", style.SMALL, color)
        left += text_width(f"● {kind}", style.SMALL) + 0.24
    note = "Hollow: published. Worst cases are upper bounds: a longer search might find less."
    sheet.text(0.2, 3.6, note, style.SMALL, style.MUTED)
    return sheet


def full(*told: dict[str, Any]) -> bool:
    """Whether none of these results is of a quick run, which plays too few games to be right."""
    return not any(one["settings"]["quick"] for one in told)


def kind_of(name: str) -> str:
    """What it takes to play a strategy of the registry."""
    if name in MAPS:
        return MAP
    parts = STRATEGIES[name].parts if name in STRATEGIES else {}
    return next((kind for part, kind in PARTS.items() if part in parts.items()), HAND)


def searched(table: dict[str, Any], boards: dict[str, Any]) -> list[Point]:
    """The strategies whose worst boards were searched for, in the order of the search."""
    rows, points = {row["name"]: row for row in table["strategies"]}, []
    for one in boards["strategies"]:
        row = rows[one["name"]]
        random, bound = row["race"]["win"]["value"], one["published_worst"]
        told = row["published"]["win"]
        published = None if bound is None else (random if told is None else told, bound)
        worst = one["worst_case"] / 100
        points.append(Point(one["name"], kind_of(one["name"]), random, worst, published))
    return points


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
    best = max((one for one in points if one.name != DIE), key=lambda one: one.worst)
    claim(by_name[DIE].worst > best.worst, "the mixture is safer than any rule alone")


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
    sheet: draw.Sheet, left: float, box: Box, points: Sequence[Point], named: Sequence[Point]
) -> draw.Chart:
    """A chart of this range with the points in it, some of them named."""
    chart = draw.Chart(
        sheet,
        (left, TOP, WIDTH, HEIGHT),
        x=(box[0], box[2]),
        y=(box[1], box[3]),
        across="Races won on random boards",
        percent=True,
    )
    chart.axes.xaxis.set_major_formatter(chart.axes.yaxis.get_major_formatter())
    for one in points:
        color = KINDS[one.kind]
        if one.published:
            ends = zip((one.random, one.worst), one.published, strict=True)
            chart.axes.plot(*ends, color=color, linewidth=0.8, zorder=2)
            hollow = {"markersize": 4.6, "markerfacecolor": style.PAPER}
            chart.axes.plot(*one.published, "o", markeredgecolor=color, zorder=3, **hollow)
        if one.kind != SELF_PLAY:
            size = 3 if FAMILY in one.name else 5
            chart.axes.plot(one.random, one.worst, "o", color=color, markersize=size, zorder=4)
    marks = inches([(one.random, one.worst) for one in points], box)
    others = inches([one.published for one in points if one.published], box)
    told = [one for one in named if FAMILY not in one.name]
    own = inches([(one.random, one.worst) for one in told], box)
    widths = [text_width(one.name, style.SMALL) for one in told]
    names = placed(own, widths, np.concatenate([marks, others]))
    scale = np.array([(box[2] - box[0]) / WIDTH, (box[3] - box[1]) / HEIGHT])
    for one, place, at in zip(told, names, own, strict=True):
        start, end = (np.array(box[:2]) + spot * scale for spot in (at, nearest(place, at)))
        if np.hypot(*(nearest(place, at) - at)) > RINGS[1]:
            line = np.stack([start, end])
            chart.axes.plot(*line.T, color=style.RULE, linewidth=0.7, zorder=1)
        corner = np.array(box[:2]) + np.array(place[:2]) * scale
        ink = style.type_of(style.SMALL, KINDS[one.kind])
        chart.axes.text(*corner, one.name, ha="left", va="bottom", zorder=5, **ink)
    return chart


def inches(places: Sequence[tuple[float, float]], box: Box) -> Places:
    """Places in a panel in inches from its lower left corner."""
    if not places:
        return np.zeros((0, 2))
    size = np.array([WIDTH / (box[2] - box[0]), HEIGHT / (box[3] - box[1])])
    return (np.array(places) - box[:2]) * size


def placed(own: Places, widths: Sequence[float], marks: Places) -> list[Box]:
    """Where the names of points stand: as near as they can without meeting a mark, another name or
    the line to one.

    Args:
        own: the points, in inches.
        widths: of their names.
        marks: all that is drawn.

    Raises:
        ValueError: there is no room for a name.
    """
    taken = [(x - MARK, y - MARK, x + MARK, y + MARK) for x, y in marks.tolist()]
    lines: list[np.ndarray] = []
    found: list[Box] = []
    for point, width in zip(own, widths, strict=True):
        for box in around_mark(point, width):
            line = np.linspace(nearest(box, point), point, 12)[:-3]
            free = box[0] > 0 and box[1] > 0 and box[2] < WIDTH + 0.1 and box[3] < HEIGHT
            free = free and not any(meet(box, other) for other in taken)
            free = free and not any(holds(box, other) for other in lines)
            if free and not any(holds(other, line) for other in found):
                break
        else:
            raise ValueError("no room is left for the name of a point")
        taken.append(box)
        found.append(box)
        lines.append(line)
    return found


def around_mark(point: np.ndarray, width: float) -> Iterator[Box]:
    """Boxes for a name around its mark, from near to far, right of it first."""
    for ring in RINGS:
        for turn in (0, 8, 1, 15, 7, 9, 2, 14, 6, 10, 3, 13, 5, 11, 4, 12):
            angle = turn * np.pi / 8
            x, y = (point + ring * np.array([np.cos(angle), np.sin(angle)])).tolist()
            # The edge that faces the mark is what stands at this distance.
            left = x if turn in (0, 1, 2, 14, 15) else x - width
            if turn in (3, 4, 5, 11, 12, 13):
                left = x - width / 2
            lower = y - LINE / 2
            if turn in (2, 3, 4, 5, 6):
                lower = y
            elif turn in (10, 11, 12, 13, 14):
                lower = y - LINE
            yield left, lower, left + width, lower + LINE


def nearest(box: Box, point: np.ndarray) -> np.ndarray:
    """The point of a box next to another."""
    return np.clip(point, box[:2], box[2:])


def meet(one: Box, other: Box) -> bool:
    """Whether two boxes overlap."""
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def holds(box: Box, points: np.ndarray) -> bool:
    """Whether a box holds one of these points."""
    return bool(((points > box[:2]) & (points < box[2:])).all(1).any())


if __name__ == "__main__":
    main(__file__, "classic_fleet", figure)
