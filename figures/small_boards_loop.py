"""How the best-reply loop closes in on 5×5, and how far its player can be exploited, beside the
published player.

Above ½ lies what an exact best reply wins against the best hider so far, below it what the lottery
over hunts wins on every layout. In the first rounds the pace is far from the lottery's own, and a
reply to it may win less than half.
"""

from typing import Any

from bsjax import draw
from bsjax.draw import style
from figures.script import Results, claim, main

REPLIES = {
    "hide": "chooses where to hide",
    "hunt": "chooses how to hunt",
    "joint": "chooses both",
}


def figure(results: Results) -> draw.Sheet:
    told = exact_player(results)
    rounds, published = told["rounds"], told["published"]
    at = [one["round"] for one in rounds]
    upper = [100 * (one["worth"] - 0.5) for one in rounds]
    lower = [100 * (0.5 - one["low"]) for one in rounds]
    gains = {name: 100 * (told[name] - 0.5) for name in REPLIES}
    start = next(place for place, gain in enumerate(upper) if gain > 0)
    claim(start < len(at) / 10, "a tenth of the rounds is enough for a pace")
    claim(min(upper[start:]) > 0 and min(lower) > 0, "½ lies between both values from there on")
    claim(upper[-1] + lower[-1] < (upper[start] + lower[start]) / 10, "the gap shrank tenfold")
    kept = 100 * (0.5 - told["worst"])
    claim(0 < kept < lower[-1], "the player that is kept is better than the last round's lottery")
    claim(told["joint_at_most"] - told["joint"] < 1e-5, "the joint reply is exact")
    claim(gains["joint"] >= max(gains["hide"], gains["hunt"]) - 1e-3, "choosing both gains most")

    sheet = draw.Sheet(7.2, 3.62)
    sheet.text(0.66, 0.06, "The loop", style.TITLE, weight="bold")
    chart = draw.Chart(
        sheet,
        (0.66, 0.36, 3.02, 2.4),
        x=(1, at[-1]),
        y=(0.001, 100),
        across="Round",
        up="Points from one half",
    )
    chart.axes.set_yscale("log")
    chart.axes.set_yticks([0.001, 0.01, 0.1, 1, 10], ["0.001", "0.01", "0.1", "1", "10"])
    chart.axes.minorticks_off()
    kind = {"color": style.SERIES[1], "dash": (0, (4, 1.5))}
    chart.curve(at[start:], upper[start:], "best reply to the hider, above", **kind)
    chart.curve(at, lower, "lottery on its worst layout, below")
    mark = {"color": style.SERIES[0], "markersize": 5, "clip_on": False}
    chart.axes.plot([at[-1]], [kept], "D", label="player that is kept, below", **mark)
    chart.name_lines("upper right")
    bars(sheet, gains, published)
    tried = f"{told['tried']:,} of {told['classes']:,}"
    text = (
        f"Worst layout of the player: {100 * told['worst']:.2f}% (published "
        f"{published['worst']:.2f}%). The reply that chooses both was tried from {tried}\nclasses "
        "of turned layouts; bounds leave the rest out. The published loop ran "
        f"{published['rounds']:,} rounds of its own."
    )
    sheet.text(0.1, 3.28, text, style.SMALL, style.MUTED)
    return sheet


def exact_player(results: Results) -> dict[str, Any]:
    """The player of 5×5, with joint replies from every layout that could be the best."""
    told, exact = results.read("player_5x5")["5x5"], results.read("joint_5x5")
    claim(abs(told["hunt"] - exact["hunt"]) < 1e-9, "both judge one player")
    names = "joint", "joint_at_most", "joint_layout", "tried"
    return told | {name: exact[name] for name in names}


def bars(sheet: draw.Sheet, gains: dict[str, float], published: dict[str, Any]) -> None:
    """What the three replies gain, ours above the published."""
    left, width = 5.2, 1.6
    sheet.text(4.0, 0.06, "What a best reply gains", style.TITLE, weight="bold")
    most = max(*gains.values(), published["joint_points"])
    chart = draw.Chart(
        sheet,
        (left, 0.36, width, 2.4),
        x=(0, 1.25 * most),
        y=(len(gains) - 0.4, -0.6),
        across="Points",
    )
    chart.axes.set_yticks([])
    small = style.type_of(style.SMALL)
    for y, (name, text) in enumerate(REPLIES.items()):
        pairs = ((gains[name], style.SERIES[0]), (published[f"{name}_points"], style.SERIES[3]))
        for side, (gain, color) in zip((-0.18, 0.18), pairs, strict=True):
            chart.axes.barh(y + side, gain, 0.32, color=color)
            chart.axes.text(gain + 0.02 * most, y + side, f"{gain:.2f}", va="center", **small)
        chart.axes.text(-0.04 * most, y, f"Reply\n{text}", ha="right", va="center", **small)
    for x, name, color in ((5.2, "ours", style.SERIES[0]), (5.62, "published", style.SERIES[3])):
        sheet.text(x, 0.24, f"■ {name}", style.SMALL, color)


if __name__ == "__main__":
    main(__file__, "small_boards", figure)
