"""`bsjax simulate`: play very many games and say how many shots the hunter needs."""

import hashlib
import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bsjax.cli import app, interruptible
from bsjax.cli.hunters import NETWORK, TRAINED, DrawsFlag, PosteriorFlag, hunter_of
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
from bsjax.game.game import Game

if TYPE_CHECKING:
    from bsjax.hide import Hider


@app.command()
def simulate(
    policy: PolicyFlag = "density",
    posterior: PosteriorFlag = None,
    draws: DrawsFlag = None,
    player: Annotated[
        Path | None,
        typer.Option(help="Play the hunts of a player that `solve` wrote, in place of --policy."),
    ] = None,
    network: Annotated[
        Path | None,
        typer.Option(help="With --policy network: play this file of `distill`, not the shipped."),
    ] = None,
    games: Annotated[int, typer.Option(help="Games to play.")] = 100_000,
    seed: SeedFlag = 0,
    size: SizeFlag = None,
    fleet: FleetFlag = None,
    touching: TouchingFlag = None,
    feedback: FeedbackFlag = None,
    game: PresetFlag = "classic",
    hider: HiderFlag = "uniform",
    boards: Annotated[
        Path | None, typer.Option(help="Draw the boards of this file instead of --hider.")
    ] = None,
    first: Annotated[int, typer.Option(help="Number of the first game.")] = 0,
    out: Annotated[Path | None, typer.Option(help="Run folder: checkpoints, results.")] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the run in --out.")] = False,
    shots: Annotated[bool, typer.Option("--shots", help="Keep each game's shots.")] = False,
    record: Annotated[bool, typer.Option("--record", help="Keep each game's shot order.")] = False,
    memory: Annotated[str, typer.Option(help="Memory budget per device.")] = "1G",
    slots: Annotated[int | None, typer.Option(help="Games in lockstep per device.")] = None,
    checkpoint: Annotated[float, typer.Option(help="Seconds between checkpoints.")] = 20.0,
    as_json: JsonFlag = False,
) -> None:
    """Play many games and report the shots needed: mean, standard error, quantiles, speed."""
    rules = game_of(game, size, fleet, touching, feedback)
    if network is not None:
        if policy != NETWORK or network.suffix != TRAINED:
            raise ValueError(f"--network {network}: give --policy network and a file NAME{TRAINED}")
        policy = str(network)
    from bsjax.runtime import devices
    from bsjax.runtime.memory import parse_size

    devices.use_all_cores()
    from bsjax.evaluate.massive import Limits, Run
    from bsjax.evaluate.massive import simulate as play

    hunter, policy = hunter_of(str(player or policy), rules, posterior, draws)
    listed = None
    if boards is not None:
        listed, hider = _listed(boards, rules)
    run = Run(policy, games, rules, hider, seed, first, shots, record)
    limits = Limits(parse_size(memory), slots, checkpoint)
    advice = "add --out DIR to keep a run" if out is None else "go on with --resume"
    with interruptible(advice):
        result = play(
            run, out=out, resume=resume, limits=limits, hider=listed, policy=hunter, quiet=False
        )
    print(json.dumps(result) if as_json else report(result, rules))


def _listed(path: Path, rules: Game) -> "tuple[Hider, str]":
    """Hider of the boards of a file, and a name that tells files of other boards apart."""
    from bsjax.files import read_boards
    from bsjax.hide import Listed, layouts_of

    found = read_boards(path, rules)
    digest = hashlib.sha256(found.tobytes()).hexdigest()[:12]
    return Listed(rules, layouts_of(rules, found)), f"listed {len(found)} boards {digest}"


def report(result: dict[str, Any], rules: Game) -> str:
    """One line for people."""
    speed = result["games_per_second"]
    rate = "" if speed is None else f"; {speed:,.0f} games/s"
    se = "" if result["se"] is None else f" ± {result['se']:.3f}"
    return (
        f"{result['policy']} on {rules}: {result['mean']:.3f}{se} shots over "
        f"{result['games']:,} games; median {result['median']}, middle 80% "
        f"{result['p10']}–{result['p90']}, p95 {result['p95']}, best {result['best']}, worst "
        f"{result['worst']}{rate}, {result['compile_seconds']:.1f} s to compile"
    )
