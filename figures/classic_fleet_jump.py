"""How often smart 3-parity should jump: races won on the worst board found, and mean shots on
random boards, against the share of games with a jump (first version, lazy endgame).

Always jumping is punished and never jumping costs a little; between a third and half of the games
the values are within noise, and mean shots hardly change at all.
"""

from typing import Any, NamedTuple

from bsjax import draw
from bsjax.draw import style
from figures.classic_fleet_speed_and_safety import full
from figures.script import Results, claim, main

NAMES = {
    0: "smart-3-parity-first-jump-0",
    20: "smart-3-parity-first-jump-20",
    35: "smart-3-parity-first-lazy",
    40: "smart-3-parity-first-jump-40",
    50: "smart-3-parity-first-jump-50",
    70: "smart-3-parity-first-jump-70",
    100: "smart-3-parity-first-jump-100",
}
"""Strategies by the percentage of games in which they jump; 35 is the card's own."""
MIXED = (35, 40, 50)
"""Shares that did best, within noise."""
WIDTH, HEIGHT, TOP = 2.85, 2.2, 0.36


class Value(NamedTuple):
    """A measure at a share of jumps, with its standard error, and what was published."""

    jump: int
    value: float
    se: float
    published: float | None


def figure(results: Results) -> draw.Sheet:
    table, boards = results.read("strategies"), results.read("hard_boards")
    won, shots = worst(boards), mean(table)
    if full(table, boards):
        check(won, shots)

    sheet = draw.Sheet(7.2, 3.32)
    panel(sheet, 0.62, "Races won on the worst board found (%)", won)
    panel(sheet, 4.2, "Mean shots on random boards", shots)
    text = "Bars are two standard errors. Worst cases are upper bounds."
    sheet.text(0.1, 3.06, text, style.SMALL, style.MUTED)
    return sheet


def worst(boards: dict[str, Any]) -> list[Value]:
    """Win rates on the worst boards, in percent."""
    rows = {row["name"]: row for row in boards["strategies"]}
    return [
        Value(jump, 100 * row["win_rate"], 100 * row["se"], percent(row["published_worst"]))
        for jump, row in chosen(rows)
    ]


def mean(table: dict[str, Any]) -> list[Value]:
    """Mean shots on random boards."""
    rows = {row["name"]: row for row in table["strategies"]}
    return [
        Value(jump, row["mean"], row["se"], row["published"]["mean"]) for jump, row in chosen(rows)
    ]


def chosen(rows: dict[str, dict[str, Any]]) -> list[tuple[int, dict[str, Any]]]:
    """The rows of this figure that are there."""
    return [(jump, rows[name]) for jump, name in NAMES.items() if name in rows]


def percent(share: float | None) -> float | None:
    """A share in percent, if there is one."""
    return None if share is None else 100 * share


def check(won: list[Value], shots: list[Value]) -> None:
    """What the write-up says of this curve."""
    for measure in (won, shots):
        claim([one.jump for one in measure] == list(NAMES), "every share of jumps was measured")
    by_jump = {one.jump: one.value for one in won}
    best = max(by_jump.values())
    claim(by_jump[100] < best - 4, "always jumping is punished")
    claim(by_jump[0] < best, "never jumping costs a little")
    middle = [by_jump[jump] for jump in MIXED]
    claim(max(middle) > best - 1, "jumps in a third to half of the games do best, or within noise")
    claim(min(middle) > by_jump[100] + 3, "each of them does better than always jumping")
    means = [one.value for one in shots]
    claim(max(means) - min(means) < 0.4, "mean shots differ by less than 0.4")


def panel(sheet: draw.Sheet, left: float, title: str, measure: list[Value]) -> None:
    """One measure against the share of jumps."""
    sheet.text(left, 0.06, title, style.TITLE, weight="bold")
    told = [(one.jump, one.published) for one in measure if one.published is not None]
    ends = [one.value + side * 2 * one.se for one in measure for side in (-1, 1)]
    ends += [value for _, value in told]
    low, high = min(ends, default=0.0), max(ends, default=1.0)
    room = 0.08 * (high - low)
    chart = draw.Chart(
        sheet,
        (left, TOP, WIDTH, HEIGHT),
        x=(-4, 104),
        y=(low - room, high + 3 * room),
        across="Games with a jump",
    )
    chart.axes.set_xticks(list(NAMES), [f"{jump}%" if jump != 40 else "" for jump in NAMES])
    jumps, values = [one.jump for one in measure], [one.value for one in measure]
    errors = [2 * one.se for one in measure]
    kind = {"capsize": 2, "elinewidth": 0.9, "markersize": 4}
    chart.axes.errorbar(
        jumps, values, errors, fmt="o-", color=style.SERIES[0], linewidth=1.4, label="here", **kind
    )
    if told:
        hollow = {"markersize": 5, "markerfacecolor": style.PAPER, "zorder": 4}
        chart.axes.plot(
            *zip(*told, strict=True), "D", color=style.SERIES[1], label="published", **hollow
        )
    chart.name_lines("upper right")


if __name__ == "__main__":
    main(__file__, "classic_fleet", figure)
