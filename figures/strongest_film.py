"""The game of the strongest strategy shot by shot, as an animated GIF: who fires, what a rewind
erases, and what the hunt is answered from memory."""

from typing import Any

import numpy as np

from bsjax import draw
from bsjax.game.notation import format_cell
from bsjax.policies.rewind import FINAL, FINISHER, HUNT
from figures.script import Results, main
from figures.strongest_game import KEY, Moment, check, game_of, show

WHO = {HUNT: "the hunt", FINISHER: "the finisher", FINAL: "the final hunt"}
QUICK, REWIND, LAST = 0.6, 2.0, 4.0
"""Seconds a frame is shown: a shot, a rewind, the end."""


def figure(results: Results) -> draw.Film:
    told = results.read("example")
    game, steps, board = game_of(told), told["steps"], np.array(told["board"])
    check(told)
    film = draw.Film()
    for number in range(1, len(steps) + 1):
        step = steps[number - 1]
        if step["erased"]:
            text = f"The rewind erases {len(step['erased'])} of its choices"
            add(film, game.size, board, steps, number - 1, text, step["erased"], REWIND)
        hit = "miss" if step["ship"] < 0 else "hit"
        text = f"{WHO[step['part']]} fires at {format_cell(game, step['cell'])}: {hit}"
        if step["recalled"]:
            text += f"; {step['recalled']} from memory before it"
        seconds = LAST if number == len(steps) else QUICK
        add(film, game.size, board, steps, number, text, [], seconds)
    return film


def add(
    film: draw.Film,
    size: tuple[int, int],
    board: np.ndarray,
    steps: list[dict[str, Any]],
    shots: int,
    text: str,
    erased: list[int],
    seconds: float,
) -> None:
    """One frame."""
    moment = Moment(shots, f"Shot {shots} of {len(steps)}", text[0].upper() + text[1:], erased)
    sheet, (drawn,) = draw.strip(size, [draw.Panel(moment.title, moment.note)], cell=0.36, key=KEY)
    show(drawn, board, steps, moment)
    film.add(sheet, seconds)


if __name__ == "__main__":
    main(__file__, "strongest", figure)
