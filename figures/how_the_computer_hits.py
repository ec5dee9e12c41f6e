"""The density after a hit at E5, and after a second one at F5, with the peak in base w = 35.

The top digit counts the positions through the peak that touch the most hits: F5 and E6 have
12 · 35 + 22 = 442, then D5 and G5 have 7 · 35² + 5 · 35 + 21 = 8,771.
"""

from typing import Any

import numpy as np

from bsjax import draw
from bsjax.game.game import Game
from bsjax.game.notation import parse_cell
from figures.script import Results, claim, main

SIZE = (10, 10)
PEAKS = {"one_hit": "12 · 35 + 22 = 442", "two_hits": "7 · 35² + 5 · 35 + 21 = 8,771"}
BEST = {"one_hit": ["F5", "E6"], "two_hits": ["D5", "G5"]}
TITLES = {"one_hit": "One hit", "two_hits": "Two hits in a line"}


def figure(results: Results) -> draw.Sheet:
    told = results.read("density")
    base = told["weight"]
    for name, best in BEST.items():
        claim(told[name]["best_names"] == best, f"the peak is at {' and '.join(best)}")
        said = written(told[name], base)
        claim(said == PEAKS[name], f"the peak is {PEAKS[name]}, not {said}")
    one = np.array(told["one_hit"]["density"])
    behind = [int(one[parse_cell(Game(SIZE), cell)]) for cell in ("E4", "D5")]
    claim(behind == [441, 441], "E4 and D5 are just behind on 441")

    panels = [
        draw.Panel(TITLES[name], f"{' and '.join(BEST[name])}:  {PEAKS[name]}") for name in BEST
    ]
    sheet, boards = draw.strip(
        SIZE,
        panels,
        cell=0.3,
        key=[("hit", "Hit"), ("heat", "Low to High"), ("best", "Highest density")],
    )
    for name, board in zip(BEST, boards, strict=True):
        plane = np.array(told[name]["density"])
        board.heat(plane, low=8, log=True, numbers="d", where=plane > 0)
        board.hits(hits(told[name])).best(told[name]["best"])
    return sheet


def hits(board: dict[str, Any]) -> list[int]:
    """Cells hit."""
    return [parse_cell(Game(SIZE), token.split(":")[0]) for token in board["history"].split()]


def written(board: dict[str, Any], base: int) -> str:
    """The peak in base w, as the caption writes it."""
    powers = {0: "", 1: f" · {base}", 2: f" · {base}²"}
    digits = [(power, n) for power, n in enumerate(board["peak_digits"]) if n]
    value = sum(n * base**power for power, n in digits)
    claim(value == board["peak"], "the digits add up to the peak")
    return " + ".join(f"{n}{powers[power]}" for power, n in reversed(digits)) + f" = {value:,}"


if __name__ == "__main__":
    main(__file__, "how_the_computer", figure)
