"""The layouts of 5×5 on which hunters win fewest races, with the races they win and the shots they
need there.
"""

from itertools import pairwise
from typing import Any, NamedTuple

from bsjax import draw
from bsjax.draw import style
from bsjax.game.game import Game
from bsjax.game.notation import parse_cell
from figures.script import Results, claim, main
from figures.small_boards_finishing import mean
from figures.small_boards_flatness import PLAYER, by_name

GAME = Game((5, 5), (3, 3, 2))
RULES = (
    "smart 3-parity core",
    "3-parity + computer finish + late (light)",
    "checkerboard by hand",
    "3-parity by hand",
    "checkerboard densest first",
    "particle filter",
    "heat map",
)
TITLES = {
    PLAYER: "Near-perfect player",
    "3-parity + computer finish + late (light)": "3-parity, late (light)",
}
"""Short names; the others are written as they are."""
FILLS = (style.SERIES[0], style.STRONG, style.PATTERN)
"""Colours of the ships."""


class Worst(NamedTuple):
    """A hunter's worst layout."""

    name: str
    layout: str
    won: float
    """Races in percent."""
    shots: float
    """Expected there."""


def figure(results: Results) -> draw.Sheet:
    board = by_name(results.read("rules"))["5x5"]
    player = Worst(
        PLAYER,
        board["player_worst_on"],
        board["player_worst"],
        mean(board["player_times_worst"]),
    )
    rules = {one["rule"]: worst(one) for one in board["rules"]}
    shown = [player, *sorted((rules[name] for name in RULES), key=lambda one: -one.won)]
    claim(all(b.won <= a.won for a, b in pairwise(shown)), "the player wins most")
    claim(shown[1].won < 30 < 49 < player.won, "rules win less than 30%, the player more than 49%")
    panels = [
        draw.Panel(
            TITLES.get(one.name, one.name[0].upper() + one.name[1:]),
            f"{one.won:.1f}% of races won,\n{one.shots:.2f} shots",
        )
        for one in shown
    ]
    sheet, boards = draw.strip(GAME.size, panels, columns=4, cell=0.28)
    for drawn, one in zip(boards, shown, strict=True):
        for cells, fill in zip(ships(one.layout), FILLS, strict=True):
            drawn.ship(cells, "shown", fill=fill)
    return sheet


def worst(rule: dict[str, Any]) -> Worst:
    """The worst layout of a rule."""
    return Worst(rule["rule"], rule["worst_on"], rule["worst"]["value"], mean(rule["times_worst"]))


def ships(layout: str) -> list[range]:
    """Cells of each ship of a layout that is written as `A1-C1 A2-C2 E1-E2`."""
    found = []
    for pair, length in zip(layout.split(), GAME.fleet, strict=True):
        first, last = (parse_cell(GAME, cell) for cell in pair.split("-"))
        step = 1 if last - first == length - 1 else GAME.size[0]
        claim(last - first == step * (length - 1), f"{pair} is a ship of length {length}")
        found.append(range(first, last + 1, step))
    return found


if __name__ == "__main__":
    main(__file__, "small_boards", figure)
