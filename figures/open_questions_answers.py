"""The answers in one picture: how many shots more one hunter needs than another, on the same
boards, with 95% intervals.

Left of the line the first hunter needs fewer shots, right of it more.
"""

from typing import Any, NamedTuple

from bsjax import draw
from bsjax.draw import style
from bsjax.draw.style import Number
from figures.script import Results, claim, main


class Row(NamedTuple):
    """One comparison: where it stands, and how it is called."""

    part: str
    comparison: str
    text: str


GROUPS: dict[str, tuple[Row, ...]] = {
    "Information against probability": (
        Row("information", "information - probability", "exact posterior"),
        Row("information", "named", "exact, the ship that sinks is named"),
        Row("information", "sampled", "{draws:,} draws"),
    ),
    "Two shots ahead against one": (
        Row("lookahead", "hits", "hits, {draws:,} draws"),
        Row("lookahead", "hits, more draws", "hits, {many:,} draws"),
        Row("lookahead", "information", "information, {draws:,} draws"),
    ),
    "Against probability, exact posterior": (
        Row("draws", "{draws} - exact", "probability, {draws:,} draws"),
        Row("draws", "random ties - exact", "probability, ties at random"),
        Row("information", "density-lowest - probability", "density, ties to the lowest cell"),
        Row("information", "density - probability", "density, ties at random"),
        Row("rollout", "rollout", "rollout, by whole games"),
        Row("rollout", "judged - probability", "rollout, by its choices"),
    ),
}
STEP, HEAD = 0.2, 0.3
"""Inches of a row, and of the title of a group."""
LEFT, WIDTH = 2.75, 3.0


def figure(results: Results) -> draw.Sheet:
    told = {part: results.read(part) for part in ("information", "lookahead", "draws", "rollout")}
    settings = told["information"]["settings"]
    names = {"draws": settings["draws"], "many": told["lookahead"]["many"]}
    rows = {
        title: [(row, found(told, row, names)) for row in group] for title, group in GROUPS.items()
    }
    every = [one for group in rows.values() for _, one in group]
    low, high = min(one["low"] for one in every), max(one["high"] for one in every)
    room = 0.05 * (high - low) + 0.02

    height = sum(HEAD + STEP * len(group) for group in rows.values())
    sheet = draw.Sheet(7.2, height + 0.6)
    chart = draw.Chart(
        sheet,
        (LEFT, 0.08, WIDTH, height),
        x=(min(low, 0) - room, max(high, 0) + room),
        y=(height, 0),
        across="Shots more than the hunter it is compared with",
    )
    chart.axes.set_yticks([])
    chart.axes.axvline(0, color=style.MUTED, linewidth=0.9, zorder=1)
    at = 0.0
    for number, (title, group) in enumerate(rows.items()):
        sheet.text(0.1, 0.08 + at + 0.1, title, weight="bold")
        at += HEAD
        for row, one in group:
            across(chart, one, at + STEP / 2, style.SERIES[number])
            sheet.text(0.2, 0.08 + at + 0.04, row.text.format(**names))
            said = f"{one['mean']:+.2f} ± {one['high'] - one['mean']:.2f}"
            sheet.text(LEFT + WIDTH + 0.78, 0.08 + at + 0.04, said, across="right")
            sheet.text(7.1, 0.08 + at + 0.04, boards(one), color=style.MUTED, across="right")
            at += STEP
    sheet.text(7.1, 0.18, "boards", style.SMALL, style.MUTED, across="right")
    return sheet


def found(told: dict[str, Any], row: Row, names: dict[str, Any]) -> dict[str, Any]:
    """The figures of a row."""
    name, part = row.comparison.format(**names), told[row.part]
    one = part["comparisons"].get(name) or part[name]
    claim(one["low"] <= one["mean"] <= one["high"], f"{name}: the interval holds the mean")
    return one


def boards(one: dict[str, Any]) -> str:
    """Boards of a comparison, of which one by its choices has two kinds."""
    return f"{one['games']:,}" if "games" in one else ""


def across(chart: draw.Chart, one: dict[str, Any], y: Number, color: str) -> None:
    """A mean and its 95% interval along the horizontal axis."""
    chart.axes.plot([one["low"], one["high"]], [y, y], color=color, linewidth=1.6)
    chart.axes.plot([one["mean"]], [y], "o", color=color, markersize=4)


def upright(
    chart: draw.Chart,
    x: Number,
    one: dict[str, Any],
    color: str,
    label: str = "",
    *,
    mark: str = "o",
) -> None:
    """A mean and its 95% interval along the vertical axis."""
    chart.axes.plot([x, x], [one["low"], one["high"]], color=color, linewidth=1.4)
    chart.axes.plot([x], [one["mean"]], mark, color=color, markersize=4, label=label)


if __name__ == "__main__":
    main(__file__, "open_questions", figure)
