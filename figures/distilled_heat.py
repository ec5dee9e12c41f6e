"""What a small network thinks of a position, beside the exact posterior of every layout."""

import numpy as np
from jaxtyping import Float64

from bsjax.draw.heat import HeatMap, heat_maps
from bsjax.draw.sheet import Sheet
from bsjax.game.game import Game
from bsjax.game.history import parse
from bsjax.game.notation import format_cell
from figures.script import Results, claim, main

Plane = Float64[np.ndarray, " C"]

OFF = 0.1
"""How far a chance may be off."""


def figure(results: Results) -> Sheet:
    told = results.read("calibration")
    width, height = told["settings"]["size"]
    game = Game((width, height), tuple(told["settings"]["fleet"]))
    history, exact = parse(game, told["history"]), np.array(told["exact"])
    free = np.ones(game.cells, bool)
    free[[shot.cell for shot in history]] = False
    maps = [drawn(game, exact, exact, free, history, "Exact posterior")]
    for one in told["students"]:
        heat = np.array(one["heat"])
        maps.append(drawn(game, heat, exact, free, history, f"Student {one['name']}"))
    best = np.array(told["students"][-1]["heat"])
    if not told["settings"]["quick"]:
        claim(np.abs(best - exact)[free].mean() < OFF, f"chances are off by less than {OFF:.0%}")
    return heat_maps(game, maps)


def drawn(game, heat, exact, free, history, title: str) -> HeatMap:
    """One map, with a ring on the cell that is fired at."""
    cell = int(np.where(free, heat, -1).argmax())
    note = f"Fires at {format_cell(game, cell)}: exactly {exact[cell]:.1%}\n"
    off = np.abs(heat - exact)[free].mean()
    note += f"Off by {off:.2%} on average" if off else "Every layout counted"
    return HeatMap(np.where(free, heat, 0), history, likeliest=[cell], title=title, note=note)


if __name__ == "__main__":
    main(__file__, "distilled", figure)
