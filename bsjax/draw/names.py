"""Where the names of points stand: beside their marks, without overlaps.

Names are put down one after the other, each as near to its mark as it can stand without meeting a
mark, a line, another name, or the line that leads another name to its mark. Lines that come close
to other marks and lines count as longer ways. What is put down first has the choice, so several
orders are tried and the one with the shortest ways is taken: the same points give the same places.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from jaxtyping import Float64

from bsjax.draw.style import Number

Places = Float64[np.ndarray, "_ 2"]
"""Points in inches from the lower left corner."""
Box = tuple[float, float, float, float]
"""Left, lower, right and upper edge in inches."""

LINE, MARK, CLEAR = 0.115, 0.055, 0.085
"""Height of a name, half the width of its mark, and that of another mark with room around it, in
inches."""
RINGS = (0.075, 0.12, 0.18, 0.25, 0.33, 0.42, 0.52, 0.64, 0.78, 0.95, 1.15, 1.4)
"""How far from its mark a name may stand."""
TURNS = (0, 8, 1, 15, 7, 9, 2, 14, 6, 10, 3, 13, 5, 11, 4, 12)
"""Directions from a mark in sixteenths of a turn: right first, then left, then the others."""
ORDERS = 60
"""Orders that are tried."""
_GAP = 0.045
"""Inches within which the line to a mark comes close to another line or mark."""
_CLOSE = 0.4
"""Inches of way that this counts for."""
_STEPS = 40
"""Points along the line to a mark."""


class Place(NamedTuple):
    """A box for a name."""

    box: Box
    way: Places
    """Points along the line to the mark, short of the mark."""
    cost: float
    """Length of the way, and what it counts for coming close to other marks."""


def placed(
    points: Places,
    widths: Sequence[float],
    marks: Places,
    room: tuple[Number, Number],
    *,
    lines: Sequence[Places] = (),
) -> list[Box]:
    """Boxes for the names of these points.

    Args:
        points: what is named.
        widths: of the names in inches (`bsjax.draw.sheet.text_width`).
        marks: all marks that are drawn, named or not.
        room: width and height that the names must keep to, in inches.
        lines: points along the lines that are drawn, close enough together that no name fits
            between two of them.

    Raises:
        ValueError: there is no room for all names.
    """
    places = [
        sorted(_free(point, width, marks, room, lines), key=lambda place: place.cost)
        for point, width in zip(points, widths, strict=True)
    ]
    # A name with little choice comes first in one of the orders.
    rng = np.random.default_rng(0)
    orders = [np.argsort([len(one) for one in places], kind="stable")]
    orders += [rng.permutation(len(places)) for _ in range(ORDERS - 1)]
    found = [one for order in orders if (one := _put(order.tolist(), places)) is not None]
    if not found:
        raise ValueError(f"no room is left for the names of {len(points)} points")
    return min(found, key=lambda one: one[1])[0]


def nearest(box: Box, point: Float64[np.ndarray, " 2"]) -> Float64[np.ndarray, " 2"]:
    """The point of a box next to another: where the line to a mark starts."""
    return np.clip(point, box[:2], box[2:])


def meet(one: Box, other: Box) -> bool:
    """Whether two boxes overlap."""
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def holds(box: Box, points: Places) -> bool:
    """Whether a box holds one of these points."""
    return bool(((points > box[:2]) & (points < box[2:])).all(1).any())


def _put(order: list[int], places: list[list[Place]]) -> tuple[list[Box], float] | None:
    """Names put down in this order and what they cost, or None where one finds no place."""
    found: dict[int, Place] = {}
    total = 0.0
    for number in order:
        best, least = None, np.inf
        for place in places[number]:
            if place.cost >= least:
                break
            others = found.values()
            if any(
                meet(place.box, other.box)
                or holds(place.box, other.way)
                or holds(other.box, place.way)
                for other in others
            ):
                continue
            cost = place.cost + _CLOSE * sum(_close(place.way, other.way) for other in others)
            if cost < least:
                best, least = place, cost
        if best is None:
            return None
        found[number], total = best, total + least
    return [found[number].box for number in range(len(places))], total


def _free(
    point: Float64[np.ndarray, " 2"],
    width: float,
    marks: Places,
    room: tuple[Number, Number],
    lines: Sequence[Places],
) -> Iterator[Place]:
    """Places for a name that meet no mark and no line."""
    apart = np.abs(marks - point).max(1)
    wide = np.where(apart < MARK, MARK, CLEAR)[:, None]
    dots = np.concatenate([marks - wide, marks + wide], 1)
    others = marks[apart > CLEAR]
    for box in _around(point, width):
        inside = min(box[:2]) > 0 and box[2] < room[0] and box[3] < room[1]
        if not inside or any(meet(box, tuple(dot)) for dot in dots.tolist()):
            continue
        if any(holds(box, line) for line in lines):
            continue
        start = nearest(box, point)
        way = start + np.linspace(0, 0.8, _STEPS)[:, None] * (point - start)
        length = float(np.hypot(*(point - start)))
        yield Place(box, way, length + _CLOSE * _close(way, others))


def _close(way: Places, other: Places) -> bool:
    """Whether the line to a mark comes close to these points."""
    return bool((np.hypot(*(way[:, None] - other).transpose(2, 0, 1)) < _GAP).any())


def _around(point: Float64[np.ndarray, " 2"], width: float) -> Iterator[Box]:
    """Boxes for a name around its mark, from near to far."""
    for ring in RINGS:
        for turn in TURNS:
            angle = turn * np.pi / 8
            x, y = (point + ring * np.array([np.cos(angle), np.sin(angle)])).tolist()
            # The edge that faces the mark is what stands at this distance.
            sideways, upward = np.cos(angle), np.sin(angle)
            left = x - width * (0 if sideways > 0.5 else 1 if sideways < -0.5 else 0.5)
            lower = y - LINE * (0 if upward > 0.5 else 1 if upward < -0.5 else 0.5)
            yield left, lower, left + width, lower + LINE
