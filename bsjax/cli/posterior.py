"""`bsjax posterior`: layouts left after a history, the heat map, and the best next shots."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

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
    SeedFlag,
    SizeFlag,
    TouchingFlag,
    convention_of,
    game_of,
)
from bsjax.game.game import Game

if TYPE_CHECKING:
    from bsjax.cli.methods import Told
    from bsjax.game.history import History


@app.command()
def posterior(
    shots: Annotated[
        str, typer.Option(help="Shots with answers: a file, - for standard input, or the shots.")
    ] = "",
    method: Annotated[str, typer.Option(help="exact, sample or density.")] = "exact",
    draws: Annotated[int, typer.Option(help="Effective draws wanted, for sample.")] = 10_000,
    seed: SeedFlag = 0,
    first: FirstFlag = "column",
    row_one: RowOneFlag = "top",
    count_from: CountFromFlag = 1,
    size: SizeFlag = None,
    fleet: FleetFlag = None,
    touching: TouchingFlag = None,
    feedback: FeedbackFlag = None,
    game: PresetFlag = "classic",
    plot: Annotated[
        Path | None, typer.Option(help="Draw the heat map into this file: .png, .svg or .pdf.")
    ] = None,
    as_json: JsonFlag = False,
) -> None:
    """The chance of a ship on every cell, and the cells the greedy rules would fire at."""
    rules = game_of(game, size, fleet, touching, feedback)
    convention = convention_of(first, row_one, count_from)
    from bsjax.cli.methods import METHODS, Effort
    from bsjax.files import read_shots

    if method not in METHODS:
        raise ValueError(f"no method {method!r}; choose one of {', '.join(METHODS)}")
    if draws < 1:
        raise ValueError(f"--draws {draws}: ask for at least one")
    if plot is not None:
        from bsjax.draw.one_file import require_format

        require_format(plot)
    history = read_shots(shots, rules, convention) if shots.strip() else ()
    found = METHODS[method](rules, history, Effort(draws, seed))
    if plot is not None:
        draw_map(rules, history, found, plot)
    if as_json:
        told = {"method": method, "p_ship": found.p_ship.tolist(), "best": found.best}
        print(json.dumps(told | found.fields))
    else:
        print(report(rules, found))


def draw_map(game: Game, history: "History", found: "Told", path: Path) -> None:
    """Draw the heat map with the shots and the best cells into a file.

    Raises:
        ValueError: the file cannot be written, or its name ends with no known format.
    """
    from bsjax.draw.heat import HeatMap, heat_maps
    from bsjax.draw.one_file import save_as
    from bsjax.game.history import format_history
    from bsjax.game.notation import parse_cell

    rings = {rule: [parse_cell(game, cell)] for rule, cell in found.best.items()}
    shots = len(history)
    title = f"After {shots} shot{'' if shots == 1 else 's'}" if shots else "Before the first shot"
    lines = [found.left[0].upper() + found.left[1:]]
    lines += [
        f"Best by {rule}: {found.best[rule]}, {100 * found.p_ship[cell]:.1f}%"
        for rule, (cell,) in rings.items()
    ]
    one = HeatMap(
        found.p_ship,
        history,
        likeliest=rings.get("probability", ()),
        telling=rings.get("information", ()),
        title=title,
        note="\n".join(lines),
    )
    save_as(heat_maps(game, [one]), path, format_history(game, history) or "no shots")


def report(game: Game, found: "Told") -> str:
    """Heat map in percent, past shots as [#] hit and [.] miss, and the best cells."""
    from bsjax.game.notation import letter

    lines = [
        f"{found.left}, {found.more}",
        "    " + "".join(f"{letter(column):>6}" for column in range(game.width)),
    ]
    for row in range(game.height):
        cells = range(row * game.width, (row + 1) * game.width)
        shown = [
            ("[#]" if found.p_ship[cell] > 0 else "[.]")
            if found.shot[cell]
            else f"{100 * found.p_ship[cell]:.1f}"
            for cell in cells
        ]
        lines.append(f"{row + 1:>4}" + "".join(f"{text:>6}" for text in shown))
    lines += [f"best by {rule}: {cell}" for rule, cell in found.best.items()]
    return "\n".join(lines)
