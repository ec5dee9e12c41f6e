"""One board: ground and counts below, ships and shots above, rings on top."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

import numpy as np
from jaxtyping import Bool, Shaped
from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection
from matplotlib.colors import Colormap, to_rgba

from bsjax.draw import glyphs, style
from bsjax.draw.style import Number
from bsjax.game.notation import letter
from bsjax.game.observation import HIT, MISS
from bsjax.game.tokens import Shot

Plane = Shaped[np.ndarray, " C"]


class Board:
    """A board of `size` = (width, height) cells on axes of that many cells.

    Cells are given by index, as everywhere: `row * width + column`, row 1 at the top. Every method
    draws on what is there and returns the board, so that calls can be chained.

    Args of the constructor:
        axes: axes that cover the cells and nothing else; emptied of ticks and frame.
        size: width and height in cells.
        unit: size of a cell in points.
        labels: write column letters above and row numbers to the left.
    """

    def __init__(self, axes: Axes, size: tuple[int, int], unit: Number, *, labels: bool = True):
        self.axes, self.size, self.unit = axes, size, unit
        width, height = size
        axes.set_xlim(-0.5, width - 0.5)
        axes.set_ylim(height - 0.5, -0.5)
        axes.set_axis_off()
        corners = np.array([(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)])
        centres = np.array([self._at(cell) for cell in range(width * height)])
        self._ground = [to_rgba(style.WATER)] * (width * height)
        self._tiles = PolyCollection(
            list(centres[:, None] + corners),
            facecolors=self._ground,
            edgecolors=style.PAPER,
            linewidths=0.045 * unit,
            zorder=0,
        )
        axes.add_collection(self._tiles, autolim=False)
        if labels:
            self._label()

    def heat(
        self,
        plane: Plane,
        *,
        numbers: str | None = None,
        low: Number = 0,
        high: Number | None = None,
        log: bool = False,
        where: Bool[np.ndarray, " C"] | None = None,
        colors: Colormap = style.HEAT,
    ) -> "Board":
        """Tint cells by a plane of numbers.

        Args:
            plane: one number per cell, none negative.
            numbers: format of the numbers written in the cells (`d`, `.0%`); None writes none.
            low: the number with the lightest tint.
            high: the number with the darkest tint, by default the largest of the plane.
            log: tint by log(1 + number), for planes that span several powers.
            where: cells to tint; all by default.
            colors: colour map.
        """
        chosen = np.ones(len(plane), bool) if where is None else where
        scale = np.log1p if log else np.asarray
        most = plane[chosen].max(initial=low) if high is None else high
        start, span = float(scale(low)), float(scale(most) - scale(low))
        values = np.asarray(scale(np.where(chosen, plane, low)), float) - start
        tints = colors(np.clip(values / span if span > 0 else values, 0, 1))
        for cell in np.flatnonzero(chosen).tolist():
            self._ground[cell] = to_rgba(tints[cell].tolist())
        self._tiles.set_facecolor(self._ground)
        if numbers is not None:
            for cell in np.flatnonzero(chosen).tolist():
                self.write(cell, format(plane[cell].item(), numbers))
        return self

    def shade(self, cells: Iterable[int], color: str = style.PATTERN) -> "Board":
        """Give cells a ground of one colour: a search pattern, a set of candidates."""
        for cell in cells:
            self._ground[cell] = to_rgba(color)
        self._tiles.set_facecolor(self._ground)
        return self

    def write(self, cell: int, text: str, color: str | None = None) -> "Board":
        """Write a short text in a cell, by default in a colour that reads on its ground."""
        ink = color or style.text_on(self._ground[cell])
        glyphs.number(self.axes, self.unit, *self._at(cell), text, ink)
        return self

    def misses(self, cells: Iterable[int], numbers: Sequence[int] | None = None) -> "Board":
        """Shots that met water, with the number of each shot."""
        for cell, text in _numbered(cells, numbers):
            glyphs.miss(self.axes, self.unit, *self._at(cell), text)
        return self

    def hits(self, cells: Iterable[int], numbers: Sequence[int] | None = None) -> "Board":
        """Hits on ships afloat, with the number of each shot."""
        for cell, text in _numbered(cells, numbers):
            glyphs.hit(self.axes, self.unit, *self._at(cell), text)
        return self

    def ship(
        self,
        cells: Iterable[int],
        kind: Literal["afloat", "sunk", "shown"] = "afloat",
        *,
        color: str = style.INK,
        fill: str | None = None,
    ) -> "Board":
        """One ship over its cells: dashed if afloat, filled if sunk, a plain outline if shown."""
        columns, rows = zip(*(self._at(cell) for cell in cells), strict=True)
        glyphs.ship(
            self.axes,
            self.unit,
            min(columns),
            min(rows),
            max(columns),
            max(rows),
            kind=kind,
            color=color,
            fill=fill,
        )
        return self

    def best(self, cells: Iterable[int], *, color: str = style.BEST) -> "Board":
        """Ring the cells a hunter would fire at."""
        for cell in cells:
            glyphs.ring(self.axes, self.unit, *self._at(cell), color=color)
        return self

    def latest(self, cell: int) -> "Board":
        """Ring the latest shot."""
        glyphs.halo(self.axes, self.unit, *self._at(cell))
        return self

    def shots(
        self,
        history: Sequence[Shot],
        *,
        fleet: Mapping[int, Sequence[int]] | None = None,
        numbers: bool = True,
    ) -> "Board":
        """The shots of a game in order, numbered from 1, and the ships shown when they sank.

        Args:
            history: shots with their answers. Sunk ships are drawn where the answer shows their
                cells (feedback `cells`); under other rules their hits stay discs.
            fleet: cells of each ship, to draw those not sunk yet as afloat.
            numbers: write the number of each shot.
        """
        sunk = [shot.shown for shot in history if shot.shown]
        closed = {cell for cells in sunk for cell in cells}
        for cells in sunk:
            self.ship(cells, "sunk")
        for cells in (fleet or {}).values():
            if not closed.issuperset(cells):
                self.ship(cells, "afloat")
        for order, shot in enumerate(history, 1):
            text = str(order) if numbers else ""
            at = self._at(shot.cell)
            if shot.answer == MISS:
                glyphs.miss(self.axes, self.unit, *at, text)
            elif shot.cell not in closed:
                assert shot.answer >= HIT
                glyphs.hit(self.axes, self.unit, *at, text)
            elif text:
                glyphs.number(self.axes, self.unit, *at, text, style.PAPER, weight="bold")
        return self

    def _at(self, cell: int) -> tuple[int, int]:
        """Column and row of a cell."""
        row, column = divmod(int(cell), self.size[0])
        return column, row

    def _label(self) -> None:
        kind = style.type_of(min(0.36 * self.unit, style.SMALL), style.MUTED)
        for column in range(self.size[0]):
            name = letter(column)
            self.axes.text(column, -0.68, name, ha="center", va="baseline", **kind)
        for row in range(self.size[1]):
            self.axes.text(-0.68, row, str(row + 1), ha="right", va="center", **kind)


def _numbered(cells: Iterable[int], numbers: Sequence[int] | None) -> Iterable[tuple[int, str]]:
    """Each cell with its number as text, empty where there are none."""
    listed = list(cells)
    texts = [""] * len(listed) if numbers is None else [str(number) for number in numbers]
    return zip(listed, texts, strict=True)
