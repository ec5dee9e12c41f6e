"""Colours and type sizes of every drawing.

Colours are apart in lightness as well as in hue, and blue stands against orange, so that they stay
apart to colour-blind readers and in print. Hits, misses and ships also differ in shape.
"""

from typing import Any

from matplotlib.colors import LinearSegmentedColormap

PAPER = "#ffffff"
INK = "#1d2733"
MUTED = "#5b6775"
RULE = "#cdd5dd"

WATER = "#edf1f5"
"""A cell nothing is said about."""
PATTERN = "#b3d0e8"
STRONG = "#4b8fc4"
"""A pattern cell that matters."""
HIT = "#d55e00"
SUNK = "#3a4653"
BEST = "#f0a500"

HEAT = LinearSegmentedColormap.from_list(
    "bsjax.heat", ["#f5f8fb", "#dbe9f4", "#b5d3ea", "#7db3db", "#3478b0", "#0a3a68"]
)
"""Low to high."""

SERIES = ("#0072b2", "#d55e00", "#e69f00", "#7b8794", "#009e73", "#cc79a7", "#56b4e9")
"""Colours of curves; the first four are also apart in lightness or dash."""

SMALL, BODY, TITLE = 7.0, 8.0, 9.0
"""Type sizes in points."""

Number = float | int
"""Lengths and coordinates: the run-time type check takes an int for a float only if it is named."""

FAMILY = "DejaVu Sans"
"""Comes with matplotlib, so text is as wide on every machine."""


def type_of(
    size: Number = BODY, color: str = INK, *, weight: str = "normal", style: str = "normal"
) -> dict[str, Any]:
    """Keyword arguments that set text in the drawings' type."""
    return {
        "fontfamily": FAMILY,
        "fontsize": size,
        "color": color,
        "fontweight": weight,
        "fontstyle": style,
    }


def text_on(color: tuple[float, ...]) -> str:
    """`INK` or `PAPER`, whichever reads better on this colour (red, green, blue, …)."""
    red, green, blue = color[:3]
    return INK if 0.299 * red + 0.587 * green + 0.114 * blue > 0.52 else PAPER
