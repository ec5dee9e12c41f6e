"""`bsjax race`: the share of races a hunter wins, against a pace or another hunter."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bsjax.cli import app, interruptible
from bsjax.cli.hunters import DrawsFlag, PosteriorFlag, hunter_of
from bsjax.cli.options import (
    STANDARD_PACE,
    FeedbackFlag,
    FleetFlag,
    HiderFlag,
    JsonFlag,
    PresetFlag,
    SeedFlag,
    SizeFlag,
    TouchingFlag,
    game_of,
)
from bsjax.cli.races import BOARDS, converted, of_hunters, of_pace, sentence, table
from bsjax.cli.simulate import report
from bsjax.game.game import Game

if TYPE_CHECKING:
    from bsjax.policies import Policy


@app.command()
def race(
    policy: Annotated[
        str, typer.Argument(help="Hunter: `bsjax list` names them; or a player's file.")
    ],
    pace: Annotated[
        str | None,
        typer.Option(
            help="Race against a pace: a name or a file; "
            f"{STANDARD_PACE} if there is nothing else to do."
        ),
    ] = None,
    against: Annotated[
        str | None,
        typer.Option(
            help="Race against a hunter or a player's file, on the same boards and on others."
        ),
    ] = None,
    posterior: PosteriorFlag = None,
    draws: DrawsFlag = None,
    games: Annotated[int, typer.Option(help="Games of each hunter.")] = 100_000,
    seed: SeedFlag = 0,
    size: SizeFlag = None,
    fleet: FleetFlag = None,
    touching: TouchingFlag = None,
    feedback: FeedbackFlag = None,
    game: PresetFlag = "classic",
    hider: HiderFlag = "uniform",
    conversion: Annotated[
        bool, typer.Option("--conversion", help="Print what each number of shots wins.")
    ] = False,
    save: Annotated[
        Path | None, typer.Option(help="Write the hunter's own pace into this file.")
    ] = None,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Replace the file of --save.")
    ] = False,
    out: Annotated[
        Path | None, typer.Option(help="Run folder, as of simulate; two with --against.")
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the run in --out.")] = False,
    memory: Annotated[str, typer.Option(help="Memory budget per device.")] = "1G",
    as_json: JsonFlag = False,
) -> None:
    """Play games of a hunter and say what share of races they win, moving first, second or neither.

    Both players fire one shot a round; a finish in the same round counts half.
    """
    rules = game_of(game, size, fleet, touching, feedback)
    from bsjax.runtime import devices
    from bsjax.runtime.memory import parse_size

    devices.use_all_cores()
    from bsjax.evaluate import paces
    from bsjax.evaluate.massive import Limits, Run, simulate

    if pace is None and against is None and save is None:
        pace = STANDARD_PACE
    opponent = None if pace is None else paces.load(pace, rules)
    if conversion and opponent is None:
        raise ValueError("--conversion tells what shots win against a pace; add --pace NAME")
    if save is not None and save.exists() and not overwrite:
        raise ValueError(f"{save} exists; add --overwrite to replace this pace")
    limits = Limits(parse_size(memory))
    hunter, name = hunter_of(policy, rules, posterior, draws)
    rival, rival_name = (None, "") if against is None else hunter_of(against, rules)

    def play(name: str, hunter: "Policy | None", folder: Path | None) -> dict[str, Any]:
        run = Run(name, games, rules, hider, seed, shots=against is not None)
        return simulate(run, out=folder, resume=resume, limits=limits, policy=hunter, quiet=False)

    other: dict[str, Any] | None = None
    advice = "add --out DIR to keep a run" if out is None else "go on with --resume"
    with interruptible(advice):
        if against is None:
            result = play(name, hunter, out)
        else:
            with _folder(out) as folder:
                mine, his = folder / "hunter", folder / "opponent"
                result, other = play(name, hunter, mine), play(rival_name, rival, his)
                other |= of_hunters(mine / "shots.npy", his / "shots.npy")
    lines = [report(result, rules)]
    if opponent is not None:
        result |= of_pace(result["histogram"], opponent)
        lines.append(sentence(result, f"the pace {opponent.name} ({opponent.mean:.2f} shots)"))
    if other is not None:
        result["against"] = other
        lines.append(report(other, rules))
        lines += [sentence(other[how], f"{rival_name}, {boards}") for how, boards in BOARDS.items()]
    if conversion and opponent is not None:
        result["conversion"] = converted(opponent)
        lines += table(result["conversion"])
    if save is not None:
        _save(save, result, rules, overwrite)
    print(json.dumps(result) if as_json else "\n".join(lines))


@contextmanager
def _folder(out: Path | None) -> Iterator[Path]:
    """The run folders of two hunters: kept in --out, or for as long as the command runs."""
    if out is not None:
        yield out
        return
    with TemporaryDirectory(prefix="bsjax-race-") as folder:
        yield Path(folder)


def _save(path: Path, result: dict[str, Any], rules: Game, overwrite: bool) -> None:
    """Write the pace of the hunter that played."""
    import numpy as np

    from bsjax.evaluate import paces

    seed, counts = result["seed"], np.array(result["histogram"])
    note = f"{result['policy']} on boards of the hider {result['hider']}"
    paces.save(path, path.stem, rules, counts, note=note, seed=seed, overwrite=overwrite)
