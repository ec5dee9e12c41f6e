"""Curves and bars in one plain style: thin frame, light grid, named lines."""

from collections.abc import Sequence
from typing import Any, Literal

from matplotlib.axes import Axes
from matplotlib.ticker import Formatter, FuncFormatter, PercentFormatter

from bsjax.draw import style
from bsjax.draw.sheet import Sheet
from bsjax.draw.style import Number

Numbers = Sequence[Number]
Corner = Literal["upper left", "upper right", "lower left", "lower right"]


class Chart:
    """Axes on a sheet, over a rectangle in inches that holds the plot without its labels.

    Args of the constructor:
        sheet: where to draw.
        box: left, top, width and height in inches.
        x: range of the horizontal axis.
        y: range of the vertical axis.
        across: name of the horizontal axis.
        up: name of the vertical axis.
        percent: write the vertical axis in percent.
    """

    def __init__(
        self,
        sheet: Sheet,
        box: tuple[Number, Number, Number, Number],
        *,
        x: tuple[Number, Number],
        y: tuple[Number, Number],
        across: str = "",
        up: str = "",
        percent: bool = False,
    ):
        self.axes: Axes = sheet.axes(*box)
        axes, kind = self.axes, style.type_of(style.SMALL, style.MUTED)
        axes.set_xlim(*x)
        axes.set_ylim(*y)
        axes.set_xlabel(across, labelpad=4, **style.type_of(style.BODY))
        axes.set_ylabel(up, labelpad=5, **style.type_of(style.BODY))
        for side in ("top", "right"):
            axes.spines[side].set_visible(False)
        for side in ("left", "bottom"):
            axes.spines[side].set_color(style.RULE)
            axes.spines[side].set_linewidth(0.8)
        axes.tick_params(length=2.5, width=0.8, color=style.RULE, pad=2)
        axes.grid(color=style.WATER, linewidth=0.8)
        axes.set_axisbelow(True)
        whole: Formatter = FuncFormatter(lambda value, _: f"{value:g}")
        axes.xaxis.set_major_formatter(whole)
        axes.yaxis.set_major_formatter(PercentFormatter(1, decimals=0) if percent else whole)
        for label in (*axes.get_xticklabels(), *axes.get_yticklabels()):
            label.set(**kind)

    def curve(
        self,
        x: Numbers,
        y: Numbers,
        label: str = "",
        *,
        color: str = style.SERIES[0],
        dash: str | tuple[Number, tuple[Number, ...]] = "solid",
        steps: bool = False,
        width: Number = 1.5,
    ) -> "Chart":
        """A line through points; with `steps` it stays level up to the next point."""
        look: dict[str, Any] = {"drawstyle": "steps-post"} if steps else {}
        self.axes.plot(x, y, label=label, color=color, linestyle=dash, linewidth=width, **look)
        return self

    def bars(
        self, x: Numbers, heights: Numbers, label: str = "", *, color: str = style.SERIES[0]
    ) -> "Chart":
        """One bar at each x."""
        self.axes.bar(x, heights, width=0.8, label=label, color=color)
        return self

    def rule(self, x: Number, text: str = "", *, color: str = style.MUTED) -> "Chart":
        """A thin vertical line at x with a text at its upper end."""
        self.axes.axvline(x, color=color, linewidth=0.8, linestyle=(0, (4, 2)), zorder=1)
        top = self.axes.get_ylim()[1]
        self.axes.text(x, top, text, ha="center", va="bottom", **style.type_of(style.SMALL, color))
        return self

    def name_lines(self, corner: Corner = "upper left") -> "Chart":
        """Name the lines in a corner, in the order they were drawn."""
        kind = {"family": style.FAMILY, "size": style.BODY}
        drawn = self.axes.legend(
            loc=corner,
            frameon=True,
            framealpha=1,
            facecolor=style.PAPER,
            edgecolor="none",
            fancybox=False,
            prop=kind,
            handlelength=2.4,
            labelspacing=0.5,
            borderpad=0.2,
        )
        for text in drawn.get_texts():
            text.set_color(style.INK)
        return self


def stacks(
    sheet: Sheet,
    box: tuple[Number, Number, Number, Number],
    rows: Sequence[tuple[str, Numbers]],
    names: Sequence[str],
    *,
    colors: Sequence[str] = style.SERIES,
) -> None:
    """Horizontal bars of parts laid end to end, with the numbers in them and the sum behind them.

    Whole numbers are written as they are, others with one decimal.

    Args:
        sheet: where to draw.
        box: left, top, width and height in inches; the width holds the longest bar and its sum.
        rows: a label, written to the left of the bar, and its parts.
        names: what each part is, written over the first bar.
        colors: one per part.
    """
    left, top, width, height = box
    axes = sheet.axes(left, top, width, height)
    longest = max(sum(parts) for _, parts in rows)
    axes.set_xlim(0, longest * 1.1)
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.set_axis_off()
    inside = style.type_of(style.SMALL, style.PAPER, weight="bold")
    for y, (label, parts) in enumerate(rows):
        kind = style.type_of(style.SMALL)
        axes.text(-0.012 * longest, y, label, ha="right", va="center_baseline", **kind)
        start = 0
        for part, value in enumerate(parts):
            axes.barh(y, value, 0.72, left=start, color=colors[part], edgecolor=style.PAPER)
            middle = start + value / 2
            axes.text(middle, y, _number(value), ha="center", va="center_baseline", **inside)
            if y == 0:
                name = style.type_of(style.SMALL, style.MUTED)
                axes.text(middle, -0.5, names[part], ha="center", va="bottom", **name)
            start += value
        axes.text(start + 0.01 * longest, y, _number(start), va="center_baseline", **kind)


def _number(value: Number) -> str:
    return str(value) if isinstance(value, int) else f"{value:.1f}"
