"""A figure measured in inches from its upper left corner, saved the same bits every time."""

from functools import lru_cache
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
from jaxtyping import UInt8
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.lines import Line2D
from matplotlib.textpath import TextPath
from PIL.PngImagePlugin import PngInfo

from bsjax.draw import style
from bsjax.draw.palette import reduced
from bsjax.draw.style import Number

DOTS = 200
"""Dots per inch of a PNG."""

LEADING = 1.35
"""Distance of two lines of text in type sizes."""
_ASCENT = 0.9

_SVG: dict[Any, Any] = {"svg.hashsalt": "bsjax", "svg.fonttype": "path"}


class Sheet:
    """A white page of `width` × `height` inches.

    Made without pyplot: no window, no global state, freed with its last reference.
    """

    def __init__(self, width: Number, height: Number):
        self.width, self.height = width, height
        self.figure = Figure(figsize=(width, height), dpi=DOTS, facecolor=style.PAPER)
        FigureCanvasAgg(self.figure)

    def axes(self, left: Number, top: Number, width: Number, height: Number) -> Axes:
        """Axes over a rectangle given by its upper left corner and its size."""
        bottom = self.height - top - height
        return self.figure.add_axes(
            (left / self.width, bottom / self.height, width / self.width, height / self.height)
        )

    def text(
        self,
        left: Number,
        top: Number,
        text: str,
        size: Number = style.BODY,
        color: str = style.INK,
        *,
        weight: str = "normal",
        across: str = "left",
    ) -> None:
        """Write text with its upper edge at `top`; `across` is left, center or right of `left`.

        Lines stand on baselines a fixed distance apart, so that texts side by side are level.
        """
        for number, line in enumerate(text.split("\n")):
            baseline = top + (_ASCENT + number * LEADING) * size / 72
            self.figure.text(
                left / self.width,
                1 - baseline / self.height,
                line,
                ha=across,
                va="baseline",
                **style.type_of(size, color, weight=weight),
            )

    def rule(self, left: Number, top: Number, width: Number, color: str = style.RULE) -> None:
        """A thin horizontal line."""
        y = 1 - top / self.height
        ends = (left / self.width, (left + width) / self.width)
        line = Line2D(ends, (y, y), color=color, linewidth=0.7, transform=self.figure.transFigure)
        self.figure.add_artist(line)

    def save(self, stem: Path, note: str = "") -> list[Path]:
        """Write `stem`.svg and `stem`.png; the same drawing gives the same bits.

        Args:
            stem: path without an ending; its folder is made.
            note: kept in both files as their description, for example a hash of the input.

        Returns:
            The files written.
        """
        stem.parent.mkdir(parents=True, exist_ok=True)
        svg, png = stem.with_name(stem.name + ".svg"), stem.with_name(stem.name + ".png")
        with matplotlib.rc_context(_SVG):
            self.figure.savefig(svg, metadata={"Date": None, "Description": note})
        told = PngInfo()
        told.add_itxt("Description", note)
        (image,) = reduced([self.pixels()])
        image.save(png, dpi=(DOTS, DOTS), pnginfo=told, optimize=True)
        return [svg, png]

    def pixels(self, dots: int = DOTS) -> UInt8[np.ndarray, "H W 3"]:
        """The drawing as an image, `dots` to the inch."""
        self.figure.set_dpi(dots)
        canvas = FigureCanvasAgg(self.figure)
        canvas.draw()
        return np.asarray(canvas.buffer_rgba())[..., :3].copy()


@lru_cache(maxsize=4096)
def text_width(text: str, size: Number, *, weight: str = "normal") -> float:
    """Width of a line of text in inches."""
    if not text.strip():
        return 0.0
    font = FontProperties(family=style.FAMILY, weight=weight)
    return float(TextPath((0, 0), text, size=size, prop=font).get_extents().width) / 72
