"""How fast the habit of an opponent is learned, by fleet and by what is known of their boards.

Bands hold eight of ten maximum likelihood estimates from boards shown at the end of the game; the
curve is the median, the grey line the opponent's own number. Where no ships touch in any game, b
has no finite estimate, and the band leaves the panel. Below, how often the estimate of a = 0.2 is
two standard errors from 0, the games that the information of one game asks for, and how often an
opponent without the habit is taken for one with it.
"""

from typing import Any

from bsjax import draw
from bsjax.draw import style
from figures.script import Results, claim, main

FLEETS = {
    "two_ships": ("Ships of 4 and 3", style.SERIES[1]),
    "classic": ("Five ships", style.SERIES[0]),
}
RANGES = {"edge": (-1.0, 2.0), "touch": (-2.0, 6.0)}
NAMES = {"edge": "Edge bias a", "touch": "Spacing b"}
SLIGHT = 1
"""Place of the opponent with a = 0.2."""
LOOKS = ("solid", (0, (5, 1.5)), (0, (1.5, 1.2)))


def figure(results: Results) -> draw.Sheet:
    told = {name: results.read(name) for name in FLEETS}
    for name, one in told.items():
        check(name, one)

    sheet = draw.Sheet(7.2, 6.0)
    habits = [(one["edge"], one["touch"]) for one in told["classic"]["opponents"]]
    left, width, gap = 0.62, 1.42, 0.22
    for column, habit in enumerate(habits):
        at = left + column * (width + gap)
        title = f"a = {habit[0]:g}, b = {habit[1]:g}"
        sheet.text(at + width / 2, 0.08, title, style.TITLE, across="center")
        for row, (what, ends) in enumerate(RANGES.items()):
            chart = draw.Chart(
                sheet,
                (at, 0.34 + 1.5 * row, width, 1.36),
                x=(0.9, 110),
                y=ends,
                across="Games" if row else "",
                up=NAMES[what] if not column else "",
            )
            by_games(chart)
            chart.axes.axhline(habit[row], color=style.MUTED, linewidth=0.9, zorder=2)
            for name, (_, color) in FLEETS.items():
                band(chart, told[name]["opponents"][column]["board"]["both"], what, color)
            chart.axes.tick_params(labelleft=not column, labelbottom=bool(row))
    for number, (name, (title, color)) in enumerate(FLEETS.items()):
        sheet.text(left + 0.08, 0.38 + 0.15 * number, title, style.SMALL, color, weight="bold")
        at = left + 3.4 * number
        chart = draw.Chart(
            sheet,
            (at, 3.9, 1.6, 1.55),
            x=(0.9, 110),
            y=(0, 1.02),
            across="Games",
            up="" if number else "a = 0.2 told from 0",
            percent=True,
        )
        by_games(chart)
        shares(chart, told[name]["opponents"], color)
        sheet.text(at, 3.66, title, style.BODY, color, weight="bold")
    return sheet


def check(name: str, told: dict[str, Any]) -> None:
    """What the figure says of one fleet."""
    for one in told["opponents"]:
        row = one["board"]["both"][-1]
        off = abs(row["edge"]["median"] - one["edge"])
        claim(off < row["edge"]["spread"] / 2, f"{name}: 100 games find a = {one['edge']:g}")
        claim(one["finished_like_boards"] > 0.99, f"{name}: finished games tell their boards")
    slight = told["opponents"][SLIGHT]
    claim((slight["edge"], slight["touch"]) == (0.2, 2.0), f"{name}: the second has a = 0.2")
    games = [slight["board"], *slight["stopped"].values()]
    asked = [known["needed"]["both"] for known in games]
    claim(asked == sorted(asked), f"{name}: the fewer shots, the more games are needed")


def by_games(chart: draw.Chart) -> None:
    """A logarithmic axis of games."""
    chart.axes.set_xscale("log")
    chart.axes.set_xticks([1, 3, 10, 30, 100], ["1", "3", "10", "30", "100"])
    chart.axes.minorticks_off()


def band(chart: draw.Chart, rows: list[dict[str, Any]], what: str, color: str) -> None:
    """Median and the middle eight tenths of the estimates."""
    games = [row["games"] for row in rows]
    low, median, high = ([row[what][part] for row in rows] for part in ("p10", "median", "p90"))
    chart.axes.fill_between(games, low, high, color=color, alpha=0.18, linewidth=0)
    chart.curve(games, median, color=color, width=1.6)


def shares(chart: draw.Chart, opponents: list[dict[str, Any]], color: str) -> None:
    """How often a slight liking for the edge is told, and how often one where there is none."""
    slight, none = opponents[SLIGHT], opponents[0]
    known = {"Board shown": slight["board"]} | {
        f"After {stop} shots": part for stop, part in slight["stopped"].items()
    }
    for (label, part), dash in zip(known.items(), LOOKS, strict=True):
        rows = part["both"]
        games, told = zip(
            *((row["games"], row["edge"]["told_from_0"]) for row in rows), strict=True
        )
        label = f"{label}:\n{part['needed']['both']:.0f} games needed"
        chart.curve(games, told, label, color=color, dash=dash)
    rows = none["board"]["both"]
    games, told = zip(*((row["games"], row["edge"]["told_from_0"]) for row in rows), strict=True)
    chart.curve(games, told, "No habit:\nboard shown", color=style.MUTED, width=1.1)
    names = chart.name_lines("upper left").axes.get_legend()
    if names is not None:
        names.set_bbox_to_anchor((1.0, 1.02))


if __name__ == "__main__":
    main(__file__, "habits", figure)
