"""`bsjax solve`: a near-perfect player of a small game, or all its states of knowledge."""

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
from bsjax.cli.players import HUNTS, judged, replies_of, sentence, states_of


@app.command()
def solve(
    graph: Annotated[
        bool, typer.Option("--graph", help="Only build the graph of all states of knowledge.")
    ] = False,
    size: SizeFlag = None,
    fleet: FleetFlag = None,
    touching: TouchingFlag = None,
    feedback: FeedbackFlag = None,
    game: PresetFlag = "classic",
    moves: MovesFlag = "finish",
    rounds: Annotated[int, typer.Option(help="Rounds of the best-reply loop.")] = 100,
    states: Annotated[
        Path | None, typer.Option(help="Folder of a graph that --graph --out built.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="Run folder: of the graph, or of the loop and the player.")
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with what is in --out.")] = False,
    memory: Annotated[str, typer.Option(help="Memory that --graph may use.")] = "16G",
    as_json: JsonFlag = False,
) -> None:
    """Play best replies against each other until neither gains, and say how much is left to gain.

    With --graph, build the graph of all states of knowledge and say how large it is.
    """
    rules = game_of(game, size, fleet, touching, feedback)
    started = time.monotonic()
    if graph:
        from bsjax.runtime.memory import parse_size, peak_bytes
        from bsjax.solve.knowledge import build

        most = parse_size(memory)
        advice = "add --out DIR to keep a graph" if out is None else "go on with --resume"
        with interruptible(advice):
            found = build(rules, moves, out=out, resume=resume, memory=most, quiet=False)
        spent = {"seconds": time.monotonic() - started, "peak_bytes": peak_bytes()}
        told = found.as_json() | spent
        text = (
            f"{rules}, moves {moves}: {found.states:,} states in {len(found.layers)} layers, "
            f"{found.moves:,} moves, {found.edges:,} edges; {spent['seconds']:,.1f} s, "
            f"at most {spent['peak_bytes'] / (1 << 30):.1f} GiB"
        )
        print(json.dumps(told) if as_json else text)
        return
    if out is None:
        raise ValueError("say where to keep the loop and its player: --out DIR")
    from bsjax.solve.found import Options
    from bsjax.solve.loop import loop
    from bsjax.solve.player import save
    from bsjax.solve.settle import Plan, settled

    with interruptible("go on with --resume"):
        known = states_of(rules, moves, states)
        options = Options(rounds=rounds)
        found = loop(known, options, out / "loop", resume=resume)
        to = options, out / "loop"
        plan = Plan(tried=replies_of(known), kept=HUNTS)
        player = settled(found, plan, written_to=to, quiet=False)
        save(player, out / "player.npz")
        told = judged(known, player) | {"rounds": found.state.round}
    print(json.dumps(told) if as_json else f"player of {rules}: {sentence(told)}")
