"""Where the near-perfect players of 5×5 and 4×4 hide: the chance of a ship on each cell, beside
that of a uniform hider and what the write-up says of its 5×5 player.

Weight moves from the middle to the edges: corners hold a ship more often than at random, the centre
of 5×5 and the inner cells of 4×4 less often.
"""

import numpy as np
from jaxtyping import Float64

from bsjax import draw
from bsjax.draw import style
from bsjax.draw.style import Number
from bsjax.game.game import Game
from bsjax.posterior.listed import Listing
from figures.script import Results, claim, main

CELL = 0.33
"""Size of a cell in inches."""
LEFT, BETWEEN = 0.3, 0.55
SCALES = {"5x5": (0.18, 0.44), "4x4": (0.38, 0.6)}
"""Chances with the lightest and the darkest tint."""

Plane = Float64[np.ndarray, " C"]


def figure(results: Results) -> draw.Sheet:
    large = results.read("player_5x5")["5x5"]
    small = results.read("players")["4x4"]
    own = {"5x5": np.array(large["holds_a_ship"]), "4x4": np.array(small["holds_a_ship"])}
    random = {name: uniform(Game(size, (3, 3, 2))) for name, size in SIZES.items()}
    for plane in (*own.values(), *random.values()):
        claim(abs(plane.sum() - 8) < 1e-6, "a fleet covers 8 cells")
    claim(f"{random['5x5'][0]:.2%} {random['5x5'][12]:.2%}" == "21.45% 40.55%", "5×5 at random")
    claim(own["5x5"][0] > random["5x5"][0], "5×5: more often in a corner than at random")
    claim(own["5x5"][12] < random["5x5"][12] - 0.05, "5×5: far less often in the centre")
    claim(own["4x4"][5] < random["4x4"][5], "4×4: less often on the inner cells")
    middles = [2, 10, 14, 22]
    claim(set(np.argsort(own["5x5"])[-4:]) == set(middles), "5×5: most often on edge middles")

    told = large["published"]
    published = np.full(25, np.nan)
    published[[0, 4, 20, 24]] = told["corner_percent"] / 100
    published[middles] = told["edge_middle_percent"] / 100
    published[12] = told["centre_percent"] / 100
    wide = 5 * CELL
    sheet = draw.Sheet(LEFT + 3 * wide + 2 * BETWEEN + 0.1, 4.62)
    third = LEFT + 2 * (wide + BETWEEN)
    board(sheet, LEFT, 0.1, "5x5", "5×5, near-perfect", own["5x5"])
    board(sheet, LEFT + wide + BETWEEN, 0.1, "5x5", "5×5, as published", published)
    board(sheet, third, 0.1, "5x5", "5×5, uniform", random["5x5"])
    board(sheet, LEFT, 2.42, "4x4", "4×4, near-perfect", own["4x4"])
    board(sheet, LEFT + wide + BETWEEN, 2.42, "4x4", "4×4, uniform", random["4x4"])
    text = "Chance of a ship\non each cell, in\npercent. Each row\nhas tints of its own."
    sheet.text(third, 2.84, text, style.SMALL, style.MUTED)
    draw.draw_key(sheet, 0.1, 4.36, sheet.width - 0.2, [("heat", "seldom to often")])
    return sheet


SIZES = {"5x5": (5, 5), "4x4": (4, 4)}


def uniform(game: Game) -> Plane:
    """Chance of a ship on each cell where every layout is equally likely."""
    return (Listing(game).boards() >= 0).mean(0)


def board(
    sheet: draw.Sheet, left: Number, top: Number, name: str, title: str, plane: Plane
) -> None:
    """One map; cells of which nothing is known (nan) stay empty."""
    size, (low, high) = SIZES[name], SCALES[name]
    sheet.text(left, top, title, style.TITLE, weight="bold")
    axes = sheet.axes(left, top + 0.42, size[0] * CELL, size[1] * CELL)
    drawn = draw.Board(axes, size, CELL * 72)
    known = ~np.isnan(plane)
    drawn.heat(np.where(known, plane, 0.0), low=low, high=high, where=known)
    for cell in np.flatnonzero(known).tolist():
        drawn.write(cell, f"{100 * plane[cell]:.1f}")


if __name__ == "__main__":
    main(__file__, "small_boards", figure)
