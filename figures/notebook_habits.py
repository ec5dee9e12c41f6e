"""The chance of a ship on each cell before the first shot, for two opponents on one colour scale.

The human-like opponent (a = 0.2, b = 2) favours the border: its likeliest cells are D1, G1, A4
and those equal to them by symmetry. Against the uniform one they are D4 and its like.
"""

from typing import Any

import numpy as np

from bsjax.draw.heat import HeatMap, heat_maps
from bsjax.draw.sheet import Sheet
from bsjax.game.game import Game
from figures.script import Results, claim, main

GAME = Game(fleet=(4, 3), feedback="name")
OPPONENTS = {(0.2, 2.0): "Human-like opponent", (0.0, 0.0): "Uniform opponent"}


def figure(results: Results) -> Sheet:
    openings = {(one["a"], one["b"]): one for one in results.read("habits")["openings"]}
    for habit, one in openings.items():
        published, best = one["published"], one["best_names"]
        claim(one["largest_difference_from_listing"] < 1e-12, "closed form and listing agree")
        named = published.get("cells", [])
        claim(set(named) <= set(best), f"{', '.join(named)} are best under {habit}")
        for share, said in (("p_best", "best_percent"), ("p_d4", "d4_percent")):
            figure = published.get(said)
            claim(figure is None or rounds(100 * one[share], figure), f"{said} under {habit}")
    human, uniform = (openings[habit] for habit in OPPONENTS)
    claim(len(human["best"]) == 8 and len(uniform["best"]) == 4, "8 and 4 cells tie")
    claim(human["p_d4"] < human["p_best"] and uniform["p_d4"] == uniform["p_best"], "D4 is beaten")
    maps = [drawn(openings[habit], title) for habit, title in OPPONENTS.items()]
    return heat_maps(GAME, maps, shared=True)


def rounds(value: float, published: float) -> bool:
    """Whether a value rounds to the figure as it was published."""
    _, _, decimals = str(published).partition(".")
    return round(value, len(decimals)) == published


def drawn(one: dict[str, Any], title: str) -> HeatMap:
    """One opening map, with rings on all cells that tie."""
    note = (
        f"a = {one['a']:g}, b = {one['b']:g}\n"
        f"Best opening: {one['best_names'][0]}, {one['p_best']:.1%}; "
        f"{len(one['best'])} cells tie by symmetry"
    )
    return HeatMap(np.array(one["p_ship"]), likeliest=one["best"], title=title, note=note)


if __name__ == "__main__":
    main(__file__, "notebook", figure)
