"""The search patterns for m = 2 and m = 3.

Every ship of at least m cells covers a pattern cell: the destroyer at H2–H3 covers H2, the cruiser
at B7–D7 covers D7. A destroyer, shorter than three cells, can slip through the pattern for m = 3,
as at G2–H2.
"""

from bsjax import draw
from bsjax.draw import style
from figures.script import Results, claim, main


def figure(results: Results) -> draw.Sheet:
    told = results.read("patterns")
    ships, check = told["ships"], told["check"]
    count = {m: told["patterns"][str(m)]["count"] for m in (2, 3)}
    claim(count == {2: 50, 3: 34}, "the patterns have 50 and 34 cells")
    claim(told["dominoes"] == count[2], "50 dominoes cover the board, so 50 cells are needed")
    claim(ships["destroyer"]["covers_names"] == ["H2"], "the destroyer H2-H3 covers H2")
    claim(ships["cruiser"]["covers_names"] == ["D7"], "the cruiser B7-D7 covers D7")
    claim(ships["slips"]["covers"] == [], "the destroyer G2-H2 covers no cell of m = 3")
    claim(ships["slips"]["first_sum"] == 7, "its first sum is 7")
    claim(check["missed"] == 0, "every ship of at least m cells meets the pattern on every board")

    sheet, (left, right) = draw.strip(
        (10, 10),
        [draw.Panel(f"m = {m} · {count[m]} cells") for m in (2, 3)],
        key=[
            ("pattern", "Pattern cell"),
            ("strong", "Pattern cell the ship covers"),
            ("shown", "Ship that is caught"),
            ("slips", "Destroyer that slips through"),
        ],
    )
    for board, m, caught in ((left, 2, "destroyer"), (right, 3, "cruiser")):
        board.shade(told["patterns"][str(m)]["cells"])
        board.shade(ships[caught]["covers"], style.STRONG)
        board.ship(ships[caught]["cells"], "shown")
    right.ship(ships["slips"]["cells"], "afloat", color=style.HIT)
    return sheet


if __name__ == "__main__":
    main(__file__, "how_the_computer", figure)
