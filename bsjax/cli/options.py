"""Flags shared by the commands, and how their values become a game."""

import re
from typing import Annotated

import typer

from bsjax.game.game import FEEDBACK, PRESETS, TOUCHING, Game
from bsjax.game.notation import Convention

SizeFlag = Annotated[str | None, typer.Option("--size", help="Board, WIDTHxHEIGHT; 10x10.")]
FleetFlag = Annotated[
    str | None, typer.Option("--fleet", help="Ship lengths with commas; 5,4,3,3,2.")
]
TouchingFlag = Annotated[
    str | None, typer.Option("--touching", help=f"Whether ships may touch: {', '.join(TOUCHING)}.")
]
FeedbackFlag = Annotated[
    str | None, typer.Option("--feedback", help=f"What answers tell: {', '.join(FEEDBACK)}; size.")
]
PresetFlag = Annotated[
    str, typer.Option("--game", help=f"Start from a named game: {', '.join(PRESETS)}.")
]
PolicyFlag = Annotated[str, typer.Option("--policy", help="Hunter; `bsjax list` names them.")]
HiderFlag = Annotated[str, typer.Option("--hider", help="Who hides; `bsjax list` names them.")]
SeedFlag = Annotated[int, typer.Option("--seed", help="Seed of all randomness.", min=0)]
MovesFlag = Annotated[
    str,
    typer.Option("--moves", help="Cells allowed: finish (what you hit, first) or all of use."),
]
JsonFlag = Annotated[bool, typer.Option("--json", help="Print JSON alone on standard output.")]

STANDARD_PACE = "strongest"
"""The pace of a race that names no opponent (`bsjax.evaluate.paces`)."""

FirstFlag = Annotated[
    str, typer.Option("--first", help="Coordinate written first in a cell: column or row.")
]
RowOneFlag = Annotated[str, typer.Option("--row-one", help="Where row 1 is: top or bottom.")]
CountFromFlag = Annotated[int, typer.Option("--count-from", help="First row number: 1 or 0.")]


def convention_of(first: str, row_one: str, count_from: int) -> Convention:
    """How cells are written in a file.

    Raises:
        ValueError: a flag has another value than those offered.
    """
    for flag, value, offered in (
        ("--first", first, ("column", "row")),
        ("--row-one", row_one, ("top", "bottom")),
        ("--count-from", count_from, (0, 1)),
    ):
        if value not in offered:
            raise ValueError(f"{flag} {value}: choose {offered[0]} or {offered[1]}")
    return Convention(first, row_one, count_from)  # pyright: ignore[reportArgumentType]


def game_of(
    preset: str, size: str | None, fleet: str | None, touching: str | None, feedback: str | None
) -> Game:
    """The preset with the given flags in place of its settings.

    Raises:
        ValueError: a flag cannot be read or the game is impossible.
    """
    if preset not in PRESETS:
        raise ValueError(f"no game {preset!r}; choose one of {', '.join(PRESETS)}")
    base = PRESETS[preset]
    return Game(
        size=base.size if size is None else _size(size),
        fleet=base.fleet if fleet is None else _fleet(fleet),
        touching=base.touching if touching is None else touching,  # pyright: ignore[reportArgumentType]
        feedback=base.feedback if feedback is None else feedback,  # pyright: ignore[reportArgumentType]
    )


def numbers_of(text: str, flag: str) -> list[int]:
    """Whole numbers from a list with commas.

    Raises:
        ValueError: not such a list, or a negative number.
    """
    if not re.fullmatch(r"\d+(,\d+)*", text):
        raise ValueError(f"{flag} {text!r}: write whole numbers with commas, for example 512,2048")
    return [int(part) for part in text.split(",")]


def _size(text: str) -> tuple[int, int]:
    found = re.fullmatch(r"(\d+)[x×](\d+)", text.strip().lower())
    if not found:
        raise ValueError(f"size {text!r}: write it as WIDTHxHEIGHT, for example 10x10")
    return int(found[1]), int(found[2])


def _fleet(text: str) -> tuple[int, ...]:
    try:
        return tuple(int(part) for part in text.split(","))
    except ValueError:
        raise ValueError(
            f"fleet {text!r}: write the ship lengths with commas, for example 5,4,3,3,2"
        ) from None
