"""`bsjax hard-board`: search for the board that a hunter does worst on."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bsjax.cli import app, interruptible
from bsjax.cli.hunters import DrawsFlag, PosteriorFlag, hunter_of
from bsjax.cli.options import (
    STANDARD_PACE,
    FeedbackFlag,
    FleetFlag,
    JsonFlag,
    PresetFlag,
    SeedFlag,
    SizeFlag,
    TouchingFlag,
    game_of,
)
from bsjax.game.game import Game

if TYPE_CHECKING:
    from bsjax.evaluate.hard_boards.layouts import Layouts


@app.command()
def hard_board(
    policy: Annotated[str, typer.Argument(help="Hunter; `bsjax list` names them.")],
    pace: Annotated[
        str, typer.Option(help="Whom it races against: the name or the file of a pace.")
    ] = STANDARD_PACE,
    budget: Annotated[float, typer.Option(help="Factor on the published number of games.")] = 1.0,
    games: Annotated[int, typer.Option(help="Games on which boards are measured.")] = 8_000,
    boards: Annotated[
        Path | None,
        typer.Option(help="Hard boards to try too: a board file, or result.json of a search."),
    ] = None,
    posterior: PosteriorFlag = None,
    draws: DrawsFlag = None,
    seed: SeedFlag = 0,
    size: SizeFlag = None,
    fleet: FleetFlag = None,
    touching: TouchingFlag = None,
    feedback: FeedbackFlag = None,
    game: PresetFlag = "classic",
    out: Annotated[Path | None, typer.Option(help="Run folder: checkpoints, all boards.")] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the run in --out.")] = False,
    memory: Annotated[str, typer.Option(help="Memory budget per device.")] = "1G",
    as_json: JsonFlag = False,
) -> None:
    """Search for the board on which a hunter wins fewest races: an upper bound of its worst case.

    The win rate comes from games that did not choose the board.
    """
    rules = game_of(game, size, fleet, touching, feedback)
    from bsjax.runtime import devices
    from bsjax.runtime.memory import parse_size

    devices.use_all_cores()
    from bsjax import policies
    from bsjax.evaluate import paces
    from bsjax.evaluate.hard_boards.search import search
    from bsjax.evaluate.hard_boards.settings import Settings
    from bsjax.evaluate.massive import Limits

    opponent = paces.load(pace, rules)
    found, name = hunter_of(policy, rules, posterior, draws)
    hunter = found or policies.make(policy, rules)
    known = None if boards is None else _read(boards, rules)
    limits = Limits(parse_size(memory))
    advice = "add --out DIR to keep a search" if out is None else "go on with --resume"
    with interruptible(advice):
        result = search(
            {name: hunter},
            opponent.credit,
            Settings(budget=budget, games=games, seed=seed),
            boards=known,
            out=out,
            resume=resume,
            limits=limits,
            quiet=False,
        )
    told = result["hunters"][name] | result["speed"][name]
    told |= {"policy": name, "pace": opponent.name, "game": str(rules), "seed": seed}
    told |= {"budget": budget, "boards": result["boards"]}
    print(json.dumps(told) if as_json else report(told, rules))


def _read(path: Path, rules: Game) -> "Layouts":
    from bsjax.files import read_boards
    from bsjax.hide import layouts_of

    return layouts_of(rules, read_boards(path, rules))


def report(told: dict[str, Any], rules: Game) -> str:
    """The worst case in a line, and the board."""
    import numpy as np

    from bsjax.files import write_board_text

    ships = ", ".join(f"{name} {place}" for name, place in told["ships"].items())
    shots, rate = told["shots"], told["games_per_second"]
    speed = "" if rate is None else f"; {rate:,.0f} games/s in the search"
    return (
        f"{told['policy']} against the pace {told['pace']}: worst case ≤ {told['worst_case']:.1f}% "
        f"({100 * told['win_rate']:.2f} ± {100 * told['se']:.2f}%) at {told['mean_shots']:.2f} "
        f"shots, {shots['best']} to {shots['worst']}, over {told['games']:,} games{speed}\n"
        f"{ships}\n{write_board_text(rules, np.array(told['board'], np.int8)).rstrip()}"
    )
