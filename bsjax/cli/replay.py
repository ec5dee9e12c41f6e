"""`bsjax replay`: one game of a run again, by its number."""

import json
from typing import Annotated

import typer

from bsjax.cli import app
from bsjax.cli.options import (
    FeedbackFlag,
    FleetFlag,
    HiderFlag,
    JsonFlag,
    PolicyFlag,
    PresetFlag,
    SeedFlag,
    SizeFlag,
    TouchingFlag,
    game_of,
)


@app.command()
def replay(
    number: Annotated[int, typer.Argument(help="Number of the game.", min=0)],
    policy: PolicyFlag = "density",
    seed: SeedFlag = 0,
    size: SizeFlag = None,
    fleet: FleetFlag = None,
    touching: TouchingFlag = None,
    feedback: FeedbackFlag = None,
    game: PresetFlag = "classic",
    hider: HiderFlag = "uniform",
    as_json: JsonFlag = False,
) -> None:
    """Play game NUMBER of a simulation again and show the board and every shot."""
    rules = game_of(game, size, fleet, touching, feedback)
    from bsjax import hide, policies
    from bsjax.files import write_board_text
    from bsjax.game.history import format_history, play_history
    from bsjax.play.replay import replay as play
    from bsjax.runtime import cache

    cache.enable()
    board, cells = play(policies.make(policy, rules), hide.make(hider, rules), seed, number)
    shots = format_history(rules, play_history(rules, board, cells))
    if as_json:
        told = {"game": number, "seed": seed, "policy": policy, "hider": hider}
        print(json.dumps({**told, "board": board.tolist(), "cells": cells, "shots": shots}))
    else:
        print(write_board_text(rules, board))
        print(f"{len(cells)} shots: {shots}")
