"""A program that holds few boards believes in itself: what the loop reads of its own mixture over
the boards it knows, and the truth over all boards (6×6 {4,3,3,2})."""

from typing import Any

from bsjax import draw
from bsjax.draw import style
from figures.script import Results, claim, main

TITLES = {
    "one": "One place of the 4 each",
    "learning": "The worst boards join",
    "all": "Every board",
}
LEFT, TOP, WIDTH, HEIGHT, STEP = 0.6, 0.4, 1.9, 2.2, 2.25


def figure(results: Results) -> draw.Sheet:
    told = results.read("trap")
    runs = told["runs"]
    if not told["settings"]["quick"]:
        check(runs)
    sheet = draw.Sheet(LEFT + STEP * len(TITLES), TOP + HEIGHT + 1.0)
    most = max(run["rounds"] for run in runs.values())
    for number, (name, title) in enumerate(TITLES.items()):
        run, left = runs[name], LEFT + STEP * number
        sheet.text(left, 0.06, title, style.BODY, weight="bold")
        text = f"{run['known']:,} of {told['classes']:,} known"
        sheet.text(left, 0.23, text, style.SMALL, style.MUTED)
        chart = draw.Chart(
            sheet,
            (left, TOP + 0.06, WIDTH, HEIGHT),
            x=(0, most * 1.02),
            y=(0, 52),
            across="Rounds",
            up="Races won on the worst board (%)" if number == 0 else "",
        )
        rounds = [row["number"] for row in run["curve"]]
        for key, words, color in (
            ("value", "over the boards it knows", style.SERIES[1]),
            ("worst", "over all boards", style.SERIES[0]),
        ):
            chart.curve(rounds, [row[key] for row in run["curve"]], words, color=color)
        if name == "all":
            chart.name_lines("lower right")
    one, learning = (runs[name]["published"] for name in ("one", "learning"))
    text = (
        "Known boards are counted up to turns. What it knows is read against the pace of the loop, "
        "the truth against the mixture's own."
    )
    if one and learning:
        text += (
            f"\nPublished: {one['own']:.0f}% read and {one['true']:.0f}% true; with the hardest "
            f"boards added {learning['true']:.1f}% true, still rising."
        )
    sheet.text(0.1, sheet.height - 0.44, text, style.SMALL, style.MUTED)
    return sheet


def check(runs: dict[str, Any]) -> None:
    """The trap: few boards are believed in, all boards close."""
    last = {name: run["last"] for name, run in runs.items()}
    claim(last["one"]["value"] > last["one"]["worst"] + 10, "the loop misreads its own mixture")
    claim(last["one"]["worst"] < last["learning"]["worst"], "boards that join lift the truth")
    claim(last["learning"]["worst"] < last["all"]["worst"], "every board lifts it further")
    claim(abs(last["all"]["value"] - last["all"]["worst"]) < 2, "with all boards it reads true")


if __name__ == "__main__":
    main(__file__, "strongest", figure)
