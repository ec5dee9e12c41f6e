"""`bsjax check`: read boards and shot logs, say what is wrong with them or print them tidily."""

import json
from pathlib import Path
from typing import Annotated

import typer

from bsjax.cli import app
from bsjax.cli.options import (
    CountFromFlag,
    FeedbackFlag,
    FirstFlag,
    FleetFlag,
    JsonFlag,
    PresetFlag,
    RowOneFlag,
    SizeFlag,
    TouchingFlag,
    convention_of,
    game_of,
)


@app.command()
def check(
    board: Annotated[
        Path | None, typer.Option(help="Boards: text grid, CSV or JSON; - reads standard input.")
    ] = None,
    shots: Annotated[
        str | None, typer.Option(help="Shot log: a file, - for standard input, or the shots.")
    ] = None,
    first: FirstFlag = "column",
    row_one: RowOneFlag = "top",
    count_from: CountFromFlag = 1,
    size: SizeFlag = None,
    fleet: FleetFlag = None,
    touching: TouchingFlag = None,
    feedback: FeedbackFlag = None,
    game: PresetFlag = "classic",
    as_json: JsonFlag = False,
) -> None:
    """Check boards and a shot log, and the log against the board if both are given."""
    if board is None and shots is None:
        raise ValueError("nothing to check: give --board FILE, --shots FILE or both")
    rules = game_of(game, size, fleet, touching, feedback)
    convention = convention_of(first, row_one, count_from)
    from bsjax.files import read_boards, read_shots, write_board_text
    from bsjax.game.history import check_against, format_history

    boards = [] if board is None else list(read_boards(board, rules, convention))
    history = None if shots is None else read_shots(shots, rules, convention)
    if history is not None and boards:
        if len(boards) > 1:
            raise ValueError(f"{board} holds {len(boards)} boards; a shot log is checked on one")
        check_against(rules, boards[0], history)
    if as_json:
        told = {
            "boards": [one.tolist() for one in boards],
            "shots": None if history is None else format_history(rules, history),
        }
        print(json.dumps(told))
        return
    for one in boards:
        print(write_board_text(rules, one))
    if history is not None:
        agree = ", as the board answers them" if boards else ""
        print(f"{len(history)} shots{agree}: {format_history(rules, history)}")
