"""The die over rules, the boards that a strong player hides on, what that wins against each hunter,
and a race between players who choose both.

Die and lottery come from one matrix of rules × hard boards. The lottery is held against the rules
at hand, and nothing is proved beyond them.
"""

from collections.abc import Sequence
from typing import Any

from bsjax import draw
from bsjax.draw import style
from bsjax.evaluate.hard_boards.layouts import boards_of, read
from figures.classic_fleet_speed_and_safety import KINDS, MAP, MIXTURE, NOISE, full, key, kind_of
from figures.classic_fleet_worst_boards import GAME, put
from figures.script import Results, claim, main

CELL, COLUMNS, ROWS = 0.093, 7, 2
"""Size of a cell in inches, and how many boards are drawn."""
NEAR = 0.02
"""How far below the published worst case that of the die may be."""
LEFT, WIDTH, STEP = 2.1, 2.1, 0.155
RACES = 3.2
"""Height of the table of races in inches."""
SIDES = ("lottery", "uniform")
SEATS = ("player", "other")
HIDES = {"lottery": "hides by the lottery", "uniform": "hides at random"}


def figure(results: Results) -> draw.Sheet:
    told = results.read("mixture")
    found, hiding = told["mixture"], told["hiding"]
    check(told)
    drawn = {*found["rules"], told["two_sided"]["fastest"]}
    shown = [row for row in hiding["strategies"] if row["name"] in drawn]
    boards = found["hiding"]["boards"]

    rows = -(-min(len(boards), ROWS * COLUMNS) // COLUMNS)
    top = (0.0, 0.62 + max(STEP * len(found["die"]), 0.75))
    down = (top[1], top[1] + 0.5 + 1.2 * rows)
    sheet = draw.Sheet(7.4, down[1] + max(1.2 + STEP * (len(shown) + 1), RACES))
    die(sheet, top[0], told)
    lottery(sheet, down[0], found)
    gains(sheet, down[1], shown, hiding["die"])
    two_sided(sheet, down[1], told["two_sided"])
    return sheet


def check(told: dict[str, Any]) -> None:
    """What must hold of any mixture, and what a full one shows."""
    found, hiding, published = told["mixture"], told["hiding"], told["published"]
    boards = found["hiding"]["boards"]
    claim(abs(sum(found["die"].values()) - 1) < 1e-6, "the weights of the die add up to 1")
    claim(abs(sum(one["weight"] for one in boards) - 1) < 1e-6, "those of the lottery do")
    if not full(told):
        return
    worst = found["worst"]["worst_case"] / 100
    text = f"the die's worst case is no more than {NEAR:.0%} below ≤ {published['worst']:.1%}"
    claim(published["worst"] - NEAR < worst < 0.5, text)
    claim(len(found["die"]) > 1 and len(boards) > 1, "neither the die nor the lottery is one thing")
    for row in hiding["strategies"]:
        if row["name"] in found["rules"]:
            won, high = row["lottery"]["win"], found["hiding"]["high"]
            text = f"{row['name']} wins no more than {high:.1%} against the lottery, but for noise"
            claim(won["value"] < high + 5 * won["se"] + NOISE, text)
    gain = hiding["die"]["gain"]
    claim(gain["value"] > 5 * gain["se"], "the lottery gains against the die")


def die(sheet: draw.Sheet, top: float, told: dict[str, Any]) -> None:
    """The rules of the die by their weights, and the worst case beside the published."""
    found, published = told["mixture"], told["published"]
    sheet.text(0.1, top + 0.06, "The die over rules", style.TITLE, weight="bold")
    weights = found["die"]
    axes = sheet.axes(LEFT, top + 0.34, WIDTH, STEP * len(weights))
    axes.set_xlim(0, 1.25 * max(weights.values()))
    axes.set_ylim(len(weights) - 0.5, -0.5)
    axes.set_axis_off()
    for y, (name, weight) in enumerate(weights.items()):
        color, at = KINDS[kind_of(name)], top + 0.34 + (y + 0.5) * STEP - 0.065
        axes.barh(y, weight, 0.72, color=color)
        kind = style.type_of(style.SMALL)
        axes.text(
            weight + 0.02 * max(weights.values()), y, f"{weight:.1%}", va="center_baseline", **kind
        )
        sheet.text(LEFT - 0.1, at, name, style.SMALL, color, across="right")
    worst = found["worst"]
    maps = sum(weight for name, weight in weights.items() if kind_of(name) == MAP)
    lines = (
        ("Wins on its worst board found", f"≤ {worst['worst_case']:.1f}%"),
        ("measured there", f"{100 * worst['win_rate']:.2f} ± {100 * worst['se']:.2f}%"),
        ("published", f"≤ {published['worst']:.1%}"),
        ("Rules (published)", f"{len(weights)} ({published['rules']})"),
        ("Heat maps (published)", f"{maps:.1%} ({published['heat-map']:.0%})"),
    )
    pairs(sheet, 4.6, 7.2, top + 0.34, lines)


def pairs(
    sheet: draw.Sheet, left: float, right: float, top: float, lines: Sequence[tuple[str, str]]
) -> None:
    """Names to the left and values to the right."""
    for number, (name, value) in enumerate(lines):
        at = top + number * STEP
        sheet.text(left, at, name, style.SMALL, style.MUTED)
        sheet.text(right, at, value, style.SMALL, across="right")


def lottery(sheet: draw.Sheet, top: float, found: dict[str, Any]) -> None:
    """The likeliest boards of the lottery with their weights."""
    boards = found["hiding"]["boards"]
    shown = boards[: ROWS * COLUMNS]
    rest = sum(one["weight"] for one in boards[len(shown) :])
    text = f"{len(boards)} boards, each turned at random"
    if rest:
        text += f"; the {len(boards) - len(shown)} that are not drawn make up {rest:.1%}"
    sheet.text(0.1, top + 0.06, "Where to hide", style.TITLE, weight="bold")
    sheet.text(1.3, top + 0.085, text, style.SMALL, style.MUTED)
    wide = 10 * CELL
    for number, one in enumerate(shown):
        row, column = divmod(number, COLUMNS)
        left, upper = 0.1 + column * (wide + 0.115), top + 0.36 + row * (wide + 0.27)
        sheet.text(left, upper, f"{one['weight']:.1%}", style.SMALL)
        axes = sheet.axes(left, upper + 0.14, wide, wide)
        board = draw.Board(axes, GAME.size, CELL * 72, labels=False)
        layout = read(GAME, found["boards"][one["number"]]["board"])
        put(board, boards_of(GAME, layout[None])[0].tolist())


def gains(
    sheet: draw.Sheet, top: float, shown: Sequence[dict[str, Any]], mixed: dict[str, Any]
) -> None:
    """What each rule, and the die, win against the lottery, beside uniform boards."""
    title = "What hunters win against it"
    sheet.text(0.1, top + 0.06, title, style.TITLE, weight="bold")
    rows = [("the die", KINDS[MIXTURE], mixed)]
    rows += [(row["name"], KINDS[kind_of(row["name"])], row) for row in shown]
    rates = [100 * row[side]["win"]["value"] for _, _, row in rows for side in SIDES]
    upper, height = top + 0.36, STEP * len(rows)
    chart = draw.Chart(
        sheet,
        (LEFT, upper, WIDTH, height),
        x=(min(rates) - 2, max(rates) + 2),
        y=(len(rows) - 0.5, -0.5),
        across="Races won (%)",
    )
    chart.axes.set_yticks([])
    sheet.text(LEFT + WIDTH + 0.45, top + 0.21, "Points", style.SMALL, style.MUTED, across="right")
    for y, (name, color, row) in enumerate(rows):
        ends = [100 * row[side]["win"]["value"] for side in SIDES]
        chart.axes.plot(ends, [y, y], color=color, linewidth=1.2)
        chart.axes.plot(ends[:1], [y], "o", color=color, markersize=4)
        chart.axes.plot(ends[1:], [y], "|", color=color, markersize=6, markeredgewidth=1.3)
        at, gain = upper + (y + 0.5) * STEP - 0.065, 100 * row["gain"]["value"]
        sheet.text(LEFT - 0.1, at, name, style.SMALL, color, across="right")
        told = f"{gain:+.1f}".replace("-", "−")
        sheet.text(LEFT + WIDTH + 0.45, at, told, style.SMALL, across="right")
    key(sheet, upper + height + 0.44, [MIXTURE, *(kind_of(row["name"]) for row in shown)])
    note = (
        "Dot: against the lottery; short mark: on uniform boards; points: what the lottery gains. "
        "All rules the die was made from, and the fastest strategy."
    )
    sheet.text(0.1, upper + height + 0.62, note, style.SMALL, style.MUTED)


def two_sided(sheet: draw.Sheet, top: float, told: dict[str, Any]) -> None:
    """What each of four players wins against each other one."""
    left, wide = 4.95, 0.5
    sheet.text(left, top + 0.06, "Two-sided race", style.TITLE, weight="bold")
    players = list(dict.fromkeys(name(one[side]) for one in told["races"] for side in SEATS))
    letters = dict(zip(players, "ABCD", strict=True))
    won = {}
    for one in told["races"]:
        pair = [letters[name(one[side])] for side in SEATS]
        won[tuple(pair)], won[tuple(reversed(pair))] = one["win"]["value"], 1 - one["win"]["value"]
    at = top + 0.36
    sheet.text(left, at, "wins against", style.SMALL, style.MUTED)
    for number, letter in enumerate(letters.values()):
        right, row = left + 0.78 + wide * number, at + 0.2 * (number + 1)
        sheet.text(right, at, letter, style.SMALL, weight="bold", across="right")
        sheet.text(left + 0.3, row, letter, style.SMALL, weight="bold", across="right")
        for place, other in enumerate(letters.values()):
            text = "·" if letter == other else f"{won[letter, other]:.1%}"
            right = left + 0.78 + wide * place
            sheet.text(right, row, text, style.SMALL, across="right")
    at += 0.2 * (len(letters) + 1) + 0.14
    for player, letter in letters.items():
        sheet.text(left, at, letter, style.SMALL, weight="bold")
        sheet.text(left + 0.16, at, player, style.SMALL)
        at += 0.3
    error = max(one["win"]["se"] for one in told["races"])
    note = f"Each hunts the boards that the other hides\non; standard errors up to {error:.1%}."
    sheet.text(left, at + 0.08, note, style.SMALL, style.MUTED)


def name(player: dict[str, str]) -> str:
    """A player by what he hunts with and where he hides."""
    who = "the die" if player["hunts"] == "die" else player["hunts"]
    return f"{who},\n{HIDES[player['hides']]}"


if __name__ == "__main__":
    main(__file__, "classic_fleet", figure)
