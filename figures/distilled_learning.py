"""How fast a small network learns to hunt: mean shots on boards that no lesson is given on, by the
positions it was shown, beside the exact rule that it is taught by and the heat map without
training."""

import numpy as np

from bsjax import draw
from bsjax.draw import style
from figures.script import Results, claim, main

ROOM = 1.5
"""Shots of the chart above what the last part of the curves needs."""


def figure(results: Results) -> draw.Sheet:
    told = results.read("classic")
    students, teacher = told["students"], told["teacher"]
    for one in students:
        claim(one["curve"][-1][0] == one["steps"], "every curve ends with its run")
    sheet = draw.Sheet(7.2, 3.25)
    last = max(one["positions"] for one in students) / 1e6
    late = [shots for one in students for _, shots in one["curve"][len(one["curve"]) // 4 :]]
    most = max(told["density"]["mean"], *late) + ROOM
    lowest = min(teacher["mean"], *(shots for one in students for _, shots in one["curve"]))
    first = min(
        step * one["positions"] / one["steps"] for one in students for step, _ in one["curve"]
    )
    first = first / 1e6
    chart = draw.Chart(
        sheet,
        (0.66, 0.15, 4.3, 2.5),
        x=(0.9 * first, 1.1 * last),
        y=(np.floor(lowest * 2) / 2, most),
        across="Positions shown, in millions",
        up="Mean shots",
    )
    chart.axes.set_xscale("log")
    chart.axes.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
    for number, one in enumerate(students):
        steps, shots = np.array(one["curve"]).T
        shown = steps * one["positions"] / one["steps"] / 1e6
        text = f"{one['name']}, {one['parameters']:,} parameters"
        chart.curve(shown.tolist(), shots.tolist(), text, color=style.SERIES[number])
    for name, text, dash in (
        ("teacher", "exact posterior", (0, (5, 1.5))),
        ("density", "heat map, no training", (0, (1.2, 1.2))),
    ):
        level = [told[name]["mean"]] * 2
        chart.curve([0.9 * first, 1.1 * last], level, text, color=style.MUTED, dash=dash, width=1.1)
    chart.name_lines("upper right")
    numbers(sheet, told)
    held = students[0]["held_out"]
    text = (
        f"Curves: {held:,} boards held out. Lines: {teacher['games']:,} other boards; "
        f"students of the table: {students[0]['games']:,}."
    )
    sheet.text(0.1, 3.02, text, style.SMALL, style.MUTED)
    return sheet


def numbers(sheet: draw.Sheet, told: dict) -> None:
    """Shots and speed of all."""
    left, top = 5.2, 0.2
    for column, text in ((left + 1.15, "Shots"), (left + 1.9, "Games/s")):
        sheet.text(column, top, text, style.SMALL, style.MUTED, across="right")
    sheet.rule(left, top + 0.19, 1.9)
    rows = [("exact", told["teacher"]), ("heat map", told["density"])]
    rows += [(one["name"], one) for one in told["students"]]
    for row, (name, one) in enumerate(rows):
        at = top + 0.27 + 0.22 * row
        sheet.text(left, at, name, style.SMALL)
        sheet.text(left + 1.15, at, f"{one['mean']:.2f}", style.SMALL, across="right")
        speed = f"{one['games_per_second']:,.0f}"
        sheet.text(left + 1.9, at, speed, style.SMALL, across="right")


if __name__ == "__main__":
    main(__file__, "distilled", figure)
