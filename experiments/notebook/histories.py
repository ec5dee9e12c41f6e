"""Histories on which the sampler is checked, with what the write-up's own sampler made of them."""

from typing import Any, NamedTuple

from bsjax.game.game import Game
from experiments.notebook.settings import TWO_SHIPS

FIVE_SHIPS = Game(feedback="name")


class Case(NamedTuple):
    """One history."""

    title: str
    shots: str
    published: dict[str, Any]
    """Of two ships 40,000 draws, their effective size and the largest difference from the exact
    chances. Of five ships 240,000 draws, how many were layouts, and their effective size."""


def _two(title: str, shots: str, effective: int, largest: float) -> Case:
    return Case(title, shots, {"effective": effective, "largest_difference": largest})


def _five(title: str, shots: str, valid: int, effective: int) -> Case:
    return Case(title, shots, {"valid": valid, "effective": effective})


GAMES = {"two_ships": TWO_SHIPS, "five_ships": FIVE_SHIPS}

CASES: dict[str, tuple[Case, ...]] = {
    "two_ships": (
        _two("2 hits, 3 misses", "D4:hit E5:miss F4:miss D1:miss H8:hit", 40_000, 0.0023),
        _two("3-ship sunk (D4 E4 F4)", "D4:hit E4:hit F4:sunk=3 A8:miss", 40_000, 0.0033),
        _two("hit near a sunk ship", "D4:hit E4:hit F4:sunk=3 D3:hit", 40_000, 0.0024),
        _two("hits E5 and H8, miss A6", "E5:hit H8:hit A6:miss", 40_000, 0.0027),
        _two("adjacent hits E5 F5, miss B2", "E5:hit F5:hit B2:miss", 15_873, 0.0044),
        _two("hits E5 F5, 3-ship sunk at G5", "E5:hit F5:hit G5:sunk=3", 40_000, 0.0035),
    ),
    "five_ships": (
        _five("one hit, two misses", "E5:hit D4:miss F4:miss", 240_000, 232_004),
        _five(
            "three hits in an L, nothing sunk",
            "E5:hit D5:hit D6:hit C6:miss E6:miss",
            240_000,
            124_641,
        ),
        _five(
            "destroyer sunk in the corner, another hit elsewhere",
            "A10:hit B10:miss A9:sunk=destroyer E5:hit H1:miss F6:miss",
            240_000,
            232_766,
        ),
        _five(
            "submarine sunk beside an unexplained hit of the cruiser",
            "E5:hit F5:hit G5:sunk=submarine D5:hit C5:miss H5:hit B9:miss",
            240_000,
            224_980,
        ),
        _five(
            "battleship and cruiser side by side, cruiser sunk",
            "D8:hit D9:hit C9:hit E9:sunk=cruiser E8:hit B8:miss D10:miss G5:miss",
            240_000,
            137_820,
        ),
        _five(
            "three ships sunk in one cluster, carrier hit once",
            "D8:hit D9:hit C9:hit E9:sunk=cruiser E8:hit F8:hit C8:sunk=battleship G8:hit "
            "G9:sunk=destroyer J5:hit A5:miss",
            240_000,
            231_356,
        ),
        _five(
            "carrier along a row of parallel hits, submarine sunk at its end",
            "E4:hit E5:hit D4:hit D5:hit F4:hit G4:hit H4:hit H3:hit H2:sunk=submarine "
            "F5:sunk=cruiser C7:miss",
            171_509,
            42_521,
        ),
        _five(
            "only the destroyer left after many misses",
            "E4:hit E5:hit D4:hit D5:hit F4:hit F5:sunk=cruiser G4:hit H4:hit H3:hit "
            "H2:sunk=submarine C4:sunk=carrier B5:hit B6:hit B7:hit B8:sunk=battleship A1:miss "
            "C2:miss E1:miss G7:miss I6:miss D8:miss F9:miss B10:miss J2:miss H6:miss E7:miss "
            "J8:miss A10:miss H10:miss",
            240_000,
            240_000,
        ),
        _five(
            "a game to the first hit after the first sinking",
            "G5:miss E8:hit F8:miss E7:miss D8:hit C8:hit B8:sunk=battleship H6:miss F4:miss "
            "E3:miss C5:miss D6:miss A6:hit",
            240_000,
            203_601,
        ),
        _five(
            "a game to the first hit after the third sinking",
            "G5:hit G4:miss F5:hit H5:hit I5:hit E5:miss J5:sunk=carrier C6:miss D7:miss E8:miss "
            "D3:hit C3:hit B3:hit A3:miss E3:sunk=battleship H8:miss H2:miss C9:miss B8:hit "
            "B7:hit B9:sunk=cruiser I7:miss G9:miss G1:miss F7:miss I3:miss D4:miss G6:miss "
            "F2:miss D10:miss I10:miss B5:miss J8:miss D1:miss F10:miss C2:miss A6:hit",
            240_000,
            176_077,
        ),
        _five("empty board", "", 240_000, 235_784),
    ),
}
"""By game, in the order of the write-up."""
