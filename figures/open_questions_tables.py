"""The open questions of the write-up and their answers in Markdown, with a paragraph for each.

What an answer says (`SAYS`) is checked against its 95% interval before it is written.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from figures.notebook_tables import table
from figures.open_questions_habits import check as check_boards
from figures.script import Results, Text, claim, main

SAYS = {
    "information": "more",
    "information named": "more",
    "information sampled": "more",
    "information finishing": "more",
    "lookahead-hits": "more",
    "lookahead-information": "unclear",
    "lookahead-information - probability": "unclear",
    "lookahead-hits, more draws": "unclear",
    "1500 draws": "more",
    "1500 draws, random ties": "unclear",
    "random ties": "unclear",
    "density": "more",
    "density-lowest": "unclear",
    "rollout": "unclear",
    "rollout judged": "fewer",
    "rollout base": "fewer",
}
"""Whether a hunter needs more or fewer shots than the one it is compared with, or the 95% interval
holds 0."""

HELPFUL = 0.5
"""Knowing a habit of this strength or more is said to save shots."""


class Answer(NamedTuple):
    """One question and its answer."""

    question: str
    answer: str
    estimate: str
    interval: str
    boards: str
    paragraph: str


def figure(results: Results) -> Text:
    parts: list[tuple[str, Callable[[dict[str, Any]], Answer]]] = [
        ("information", information),
        ("lookahead", lookahead),
        ("habits", habits),
        ("estimate", estimate),
        ("draws", draws),
        ("rollout", rollout),
    ]
    told = {name: results.read(name) for name, _ in parts}
    told["draws"]["density"] = told["information"]["comparisons"]
    answers = [answer(told[name]) for name, answer in parts]
    head = ["Question", "Answer", "Shots", "95% interval", "Boards"]
    rows = [[*answer[:5]] for answer in answers]
    text = "# Open questions of Battleship (notebook)\n\n" + table(head, rows, "llrrr")
    text += (
        f"\nStandard fleet ({told['information']['game']}). Hunters that are compared met the same "
        "boards; the standard error of a difference is the standard deviation of the paired "
        "differences divided by √boards, and ± is 1.96 of them.\n"
    )
    for number, answer in enumerate(answers, 1):
        text += f"\n## {number}. {answer.question}\n\n{answer.paragraph}"
    text += f"\n## Hunters\n\n{hunters(told)}"
    return Text(text)


def information(told: dict[str, Any]) -> Answer:
    pairs, figures = told["comparisons"], told["hunters"]
    gap, named, sampled = (
        pairs[name] for name in ("information - probability", "named", "sampled")
    )
    more = told["gap_over_draws_less_gap_exact"]
    phases = told["phases"]["information - probability"]
    search, finish = phases["search"], phases["finish"]
    says("information", gap)
    says("information named", named)
    says("information sampled", sampled)
    says("information finishing", finish)
    parts = search["mean"] + finish["mean"]
    claim(abs(parts - gap["mean"]) < 1e-9, "the misses add up to the difference")
    noise = {
        "more": f"drawing adds {shots(more)} to it, and most of it is there without any noise",
        "fewer": f"that is {shots(more)} less, so noise is not what makes the rule worse",
        "unclear": f"the two differ by {signed(more)}, so noise is not what makes the rule worse",
    }[verdict(more)]
    if verdict(more) == "more":
        claim(more["mean"] < gap["mean"] / 2, "most of the gap is there without noise")
    paragraph = (
        f"With the posterior counted exactly, "
        f"{phrase(gap, 'the information rule', 'the probability rule')} "
        f"({figures['information']['mean']:.2f} against {figures['probability']['mean']:.2f}; "
        f"{gap['games']:,} boards, paired standard deviation {gap['sd']:.1f}). It needs fewer "
        f"shots on {gap['fewer']:.0%} of the boards and more on {gap['more']:.0%}. Where the ship "
        f"that sinks is named, as in the write-up, the difference is {signed(named)} "
        f"({named['games']:,} boards). The write-up suspected that 1,500 draws are too few: over "
        f"{told['settings']['draws']:,} draws the difference is {signed(sampled)}; {noise}. "
        f"All hunters hit equally often, so the difference lies in the misses: {signed(search)} of "
        f"them while no ship is hit and afloat, and {signed(finish)} while one is. The first hit "
        f"comes {signed(phases['first_hit'])} shots later.\n"
    )
    return Answer(
        "Is the information rule worse than the probability rule?",
        {"more": "Yes", "fewer": "No, it is better", "unclear": "Not measurably"}[verdict(gap)],
        *numbers(gap),
        paragraph,
    )


def lookahead(told: dict[str, Any]) -> Answer:
    pairs, draws = told["comparisons"], told["settings"]["draws"]
    hits, left = pairs["hits"], pairs["information"]
    other, more = pairs["information - probability"], pairs["hits, more draws"]
    says("lookahead-hits", hits)
    says("lookahead-information", left)
    says("lookahead-information - probability", other)
    says("lookahead-hits, more draws", more)
    ahead = "the hits lookahead", "the information lookahead"
    paragraph = (
        f"Over {draws:,} draws, with every cell as a first shot, "
        f"{phrase(hits, ahead[0], 'the probability rule over as many draws')} "
        f"({hits['games']:,} boards). {phrase(left, ahead[1], 'the information rule', True)}, and "
        f"{phrase(other, 'it', 'the probability rule')} ({left['games']:,} boards). Noise could "
        f"spoil a lookahead, which takes the best of many estimates: with {told['many']:,} draws "
        f"{phrase(more, ahead[0], 'the probability rule over as many')} ({more['games']:,} "
        f"boards).\n"
    )
    helps = "fewer" in (verdict(hits), verdict(other), verdict(more))
    return Answer(
        "Does a two-shot lookahead help?",
        "Yes" if helps else "No, more" if verdict(hits) == "more" else "No gain seen",
        *numbers(hits),
        paragraph,
    )


def habits(told: dict[str, Any]) -> Answer:
    for one in told["boards"]:
        check_boards(one)
    rows, shown = told["rows"], []
    for row in rows:
        saving, cost, two = row["saving"], row["cost"], row["two_ships"]
        name = f"a = {row['edge']:g}, b = {row['touch']:g}"
        if row["edge"] >= HELPFUL:
            claim(verdict(saving) == "more", f"knowing {name} saves shots: {signed(saving)}")
            claim(verdict(cost) == "more", f"expecting {name} costs shots: {signed(cost)}")
        how = "exact" if row["posterior"] == "exact" else f"{told['settings']['draws']:,} draws"
        numbers_of = [signed(saving), f"{two['saving']:+.2f}", signed(cost), f"{two['cost']:+.2f}"]
        shown.append([f"{row['edge']:g}", f"{row['touch']:g}", how, *numbers_of])
    head = ["a", "b", "Posterior", "Saved by knowing", "Two ships"]
    head += ["Lost against uniform", "Two ships"]
    by = {(row["edge"], row["touch"]): row for row in rows}
    main_row = by[0.5, 0.0]
    ratios = [
        row["saving"]["mean"] / row["two_ships"]["saving"] for row in rows if row["edge"] >= HELPFUL
    ]
    off = [abs(one[what]["in_standard_errors"]) for one in told["boards"] for what in FEATURES]
    spaced = [row for row in rows if row["touch"]]
    effective = [one for row in spaced for one in row["effective"]["knows"]]
    worth = sorted(one["median"] for one in effective)
    rounding = told["rounding"]
    paragraph = (
        f"Yes. An opponent weighs layouts exp(a · edge squares − b · touching pairs). At a = 0.5, "
        f"b = 0, knowing this saves {shots(main_row['saving'])} on the standard fleet "
        f"({main_row['means']['knows_vs_habit']:.2f} instead of "
        f"{main_row['means']['assumes_vs_habit']:.2f}; {main_row['saving']['games']:,} boards), "
        f"and {main_row['two_ships']['saving']:.2f} on two ships. From a = {HELPFUL:g} on the "
        f"saving is {min(ratios):.2f} to {max(ratios):.2f} times that of the two ships. Where the "
        f"opponent places uniformly, expecting the habit costs {shots(main_row['cost'])} "
        f"({main_row['two_ships']['cost']:.2f} on two ships).\n\n"
        + table(head, shown, "rrlrrrr")
        + f"\nThe boards are those of the opponents: edge squares and touching pairs a board are "
        f"within {max(off):.1f} standard errors of their exact means "
        f"({told['boards'][0]['boards']:,} boards each). Rounding of weights, which decides ties "
        f"of the player who knows the habit, changes its mean by {signed(rounding)} by itself. "
        f"Draws that carry the habit (b = 2) are worth {worth[0]:,.0f} to {worth[-1]:,.0f} equally "
        f"weighted ones of "
        f"{told['settings']['draws']:,} in the median position of a game, and fewer than 100 in "
        f"{max(one['few'] for one in effective):.0%} of the positions at worst.\n"
    )
    return Answer(
        "Do the habit effects carry over to the standard fleet?",
        "Yes (a = 0.5: shots saved by knowing it)",
        *numbers(main_row["saving"]),
        paragraph,
    )


FEATURES = ("edge_squares", "touching_pairs")


def estimate(told: dict[str, Any]) -> Answer:
    text, shown = [], []
    for row in told["rows"]:
        ours, other = (row["after"][name] for name in ("prior", "likelihood"))
        for name, after in row["after"].items():
            helps = after["helps"] is not None or row["edge"] < HELPFUL
            claim(helps, f"{name}: an estimate of {row['edge']:g} helps")
        near = (
            ""
            if ours["near"] is None
            else f" and nearly as good as knowing it after {ours['near']}"
        )
        text.append(
            f"At a = {row['edge']:g} no estimate from up to "
            f"{row['estimates']['prior'][-1]['games']} games is measurably better than assuming "
            f"uniform placement."
            if ours["helps"] is None
            else f"At a = {row['edge']:g} an estimate with a normal prior (standard deviation "
            f"{told['spread']:g}) is better than assuming uniform placement after {ours['helps']} "
            f"earlier {'game' if ours['helps'] == 1 else 'games'}{near}; one by maximum likelihood "
            f"after {other['helps']}."
        )
        for mode, fitted in zip(
            row["estimates"]["prior"], row["estimates"]["likelihood"], strict=True
        ):
            found = mode["estimate"]
            shown.append(
                [
                    f"{row['edge']:g}",
                    mode["games"],
                    f"{found['mean']:.2f} ± {found['sd']:.2f}",
                    signed(mode["more_than_knowing"]),
                    signed(mode["more_than_uniform"]),
                    f"{fitted['estimate']['mean']:.2f} ± {fitted['estimate']['sd']:.2f}",
                    signed(fitted["more_than_knowing"]),
                ]
            )
    last = told["rows"][-1]
    few = last["after"]["prior"]["helps"]
    one = next(row for row in last["estimates"]["prior"] if row["games"] == few)
    gained = {
        "mean": -one["more_than_uniform"]["mean"],
        "low": -one["more_than_uniform"]["high"],
        "high": -one["more_than_uniform"]["low"],
        "games": last["boards"],
    }
    head = ["a", "Earlier games", "Estimate (prior)", "More than knowing", "More than uniform"]
    head += ["Estimate (likelihood)", "More than knowing"]
    paragraph = (
        f"Yes, from their boards. {' '.join(text)} Nearly as good means giving away at most "
        f"{told['near']:.0%} of what knowing saves. Every number of games has "
        f"{last['replicates']:,} estimates, and every assumption was played on "
        f"{last['boards']:,} boards of the opponent. Estimates are given with their standard "
        f"deviation:\n\n" + table(head, shown, "rrrrrrr")
    )
    return Answer(
        "Can a player estimate the habit from earlier games?",
        f"Yes (a = {last['edge']:g}, {few} earlier {'game' if few == 1 else 'games'}: shots saved)",
        *numbers(gained),
        paragraph,
    )


def draws(told: dict[str, Any]) -> Answer:
    pairs, own = told["comparisons"], told["settings"]["draws"]
    many, ties = pairs[f"{own} - exact"], pairs["random ties - exact"]
    clean = pairs[f"{own} - random ties"]
    density, lowest = (
        told["density"][f"{name} - probability"] for name in ("density", "density-lowest")
    )
    says("1500 draws", many)
    says("1500 draws, random ties", clean)
    says("random ties", ties)
    says("density", density)
    says("density-lowest", lowest)
    rows = [
        [f"{n:,}", signed(pairs[f"{n} - exact"]), signed(pairs[f"{n} - random ties"])]
        for n in told["numbers"]
    ]
    paragraph = (
        f"{phrase(many, f'The probability rule over {own:,} draws', 'the exact rule')} "
        f"({many['games']:,} boards). Part of a difference is not noise but ties: draws fire at a "
        f"random one of equally likely cells, the exact rule at the lowest. Breaking its ties at "
        f"random, all but those of the opening, changes the exact rule by {signed(ties)}; from "
        f"that rule {own:,} draws differ by {signed(clean)}.\n\n"
        + table(["Draws", "More than exact", "More than exact with random ties"], rows, "rrr")
        + f"\nThe placement density, which counts every ship alone, is about as good: "
        f"{phrase(lowest, 'with ties to the lowest cell it', 'the exact rule')}; "
        f"{phrase(density, 'with ties at random it', 'the exact rule')} "
        f"({density['games']:,} boards).\n"
    )
    return Answer(
        f"How far are {own:,} draws from exact, in shots?",
        {
            "more": f"{own:,} draws need more",
            "fewer": f"{own:,} draws need fewer",
            "unclear": "Not measurably far",
        }[verdict(many)],
        *numbers(many),
        paragraph,
    )


def rollout(told: dict[str, Any]) -> Answer:
    pairs, judged = told["comparisons"], told["judged"]
    whole, base, both = pairs["rollout"], pairs["rollout - base"], told["judged - probability"]
    gain = {
        "mean": judged["gain"],
        "low": judged["gain"] - 1.96 * judged["gain_se"],
        "high": judged["gain"] + 1.96 * judged["gain_se"],
    }
    says("rollout", whole)
    says("rollout judged", both)
    says("rollout base", gain)
    options = told["rollout"]
    error = (whole["se"] ** 2 + both["se"] ** 2) ** 0.5
    apart = abs(whole["mean"] - both["mean"])
    claim(apart < 4 * error, "both ways to measure the rollout agree")
    paragraph = (
        f"The rollout hunter plays each of the {options['candidates']} likeliest cells out on "
        f"{options['worlds']:,} layouts drawn from the posterior, with the density hunter as the "
        f"player, and takes another than the likeliest if it is better by {options['margin']:g} "
        f"standard errors. By the shots of whole games "
        f"{phrase(whole, 'it', 'the exact probability rule')} ({whole['games']:,} boards; "
        f"{signed(base)} against the density hunter). Judged choice by choice on fresh layouts, "
        f"{phrase(gain, 'it', 'the density hunter')} ({judged['games']:,} boards), which puts it "
        f"{signed(both)} shots from the exact probability rule.\n"
    )
    return Answer(
        "Do rollouts, which minimize the expected shots directly, need fewer?",
        {"fewer": "Yes", "more": "No, more", "unclear": "Not measurably"}[verdict(both)],
        *numbers(both | {"games": judged["games"]}),
        paragraph,
    )


def hunters(told: dict[str, dict[str, Any]]) -> str:
    """Every hunter that was compared, with its speed."""
    rows, seen = [], set()
    for part in told.values():
        for one in part.get("hunters", {}).values():
            key = one["hunter"], one["opponent"]
            if key in seen:
                continue
            seen.add(key)
            speed = one["games_per_second"]
            rows.append(
                [
                    f"`{one['hunter']}`",
                    one["opponent"],
                    f"{one['games']:,}",
                    f"{one['mean']:.2f} ± {1.96 * one['se']:.2f}",
                    one["median"],
                    one["p95"],
                    one["worst"],
                    "" if speed is None else f"{speed:,.0f}" if speed >= 10 else f"{speed:.1f}",
                ]
            )
    head = ["Hunter", "Opponent", "Games", "Mean", "Median", "95%", "Worst", "Games/s"]
    return table(head, rows, "llrrrrrr")


def verdict(one: dict[str, Any]) -> str:
    """`more`, `fewer`, or `unclear` if the interval holds 0."""
    if one["low"] > 0:
        return "more"
    return "fewer" if one["high"] < 0 else "unclear"


def says(name: str, one: dict[str, Any]) -> None:
    """Refuse an answer that the interval does not give."""
    found = verdict(one)
    claim(found == SAYS[name], f"{name} needs {SAYS[name]} shots: it is {found}, {signed(one)}")


def phrase(one: dict[str, Any], hunter: str, base: str, start: bool = False) -> str:
    """The difference of two hunters as a clause."""
    hunter = hunter[0].upper() + hunter[1:] if start else hunter
    found = verdict(one)
    if found == "unclear":
        return f"{hunter} cannot be told from {base} ({signed(one)} shots)"
    return f"{hunter} needs {shots(one)} {found} than {base}"


def shots(one: dict[str, Any]) -> str:
    """The size of a difference and its 95% error."""
    return f"{abs(one['mean']):.2f} ± {(one['high'] - one['low']) / 2:.2f} shots"


def signed(one: dict[str, Any]) -> str:
    """A difference and its 95% error."""
    return f"{one['mean']:+.2f} ± {(one['high'] - one['low']) / 2:.2f}"


def numbers(one: dict[str, Any]) -> tuple[str, str, str]:
    """Estimate, interval and boards for the table."""
    return f"{one['mean']:+.2f}", f"{one['low']:+.2f} to {one['high']:+.2f}", f"{one['games']:,}"


if __name__ == "__main__":
    main(__file__, "open_questions", figure)
