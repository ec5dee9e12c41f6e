"""The key of a drawing: each sign once, with what it means."""

from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from bsjax.draw import glyphs, style
from bsjax.draw.sheet import Sheet, text_width
from bsjax.draw.style import Number

Entry = tuple[str, str]
"""A sign (one of `SIGNS`) and its meaning; `heat` has the meaning `LOW to HIGH`."""

SHIPS = ("sunk", "afloat", "shown", "slips")
SIGNS = ("miss", "miss-number", "hit", *SHIPS, "pattern", "strong", "best", "latest", "heat")

ROW = 0.22
"""Height of a row in inches."""

_CELL = 0.17
"""Size of a sign's cell in inches; all lengths below are in cells."""
_GAP, _BETWEEN = 0.4, 1.2
_RAMP = 4.0


def rows(entries: Sequence[Entry], width: Number) -> list[list[Entry]]:
    """The entries in rows at most `width` inches wide."""
    lines: list[list[Entry]] = []
    used = 0.0
    for entry in entries:
        wide = _width(entry)
        if not lines or (used + wide) * _CELL > width:
            lines.append([])
            used = 0.0
        lines[-1].append(entry)
        used += wide + _BETWEEN
    return lines


def draw_key(
    sheet: Sheet, left: Number, top: Number, width: Number, entries: Sequence[Entry]
) -> float:
    """Draw a key from the upper left corner (left, top) in inches, in centred rows.

    Returns:
        Its height in inches.

    Raises:
        ValueError: a sign that is not in `SIGNS`.
    """
    for sign, _ in entries:
        if sign not in SIGNS:
            raise ValueError(f"no sign {sign!r}; choose one of {', '.join(SIGNS)}")
    lines = rows(entries, width)
    height = len(lines) * ROW
    axes = sheet.axes(left, top, width, height)
    axes.set_xlim(0, width / _CELL)
    axes.set_ylim(height / _CELL, 0)
    axes.set_axis_off()
    for number, line in enumerate(lines):
        spread = sum(map(_width, line)) + _BETWEEN * (len(line) - 1)
        x, y = (width / _CELL - spread) / 2, (number + 0.5) * ROW / _CELL
        for entry in line:
            _draw(axes, x, y, entry)
            x += _width(entry) + _BETWEEN
    return height


def _width(entry: Entry) -> float:
    sign, meaning = entry
    if sign == "heat":
        return sum(map(_text, _ends(meaning))) + 2 * _GAP + _RAMP
    return _cells(sign) + _GAP + _text(meaning)


def _text(text: str) -> float:
    return text_width(text, style.SMALL) / _CELL


def _cells(sign: str) -> int:
    return 2 if sign in SHIPS else 1


def _ends(meaning: str) -> tuple[str, str]:
    low, _, high = meaning.partition(" to ")
    return low, high


def _draw(axes: Axes, x: Number, y: Number, entry: Entry) -> None:
    """One entry from its left edge x on."""
    sign, meaning = entry
    if sign == "heat":
        low, high = _ends(meaning)
        _write(axes, x, y, low)
        x += _text(low) + _GAP
        _ramp(axes, x, y)
        _write(axes, x + _RAMP + _GAP, y, high)
        return
    _sign(axes, x + 0.5, y, sign)
    _write(axes, x + _cells(sign) + _GAP, y, meaning)


def _write(axes: Axes, x: Number, y: Number, text: str) -> None:
    axes.text(x, y, text, ha="left", va="center_baseline", **style.type_of(style.SMALL))


def _sign(axes: Axes, x: Number, y: Number, sign: str) -> None:
    unit = _CELL * 72
    if sign == "miss":
        glyphs.miss(axes, unit, x, y)
    elif sign == "miss-number":
        glyphs.miss(axes, unit, x, y, "1")
    elif sign == "hit":
        glyphs.hit(axes, unit, x, y)
    elif sign == "slips":
        glyphs.ship(axes, unit, x, y, x + 1, y, kind="afloat", color=style.HIT)
    elif sign in SHIPS:
        glyphs.ship(axes, unit, x, y, x + 1, y, kind=sign)
    elif sign in ("pattern", "strong"):
        glyphs.tile(axes, x, y, style.PATTERN if sign == "pattern" else style.STRONG)
    elif sign == "best":
        glyphs.ring(axes, unit, x, y)
    else:
        glyphs.halo(axes, unit, x, y)


def _ramp(axes: Axes, x: Number, y: Number) -> None:
    steps = 48
    wide = _RAMP / steps
    for step in range(steps):
        color = style.HEAT(step / (steps - 1))
        # A hair wider than its share: renderers leave seams between shapes that only touch.
        tile = Rectangle((x + step * wide, y - 0.35), 1.1 * wide, 0.7, color=color, linewidth=0)
        axes.add_artist(tile)
