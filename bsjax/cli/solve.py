"""`bsjax solve`: all states of knowledge of a small game."""

import json
import time
from pathlib import Path
from typing import Annotated

import typer

from bsjax.cli import app, interruptible
from bsjax.cli.options import (
    FeedbackFlag,
    FleetFlag,
    JsonFlag,
    MovesFlag,
    PresetFlag,
    SizeFlag,
    TouchingFlag,
    game_of,
)


@app.command()
def solve(
    graph: Annotated[
        bool, typer.Option("--graph", help="Build the graph of all states of knowledge.")
    ] = False,
    size: SizeFlag = None,
    fleet: FleetFlag = None,
    touching: TouchingFlag = None,
    feedback: FeedbackFlag = None,
    game: PresetFlag = "classic",
    moves: MovesFlag = "finish",
    out: Annotated[Path | None, typer.Option(help="Run folder to keep the graph in.")] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with the graph in --out.")
    ] = False,
    memory: Annotated[str, typer.Option(help="Memory that may be used.")] = "16G",
    as_json: JsonFlag = False,
) -> None:
    """Build the graph of all states of knowledge and say how large it is, layer by layer."""
    if not graph:
        raise ValueError("say what to solve: --graph builds the states of knowledge")
    rules = game_of(game, size, fleet, touching, feedback)
    from bsjax.runtime.memory import parse_size
    from bsjax.solve.knowledge import build

    started = time.monotonic()
    advice = "add --out DIR to keep a graph" if out is None else "go on with --resume"
    with interruptible(advice):
        found = build(rules, moves, out=out, resume=resume, memory=parse_size(memory), quiet=False)
    told = found.as_json() | {"seconds": time.monotonic() - started}
    if as_json:
        print(json.dumps(told))
    else:
        print(
            f"{rules}, moves {moves}: {found.states:,} states in {len(found.layers)} layers, "
            f"{found.moves:,} moves, {found.edges:,} edges; {told['seconds']:,.1f} s"
        )
