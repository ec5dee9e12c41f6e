"""The first twelve shots of a density game, all of them misses, and the density for shot 13.

Nobody mentioned a chequerboard, yet no shot is next to another. The highest density is now at C8
and E9, in the corner the misses have not reached.
"""

import numpy as np

from bsjax import draw
from figures.script import Results, claim, main


def figure(results: Results) -> draw.Sheet:
    misses = results.read("density")["misses"]
    shots, plane = misses["shots"], np.array(misses["density"])
    claim(len(set(shots)) == 12, "twelve shots")
    claim(misses["none_adjacent"], "none of the twelve shots is next to another")
    claim(misses["best_names"] == ["C8", "E9"], "the highest density is at C8 and E9")
    claim(misses["sets_with_published_next"] == 1, "only one set of twelve cells leads there")

    sheet, (board,) = draw.strip(
        (10, 10),
        [draw.Panel()],
        cell=0.3,
        key=[
            ("miss-number", "Miss, numbered in order"),
            ("heat", "Low to High"),
            ("best", "Highest density"),
        ],
    )
    unfired = np.ones(len(plane), bool)
    unfired[shots] = False
    board.heat(plane, low=4, numbers="d", where=unfired)
    board.misses(shots, range(1, len(shots) + 1)).best(misses["best"])
    return sheet


if __name__ == "__main__":
    main(__file__, "how_the_computer", figure)
