"""Hunt & target as a state diagram.

Target and Line together make up the Targeting state. Every sinking passes through the Sunk step:
it removes the ship from the fleet, changes the search pattern if the shortest ship has changed,
and picks the next state. The arrows are those that the games of the experiment took.
"""

from matplotlib.axes import Axes
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch

from bsjax import draw
from bsjax.draw import style
from figures.script import Results, claim, main

WIDTH, HEIGHT = 6.6, 3.6
BOX = (1.25, 0.62)

PLACES = {"Hunt": (0.95, 1.25), "Target": (3.35, 1.25), "Line": (5.65, 1.25), "Sunk": (3.35, 3.05)}
"""Centres of the boxes in inches from the upper left corner."""

SAID = {
    "Hunt": "a random cell\nof the pattern",
    "Target": "a random neighbour\nof an open hit",
    "Line": "an end of\nthe run of hits",
    "Sunk": "close its hits,\nchoose the pattern",
}

STEPS = {
    ("Hunt", "miss", "Hunt"),
    ("Hunt", "hit", "Target"),
    ("Target", "miss", "Target"),
    ("Target", "hit", "Target"),
    ("Target", "hit", "Line"),
    ("Line", "miss", "Line"),
    ("Line", "hit", "Line"),
    ("Line", "miss", "Target"),
    ("Line", "hit", "Target"),
}
"""Arrows that do not pass through Sunk."""
AFTER_SUNK = {"Hunt", "Target", "Line", "Over"}


def figure(results: Results) -> draw.Sheet:
    steps = {
        (step["state"], step["answer"], step["next"]) for step in results.read("states")["steps"]
    }
    taken = {step for step in steps if step[1] != "sunk"}
    claim(taken == STEPS, f"the arrows are the steps taken, {sorted(taken ^ STEPS)} differ")
    sinking = {state for state, answer, _ in steps if answer == "sunk"}
    claim(sinking == {"Target", "Line"}, "ships sink in Target and in Line only")
    after = {then for _, answer, then in steps if answer == "sunk"}
    claim(after == AFTER_SUNK, "after a sinking comes Hunt, Target, Line or the end")

    sheet = draw.Sheet(WIDTH, HEIGHT)
    axes = sheet.axes(0, 0, WIDTH, HEIGHT)
    axes.set_xlim(0, WIDTH)
    axes.set_ylim(HEIGHT, 0)
    axes.set_axis_off()
    _group(axes)
    for name in PLACES:
        _box(axes, name)
    _arrows(axes)
    return sheet


def _group(axes: Axes) -> None:
    """The frame around the two states of Targeting."""
    left, right = PLACES["Target"][0] - 0.88, PLACES["Line"][0] + 0.8
    axes.add_patch(
        FancyBboxPatch(
            (left, 0.12),
            right - left,
            1.72,
            boxstyle="round,pad=0,rounding_size=0.14",
            facecolor="#f7f9fb",
            edgecolor=style.RULE,
            linewidth=0.9,
            linestyle=(0, (4, 2)),
        )
    )
    kind = style.type_of(style.SMALL, style.MUTED, style="italic")
    axes.text(left + 0.1, 0.24, "Targeting", ha="left", va="center", **kind)


def _box(axes: Axes, name: str) -> None:
    x, y = PLACES[name]
    wide, high = BOX
    is_step = name == "Sunk"
    axes.add_patch(
        FancyBboxPatch(
            (x - wide / 2, y - high / 2),
            wide,
            high,
            boxstyle=f"round,pad=0,rounding_size={0.3 if is_step else 0.08}",
            facecolor=style.SUNK if is_step else style.PAPER,
            edgecolor=style.SUNK if is_step else style.SERIES[0],
            linewidth=1.3,
            zorder=2,
        )
    )
    ink = style.PAPER if is_step else style.INK
    head = style.type_of(style.TITLE, ink, weight="bold")
    body = style.type_of(6.5, ink if is_step else style.MUTED)
    axes.text(x, y - 0.17, name, ha="center", va="center", zorder=3, **head)
    axes.text(x, y + 0.11, SAID[name], ha="center", va="center", zorder=3, linespacing=1.2, **body)


def _arrows(axes: Axes) -> None:
    wide, high = BOX[0] / 2, BOX[1] / 2
    hunt, target, line, sunk = (PLACES[name] for name in ("Hunt", "Target", "Line", "Sunk"))
    middle = hunt[1]
    _loop(axes, hunt, "miss")
    _loop(axes, target, "miss, or a hit\nthat makes no line")
    _loop(axes, line, "hit or miss,\nan end is open")
    _arrow(axes, (hunt[0] + wide, middle), (target[0] - wide, middle), "hit", (2.1, middle - 0.1))
    _arrow(
        axes,
        (target[0] + wide, middle - 0.14),
        (line[0] - wide, middle - 0.14),
        "hit beside a hit",
        (4.5, middle - 0.25),
    )
    _arrow(
        axes,
        (line[0] - wide, middle + 0.14),
        (target[0] + wide, middle + 0.14),
        "both ends shut",
        (4.5, middle + 0.27),
    )
    # To Sunk.
    down, up = middle + high, sunk[1] - high
    _arrow(
        axes,
        (target[0] + 0.14, down),
        (sunk[0] + 0.14, up),
        "sunk",
        (target[0] + 0.2, 2.13),
        "left",
    )
    _arrow(
        axes,
        (line[0] + 0.22, down),
        (sunk[0] + wide, sunk[1] + 0.1),
        "sunk",
        (5.28, 2.8),
        "left",
        bend=-0.36,
    )
    # From Sunk.
    _arrow(
        axes,
        (sunk[0] - 0.14, up),
        (target[0] - 0.14, down),
        "open hits left,\nno line",
        (target[0] - 0.2, 2.13),
        "right",
    )
    _arrow(
        axes,
        (sunk[0] + wide, sunk[1] - 0.12),
        (line[0] - 0.22, down),
        "open hits left,\nin a line",
        (4.62, 2.2),
        "right",
        bend=0.28,
    )
    _arrow(
        axes,
        (sunk[0] - wide, sunk[1] - 0.1),
        (hunt[0], down),
        "no open hit left",
        (1.6, 2.1),
        "left",
        bend=-0.3,
    )
    _arrow(
        axes,
        (sunk[0] - wide, sunk[1] + 0.16),
        (1.66, sunk[1] + 0.16),
        "fleet sunk: the game is over",
        (1.6, sunk[1] + 0.16),
        "right",
    )


def _loop(axes: Axes, place: tuple[float, float], text: str) -> None:
    """An arrow from the top of a box back to it."""
    x, top = place[0], place[1] - BOX[1] / 2
    _arrow(
        axes,
        (x - 0.3, top),
        (x + 0.3, top),
        text,
        (x, top - 0.36 - 0.06 * text.count("\n")),
        bend=-0.9,
    )


def _arrow(
    axes: Axes,
    start: tuple[float, float],
    end: tuple[float, float],
    text: str,
    at: tuple[float, float],
    across: str = "center",
    *,
    bend: float = 0.0,
) -> None:
    axes.add_patch(
        FancyArrowPatch(
            start,
            end,
            connectionstyle=f"arc3,rad={bend}",
            arrowstyle="-|>,head_length=4.5,head_width=2.2",
            shrinkA=1,
            shrinkB=1,
            color=style.MUTED,
            linewidth=1.1,
            zorder=1,
        )
    )
    kind = style.type_of(6.8, style.INK)
    axes.text(*at, text, ha=across, va="center", zorder=3, linespacing=1.15, **kind)


if __name__ == "__main__":
    main(__file__, "how_the_computer", figure)
