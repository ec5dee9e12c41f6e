"""Hard boards of the classic fleet that every search starts from.

Each is written as `layouts.written` writes it: carrier, battleship, cruiser, submarine, destroyer.
The first is described cell by cell in the write-up (the worst board found against a self-play
mixture), the next two in words. Boards that searches find are added at the end.
"""

import numpy as np

from bsjax.evaluate.hard_boards.layouts import Layouts, distinct, legal, read
from bsjax.game.game import Game

CLASSIC = (
    # Along the top and left edges, the 3s down columns A and B.
    "D2-H2 A1-D1 A2-A4 B2-B4 F1-G1",
    # The 2 in a corner, a 3 against each of two edges.
    "C4-G4 F6-F9 A3-A5 E1-G1 J9-J10",
    # The 2 in the middle, between the 3s.
    "B2-F2 C9-F9 D4-D6 F4-F6 E5-E6",
    # Everything on the edge.
    "A1-E1 G1-J1 J3-J5 A8-A10 D10-E10",
    # Found against `density`.
    "J4-J8 I7-I10 E6-E8 G1-G3 J9-J10",
    # Found against smart 3-parity.
    "D4-H4 D6-D9 B7-B9 G2-I2 A1-A2",
)


def common(game: Game) -> Layouts:
    """The listed boards that are legal in this game, no two alike; none if it is another board."""
    if game.size != (10, 10) or game.fleet != (5, 4, 3, 3, 2):
        return np.zeros((0, game.ships), np.int16)
    free = Game(game.size, game.fleet)
    boards = np.stack([read(free, text) for text in CLASSIC])
    boards = boards[legal(game, boards)]
    return boards[distinct(game, boards)]
