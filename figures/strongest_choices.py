"""How the loop was chosen: how far the worst layout is from half of the races by round, with one
setting changed (6×6 {3,3,2}), and how each mixture fares against that of the first loop."""

from bsjax import draw
from bsjax.draw import style
from figures.script import Results, claim, main
from figures.strongest_loops import label

LEFT, TOP, WIDTH, HEIGHT = 0.62, 0.2, 4.4, 2.9
OLD = "the matrix game's own hider"


def figure(results: Results) -> draw.Sheet:
    told = results.read("choices")
    runs = told["closing"]
    first = next(iter(runs.values()))
    if not told["settings"]["quick"]:
        old = runs[OLD]
        claim(old["last"]["worst"] < first["last"]["worst"], "a smooth hider closes sooner")
        claim(old["head_to_head"] < 50, "and makes a stronger mixture")

    sheet = draw.Sheet(LEFT + WIDTH + 2.9, TOP + HEIGHT + 0.86)
    chart = draw.Chart(
        sheet,
        (LEFT, TOP, WIDTH, HEIGHT),
        x=(0, first["rounds"] * 1.02),
        y=(0.04, 30),
        across="Rounds",
        up="Points short of 50% on the worst layout",
    )
    chart.axes.set_yscale("log")
    chart.axes.yaxis.set_major_formatter("{x:g}")
    chart.axes.minorticks_off()
    for number, ((name, run), color) in enumerate(zip(runs.items(), style.SERIES, strict=False)):
        rounds = [row["number"] for row in run["curve"]]
        short = [50 - row["worst"] for row in run["curve"]]
        chart.curve(rounds, short, name, color=color)
        text = f"{name}: {run['last']['worst']:.2f}%"
        if run is not first:
            text += f"\nwins {run['head_to_head']:.2f}% against the first"
        place = LEFT + WIDTH + 0.15, TOP + 0.06 + 0.44 * number
        sheet.text(*place, text, style.SMALL, color)
    text = f"{label(first)}; a mixture's worst layout against its own pace."
    sheet.text(0.1, sheet.height - 0.3, text, style.SMALL, style.MUTED)
    return sheet


if __name__ == "__main__":
    main(__file__, "strongest", figure)
