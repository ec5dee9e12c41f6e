"""How many shots a game takes: the exact posterior and its students, on the same boards."""

import numpy as np

from bsjax import draw
from bsjax.draw import style
from figures.script import Results, claim, main

RARE = 1e-4
"""Share of games below which a number of shots is left out at both ends."""


def figure(results: Results) -> draw.Sheet:
    told = results.read("classic")
    teacher, student = told["teacher"], told["students"][0]
    pair = student["paired"]
    name = student["name"]
    if not told["settings"]["quick"]:
        claim(pair["difference"] < 0.3, f"{name} is within 0.3 shots of the exact rule")
    both = {
        "exact posterior": (teacher, style.SERIES[1]),
        f"student {name}": (student, style.SERIES[0]),
    }
    sheet = draw.Sheet(7.2, 3.05)
    shares = {key: np.array(one["histogram"]) / one["games"] for key, (one, _) in both.items()}
    drawn = np.flatnonzero(sum(shares.values()) > RARE)
    first, last = int(drawn.min()), int(drawn.max())
    chart = draw.Chart(
        sheet,
        (0.66, 0.15, 6.3, 2.2),
        x=(first - 2, last + 5),
        y=(0, 1.15 * max(share.max() for share in shares.values())),
        across="Shots",
        up="Share of games",
    )
    chart.axes.yaxis.set_major_formatter(lambda share, _: f"{100 * share:g}%")
    for key, (one, color) in both.items():
        edges = np.arange(len(shares[key]) + 1) - 0.5
        text = f"{key}: {one['mean']:.2f} shots, wins {100 * one['race']['win']['value']:.1f}%"
        chart.axes.stairs(shares[key], edges, fill=True, color=color, alpha=0.2, linewidth=0)
        chart.axes.stairs(shares[key], edges, color=color, linewidth=1.3, label=text)
    chart.name_lines("upper right")
    text = (
        f"On the same {pair['games']:,} boards: {pair['difference']:+.3f} ± {pair['se']:.3f} shots "
        f"(one standard error). Races are against the pace {told['pace'] or 'of the exact rule'}."
    )
    sheet.text(0.1, 2.8, text, style.SMALL, style.MUTED)
    return sheet


if __name__ == "__main__":
    main(__file__, "distilled", figure)
