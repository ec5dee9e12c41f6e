"""Two ships of four and three cells: the chance of a ship on each cell, exactly.

Before a shot the likeliest cell is D4, in 1,880 of the 20,336 layouts; a miss there discards
those and moves the best shot to E5, a hit keeps only those and moves it next to the hit.
"""

from typing import Any

import numpy as np

from bsjax.draw.heat import HeatMap, heat_maps
from bsjax.draw.sheet import Sheet
from bsjax.game.game import Game
from bsjax.game.history import parse
from bsjax.game.notation import parse_cell
from figures.script import Results, claim, main

GAME = Game(fleet=(4, 3), feedback="name")
TITLES = {"": "No shots yet", "D4:miss": "After a miss at D4", "D4:hit": "After a hit at D4"}
LIKELIEST = {"": "D4", "D4:miss": "E5", "D4:hit": "D3"}


def figure(results: Results) -> Sheet:
    told = results.read("two_ships")
    maps = {one["history"]: one for one in told["maps"]}
    claim(list(maps) == list(TITLES), "there are three maps")
    for history, one in maps.items():
        claim(one["layouts"] == one["published"]["layouts"], f"layouts left after {history}")
        claim(one["equals_closed_form"], "listing and closed form agree")
        claim(one["likeliest"][0] == LIKELIEST[history], f"the best cell after {history}")
        claim(one["likeliest"] == one["most_telling"], "both greedy rules fire alike")
    d4 = parse_cell(GAME, "D4")
    claim(maps[""]["ship"][d4] == maps["D4:hit"]["layouts"], "D4 lies in the layouts hit there")
    layouts = sum(maps[history]["layouts"] for history in ("D4:miss", "D4:hit"))
    claim(layouts == told["layouts"], "a miss discards what a hit keeps")
    return heat_maps(GAME, [drawn(one) for one in maps.values()])


def drawn(one: dict[str, Any]) -> HeatMap:
    """One map, with a ring on the cell that a rule with ties to the lowest cell fires at."""
    best, ties = one["likeliest"][0], len(one["likeliest"]) - 1
    note = f"{one['layouts']:,} layouts left\nBest: {best}, {one['p_best']:.1%}"
    if ties:
        note += f"; {ties} more cells tie with it"
    return HeatMap(
        np.array(one["ship"]) / one["layouts"],
        parse(GAME, one["history"]),
        likeliest=[parse_cell(GAME, best)],
        title=TITLES[one["history"]],
        note=note,
    )


if __name__ == "__main__":
    main(__file__, "notebook", figure)
