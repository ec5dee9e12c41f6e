"""The share of games that are over within a given number of shots.

The further left a curve is, the faster the strategy. The dotted curve is the exact chance for
random fire, from the hypergeometric law; the games of the random hunter follow it.
"""

import numpy as np

from bsjax import draw
from bsjax.draw import style
from figures.script import Results, claim, main

LOOKS = {
    "density": ("Probability density", style.SERIES[0], "solid"),
    "hunt-target": ("Hunt & target", style.SERIES[1], "solid"),
    "hunt-target-no-parity": ("Hunt & target without parity", style.SERIES[2], (0, (5, 1.5))),
    "random": ("Random", style.SERIES[3], "solid"),
}
"""Fastest first, as the curves lie from left to right."""


def figure(results: Results) -> draw.Sheet:
    told = results.read("strategies")
    block, law = told["hiders"]["uniform"], told["random_law"]
    mean = {name: block["strategies"][name]["mean"] for name in LOOKS}
    claim(sorted(mean, key=lambda name: mean[name]) == list(LOOKS), "each idea saves shots")
    for name in LOOKS:
        agrees = block["strategies"][name]["agrees"]
        claim(all(agrees.values()), f"{name} agrees with the published figures")
    shares = {name: share(block["strategies"][name]["histogram"]) for name in LOOKS}
    exact = np.array(law["curve"])
    # The largest gap of an empirical curve from its law is below 1.95/√n in 999 of 1,000 samples.
    gap = abs(shares["random"] - exact).max()
    claim(gap < 1.95 / block["games"] ** 0.5, f"random fire follows its law, gap {gap:.4f}")

    sheet = draw.Sheet(6.4, 3.6)
    chart = draw.Chart(
        sheet,
        (0.62, 0.12, 5.6, 3.0),
        x=(0, 100),
        y=(0, 1.01),
        across="Shots",
        up="Games over",
        percent=True,
    )
    shots = list(range(len(exact)))
    for name, (title, color, dash) in LOOKS.items():
        label = f"{title}, mean {mean[name]:.1f}"
        chart.curve(shots, shares[name].tolist(), label, color=color, dash=dash, width=1.8)
    label = f"Random fire, exact, mean {law['mean']:.1f}"
    chart.curve(shots, exact.tolist(), label, color=style.INK, dash=(0, (1, 1.6)), width=1.5)
    chart.name_lines("upper left")
    return sheet


def share(histogram: list[int]) -> np.ndarray:
    """Share of the games over within t shots, for each t."""
    return np.cumsum(histogram) / sum(histogram)


if __name__ == "__main__":
    main(__file__, "how_the_computer", figure)
