"""The density before the first shot: how many positions of the five ships pass over each cell.

10 in the corners, 34 in the four central cells, where the density hunter fires first.
"""

import numpy as np

from bsjax import draw
from figures.script import Results, claim, main

CENTRE = ["E5", "F5", "E6", "F6"]


def figure(results: Results) -> draw.Sheet:
    told = results.read("density")
    opening = told["opening"]
    plane = np.array(opening["density"])
    claim(plane[[0, 9, 90, 99]].tolist() == [10] * 4, "10 positions pass over each corner")
    claim(opening["peak"] == 34 and told["weight"] == 35, "34 is the peak, w is one more")
    claim(opening["best_names"] == CENTRE, "the peak is at the four central cells")

    sheet, (board,) = draw.strip(
        (10, 10),
        [draw.Panel()],
        cell=0.3,
        key=[("heat", "Low to High"), ("best", "Highest density")],
    )
    board.heat(plane, low=6, numbers="d").best(opening["best"])
    return sheet


if __name__ == "__main__":
    main(__file__, "how_the_computer", figure)
