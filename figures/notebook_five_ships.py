"""The standard fleet: the chance of a ship on each cell, every layout counted.

Before the first shot the middle is likeliest. A hit makes its neighbours so; where a ship is
announced sunk, a further hit beside it is not yet explained, and the map says where to go on.
"""

from typing import Any

import numpy as np

from bsjax.draw.heat import HeatMap, heat_maps
from bsjax.draw.sheet import Sheet
from bsjax.game.game import Game
from bsjax.game.history import parse
from bsjax.game.notation import parse_cell
from figures.script import Results, claim, main

GAME = Game()
TITLES = ("No shots yet", "After a hit at E5", "A ship of 3 sunk, another hit beside it")


def figure(results: Results) -> Sheet:
    maps = results.read("five_ships")["maps"]
    claim(len(maps) == len(TITLES), "there are three maps")
    for one in maps:
        claim(one["known"] in (None, one["layouts"]), f"layouts left after {one['history']}")
        claim(abs(sum(one["p_ship"]) - GAME.ship_cells) < 1e-4, "maps sum to the fleet")
    return heat_maps(GAME, [drawn(one, title) for one, title in zip(maps, TITLES, strict=True)])


def drawn(one: dict[str, Any], title: str) -> HeatMap:
    """One map, with rings on the cells that the greedy rules fire at."""
    best, telling = one["likeliest"][0], one["most_telling"][0]
    note = f"{one['layouts']:,} layouts left\nBest by probability: {best}, {one['p_best']:.1%}"
    note += "" if telling == best else f"; by information: {telling}"
    return HeatMap(
        np.array(one["p_ship"]),
        parse(GAME, one["history"]),
        likeliest=[parse_cell(GAME, best)],
        telling=[parse_cell(GAME, telling)],
        title=title,
        note=note,
    )


if __name__ == "__main__":
    main(__file__, "notebook", figure)
