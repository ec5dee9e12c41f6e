"""The typical game shot by shot, with the search pattern and without it, as an animated GIF."""

from bsjax import draw
from bsjax.game.notation import format_cell
from bsjax.game.observation import MISS
from bsjax.game.tokens import Shot
from figures.how_the_computer_game import GAME, KEY, PARITY, TITLES, note, read, show
from figures.script import Results, main

QUICK, SINK, LAST = 0.45, 1.2, 4.0
"""Seconds a frame is shown: a shot, a shot that sinks, the end."""


def figure(results: Results) -> draw.Film:
    told, histories = read(results)
    film = draw.Film()
    longest = max(map(len, histories.values()))
    for shot in range(longest + 1):
        now = {name: min(shot, len(history)) for name, history in histories.items()}
        panels = []
        for name, title in TITLES.items():
            history, fired = histories[name], now[name]
            head = f"{title}: shot {fired} of {len(history)}"
            pattern = (
                f"pattern m = {told['played'][name]['shortest_afloat'][fired]}"
                if (name == PARITY and fired < len(history))
                else ""
            )
            said = [answer(history[fired - 1]) if fired else "", pattern]
            lines = f"{'  ·  '.join(filter(None, said)) or ' '}\n{note(told, name, fired)}"
            panels.append(draw.Panel(head, lines))
        sheet, boards = draw.strip(GAME.size, panels, cell=0.26, key=KEY)
        for board, name in zip(boards, TITLES, strict=True):
            show(board, told, name, histories[name], now[name])
        sinks = any(0 < shot == now[name] and histories[name][shot - 1].shown for name in TITLES)
        film.add(sheet, LAST if shot == longest else SINK if sinks else QUICK)
    return film


def answer(shot: Shot) -> str:
    """The shot and its answer in words."""
    word = "miss" if shot.answer == MISS else "hit, sunk" if shot.shown else "hit"
    return f"{format_cell(GAME, shot.cell)}: {word}"


if __name__ == "__main__":
    main(__file__, "how_the_computer", figure)
