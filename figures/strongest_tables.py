"""The tables of the strongest strategy in Markdown, beside the published figures."""

from typing import Any

from figures.notebook_tables import table
from figures.script import Results, Text, claim, main
from figures.strongest_loops import label

ACCOUNT = {
    "shots": "Shots of a game",
    "kept": "Hunt, kept",
    "erased": "Hunt, erased by a rewind",
    "erased_hits": "of these, hits on a big ship",
    "finisher": "Finisher",
    "final": "Final hunt",
    "recalled": "Choices answered from memory",
}
PLACES = {"all": "All shots", "hunt": "Hunt", "finisher": "Finisher", "final": "Final hunt"}
VARIANTS = {
    "printed": "The printed program",
    "rebuild": "Rebuilds the picture instead of rewinding",
    "random_end": "Random final hunt",
    "hand_over": "Every hit goes to the finisher",
    "skip_beside_sunk_big": "Skips cells beside a sunk big ship",
}

Told = dict[str, dict[str, Any]]


def figure(results: Results) -> Text:
    names = ("choices", "loops", "trap", "ten", "costs", "classic", "account", "worst", "variants")
    told = {name: results.read(name) for name in names}
    sections = {
        "How the loop was chosen": choices,
        "Self-play": runs,
        "Fewer hunts": reduced,
        "What a hunt costs": costs,
        "On the classic board": classic,
        "Where the shots go": account,
        "The worst board": worst,
        "What was tried beside it": variants,
    }
    text = "# The strongest strategy\n"
    for title, section in sections.items():
        text += f"\n## {title}\n\n{section(told)}"
    return Text(text)


def choices(told: Told) -> str:
    found = told["choices"]
    closing, strong = found["closing"], found["strong"]
    rows = [
        [
            name,
            str(run["rounds"]),
            f"{run['last']['worst']:.2f}",
            f"{run['head_to_head']:.2f}",
            f"{run['worst']:.2f}",
            f"{run['reference_worst']:.2f}",
            f"{run['seconds']:.0f}",
        ]
        for name, run in closing.items()
    ]
    head = [label(next(iter(closing.values()))), "Rounds", "Worst layout, own pace %"]
    head += ["Against the first row %", "Worst layout, its pace %", "Its worst, this pace %"]
    text = table([*head, "Seconds"], rows, "lrrrrrr")
    rows = [
        [
            name,
            str(run["rounds"]),
            f"{run['last']['worst']:.2f}",
            f"{run['worst']:.2f}",
            f"{run['seconds']:.0f}",
        ]
        for name, run in strong.items()
    ]
    head = [label(next(iter(strong.values()))), "Rounds", "Worst layout, own pace %"]
    head += ["Against a near-perfect player's pace %", "Seconds"]
    return f"{text}\n{table(head, rows, 'lrrrr')}"


def runs(told: Told) -> str:
    trap = {f"trap: {name}": run for name, run in told["trap"]["runs"].items()}
    every = {label(run): run for run in (*told["loops"]["boards"], told["ten"])} | trap
    rows = []
    for name, run in every.items():
        last = run["last"]
        rows.append(
            [
                name,
                f"{run['rounds']:,}",
                f"{run['tried']:,}",
                str(last["used"]),
                f"{run['seconds'] / 60:,.0f}",
                f"{last['worst']:.2f}",
                f"{last['value']:.2f}",
                f"{last['mean']:.2f}",
                said(run),
            ]
        )
    head = ["Game", "Rounds", "Hunts", "Used", "Minutes"]
    head += ["Worst layout, own pace %", "Value %", "Shots, own hider", "Published"]
    text = table(head, rows, "lrrrrrrrl")
    workers = told["ten"]["workers"]
    return f"{text}\nMinutes by the clock; processes: {workers}.\n"


def said(run: dict[str, Any]) -> str:
    """What the write-up says of the same run."""
    published = run.get("published") or {}
    if run.get("published_value"):
        return f"value {run['published_value']:.1f}"
    if "used" in published:
        return f"worst {published['worst']:.2f}, {published['used']} hunts"
    return ", ".join(f"{key} {value:.1f}" for key, value in published.items())


def reduced(told: Told) -> str:
    ten = told["ten"]
    rows = [
        [
            str(one["hunts"]),
            f"{one['worst']:.2f}",
            f"{one['mean']:.2f}",
            f"{one['slowest']:.2f}",
        ]
        for one in ten["reduced"]
    ]
    last = ten["last"]
    rows.append(
        [str(last["used"]), f"{last['worst']:.2f}", f"{last['mean']:.2f}", f"{last['slowest']:.2f}"]
    )
    head = ["Hunts", "Worst layout, own pace %", "Shots, own hider", "Slowest layout"]
    file = ten["written"]
    text = (
        f"\n`{file['file']}` holds {file['hunts']} hunts in {file['bytes']:,} bytes. Their trees "
        f"are {file['tree_bytes']:,} bytes"
    )
    if file["rebuild_seconds"] is not None:
        text += (
            f"; rebuilding {file['rebuilt']} of them took {file['rebuild_seconds']:,.0f} s "
            f"(processes: {file['workers']})"
        )
    text += (
        f". By their shares the lottery is as wide as {file['hunts_in_effect']:.0f} equal hunts; "
        f"{file['tried']} hunts try cells out and have {100 * file['tried_share']:.1f}% of it.\n"
    )
    return table(head, rows, "rrrr") + text


def costs(told: Told) -> str:
    found = told["costs"]
    rows = [
        [
            one["name"],
            f"{one['core_seconds']:.1f}",
            f"{one['decisions']:,}",
            f"{one['mean_on_uniform_boards']:.3f}",
            str(one["slowest"]),
        ]
        for one in found["hunts"]
    ]
    head = ["Hunt", "Core seconds", "Decisions", "Shots, uniform boards", "Most"]
    replay, tree = found["replay"], found["tree"]
    claim(replay["differ"] == 0, "a stored tree plays what was evaluated")
    text = (
        f"\nAll {found['layouts']:,} layouts of {found['game']}. A tree of {tree['nodes']:,} nodes "
        f"is {tree['bytes']:,} bytes; played again on {replay['layouts']:,} layouts in "
        f"{replay['seconds']:.1f} s, {replay['differ']} finish otherwise.\n"
    )
    return table(head, rows, "lrrrr") + text


def classic(told: Told) -> str:
    found = told["classic"]
    figures, published = found["figures"], found["published"]
    rows = [
        ["Mean shots", f"{found['mean']:.3f} ± {found['se']:.3f}", f"{published['mean']:.1f}"],
        ["Median", str(found["median"]), str(published["median"])],
        ["5% within", str(figures["p05"]), str(published["p05"])],
        ["95% within", str(figures["p95"]), str(published["p95"])],
    ]
    for at in figures["win"]:
        known = published["win"].get(str(at["shots"]))
        rows.append(
            [
                f"{at['shots']} shots win, own pace %",
                f"{100 * at['win']:.1f}",
                "" if known is None else f"{100 * known:.1f}",
            ]
        )
    for name, race in found["races"].items():
        win = race["win"]
        text = f"{100 * win['value']:.2f} ± {100 * win['se']:.2f}"
        rows.append([f"Races won against `{name}` %", text, ""])
    if found["games_per_second"] is not None:
        speed = f"{found['games_per_second']:,.0f}"
        rows.append(["Games a second", speed, str(published["games_per_second"])])
    head = [f"{found['games']:,} uniform boards", "Here", "Published"]
    return table(head, rows, "lrr")


def account(told: Told) -> str:
    random, there = told["account"], told["worst"]["account"]
    published = random["published"]
    rows = []
    for name, words in ACCOUNT.items():
        known = published.get(name)
        rows.append(
            [
                words,
                f"{random[name]['mean']:.2f} ± {random[name]['se']:.2f}",
                "" if known is None else f"{known:.1f}",
                f"{there[name]['mean']:.2f}",
            ]
        )
    for name, words in PLACES.items():
        rows.append(
            [
                f"{words} at the hottest cell %",
                f"{100 * random['hottest'][name]:.1f}",
                f"{100 * published['hottest'][name]:.0f}",
                f"{100 * there['hottest'][name]:.1f}",
            ]
        )
    for length, by in random["first_hit_by"].items():
        known = published["first_hit_by_hunt"].get(length)
        rows.append(
            [
                f"First hit on the {length} by the hunt %",
                f"{100 * by['hunt']:.1f}",
                "" if known is None else f"{100 * known:.1f}",
                f"{100 * there['first_hit_by'][length]['hunt']:.1f}",
            ]
        )
    on, of = published["on_path"]
    rows.append(
        [
            "Games on the path of the hunt alone",
            f"{random['on_path']:,} of {random['games']:,}",
            f"{on:,} of {of:,}",
            f"{there['on_path']:,} of {there['games']:,}",
        ]
    )
    return table(["", "Random boards", "Published", "Worst board"], rows, "lrrr")


def worst(told: Told) -> str:
    found = told["worst"]
    rows = [
        [stage["stage"], f"{stage['games']:,}", f"{100 * stage['lowest']:.2f}"]
        for stage in found["stages"]
    ]
    text = table(["Stage", "Games", "Lowest so far %"], rows, "lrr")
    published = found["published"]
    return text + (
        f"\nThe lowest: {100 * found['win_rate']:.2f} ± {100 * found['se']:.2f}% of races against "
        f"its own pace (published ≤ {published['worst']}), {found['mean_shots']:.2f} shots, "
        f"{found['extra_shots']:.2f} more than on random boards (published "
        f"{published['extra_shots']}). The published search took about "
        f"{found['published_games']:,} games.\n"
    )


def variants(told: Told) -> str:
    found = told["variants"]["variants"]
    rows = []
    for name, one in found.items():
        win = one["race"]["win"]
        hard = [board["race"]["win"]["value"] for board in one["hard"]]
        rows.append(
            [
                VARIANTS[name],
                f"{one['mean']:.2f} ± {one['se']:.2f}",
                f"{100 * win['value']:.1f} ± {100 * win['se']:.1f}",
                f"{100 * hard[0]:.1f}",
                f"{100 * sum(hard) / len(hard):.1f}",
                one["published"] or "",
            ]
        )
    boards = len(told["variants"]["hard_boards"])
    head = ["", "Shots", "Races won %", "On its worst board %", f"On {boards} hard boards %"]
    text = table([*head, "Published"], rows, "lrrrrl")
    return f"{text}\nHard boards are the lowest that the search found against the first row.\n"


if __name__ == "__main__":
    main(__file__, "strongest", figure)
