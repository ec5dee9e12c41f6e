"""Mean shots on random boards and on the worst board found, one line per strategy.

A game's share of wins depends on its length alone, so a blind spot shows up as extra shots. The
published players from self-play are drawn beside ours, hollow.
"""

from typing import Any, NamedTuple

from bsjax import draw
from bsjax.draw import style
from figures.classic_fleet_speed_and_safety import (
    KINDS,
    MAP,
    SELF_PLAY,
    full,
    key,
    kind_of,
    told_of,
    worst_boards,
)
from figures.script import Results, claim, main

EXTRA = {"checkerboard": 2.9, "3-parity": 3.3, "smart-3-parity": 3.2}
"""Published: shots more on the worst board."""
MAPS_NEED = (10, 24)
"""Published: fewest and most shots more, of the heat maps."""
MACHINES = {
    "best strategy": (47.3, 1.1),
    "classic-board self-play": (46.4, 9.4),
    "best, earlier version": (46.4, 12.4),
}
"""Published players from self-play: shots on random boards, and how many more on the worst one."""
LEFT, TOP, WIDTH, STEP = 2.1, 0.34, 3.5, 0.17
WIDTH_OF_MARK = 4.4


class Row(NamedTuple):
    """A strategy's shots."""

    name: str
    kind: str
    random: float
    worst: float
    note: str

    @property
    def extra(self) -> float:
        """Shots more on the worst board."""
        return self.worst - self.random


def figure(results: Results) -> draw.Sheet:
    table, boards = results.read("strategies"), worst_boards(results)
    rows = searched(table, boards)
    if full(table, boards):
        check(rows)
    rows += [
        Row(name, SELF_PLAY, random, random + extra, "published")
        for name, (random, extra) in MACHINES.items()
    ]
    rows.sort(key=lambda row: row.worst)

    height = STEP * len(rows) + 0.1
    sheet = draw.Sheet(7.2, TOP + height + 0.86)
    least, most = min(row.random for row in rows), max(row.worst for row in rows)
    chart = draw.Chart(
        sheet,
        (LEFT, TOP, WIDTH, height),
        x=(least - 1, most + 1),
        y=(len(rows) - 0.4, -0.6),
        across="Mean shots",
    )
    chart.axes.set_yticks([])
    sheet.text(LEFT + WIDTH + 0.5, TOP - 0.1, "More", style.SMALL, style.MUTED, across="right")
    for y, row in enumerate(rows):
        line(chart, row, y)
        at = TOP + (y + 0.6) / (len(rows) + 0.2) * height - 0.065
        color = KINDS[row.kind]
        sheet.text(LEFT - 0.1, at, row.name, style.SMALL, color, across="right")
        sheet.text(LEFT + WIDTH + 0.5, at, f"+{row.extra:.1f}", style.SMALL, across="right")
        sheet.text(LEFT + WIDTH + 0.58, at, row.note, style.SMALL, style.MUTED)
    below = TOP + height + 0.46
    key(sheet, below, [row.kind for row in rows])
    text = "Short mark: random boards; dot: the worst board found; right: how many shots more."
    sheet.text(0.1, below + 0.18, text, style.SMALL, style.MUTED)
    return sheet


def searched(table: dict[str, Any], boards: dict[str, Any]) -> list[Row]:
    """The strategies whose worst boards were searched for."""
    means = {row["name"]: row["mean"] for row in table["strategies"]}
    rows = []
    for one in told_of(table, boards):
        name = one["name"]
        note = f"published +{EXTRA[name]}" if name in EXTRA else ""
        rows.append(Row(name, kind_of(name), means[name], one["mean_shots"], note))
    return rows


def check(rows: list[Row]) -> None:
    """What the write-up says of this figure, of the strategies at hand."""
    low, high = MAPS_NEED
    for row in rows:
        claim(row.extra > 1, f"{row.name} needs more than a shot more on its worst board")
        if row.kind == MAP:
            claim(low < row.extra < high + 2, f"{row.name} needs {low} to {high} shots more")
        if row.name in EXTRA:
            near = abs(row.extra - EXTRA[row.name]) < 1
            claim(near, f"{row.name} needs {EXTRA[row.name]} shots more, give or take one")


def line(chart: draw.Chart, row: Row, y: int) -> None:
    """From random boards to the worst one."""
    color = KINDS[row.kind]
    chart.axes.plot([row.random, row.worst], [y, y], color=color, linewidth=1.4)
    chart.axes.plot([row.random], [y], "|", color=color, markersize=7, markeredgewidth=1.4)
    inside = style.PAPER if row.kind == SELF_PLAY else color
    mark = {"markerfacecolor": inside, "markeredgecolor": color, "markersize": WIDTH_OF_MARK}
    chart.axes.plot([row.worst], [y], "o", **mark)


if __name__ == "__main__":
    main(__file__, "classic_fleet", figure)
