"""The tables of the write-up in Markdown, published figures beside ours."""

from math import ceil, log10
from typing import Any

from figures.script import Results, Text, claim, main

STRATEGIES = {
    "random": "Random (Easy)",
    "hunt-target-no-parity": "Hunt & target without parity",
    "hunt-target": "Hunt & target (Normal)",
    "density": "Probability density (Hard)",
}
HIDERS = {
    "uniform": "every layout equally likely",
    "ship-by-ship": "ships placed one after the other",
}


def figure(results: Results) -> Text:
    parts = [
        ships(results.read("placements")),
        finishing(results.read("finishing")),
        strategies(results.read("strategies")),
        kinds(results.read("game")),
        ties(results.read("ties")),
    ]
    return Text("# How the computer finds your ships: tables\n\n" + "\n".join(parts))


def ships(told: dict[str, Any]) -> str:
    """Positions of each ship and of the whole fleet."""
    rows = []
    for ship in told["ships"]:
        found = (ship["placements"], ship["formula"], ship["published"])
        claim(len(set(found)) == 1, f"the {ship['name']} has {ship['published']} positions")
        side = 10 - ship["cells"] + 1
        rows.append([ship["name"].capitalize(), ship["cells"], f"2 · 10 · {side} = {found[0]}"])
    fleet = told["fleet"]
    claim((fleet["cells"], fleet["placements"]) == (17, 760), "17 cells and 760 positions in all")
    rows.append(["Fleet", fleet["cells"], fleet["placements"]])
    published, layouts = told["published"], told["layouts_told_apart"]
    claim(told["product"] == published["product"], "the product of the positions is the published")
    text = table(["Ship", "Cells", "Positions"], rows, "lrr")
    text += f"\nWith overlaps allowed the five ships lie in {told['product']:,} ways"
    if layouts is None:
        return "## Ships\n\n" + text + "; fleets without overlaps were not counted.\n"
    claim(layouts == published["layouts_told_apart"], "the count of fleets is the published one")
    claim(f"{told['share']:.0%}" == "39%", "39% of the arrangements are left")
    return f"## Ships\n\n{text}, without overlaps in {layouts:,}: {told['share']:.1%} of them.\n"


def finishing(told: dict[str, Any]) -> str:
    """The Normal computer finishing a cruiser."""
    rows = []
    for number, shot in enumerate(told["shots"], 1):
        claim(shot["is_allowed"], f"the machine allows {shot['cell']}")
        claim(shot["then"] == shot["published_then"], f"{shot['cell']} leads to {shot['then']}")
        rows.append([number, shot["cell"], shot["result"], shot["before"], shot["then"]])
    head = ["Shot", "Cell", "Result", "Fired in", "Then"]
    return "## Finishing a cruiser\n\n" + table(head, rows, "rllll")


def strategies(told: dict[str, Any]) -> str:
    """Shots of the four strategies against both hiders, savings and the exact law."""
    sample, error = told["sample"], told["published_mean_error"]
    text = "## Shots needed to sink the whole fleet\n"
    for hider, block in told["hiders"].items():
        rows = []
        for name, title in STRATEGIES.items():
            ours = block["strategies"][name]
            for what, agrees in ours["agrees"].items():
                claim(
                    hider != "uniform" or agrees, f"{title}: {what} agrees with the published one"
                )
            rows.append([title, f"{sample:,} published", *figures(ours["published"], error)])
            rows.append(["", f"{block['games']:,} here", *figures(ours, 2 * ours["se"])])
        head = ["Strategy", "Games", "Mean", "Median", "Middle 80%", "Best", "Worst", "Within 50"]
        text += f"\nFleets: {HIDERS[hider]}.\n\n" + table(head, rows, "llrrrrrr")
    text += "\nBehind ± are two standard errors. " + chance(told)
    return text + "\n" + savings(told) + "\n" + law(told["random_law"])


def figures(of: dict[str, Any], error: float) -> list[str]:
    """Cells of one row of the table of strategies, with the decimals that the error allows."""
    decimals = max(1, ceil(-log10(error)))
    within = f"{of['within_50']:.{decimals - 1}%}" if "within_50" in of else ""
    return [
        f"{of['mean']:.{decimals}f} ± {error:.{decimals}f}",
        str(of["median"]),
        f"{of['p10']}–{of['p90']}",
        str(of["best"]),
        str(of["worst"]),
        within,
    ]


def chance(told: dict[str, Any]) -> str:
    """What 1,000 games show by chance, and the first 1,000 games of the runs."""
    block = told["hiders"]["uniform"]["strategies"]
    rows = []
    for name, title in STRATEGIES.items():
        first, blocks = block[name]["first_thousand"], block[name]["thousands"]
        published = block[name]["published"]
        best, worst = blocks["best"], blocks["worst"]
        rows.append(
            [
                title,
                f"{blocks['mean_within_published_error']:.1%}",
                f"{first['mean']:.1f}",
                f"{published['best']}, {first['best']}, {best[0]}–{best[1]}",
                f"{published['worst']}, {first['worst']}, {worst[0]}–{worst[1]}",
            ]
        )
    count, sample = block["random"]["thousands"]["blocks"], told["sample"]
    head = ["Strategy", "Means within 0.9", "Mean of the first", "Best", "Worst"]
    return (
        f"Best and worst depend on the number of games. Cut into {count:,} blocks of {sample:,} "
        "games, the runs against uniform fleets show how far a block's mean strays; best and "
        "worst are given as published, of the first block, and as the middle 95% of all blocks.\n\n"
        + table(head, rows, "lrrrr")
    )


def savings(told: dict[str, Any]) -> str:
    """What the search pattern and the density save."""
    names = {"parity": "Search pattern", "density": "Probability density"}
    rows = []
    for hider, block in told["hiders"].items():
        for what, saved in block["savings"].items():
            claim(saved["mean"] > 0, f"{names[what]} saves shots")
            rows.append(
                [
                    names[what],
                    HIDERS[hider],
                    f"{saved['published']} ± {saved['published_error']:.1f}",
                    f"{saved['mean']:.3f} ± {2 * saved['se']:.3f}",
                    "yes" if saved["agrees"] else "no",
                ]
            )
    head = ["Shots saved by", "Fleets", "Published", "Here", "Agrees"]
    return table(head, rows, "llrrl")


def law(told: dict[str, Any]) -> str:
    """Random fire from the hypergeometric law."""
    published = told["published"]
    claim(round(told["mean"], 1) == published["mean"], "random fire needs 95.4 shots")
    claim(told["median"] == published["median"], "the median of random fire is 97")
    claim(round(told["within_85"], 3) == published["within_85"], "4.8% are over within 85 shots")
    return (
        f"Random fire, from the hypergeometric law: mean {told['mean']:.3f} "
        f"({told['mean_exact']}), median {told['median']}, over within 85 shots with probability "
        f"{told['within_85']:.1%}.\n"
    )


def kinds(told: dict[str, Any]) -> str:
    """Hunt and target shots of the typical game and of an average one."""
    titles = {"hunt-target": "With parity", "hunt-target-no-parity": "Without parity"}
    published, rows = told["published"], []
    for name, title in titles.items():
        game, mean = told["played"][name], told["averages"][name]
        claim(game["hunt"] + game["target"] == game["shots"], "the kinds add up")
        rows.append(
            [
                title,
                f"{published[name]['hunt']} + {published[name]['target']}",
                f"{game['hunt']} + {game['target']}",
                f"{mean['hunt']:.2f} + {mean['target']:.2f}",
            ]
        )
    games = told["averages"]["hunt-target"]["games"]
    head = [
        "Hunt + target shots",
        f"Game {published['number']}, published",
        f"Game {told['number']} here",
        f"Mean of {games:,} games",
    ]
    return "## One game\n\n" + table(head, rows, "lrrr") + f"\n{told['rule']}\n"


def ties(told: dict[str, Any]) -> str:
    """The density hunter with ties at random and to the lowest cell, beside a public figure."""
    titles = {"random": "at random", "lowest": "to the lowest cell"}
    public, rows = told["published"], []
    for hider, block in told["hiders"].items():
        for name, title in titles.items():
            mean = block["ties"][name]
            agrees = "yes" if mean["agrees"] else "no"
            shots = f"{mean['mean']:.3f} ± {2 * mean['se']:.3f}"
            rows.append([title, HIDERS[hider], f"{block['games']:,}", shots, agrees])
        step = block["difference"]
        claim(step["mean"] > 4 * step["se"], f"ties at random cost shots, fleets {hider}")
        saved = f"{step['mean']:.3f} ± {2 * step['se']:.3f}"
        rows.append(["difference, same boards", HIDERS[hider], f"{block['games']:,}", saved, ""])
    claim(told["hiders"]["uniform"]["ties"]["lowest"]["agrees"], "the public figure is met")
    head = ["Ties", "Fleets", "Games", "Mean", "Agrees"]
    return (
        "## Ties of the density hunter, sinks announced by size\n\n"
        f"A public density program: {public['mean']} ± {public['error']} shots over "
        f"{public['games']:,} uniform boards. Behind ± here are two standard errors.\n\n"
        + table(head, rows, "llrrl")
    )


def table(head: list[str], rows: list[list[Any]], align: str) -> str:
    """A table in Markdown; `align` has l or r for each column."""
    lines = [head, [":--" if side == "l" else "--:" for side in align], *rows]
    return "".join(f"| {' | '.join(map(str, line))} |\n" for line in lines)


if __name__ == "__main__":
    main(__file__, "how_the_computer", figure)
