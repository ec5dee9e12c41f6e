"""The chance that a hunt is over by each shot: the near-perfect player, and for every shot the hunt
that aims at it; below, what aiming gains.

A hunt that knows its deadline gains most near the end of a game, and only some points.
"""

import numpy as np

from bsjax import draw
from bsjax.draw import style
from figures.script import Results, claim, main

TITLES = {"5x5": "5×5", "4x4": "4×4"}
WIDEST = 10.0
"""Points that no deadline gains."""


def figure(results: Results) -> draw.Sheet:
    large = results.read("context_5x5")["5x5"]
    told = {"5x5": large, "4x4": results.read("context")["4x4"]}
    for name in TITLES:
        claim("deadlines" in told[name], f"{name} has deadline curves")
    sheet = draw.Sheet(7.2, 4.58)
    high = 1.35 * max(told[name]["widest_deadline"]["points"] for name in TITLES)
    notes = []
    for number, (name, title) in enumerate(TITLES.items()):
        one = told[name]
        best, player = (np.array(one["deadlines"][who]) for who in ("best", "player"))
        gain = 100 * (best - player)
        claim(bool((gain > -1e-4).all()), f"{name}: no hunt meets a deadline more often")
        widest, shot = one["widest_deadline"]["points"], one["widest_deadline"]["shots"]
        claim(abs(gain[shot] - widest) < 1e-6 and widest == gain.max(), f"{name}: the widest gap")
        claim(widest < WIDEST, f"{name}: knowing the deadline gains less than {WIDEST:g} points")
        ceiling = one["gains_points"]["together"]["ceiling"]
        claim(0 < ceiling < widest, f"{name}: the ceiling is below the widest gap")
        notes.append(f"{title} {ceiling:.2f}")

        left = 0.66 + number * 3.42
        ends = (int(np.flatnonzero(best > 0)[0]) - 1, len(best) - 1)
        sheet.text(left, 0.06, title, style.TITLE, weight="bold")
        above = draw.Chart(
            sheet,
            (left, 0.36, 3.02, 1.9),
            x=ends,
            y=(0, 1),
            up="" if number else "Over by the shot",
            percent=True,
        )
        shots = range(len(best))
        kind = {"color": style.SERIES[1], "dash": (0, (4, 1.5))}
        above.curve(shots, best.tolist(), "hunt that aims at this shot", steps=True, **kind)
        above.curve(shots, player.tolist(), "near-perfect player", steps=True)
        if not number:
            above.name_lines("lower right")
        below = draw.Chart(
            sheet,
            (left, 2.62, 3.02, 1.15),
            x=ends,
            y=(0, high),
            across="Shot",
            up="" if number else "Gain in points",
        )
        below.bars(shots, gain.tolist(), color=style.SERIES[1])
        text = f"{widest:.1f} at shot {shot}"
        below.axes.text(shot, widest + high / 40, text, ha="center", **style.type_of(style.SMALL))
    beside = large["beside"]
    text = (
        f"Published for 5×5: at most {beside['widest_deadline']['published']:g} points, at shot "
        f"{beside['widest_deadline_shots']['published']}.\nThe most that knowing one's own end can "
        f"gain in a race (the ceiling), in points: {', '.join(notes)}."
    )
    sheet.text(0.1, 4.25, text, style.SMALL, style.MUTED)
    return sheet


if __name__ == "__main__":
    main(__file__, "small_boards", figure)
