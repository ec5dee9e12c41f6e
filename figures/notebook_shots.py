"""Two ships: the share of games over within a given number of shots, exactly.

All 20,336 layouts are equally likely; random fire is its closed form. The curves of the four
rules that count layouts nearly coincide, their medians are 25 shots, that of random fire is 91;
below, how far they lie from the probability rule.
"""

import numpy as np

from bsjax import draw
from bsjax.draw import style
from figures.script import Results, claim, main

LOOKS = {
    "probability": ("Probability", style.SERIES[0], "solid"),
    "lookahead-information": ("Lookahead: information", style.SERIES[4], (0, (5, 1.5))),
    "lookahead-hits": ("Lookahead: hits", style.SERIES[2], (0, (3, 1, 1, 1))),
    "information": ("Information", style.SERIES[1], (0, (1, 1.2))),
}
"""Fewest shots first."""
APART = 0.0125
"""No two of the four curves are further apart at any number of shots."""


def figure(results: Results) -> draw.Sheet:
    told = results.read("rules")
    rules, random = told["rules"], told["random"]
    for name, rule in rules.items():
        claim(all(rule["agrees"].values()), f"{name} agrees with the published figures")
        claim(rule["one_by_one"]["mismatches"] == 0, f"{name} plays as its tree says")
        claim(sum(rule["histogram"]) == told["layouts"], f"{name} ends on every layout")
    means = [rules[name]["mean"] for name in LOOKS]
    claim(means == sorted(means), "the rules are named from fewest shots to most")
    claim({rules[name]["median"] for name in LOOKS} == {25}, "the medians of the rules are 25")
    claim(random["median"] == 91, "the median of random fire is 91")
    claim(random["mean"] == random["published"]["mean"], "random fire needs 88.375 shots")
    size = len(random["curve"])
    shares = {name: share(rules[name]["histogram"], size) for name in LOOKS}
    apart = max(abs(one - other).max() for one in shares.values() for other in shares.values())
    claim(apart < APART, f"the curves of the rules nearly coincide, {apart:.4f}")

    shots = list(range(size))
    sheet = draw.Sheet(6.4, 4.7)
    chart = draw.Chart(
        sheet, (0.72, 0.12, 5.5, 2.5), x=(0, 100), y=(0, 1.01), up="Layouts finished", percent=True
    )
    change = draw.Chart(
        sheet,
        (0.72, 2.95, 5.5, 1.2),
        x=(0, 100),
        y=(-1.9, 0.4),
        across="Shots",
        up="Percentage points\nmore than probability",
    )
    for name, (title, color, dash) in LOOKS.items():
        label = f"{title}, mean {rules[name]['mean']:.2f}"
        chart.curve(shots, shares[name].tolist(), color=color, dash=dash, steps=True)
        points = 100 * (shares[name] - shares["probability"])
        change.curve(shots, points.tolist(), label, color=color, dash=dash, steps=True)
    chart.curve(shots, random["curve"], color=style.SERIES[3], steps=True)
    for x, y, text in (
        (33, 0.66, "Four rules that count layouts"),
        (78, 0.30, f"Random fire,\nmean {random['mean']:.2f}"),
    ):
        across = "left" if x < 50 else "right"
        chart.axes.text(x, y, text, ha=across, va="center", **style.type_of())
    change.name_lines("lower right")
    return sheet


def share(histogram: list[int], size: int) -> np.ndarray:
    """Share of the layouts finished within t shots, t = 0 … size − 1."""
    reached = np.cumsum(histogram) / sum(histogram)
    return np.append(reached, np.ones(size - len(reached)))


if __name__ == "__main__":
    main(__file__, "notebook", figure)
