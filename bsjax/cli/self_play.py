"""`bsjax self-play`: a strong player without exact replies; `bsjax hunts`: hunts from recipes."""

import json
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bsjax.cli import app, interruptible
from bsjax.cli.hunters import RECIPES
from bsjax.cli.options import (
    FeedbackFlag,
    FleetFlag,
    JsonFlag,
    PresetFlag,
    SeedFlag,
    SizeFlag,
    TouchingFlag,
    game_of,
)

if TYPE_CHECKING:
    from bsjax.solve.self_play import Round, SelfPlay

_HELD = 256
"""Hunts that recipes are written of by default."""
WorkersFlag = Annotated[
    int, typer.Option("--workers", help="Processes that play hunts; they change no result.", min=1)
]


@app.command("self-play")
def self_play(
    size: SizeFlag = None,
    fleet: FleetFlag = None,
    touching: TouchingFlag = None,
    feedback: FeedbackFlag = None,
    game: PresetFlag = "classic",
    rounds: Annotated[int, typer.Option(help="Rounds in all.", min=1)] = 100,
    hunts: Annotated[int | None, typer.Option(help="Hunts tried in each round.", min=1)] = None,
    tried: Annotated[
        int | None, typer.Option(help="Cells tried out at a node, of the hunts that try.", min=1)
    ] = None,
    trying: Annotated[
        float | None, typer.Option(help="Share of hunts that try cells out.", min=0, max=1)
    ] = None,
    quick: Annotated[
        int | None, typer.Option(help="Rounds before the first hunts that try.", min=0)
    ] = None,
    sharpness: Annotated[
        float | None,
        typer.Option(
            help="How much the hider prefers layouts on which the mixture does badly; "
            "0: the hider of the matrix game alone."
        ),
    ] = None,
    step: Annotated[
        float | None,
        typer.Option(help="The averaged hider goes STEP / (round + 30) of the way, up to 31."),
    ] = None,
    pool: Annotated[int | None, typer.Option(help="Most hunts that are kept.", min=2)] = None,
    snapshot: Annotated[
        int | None, typer.Option(help="Rounds between two snapshots of the hider.", min=1)
    ] = None,
    seed: SeedFlag = 0,
    workers: WorkersFlag = 1,
    out: Annotated[
        Path | None, typer.Option(help="Run folder; every round is a checkpoint.")
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the run in --out.")] = False,
    save: Annotated[
        Path | None, typer.Option(help="Write the player, for simulate, race and reply.")
    ] = None,
    recipes: Annotated[
        Path | None,
        typer.Option(help="Write recipes of the hunts, weighed anew: NAME.recipes, for `hunts`."),
    ] = None,
    keep: Annotated[int, typer.Option(help="Most hunts of --recipes.", min=1)] = _HELD,
    as_json: JsonFlag = False,
) -> None:
    """Grow a mixture of hunts that does as well on every layout, by playing against itself.

    The settings that are not given suit the size of the board. Win rates are shares of races
    against the mixture's own pace (worst) or the pace of the loop (value, reply).
    """
    rules = game_of(game, size, fleet, touching, feedback)
    if out is None:
        raise ValueError("say where to keep the run: --out DIR")
    from bsjax.solve.self_play import SelfPlay
    from bsjax.solve.self_play_settings import settings_for

    if recipes is not None and recipes.suffix != RECIPES:
        raise ValueError(f"--recipes {recipes}: give a file that ends in {RECIPES}")
    given = {"hunts": hunts, "tried": tried, "trying": trying, "quick": quick}
    given |= {"sharpness": sharpness, "step": step, "pool": pool, "snapshot": snapshot}
    chosen = {key: value for key, value in given.items() if value is not None}
    with interruptible("go on with --resume"):
        settings = settings_for(rules)._replace(**chosen, seed=seed)
        started = time.monotonic()
        mix = SelfPlay(rules, settings, out=out, resume=resume, workers=workers)
        try:
            if not as_json:
                print(f"self-play on {rules}, {settings}", flush=True)
            mix.play(rounds, quiet=not as_json, told=None if as_json else _line)
            told = {"game": str(rules), **mix.log[-1]._asdict()}
            told |= {"seconds": time.monotonic() - started} | _written(mix, save, recipes, keep)
        finally:
            mix.close()
    if as_json:
        print(json.dumps(told))


@app.command()
def hunts(
    file: Annotated[Path, typer.Argument(help="Recipes that `bsjax self-play` wrote.")],
    workers: WorkersFlag = 1,
    as_json: JsonFlag = False,
) -> None:
    """Play the hunts of a file of recipes again, into NAME.hunts beside it.

    With them `simulate`, `race` and `hard-board` take the file as a hunter. Hunts that are there
    are kept, so an interrupted call goes on where it was.
    """
    from bsjax.solve.rebuilt import HUNTS
    from bsjax.solve.recipes import load_recipes, rebuild

    started, out = time.monotonic(), file.with_suffix(HUNTS)
    with interruptible("the same command goes on"):
        known = load_recipes(file)
        paths = rebuild(known, out, workers=workers, quiet=False)
    told = {
        "game": str(known.game),
        "hunts": len(paths),
        "bytes": sum(path.stat().st_size for path in set(paths)),
        "seconds": time.monotonic() - started,
    }
    text = (
        f"{told['hunts']} hunts of {known.game} in {out}, {told['bytes']:,} bytes, "
        f"{told['seconds']:,.1f} s"
    )
    print(json.dumps(told) if as_json else text)


def _line(row: "Round", seconds: float) -> None:
    """A round for people."""
    print(
        f"round {row.number}: wins {100 * row.worst:.3f}% on its worst layout at its own pace; "
        f"value {100 * row.value:.3f}%, gap {100 * row.gap:.3f} points, best reply "
        f"{100 * row.reply:.3f}%; {row.mean:.3f} shots, {row.slowest:.3f} on the slowest layout; "
        f"pool {row.pool}, used {row.used}; {seconds:,.1f} s",
        flush=True,
    )


def _written(
    mix: "SelfPlay", player: Path | None, recipes: Path | None, keep: int
) -> dict[str, Any]:
    """Write what was asked for, and say what the reduced mixture comes to."""
    from bsjax.solve.player import save
    from bsjax.solve.recipes import save_recipes

    if player is not None:
        save(mix.player(), player)
    if recipes is None:
        return {}
    found = mix.reduced(keep)
    save_recipes(recipes, found.recipes)
    told = found._asdict() | {"recipes": len(found.recipes.recipes)}
    text = (
        f"{told['recipes']} hunts in {recipes}, {recipes.stat().st_size:,} bytes: win "
        f"{100 * found.worst:.3f}% on their worst layout at their own pace, gap "
        f"{100 * found.gap:.3f} points; {found.mean:.3f} shots, {found.slowest:.3f} on the slowest"
    )
    print(text, file=sys.stderr)
    return {"reduced": told}
