"""One typical game of the Normal computer, with its search pattern and without it.

Shaded is the pattern the computer hunts on at that moment: the chequerboard while the destroyer
is afloat, a thinner one from the shot that sinks it. Numbers give the order of the shots, dashed
outlines the ships still afloat. The bars count the shots of this game and of an average game.
"""

from typing import Any

import numpy as np

from bsjax import draw
from bsjax.draw.board import Board
from bsjax.game.game import Game
from bsjax.game.history import parse
from bsjax.game.tokens import History
from figures.script import Results, claim, main

GAME = Game(feedback="cells")
PARITY, FREE = "hunt-target", "hunt-target-no-parity"
TITLES = {PARITY: "With parity", FREE: "Without parity"}
KEY = [
    ("miss-number", "Miss"),
    ("hit", "Hit"),
    ("afloat", "Ship afloat"),
    ("sunk", "Sunk ship"),
    ("pattern", "Search pattern"),
    ("latest", "Latest shot"),
]
BARS = 1.15
"""Height of the bars in inches."""


def read(results: Results) -> tuple[dict[str, Any], dict[str, History]]:
    """The game's result and both its histories, their totals checked."""
    told = results.read("game")
    histories = {name: parse(GAME, game["history"]) for name, game in told["played"].items()}
    for name, game in told["played"].items():
        history, mean = histories[name], told["averages"][name]
        claim(len(history) == game["hunt"] + game["target"] == game["shots"], "the kinds add up")
        claim(sum(bool(shot.shown) for shot in history) == GAME.ships, "every ship is sunk")
        claim(
            abs(game["shots"] - mean["total"]) < 1, "the totals are within a shot of the averages"
        )
    claim(not told["played"][PARITY]["hunt_shots_off_pattern"], "every hunt shot is on the pattern")
    saved = {kind: average(told, FREE, kind) - average(told, PARITY, kind) for kind in KINDS}
    claim(
        saved["hunt"] > 0 and abs(saved["target"]) < 1, "parity saves hunt shots, not target shots"
    )
    return told, histories


KINDS = ("hunt", "target")


def average(told: dict[str, Any], name: str, kind: str) -> float:
    """Mean shots of one kind."""
    return told["averages"][name][kind]


def figure(results: Results) -> draw.Sheet:
    told, histories = read(results)
    shortest = told["played"][PARITY]["shortest_afloat"]
    sinks = shortest.index(next(m for m in shortest if m > 2))
    claim(shortest[sinks - 1] == 2 and shortest[sinks] >= 3, "the pattern thins with the destroyer")
    moments = {name: (sinks - 1, sinks, len(history)) for name, history in histories.items()}

    panels = [
        draw.Panel(f"{TITLES[name]}: shot {shot} of {len(histories[name])}", note(told, name, shot))
        for name in TITLES
        for shot in moments[name]
    ]
    sheet, boards = draw.strip(GAME.size, panels, cell=0.2, columns=3, key=KEY, room=BARS)
    places = [(name, shot) for name in TITLES for shot in moments[name]]
    for board, (name, shot) in zip(boards, places, strict=True):
        show(board, told, name, histories[name], shot)
    games = told["averages"][PARITY]["games"]
    rows = []
    for name, title in TITLES.items():
        rows.append((title, [told["played"][name][kind] for kind in KINDS]))
    for name, title in TITLES.items():
        rows.append(
            (f"{title}, mean of {games:,} games", [average(told, name, kind) for kind in KINDS])
        )
    names = ["Hunt shots", "Target shots"]
    box = (2.3, sheet.height - BARS + 0.22, sheet.width - 2.4, BARS - 0.28)
    draw.stacks(sheet, box, rows, names)
    return sheet


def show(board: Board, told: dict[str, Any], name: str, history: History, shot: int) -> None:
    """Draw the board as it stands after `shot` shots."""
    shortest = told["played"][name]["shortest_afloat"]
    if name == PARITY and shot < len(history):
        board.shade(on_pattern(shortest[shot]))
    ships = dict(enumerate(told["ships"].values()))
    board.shots(history[:shot], fleet=ships)
    if shot:
        board.latest(history[shot - 1].cell)


def on_pattern(m: int) -> list[int]:
    """Cells of the pattern for ships of at least m cells."""
    rows, columns = np.divmod(np.arange(GAME.cells), GAME.width)
    return np.flatnonzero((rows + columns) % m == 0).tolist()


def note(told: dict[str, Any], name: str, shot: int) -> str:
    """Shots of each kind so far and ships sunk."""
    game = told["played"][name]
    hunts = sum(game["is_hunt"][:shot])
    sunk = game["history"].split()[:shot]
    count = sum(":sunk" in token for token in sunk)
    return f"{hunts} hunt shots, {shot - hunts} target shots, {count} of {GAME.ships} sunk"


if __name__ == "__main__":
    main(__file__, "how_the_computer", figure)
