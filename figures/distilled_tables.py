"""The tables of the distilled hunters in Markdown, each student beside its teacher."""

from typing import Any

from figures.notebook_tables import table
from figures.script import Results, Text, claim, main

Told = dict[str, Any]


def figure(results: Results) -> Text:
    sections = {
        "The classic board": classic(results.read("classic")),
        "Small boards": "".join(
            small(results.read(name)) for name in ("four_by_four", "five_by_five")
        ),
        "The rewind": rewound(results.read("rewound")),
        "Turned boards": symmetry(results.read("symmetry")),
        "Fewer shots by play alone": beyond(results.read("beyond")),
    }
    text = "# Distilled hunters\n"
    for title, section in sections.items():
        text += f"\n## {title}\n\n{section}"
    return Text(text)


def paired(one: Told) -> str:
    """The difference on the same boards, with its standard error."""
    return f"{one['difference']:+.3f} ± {one['se']:.3f}"


def classic(told: Told) -> str:
    his = told["teacher"]
    rows = [["the exact rule", "", f"{his['mean']:.3f}", "", f"{his['games_per_second']:,.0f}", ""]]
    for name in ("density", "density-lowest"):
        one = told[name]
        speed = f"{one['games_per_second']:,.0f}"
        rows.append([name, "0", f"{one['mean']:.3f}", paired(one["paired"]), speed, ""])
    for one in told["students"]:
        claim(one["paired"]["games"] == his["games"], "both play the same boards")
        rows.append(
            [
                one["name"],
                f"{one['parameters']:,}",
                f"{one['mean']:.3f}",
                paired(one["paired"]),
                f"{one['games_per_second']:,.0f}",
                f"{100 * one['mapped']['agree']:.1f}",
            ]
        )
    head = ["Hunter", "Parameters", "Shots", "Less the exact rule", "Games/s", "Agrees %"]
    return table(head, rows, "lrrrrr")


def small(told: Told) -> str:
    rows = []
    for one in (told["teacher"] | {"name": "teacher"}, *told["students"]):
        claim(one["joint"] >= one["hunt"] - 1e-6, "who also chooses where to hide wins more")
        claim(one["joint_at_most"] < one["joint"] + 1e-5, "no joint reply wins more")
        rows.append(
            [
                one["name"],
                f"{one['parameters']:,}" if "parameters" in one else "",
                str(one.get("hunts", "")),
                f"{one['mean']:.3f}",
                f"{100 * one['worst']:.2f}",
                f"{100 * one['hunt']:.2f}",
                f"{100 * one['hide']:.2f}",
                f"{100 * one['joint']:.2f}",
            ]
        )
    head = [told["game"], "Parameters", "Hunts", "Shots, own hider", "Worst layout, own pace %"]
    head += ["A reply hunts %", "hides %", "does both %"]
    return table(head, rows, "lrrrrrrr") + "\n"


def rewound(told: Told) -> str:
    rows = []
    for one in (told["teacher"] | {"name": "teacher"}, *told["students"]):
        board = one["hard_board"]
        rows.append(
            [
                one["name"],
                f"{one['parameters']:,}" if "parameters" in one else "",
                f"{one['mean']:.2f} ± {one['se']:.2f}",
                f"{100 * one['race']['win']['value']:.1f}",
                f"{100 * board['win_rate']:.1f} ± {100 * board['se']:.1f}",
                f"{board['mean_shots']:.1f}",
                f"{one['games_per_second']:,.0f}",
            ]
        )
    head = ["Hunter", "Parameters", "Shots", "Wins against the teacher's pace %"]
    head += ["Worst board found, own pace %", "Shots there", "Games/s"]
    return table(head, rows, "lrrrrrr")


def symmetry(told: Told) -> str:
    rows = [
        [
            str(row["seed"]),
            f"{row['turned']:.3f}",
            f"{row['straight']:.3f}",
            f"{row['difference']:+.3f} ± {row['se']:.3f}",
        ]
        for row in told["rows"]
    ]
    rows.append(["all", "", "", f"{told['difference']:+.3f} ± {told['se']:.3f}"])
    return table(["Seed", "Turned", "Straight", "Turned less straight, shots"], rows, "lrrr")


def beyond(told: Told) -> str:
    pair = told["paired"]
    return (
        f"{told['games']:,} games of play moved `{told['student']}` from {pair['teacher']:.3f} to "
        f"{pair['student']:.3f} shots: {paired(pair)} on the same {pair['games']:,} fresh boards.\n"
    )


if __name__ == "__main__":
    main(__file__, "distilled", figure)
