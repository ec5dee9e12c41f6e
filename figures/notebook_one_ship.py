"""One ship of four cells: how many of its placements cover each cell.

A corner is covered by 2 of the 140 placements, the centre by 8: fewer placements fit against a
border.
"""

import numpy as np

from bsjax import draw
from figures.script import Results, claim, main


def figure(results: Results) -> draw.Sheet:
    told = results.read("one_ship")
    covers, published = np.array(told["covers"]), told["published"]
    claim(told["placements"] == told["formula"] == 140, "there are 140 placements")
    claim(covers.sum() == told["length"] * told["placements"], "each placement covers its cells")
    claim(covers[[0, 9, 90, 99]].tolist() == [published["corner"]] * 4, "a corner is covered by 2")
    claim(told["centre"] == published["centre"] == covers[44], "the centre is covered by 8")

    note = f"{told['placements']} placements; a corner is covered by {told['corner']},\n"
    note += f"the centre by {told['centre']}"
    sheet, (board,) = draw.strip(
        (10, 10),
        [draw.Panel("One ship of four cells", note)],
        cell=0.3,
        key=[("heat", f"0 to {told['centre']} placements")],
    )
    board.heat(covers, numbers="d")
    return sheet


if __name__ == "__main__":
    main(__file__, "notebook", figure)
