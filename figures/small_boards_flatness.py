"""Expected shots over the layouts, of the near-perfect players and of every hand-written rule.

The player is flat: on 5×5 the middle 80% of the layouts alone is wider for every rule than all
layouts are for him.
"""

from typing import Any

from bsjax import draw
from bsjax.draw import style
from figures.script import Results, claim, main

PLAYER = "near-perfect player"
STEP = 0.19
"""Inches of a row."""
LEFT, WIDTH, BETWEEN, TOP = 2.42, 2.32, 0.2, 0.34
TITLES = {"5x5": "5×5", "4x4": "4×4"}
LOOKS = {
    PLAYER: style.SERIES[0],
    "heat map": style.SERIES[1],
}


def figure(results: Results) -> draw.Sheet:
    boards = by_name(results.read("rules"))
    rows = {name: spreads(boards[name]) for name in TITLES}
    player = rows["5x5"][PLAYER]
    for name, one in rows["5x5"].items():
        wider = one["ninetieth"] - one["tenth"] > player["most"] - player["fewest"]
        claim(name == PLAYER or wider, f"5×5: the middle 80% of {name} is wider than the player")
    claim(list(rows["5x5"]) == list(rows["4x4"]), "both boards have the same rules")
    # By what the slowest layout of 5×5 needs; the player is far the fastest there.
    order = sorted(rows["5x5"], key=lambda name: rows["5x5"][name]["most"])
    claim(order[0] == PLAYER, "5×5: no rule's slowest layout is as fast as the player's")

    height = STEP * len(order) + 0.1
    sheet = draw.Sheet(LEFT + 2 * WIDTH + BETWEEN + 0.12, TOP + height + 0.98)
    for number, (board, title) in enumerate(TITLES.items()):
        least = min(one["fewest"] for one in rows[board].values())
        most = max(one["most"] for one in rows[board].values())
        left = LEFT + number * (WIDTH + BETWEEN)
        sheet.text(left, 0.08, title, style.TITLE, weight="bold")
        chart = draw.Chart(
            sheet,
            (left, TOP, WIDTH, height),
            x=(least - 0.4, most + 0.4),
            y=(len(order) - 0.4, -0.6),
            across="Expected shots",
        )
        chart.axes.set_yticks([])
        for y, name in enumerate(order):
            spread(chart, rows[board][name], y, LOOKS.get(name, style.SERIES[3]))
    for y, name in enumerate(order):
        color = LOOKS.get(name, style.INK)
        weight = "bold" if name in LOOKS else "normal"
        at = TOP + (y + 0.6) / (len(order) + 0.2) * height - 0.065
        sheet.text(LEFT - 0.1, at, name, style.SMALL, color, weight=weight, across="right")
    noise = max(one["noise"] for name in TITLES for one in rows[name].values())
    text = (
        "Thin line: fastest to slowest layout; thick: the middle 80% of the layouts; dot: median.\n"
        "Layouts of a rule that rolls dice are read from games, each with a standard error of up\n"
        f"to {noise:.2f} shots, so its fastest layout looks too fast by some two to three of them."
    )
    sheet.text(0.1, TOP + height + 0.48, text, style.SMALL, style.MUTED)
    return sheet


def by_name(told: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The tables of the rules by board.

    Raises:
        ValueError: a board is missing.
    """
    boards = {one["board"]: one for one in told["boards"]}
    claim(set(TITLES) <= set(boards), "the rules are scored on 5×5 and on 4×4")
    return boards


def spreads(board: dict[str, Any]) -> dict[str, dict[str, float]]:
    """How expected shots spread over layouts, by hunter.

    The greatest of many noisy readings is too great: the slowest layout of a rule is the one that
    was found in stages and measured on games of its own.
    """
    rules = {
        one["rule"]: {**one["by_layout"], "most": one["slowest"]["value"]} for one in board["rules"]
    }
    return {PLAYER: board["player_by_layout"], **rules}


def spread(chart: draw.Chart, one: dict[str, float], y: int, color: str) -> None:
    """One strip."""
    axes = chart.axes
    axes.plot([one["fewest"], one["most"]], [y, y], color=color, linewidth=1.1)
    ends = [one["tenth"], one["ninetieth"]]
    axes.plot(ends, [y, y], color=color, linewidth=6, solid_capstyle="butt", alpha=0.55)
    axes.plot([one["median"]], [y], "o", color=style.INK, markersize=2.6)


if __name__ == "__main__":
    main(__file__, "small_boards", figure)
