"""The tables of the write-up on the classic fleet in Markdown, beside the published figures."""

from collections.abc import Callable
from itertools import combinations
from typing import Any

from figures.classic_fleet_pace import TOLD, at
from figures.classic_fleet_speed_and_safety import full, kind_of
from figures.notebook_tables import table
from figures.script import Results, Text, claim, main

CLOSE = 0.15
"""Shots within which a mean is the published one."""
NOISE = 1.0
"""Published worst cases that differ by so many points or less are not told apart."""
NAMED, SEARCHED = 40, 12
"""Strategies that are named, and searched, at least."""
HEAT_MAP = 6.0
"""Races in percent that a heat map wins at most on its worst board."""
HOURS = 19
"""Published: hours that the search against one strategy took, on six threads."""
SEATS = ("player", "other")
PLACES = {"lottery": "the lottery", "uniform": "uniform boards"}

Told = dict[str, dict[str, Any]]
Sections = dict[str, Callable[[Told], str]]


def figure(results: Results) -> Text:
    parts = ("paces", "strategies", "hard_boards", "heat_maps", "mixture", "luck")
    told = {name: results.read(name) for name in parts}
    sections: Sections = {
        "Shots and races": paces,
        "Strategies": strategies,
        "Worst boards": worst_boards,
        "Worst boards of the heat maps": heat_maps,
        "Ranking": ranking,
        "Throughput of the search": throughput,
        "A die over rules": mixture,
        "Hiding": hiding,
        "Two-sided races": two_sided,
        "Luck with the 2": luck,
    }
    text = "# The classic fleet\n"
    for title, section in sections.items():
        text += f"\n## {title}\n\n{section(told)}"
    return Text(text)


def paces(told: Told) -> str:
    found = told["paces"]["paces"]
    head, columns = ["Shots"], []
    for name, pace in found.items():
        head += [f"wins % against `{name}`", "one more costs"]
        columns.append(pace)
    rows = []
    for shots in TOLD:
        row = [str(shots)]
        for pace in columns:
            win, cost = at(pace, shots)
            row += [f"{100 * win:.1f}", f"{100 * cost:.1f}"]
        rows.append(row)
    means = ", ".join(f"`{name}` {pace['mean']:.2f} shots" for name, pace in found.items())
    return table(head, rows, "r" * len(head)) + f"\n{means}.\n"


def strategies(told: Told) -> str:
    found = told["strategies"]
    if full(found):
        check_means(found)
    rows = []
    for one in found["strategies"]:
        published, win = one["published"], one["race"]["win"]
        rows.append(
            [
                f"`{one['name']}`",
                one["about"],
                kind_of(one["name"]),
                f"{one['mean']:.2f} ± {one['se']:.2f}",
                number(published["mean"]),
                percent(win),
                number(published["win"], 100),
                f"{one['p10']}–{one['p90']}",
            ]
        )
    games = sorted({one["games"] for one in found["strategies"]})
    head = ["Strategy", "What it does", "Played", "Mean shots", "published"]
    head += ["Races won %", "published", "Middle 80%"]
    return (
        table(head, rows, "lllrrrrr")
        + f"\n{' or '.join(f'{one:,}' for one in games)} games on uniform boards, ± one standard "
        f"error; races against the pace `{found['pace']}`.\n"
    )


def check_means(found: dict[str, Any]) -> None:
    """Full results: enough strategies and games, and the published means."""
    rows = found["strategies"]
    claim(len(rows) > NAMED, f"more than {NAMED} strategies")
    claim(min(one["games"] for one in rows) >= 100_000, "100,000 games of each")
    for one in rows:
        published = one["published"]["mean"]
        near = published is None or abs(one["mean"] - published) < CLOSE
        claim(near, f"{one['name']}: {published} shots, within {CLOSE}")


def worst_boards(told: Told) -> str:
    found = told["hard_boards"]
    if full(found):
        enough = len(found["strategies"]) >= SEARCHED
        claim(enough, f"{SEARCHED} strategies or more were searched")
    return searched(found)


def heat_maps(told: Told) -> str:
    found = told["heat_maps"]
    if full(found):
        for one in found["strategies"]:
            claim(one["worst_case"] <= HEAT_MAP, f"{one['name']}: ≤ {HEAT_MAP}%")
    return searched(found)


def searched(found: dict[str, Any]) -> str:
    """The strategies of one search by their worst boards, and what it spent."""
    rows = []
    for one in found["strategies"]:
        claim(one["worst_case"] >= 100 * one["win_rate"] - 1e-9, "a bound is rounded up")
        low = min(one["stages"], key=lambda stage: stage["lowest"])
        rows.append(
            [
                f"`{one['name']}`",
                f"≤ {one['worst_case']:.1f}",
                percent(one, "win_rate"),
                bound(one["published_worst"]),
                f"{one['mean_shots']:.2f}",
                f"{one['shots']['best']}–{one['shots']['worst']}",
                " ".join(one["ships"].values()),
                f"{one['found_by']}, {one['found_in']}",
                low["stage"],
            ]
        )
    settings = found["settings"]["search"]
    head = ["Strategy", "Worst case %", "Measured %", "published", "Mean shots", "Shots"]
    head += ["Board (5, 4, 3, 3, 2)", "Found by, in", "Lowest reading in"]
    return table(head, rows, "lrrrrrlll") + (
        f"\nBudget: {settings['budget']:g} of the published one, which is {settings['own']:,} "
        f"games of the own search and {settings['confirmed']:,} of each confirmed descent; "
        f"{found['boards_found']:,} boards were found in all. Measured on "
        f"{settings['games']:,} fresh games that chose nothing, ± one standard error. The fewest "
        "and most shots are those of these games.\n"
    )


def ranking(told: Told) -> str:
    found = told["hard_boards"]
    here, published = found["ranks"]["here"], found["ranks"]["published"]
    by_name = {one["name"]: one for one in found["strategies"]}
    rows = [
        [
            str(place),
            f"`{name}`",
            f"≤ {by_name[name]['worst_case']:.1f}",
            str(published.index(name) + 1),
            bound(by_name[name]["published_worst"]),
        ]
        for place, name in enumerate(here, 1)
    ]
    head = ["Place here", "Strategy", "Worst case %", "place published", "worst case published"]
    told_apart, alike, off = agreement(found["strategies"])
    text = (
        f"\nOf {told_apart} pairs whose published worst cases differ by more than {NOISE:g} point, "
        f"{alike} are in the same order here"
    )
    text += f"; not {'; '.join(off)}.\n" if off else ".\n"
    return table(head, rows, "rlrrr") + text


def agreement(rows: list[dict[str, Any]]) -> tuple[int, int, list[str]]:
    """Pairs that the published bounds tell apart, how many are in the same order here, and the
    others."""
    known = [one for one in rows if one["published_worst"] is not None]
    pairs, off = 0, []
    for one, other in combinations(known, 2):
        theirs = 100 * (one["published_worst"] - other["published_worst"])
        if abs(theirs) <= NOISE + 1e-9:
            continue
        pairs += 1
        if theirs * (one["win_rate"] - other["win_rate"]) <= 0:
            off.append(f"`{one['name']}` and `{other['name']}`")
    return pairs, pairs - len(off), off


def throughput(told: Told) -> str:
    found = told["hard_boards"]
    rows, hours = [], []
    for one in (*found["strategies"], *told["heat_maps"]["strategies"]):
        speed = one["speed"]
        rate = speed["games_per_second"]
        played = f"{speed['games_played']:,}"
        if rate is None:
            rows.append([f"`{one['name']}`", played, "", "", ""])
            continue
        hours.append(speed["published_hours"])
        rows.append(
            [
                f"`{one['name']}`",
                played,
                f"{rate:,.0f}",
                f"{rate * one['mean_shots']:,.0f}",
                f"{speed['published_hours']:.2f}",
            ]
        )
    head = ["Strategy", "Games played", "Games/s", "Decisions/s", "Hours of the published budget"]
    text = table(head, rows, "lrrrr") + (
        "\nSpeed inside the search, compiling not counted, on "
        f"{found['origin']['device']}; decisions are games times the mean shots of the "
        f"worst board. The published budget is {found['published_games']:,} games"
    )
    if hours:
        text += (
            f": {min(hours):.2f} to {max(hours):.2f} hours here (published: {HOURS} hours on six "
            "threads for its best strategy, which plays some 8 games a second)"
        )
    return text + ".\n"


def mixture(told: Told) -> str:
    found, published = told["mixture"]["mixture"], told["mixture"]["published"]
    worst = found["worst"]
    rows = [
        [
            f"`{name}`",
            f"{100 * weight:.1f}",
            percent(worst["rules"][name]),
            f"{worst['rules'][name]['mean_shots']:.2f}",
        ]
        for name, weight in found["die"].items()
    ]
    head = ["Rule", "Weight %", "Wins % on the worst board of the die", "Shots there"]
    maps = sum(weight for name, weight in found["die"].items() if kind_of(name) == "heat map")
    uniform = told["mixture"]["hiding"]["die"]["uniform"]["win"]
    rounds = found["rounds"]
    return table(head, rows, "lrrr") + (
        f"\nThe die wins ≤ {worst['worst_case']:.1f}% of races on its worst board found, "
        f"{' '.join(worst['ships'].values())} ({percent(worst, 'win_rate')}%, "
        f"{worst['mean_shots']:.2f} shots, {worst['games']:,} games of each rule), and "
        f"{percent(uniform)}% on uniform boards. Published: ≤ {100 * published['worst']:.1f}%, "
        f"{published['rules']} rules, the heat map in about {published['heat-map']:.0%} of games; "
        f"here {len(found['die'])} rules, heat maps in {maps:.1%}. {len(found['rules'])} rules, "
        f"{len(found['boards'])} boards; searches: {len(rounds)}, of which the last, a thorough "
        f"one, held the die to {100 * rounds[-1]['lowest']:.2f}%, the boards known before to "
        f"{100 * rounds[-1]['held']:.2f}%.\n"
    )


def hiding(told: Told) -> str:
    part = told["mixture"]
    found, own = part["mixture"], part["hiding"]
    boards = [
        [f"{100 * one['weight']:.1f}", found["boards"][one["number"]]["board"]]
        for one in found["hiding"]["boards"]
    ]
    rows = [["the die", *gains(own["die"]), ""]]
    rows += [
        [f"`{one['name']}`", *gains(one), f"{one['mean_shots']['value']:.2f}"]
        for one in own["strategies"]
    ]
    head = ["Hunter", "Wins % on uniform boards", "against the lottery", "gain, points", "shots"]
    return (
        table(["Weight %", "Board (5, 4, 3, 3, 2)"], boards, "rl")
        + f"\nBoards are turned at random. By the readings that chose them no rule of the matrix "
        f"wins more than {100 * found['hiding']['high']:.2f}% against the lottery.\n\n"
        + table(head, rows, "lrrrr")
        + f"\nMeasured on {part['settings']['games']:,} games of their own, ± one standard error; "
        f"the best against the lottery is `{own['best']['name']}`.\n"
    )


def gains(one: dict[str, Any]) -> list[str]:
    """Win rates on uniform boards and against the lottery, and what the lottery gains."""
    rates = [percent(one[where]["win"]) for where in ("uniform", "lottery")]
    gain = one["gain"]
    # Without the sign of a gain that rounds to nothing.
    value = round(100 * gain["value"], 1) + 0.0
    return [*rates, f"{value:.1f} ± {100 * gain['se']:.1f}"]


def two_sided(told: Told) -> str:
    found = told["mixture"]["two_sided"]
    rows = [
        [
            *(f"{part}" for side in SEATS for part in player(one[side])),
            *(percent(one[when]) for when in ("win", "first", "second")),
        ]
        for one in found["races"]
    ]
    head = ["Hunts by", "hides on", "against: hunts by", "hides on"]
    head += ["Wins %", "moving first", "moving second"]
    return table(head, rows, "llllrrr") + (
        f"\nEach hunts the boards of the other; {found['games']:,} games a pairing, ± one standard "
        "error.\n"
    )


def player(one: dict[str, str]) -> tuple[str, str]:
    """What a player hunts by and hides on."""
    return ("the die" if one["hunts"] == "die" else f"`{one['hunts']}`", PLACES[one["hides"]])


def luck(told: Told) -> str:
    found = told["luck"]
    rows = []
    for kind, text in (("met", "meets the 2"), ("missed", "misses the 2")):
        one, published = found[kind], found[kind]["published"]
        rows.append(
            [
                text,
                f"{100 * one['share']:.2f}",
                f"{100 * published['share']:.1f}",
                f"{one['mean']:.2f} ± {one['se']:.2f}",
                number(published["mean"]),
                percent(one["race"]["win"]),
                number(published["win"], 100),
            ]
        )
    head = ["First set", "Games %", "published", "Mean shots", "published", "Races won %"]
    return (
        table([*head, "published"], rows, "lrrrrrr")
        + f"\n{found['games']:,} games of `{found['name']}` on uniform boards.\n"
    )


def percent(one: dict[str, Any], name: str = "value") -> str:
    """A share of races with its standard error, in percent."""
    return f"{100 * one[name]:.2f} ± {100 * one['se']:.2f}"


def number(value: float | None, scale: int = 1) -> str:
    """A published figure as it is written; nothing if there is none."""
    return "" if value is None else f"{scale * value:.1f}"


def bound(value: float | None) -> str:
    """A published worst case in percent; nothing if there is none."""
    return "" if value is None else f"≤ {100 * value:.1f}"


if __name__ == "__main__":
    main(__file__, "classic_fleet", figure)
