"""`bsjax reply`: the exact best reply in a small game."""

import json
from pathlib import Path
from typing import Annotated, Literal, get_args

import typer

from bsjax.cli import app, interruptible
from bsjax.cli.hunters import PLAYER
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
from bsjax.cli.players import judged, sentence, states_of

Objective = Literal["shots", "race"]


@app.command()
def reply(
    size: SizeFlag = None,
    fleet: FleetFlag = None,
    touching: TouchingFlag = None,
    feedback: FeedbackFlag = None,
    game: PresetFlag = "classic",
    moves: MovesFlag = "finish",
    objective: Annotated[
        str,
        typer.Option(
            help="shots: the fewest expected; race: the most races won against the hunt that "
            "expects the fewest."
        ),
    ] = "shots",
    graph: Annotated[
        Path | None, typer.Option(help="Folder of a graph that `solve --graph --out` built.")
    ] = None,
    player: Annotated[
        Path | None,
        typer.Option(help="File of a player that `solve` wrote: what exact replies win of him."),
    ] = None,
    save: Annotated[
        Path | None,
        typer.Option(help="Write it as a player who hides at random: for simulate and race."),
    ] = None,
    as_json: JsonFlag = False,
) -> None:
    """Best reply to a hider to whom all layouts are equally likely, and its shots on each.

    With --player, three exact replies to him: one that hunts, one that hides, one that does both.
    """
    if save is not None and (player is not None or save.suffix != PLAYER):
        raise ValueError(
            f"--save {save}: a reply without --player, into a file that ends in {PLAYER}"
        )
    if objective not in get_args(Objective):
        raise ValueError(f"--objective {objective}: choose {' or '.join(get_args(Objective))}")
    rules = game_of(game, size, fleet, touching, feedback)
    from bsjax.cli.tree import as_fields
    from bsjax.evaluate.credit import race_credit, shots_credit
    from bsjax.solve.best_reply import best_reply, pace_of
    from bsjax.solve.player import load
    from bsjax.solve.player import save as store

    with interruptible("build the graph with solve --graph --out, and give it with --graph"):
        states = states_of(rules, moves, graph)
        if player is not None:
            told = judged(states, load(player))
            print(json.dumps(told) if as_json else f"{player.name} on {rules}: {sentence(told)}")
            return
        found = best_reply(states, shots_credit(rules))
        result = found.play()
        told = {"expected_shots": -found.value}
        if objective == "race":
            found = best_reply(states, race_credit(pace_of(rules, result.shots)))
            result = found.play()
            told = {"win_rate": found.value}
    if save is not None:
        from bsjax.solve.written import alone

        store(alone(found), save)
    told |= as_fields(result.figures()) | {"moves": moves, "game": str(rules)}
    told["decisions"] = result.decisions
    if as_json:
        print(json.dumps(told))
        return
    value = (
        f"wins {100 * found.value:.3f}% of races"
        if objective == "race"
        else f"{-found.value:.6f} shots ({told['mean_fraction']})"
    )
    print(
        f"best reply on {rules}, moves {moves}: {value}; mean {told['mean']:.6f}, best "
        f"{told['best']}, worst {told['worst']}; {result.decisions:,} decisions"
    )
