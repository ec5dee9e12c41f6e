"""The signs of a board, drawn on axes whose unit is one cell: cell (column, row) is centred there.

`unit` is the size of a cell in points; lines and type follow it, so a small board is a large one
made smaller.
"""

from matplotlib.axes import Axes
from matplotlib.patches import Circle, FancyBboxPatch, Rectangle

from bsjax.draw import style
from bsjax.draw.style import Number

GRID, SHIP, SHOT, RING, TEXT = 1, 2, 3, 4, 5
"""Layers, from below."""

_DIGIT = 0.636
"""Width of a digit in ems."""


def number(
    axes: Axes, unit: Number, x: Number, y: Number, text: str, color: str, *, weight: str = "normal"
) -> None:
    """Text centred in a cell, as large as its length lets it be."""
    size = unit * min(0.40, 0.80 / (_DIGIT * max(len(text), 1)))
    axes.text(
        x,
        y,
        text,
        ha="center",
        va="center_baseline",
        zorder=TEXT,
        **style.type_of(size, color, weight=weight),
    )


def miss(axes: Axes, unit: Number, x: Number, y: Number, text: str = "") -> None:
    """A shot that met water: a dot, or an open circle around the number of the shot."""
    if not text:
        axes.add_artist(Circle((x, y), 0.16, facecolor=style.MUTED, edgecolor="none", zorder=SHOT))
        return
    axes.add_artist(
        Circle(
            (x, y),
            0.38,
            facecolor=style.PAPER,
            edgecolor=style.MUTED,
            linewidth=0.04 * unit,
            zorder=SHOT,
        )
    )
    number(axes, unit, x, y, text, style.MUTED)


def hit(axes: Axes, unit: Number, x: Number, y: Number, text: str = "") -> None:
    """A hit on a ship afloat: a filled disc, with the number of the shot."""
    axes.add_artist(Circle((x, y), 0.40, facecolor=style.HIT, edgecolor="none", zorder=SHOT))
    if text:
        number(axes, unit, x, y, text, style.PAPER, weight="bold")
    else:
        axes.add_artist(Circle((x, y), 0.14, facecolor=style.PAPER, edgecolor="none", zorder=SHOT))


def ship(
    axes: Axes,
    unit: Number,
    left: Number,
    top: Number,
    right: Number,
    bottom: Number,
    *,
    kind: str = "afloat",
    color: str = style.INK,
    fill: str | None = None,
) -> None:
    """A ship from its first cell (left, top) to its last one (right, bottom).

    Args:
        axes: axes in cells.
        unit: size of a cell in points.
        left: column of its first cell.
        top: row of its first cell.
        right: column of its last cell.
        bottom: row of its last cell.
        kind: `afloat` (dashed outline), `sunk` (filled) or `shown` (solid outline).
        color: colour of the outline.
        fill: colour inside, in place of the kind's own.

    Raises:
        ValueError: another kind.
    """
    looks = {
        "afloat": {"facecolor": "none", "linestyle": (0, (2.6, 1.5))},
        "sunk": {"facecolor": style.SUNK, "linestyle": "solid"},
        "shown": {"facecolor": "none", "linestyle": "solid"},
    }
    if kind not in looks:
        raise ValueError(f"no ship is drawn {kind!r}; choose one of {', '.join(looks)}")
    look = looks[kind] | ({} if fill is None else {"facecolor": fill})
    edge = 0.43
    axes.add_artist(
        FancyBboxPatch(
            (left - edge, top - edge),
            right - left + 2 * edge,
            bottom - top + 2 * edge,
            boxstyle="round,pad=0,rounding_size=0.34",
            edgecolor=style.SUNK if kind == "sunk" else color,
            linewidth=0.075 * unit,
            zorder=SHIP,
            **look,
        )
    )


def ring(axes: Axes, unit: Number, x: Number, y: Number, *, color: str = style.BEST) -> None:
    """A dashed square inside a cell: a cell the hunter would fire at."""
    for width, dashes, drawn in (
        (0.13, "solid", style.PAPER),
        (0.11, (0, (2.2, 1.0)), color),
    ):
        axes.add_artist(
            Rectangle(
                (x - 0.46, y - 0.46),
                0.92,
                0.92,
                facecolor="none",
                edgecolor=drawn,
                linewidth=width * unit,
                linestyle=dashes,
                zorder=RING,
                clip_on=False,
            )
        )


def halo(axes: Axes, unit: Number, x: Number, y: Number) -> None:
    """A ring around the latest shot."""
    axes.add_artist(
        Circle(
            (x, y),
            0.46,
            facecolor="none",
            edgecolor=style.BEST,
            linewidth=0.12 * unit,
            zorder=RING,
            clip_on=False,
        )
    )


def tile(axes: Axes, x: Number, y: Number, color: str) -> None:
    """One cell's ground."""
    axes.add_artist(
        Rectangle((x - 0.5, y - 0.5), 1, 1, facecolor=color, edgecolor="none", zorder=0)
    )
