"""One game of the strongest strategy with a rewind: before the big ship is proven, when it is sunk,
after the rewind, and at the end.

Numbers give the order of the shots. Shaded are the shots that the hunt chose after its first shot
at the big ship: the rewind erases these choices, not the shots, and the hunt goes on as if that
cell were water.
"""

from typing import Any, NamedTuple

import numpy as np

from bsjax import draw
from bsjax.draw.board import Board
from bsjax.game.game import Game
from bsjax.policies.rewind import FINISHER
from figures.classic_fleet_worst_boards import FILLS
from figures.script import Results, claim, main

KEY = [
    ("miss-number", "Miss"),
    ("hit", "Hit"),
    ("sunk", "Sunk ship"),
    ("shown", "Ship, not sunk yet"),
    ("pattern", "Choice that the rewind erases"),
    ("latest", "Latest shot"),
]


class Moment(NamedTuple):
    """The game after so many shots."""

    shots: int
    title: str
    note: str
    erased: list[int]


def figure(results: Results) -> draw.Sheet:
    told = results.read("example")
    game = game_of(told)
    steps, board = told["steps"], np.array(told["board"])
    check(told)
    moments = moments_of(steps)
    panels = [draw.Panel(moment.title, moment.note) for moment in moments]
    sheet, boards = draw.strip(game.size, panels, cell=0.27, columns=2, key=KEY)
    for drawn, moment in zip(boards, moments, strict=True):
        show(drawn, board, steps, moment)
    return sheet


def game_of(told: dict[str, Any]) -> Game:
    """The game that a result of this experiment is of."""
    games = told["settings"]["games"]
    game = Game(tuple(games["size"]), tuple(games["fleet"]))
    claim(told["game"] == str(game), f"the games are of {game}")
    return game


def check(told: dict[str, Any]) -> None:
    """The game is one, and a rewind is in it."""
    steps, board = told["steps"], told["board"]
    claim(all(board[step["cell"]] == step["ship"] for step in steps), "shots meet the ships")
    claim(len({step["cell"] for step in steps}) == told["shots"], "no cell is shot at twice")
    erased = [cell for step in steps for cell in step["erased"]]
    claim(any(board[cell] < 0 for cell in erased), "a rewind goes back over shots at water")
    claim(any(step["part"] == FINISHER for step in steps), "the finisher fires")


def moments_of(steps: list[dict[str, Any]]) -> list[Moment]:
    """What is shown: around the rewind that erases most, if there is one after shots of the
    finisher, and the end."""
    sizes = [len(step["erased"]) for step in steps]
    finished = [at for at in range(1, len(steps)) if steps[at - 1]["part"] == FINISHER]
    back = max([at for at in finished if sizes[at]] or range(len(steps)), key=sizes.__getitem__)
    first = back
    while first and steps[first - 1]["part"] == FINISHER:
        first -= 1
    erased = steps[back]["erased"]
    recalled = sum(step["recalled"] for step in steps)
    gone = sum(sizes)
    proof = f"Shots of the finisher that follow: {back - first}"
    return [
        Moment(first, f"Shot {first}: a big ship is proven", proof, []),
        Moment(back, f"Shot {back}: it is sunk", f"Choices to be erased: {len(erased)}", erased),
        Moment(
            back + 1,
            f"Shot {back + 1}: the hunt goes on",
            f"Choices answered from memory before it: {steps[back]['recalled']}",
            [],
        ),
        Moment(
            len(steps),
            f"Shot {len(steps)}: the fleet is sunk",
            f"Choices erased in all: {gone}; answered from memory: {recalled}",
            [],
        ),
    ]


def show(drawn: Board, board: np.ndarray, steps: list[dict[str, Any]], moment: Moment) -> None:
    """Draw the board after the shots of a moment."""
    fired = [step["cell"] for step in steps[: moment.shots]]
    if moment.erased:
        drawn.shade(moment.erased)
    order = {cell: number for number, cell in enumerate(fired, 1)}
    for ship in range(board.max() + 1):
        cells = np.flatnonzero(board == ship).tolist()
        if all(cell in order for cell in cells):
            drawn.ship(cells, "sunk", fill=FILLS[ship])
        else:
            drawn.ship(cells, "shown")
    water = [cell for cell in fired if board[cell] < 0]
    drawn.misses(water, [order[cell] for cell in water])
    hit = [cell for cell in fired if board[cell] >= 0]
    drawn.hits(hit, [order[cell] for cell in hit])
    drawn.latest(fired[-1])


if __name__ == "__main__":
    main(__file__, "strongest", figure)
