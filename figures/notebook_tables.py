"""The tables of the write-up in Markdown, published figures beside ours."""

from typing import Any

from figures.script import Results, Text, claim, main

RULES = {
    "probability": "Probability",
    "information": "Information",
    "lookahead-hits": "Lookahead: hits",
    "lookahead-information": "Lookahead: information",
}
WHAT = {
    "saving": "shots saved by knowing the habit, opponent follows it",
    "cost": "shots lost by expecting the habit, opponent uniform",
    "assumes_vs_habit": "shots, player assumes uniform, opponent follows the habit",
    "knows_vs_habit": "shots, player knows the habit, opponent follows it",
}


def figure(results: Results) -> Text:
    rules_told, habits_told = results.read("rules"), results.read("habits")
    parts = [
        rules(rules_told),
        lookahead(rules_told),
        ties(rules_told),
        habits(habits_told),
        prior(habits_told),
        sampler(results.read("sampler")),
    ]
    return Text("# Battleship (notebook): tables\n\n" + "\n".join(parts))


def rules(told: dict[str, Any]) -> str:
    """Random fire and the two greedy rules."""
    random, rows = told["random"], []
    claim(random["mean"] == random["published"]["mean"], "random fire needs 88.375 shots")
    both = {"Random": random} | {RULES[n]: told["rules"][n] for n in ("probability", "information")}
    for title, rule in both.items():
        published = rule["published"]
        rows.append(
            [
                title,
                f"{rule['mean']:.3f}",
                rule["mean_exact"],
                published["mean"],
                rule["median"],
                rule["p95"],
                rule["best"],
                rule["worst"],
            ]
        )
    head = ["Rule", "Mean", "Exactly", "Published", "Median", "95%", "Best", "Worst"]
    return (
        "## Which rule wins?\n\n"
        f"Shots to sink both ships over all {told['layouts']:,} layouts; nothing is sampled.\n\n"
        + table(head, rows, "lrrrrrrr")
    )


def lookahead(told: dict[str, Any]) -> str:
    """The lookaheads beside the one-shot rules, paired by layout."""
    rows = []
    for name, title in RULES.items():
        rule = told["rules"][name]
        published, check = rule["published"], rule["one_by_one"]
        for what, agrees in rule["agrees"].items():
            claim(agrees, f"{title}: {what} is the published {published[what]}")
        claim(check["mismatches"] == 0, f"{title}: games end as the tree says")
        hunter = rule.get("hunter")
        claim(hunter is None or hunter["mismatches"] == 0, f"{title}: the hunter plays the rule")
        shown = (rule["median"], rule["p95"], rule["worst"])
        claim(shown == (25, 41, 52), f"{title}: median, 95% and worst are 25, 41 and 52")
        change = "" if name == "probability" else f"{rule['difference']:+.4f}"
        stated = f"{published['difference']:+.2f}" if "difference" in published else ""
        rows.append([title, f"{rule['mean']:.4f}", change, stated])
        rows[-1] += [f"{rule[what]:,}" for what in ("fewer", "same", "more")]
    checked = {rule["one_by_one"]["layouts"] for rule in told["rules"].values()}
    claim(len(checked) == 1, "every rule is checked on as many layouts")
    hunters = [RULES[name] for name in RULES if "hunter" in told["rules"][name]]
    head = ["Rule", "Mean", "Against probability", "Published", "Fewer", "Same", "More"]
    return (
        "## Looking two shots ahead\n\n"
        + table(head, rows, "lrrrrrr")
        + "\nThe last columns count layouts on which a rule needs fewer, as many or more shots "
        "than the probability rule; they are those of the write-up's own program. Median, 95th "
        "percentile and worst case are 25, 41 and 52 shots for all four. Played game by game, "
        f"every rule needs what its tree says on all of {checked.pop()} random layouts; so do the "
        f"registered hunters that play a rule ({', '.join(hunters).lower()}).\n"
    )


def ties(told: dict[str, Any]) -> str:
    """The rules with their ties broken by random orders of the cells."""
    rows, other = [], told["ties"]
    lowest = {name: told["rules"][name]["mean"] for name in RULES}
    moved = max(other["means"]["probability"]) - lowest["probability"]
    apart = max(lowest.values()) - lowest["probability"]
    claim(moved > apart, "ties move the mean of the probability rule as much as the rules differ")
    for name, title in RULES.items():
        means, differences = other["means"][name], other["differences"][name]
        if name != "probability":
            claim(min(differences) > 0, f"{title} needs more shots in every order")
        row = [title, f"{min(means):.3f} to {max(means):.3f}"]
        behind = f"{min(differences):+.3f} to {max(differences):+.3f}"
        rows.append([*row, "" if name == "probability" else behind])
    head = ["Rule", "Mean", "Against probability, same order"]
    return (
        "### Ties\n\n"
        "Above, ties go to the lowest cell, as in the write-up. Which of several equal cells is "
        "fired at moves the means as much as the rules differ, but in each of "
        f"{other['orders']} random orders of the cells the probability rule stays ahead:\n\n"
        + table(head, rows, "lrr")
    )


def habits(told: dict[str, Any]) -> str:
    """The text's figures of habits."""
    rows = []
    for quoted in told["quoted"]:
        claim(
            quoted["agrees_but_for_ties"], f"the text's {quoted['what']} of {quoted['published']}"
        )
        decimals, corrected = quoted["decimals"], quoted["corrected"]
        agrees = "yes" if quoted["agrees"] else "but for ties"
        if corrected is not None:
            agrees += f" (the text rounds {corrected:.3f} wrongly)"
        rows.append(
            [
                f"{quoted['a']:g}",
                f"{quoted['b']:g}",
                WHAT[quoted["what"]],
                f"{quoted['published']:.{decimals}f}",
                f"{quoted['measured']:.3f}",
                f"{quoted['least']:.2f} to {quoted['most']:.2f}",
                agrees,
            ]
        )
    head = ["a", "b", "What", "Published", "Here", "Over orders of ties", "Agrees"]
    return (
        "## When opponents aren't uniform\n\n"
        "The write-up's program leaves ties of the player who knows the habit to rounding. Here "
        f"they go to the lowest cell; beside it, the range with {told['settings']['orders']} "
        "random orders.\n\n" + table(head, rows, "rrlrrrl")
    )


def prior(told: dict[str, Any]) -> str:
    """How layouts look under the habit."""
    check = told["prior_check"]
    published, habit = check["published"], check["habit"]
    touching, edge = check["touching"], check["edge_squares"]
    percent = round(100 * touching["uniform"])
    claim(percent == published["touching_percent"], "17% of uniform layouts have touching ships")
    said = []
    for a, times in check["weight_of_most_edge_squares"].items():
        figure = published["ratios"][a]
        claim(abs(times / figure - 1) < 0.02, f"about {figure} times the weight at a = {a}")
        said.append(f"{times:,.1f} times at a = {a} (published: about {figure:,})")
    rows = [
        ["touching ships", *(f"{touching[who]:.2%}" for who in ("uniform", "habit"))],
        ["edge squares of 7", *(f"{edge[who]:.3f}" for who in ("uniform", "habit"))],
    ]
    head = ["Layouts", "Uniform", f"a = {habit['a']:g}, b = {habit['b']:g}"]
    return (
        "### Layouts under a habit\n\n"
        + table(head, rows, "lrr")
        + "\nA layout with all seven squares on the border weighs, against one with none: "
        + "; ".join(said)
        + ".\n"
    )


def sampler(told: dict[str, Any]) -> str:
    """Draws against exact chances."""
    text = "## The sampler\n"
    worst = 0.0
    for game, block in told["games"].items():
        rows, two = [], game == "two_ships"
        for one in block["histories"]:
            published, off = one["published"], one["largest_in_standard_errors"]
            what = f"{one['title']}: {off:.1f} standard errors"
            claim(off < 5, what)
            error = one["layouts_standard_error"]
            gap = abs(one["layouts_estimated"] - one["layouts"])
            claim(gap <= 5 * error + 1e-6 * one["layouts"], f"{one['title']}: layouts estimated")
            worst = max(worst, one["largest_difference"])
            theirs = f"{published['largest_difference']:.4f}" if two else f"{published['valid']:,}"
            ours = [f"{one['largest_difference']:.4f}", f"{off:.1f}"]
            sizes = [f"{one['effective']:,.0f}", f"{published['effective']:,}"]
            counts = [f"{one['layouts']:,}", f"{one['layouts_estimated']:,.0f}"]
            valid = [] if two else [f"{one['valid']:,}"]
            rows.append([one["title"], *counts, *sizes, *ours, *valid, theirs])
        head = ["History", "Layouts", "Estimated", "Effective size", "Published"]
        head += ["Largest difference", "In standard errors"]
        head += ["Published difference"] if two else ["Valid draws", "Published"]
        text += (
            f"\n{'Two' if two else 'Five'} ships, {block['draws']:,} draws a history:\n\n"
            + table(head, rows, "l" + "r" * (len(head) - 1))
        )
    claim(worst < 0.01, "the differences are a few thousandths")
    return text + (
        "\nCompared are the chances of a ship, of a hit that sinks nothing and of sinking each "
        "ship at every cell, in standard errors where at least "
        f"{told['expected']} effective draws should show the answer and as many should not.\n"
    )


def table(head: list[str], rows: list[list[Any]], align: str) -> str:
    """A table in Markdown; `align` has l or r for each column."""
    lines = [head, [":--" if side == "l" else "--:" for side in align], *rows]
    return "".join(f"| {' | '.join(map(str, line))} |\n" for line in lines)


if __name__ == "__main__":
    main(__file__, "notebook", figure)
