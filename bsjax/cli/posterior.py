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
    SizeFlag,
    TouchingFlag,
    convention_of,
    game_of,
)
from bsjax.game.game import Game

if TYPE_CHECKING:
    from bsjax.game.history import History
    from bsjax.posterior.exact import ExactPosterior


@app.command()
def posterior(
    shots: Annotated[
        str, typer.Option(help="Shots with answers: a file, - for standard input, or the shots.")
    ] = "",
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
    """Exact chance of a ship on every cell, and the cells the greedy rules would fire at."""
    rules = game_of(game, size, fleet, touching, feedback)
    convention = convention_of(first, row_one, count_from)
    from bsjax.files import read_shots

    if plot is not None:
        from bsjax.draw.one_file import require_format

        require_format(plot)
    history = read_shots(shots, rules, convention) if shots.strip() else ()
    found = exact_after(rules, history)
    best = best_cells(rules, found)
    if plot is not None:
        draw_map(rules, history, found, best, plot)
    if as_json:
        told = {
            "layouts_told_apart": found.layouts_told_apart,
            "layouts_alike": found.layouts_alike,
            "p_ship": found.p_ship.tolist(),
            "best": best,
        }
        print(json.dumps(told))
    else:
        print(report(rules, found, best))


def exact_after(game: Game, history: "History") -> "ExactPosterior":
    """The posterior after a history.

    Raises:
        ValueError: no layout fits; the message names the first shot that leaves none.
    """
    from bsjax.game.history import observe_history
    from bsjax.game.tokens import format_shot
    from bsjax.posterior.exact import exact

    found = exact(game, observe_history(game, history))
    if found.total:
        return found
    for number in range(1, len(history) + 1):
        if not exact(game, observe_history(game, history[:number])).total:
            token = format_shot(game, history[number - 1])
            raise ValueError(f"shot {number} ({token}) cannot be true: it leaves no layout")
    raise ValueError("no layout fits this game")


def best_cells(game: Game, found: "ExactPosterior") -> dict[str, str]:
    """Cell each greedy rule fires at, ties by whole numbers and to the lowest cell.

    Empty once the fleet is sunk.
    """
    from bsjax.game.notation import format_cell

    is_open = [c for c in range(game.cells) if not found.shot[c]]
    if not is_open or not any(int(found.ship[c]) for c in is_open):
        return {}
    squares = found.squares()
    likeliest = max(is_open, key=lambda c: (int(found.ship[c]), -c))
    telling = min(is_open, key=lambda c: (squares[c], -int(found.ship[c]), c))
    return {
        "probability": format_cell(game, likeliest),
        "information": format_cell(game, telling),
    }


def draw_map(
    game: Game, history: "History", found: "ExactPosterior", best: dict[str, str], path: Path
) -> None:
    """Draw the heat map with the shots and the best cells into a file.

    Raises:
        ValueError: the file cannot be written, or its name ends with no known format.
    """
    from bsjax.draw.heat import HeatMap, heat_maps
    from bsjax.draw.one_file import save_as
    from bsjax.game.history import format_history
    from bsjax.game.notation import parse_cell

    rings = {rule: [parse_cell(game, cell)] for rule, cell in best.items()}
    layouts, shots = found.layouts_told_apart, len(history)
    title = f"After {shots} shot{'' if shots == 1 else 's'}" if shots else "Before the first shot"
    lines = [f"{layouts:,} layout{'' if layouts == 1 else 's'} left"]
    lines += [
        f"Best by {rule}: {best[rule]}, {100 * found.p_ship[cell]:.1f}%"
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


def report(game: Game, found: "ExactPosterior", best: dict[str, str]) -> str:
    """Heat map in percent, past shots as [#] hit and [.] miss, and the best cells."""
    from bsjax.game.notation import letter

    apart, alike = found.layouts_told_apart, found.layouts_alike
    lines = [
        f"{apart:,} layouts left, {alike:,} with equal ships alike",
        "    " + "".join(f"{letter(column):>6}" for column in range(game.width)),
    ]
    for row in range(game.height):
        cells = range(row * game.width, (row + 1) * game.width)
        shown = [
            ("[#]" if found.ship[cell] else "[.]")
            if found.shot[cell]
            else f"{100 * found.p_ship[cell]:.1f}"
            for cell in cells
        ]
        lines.append(f"{row + 1:>4}" + "".join(f"{text:>6}" for text in shown))
    lines += [f"best by {rule}: {cell}" for rule, cell in best.items()]
    return "\n".join(lines)
