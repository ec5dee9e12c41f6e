"""Shot logs: the histories people have.

Read are the package's own tokens, one or many a line (`E5:miss F5:hit G5:sunk3`); plain lines
(`E5 miss`, `E5, hit`, `12. E5 - hit`, `E5 sunk 3`, `E5 sunk cruiser`); CSV with a header
(`cell,answer` or `x,y,result`, with `ship` where the answer names one); and JSON, a list of tokens
or of `{"cell": "E5", "answer": "sunk", "ship": "cruiser"}`. `#` starts a comment in text.
"""

import re
from collections.abc import Iterator
from pathlib import Path

from bsjax.files.nodes import read_json
from bsjax.files.places import STDIN, Field, Place, read_text
from bsjax.files.records import CELL, COLUMN, ROW, Record, cell_of, is_header, named, read_table
from bsjax.game.consistency import ImpossibleHistoryError, check
from bsjax.game.game import Game
from bsjax.game.notation import OWN, Convention, parse_cell, split_cells
from bsjax.game.tokens import History, Shot, Word, announced_in_order, answered, form, parse_shot

ANSWER = ("answer", "result", "outcome")
SHIP = {"size": ("length", "ship"), "cells": ("cells", "ship")}
"""Fields that say which ship, in the order they are asked under a feedback rule."""
_HEADER = (*CELL, *COLUMN, *ROW, *ANSWER)
_SUFFIXES = (".txt", ".log", ".csv", ".json")

_WORDS: dict[str, Word] = {
    **{word: "miss" for word in ("miss", "missed", "water", "m")},
    **{word: "hit" for word in ("hit", "h")},
    **{word: "sunk" for word in ("sunk", "sink", "sinks", "sank")},
}
_ANSWER = re.compile(
    r"(?:hit\W+(?:and\W+)?(?=sunk|sink|sank))?(?P<word>[a-z]+)[\s:=@,-]*(?:the\s+)?(?P<ship>.*)",
    re.IGNORECASE,
)
_CELL = "|".join(
    (
        r"\(\s*-?\d+\s*[,;\s]\s*-?\d+\s*\)",
        r"-?\d+(?:\s*[,;]\s*|\s+)-?\d+",
        r"[A-Za-z]\s?\d+",
        r"\d+\s?[A-Za-z]",
    )
)
_PLAIN = re.compile(
    rf"(?:\d+[.):]?\s+)?(?P<cell>{_CELL})(?![A-Za-z0-9])[\s,;:=>–—-]*(?P<answer>\S.*)"
)

Told = tuple[Place, Shot]
"""A shot and where it stands."""


def read_shots(source: str | Path, game: Game, convention: Convention = OWN) -> History:
    """The history in a file or a text.

    Args:
        source: a file; `-` is standard input; or the log itself, as text.
        game: the rules; each answer must fit the feedback rule.
        convention: how cells are written.

    Raises:
        OSError: the file cannot be read.
        ValueError: `FILE:LINE:COLUMN: what is wrong`, for what cannot be read and for a shot that
            no game can have answered like this (`bsjax.game.history.check`).
    """
    file, text = _open(source)
    told = list(_shots(file, text, game, convention))
    history = announced_in_order(game, [shot for _, shot in told])
    try:
        check(game, history)
    except ImpossibleHistoryError as fault:
        raise told[fault.number - 1][0].fault(fault) from None
    return history


def _open(source: str | Path) -> tuple[str, str]:
    """A name to show and the text; text that names no file is the log itself."""
    if isinstance(source, Path) or source == STDIN:
        return read_text(source)
    if _is_file(source) or source.lower().endswith(_SUFFIXES):
        return read_text(source)
    if ":" in source or len(source.split()) != 1:
        return "<text>", source
    return read_text(source)


def _is_file(source: str) -> bool:
    """Whether a text is the path of a file."""
    try:
        return Path(source).is_file()
    except (OSError, ValueError):  # too long for a path, or holds a null byte
        return False


def _shots(file: str, text: str, game: Game, convention: Convention) -> Iterator[Told]:
    """The shots of a log, whatever its format."""
    lines = text.splitlines()
    first = next((line for line in lines if line.split("#", 1)[0].strip()), "")
    if first.lstrip()[:1] in ("[", "{"):
        for node in read_json(file, text).items("shots"):
            if isinstance(node.value, str):
                yield from _tokens(game, Field(node.value, node.place), convention)
            else:
                yield _of_record(game, node.record(), node.place, convention)
    elif is_header(first, _HEADER):
        for place, record in read_table(file, text)[1]:
            yield _of_record(game, record, place, convention)
    else:
        for number, line in enumerate(lines, 1):
            said = line.split("#", 1)[0].rstrip()
            start = len(said) - len(said.lstrip())
            field = Field(said.strip(), Place(file, number, start + 1))
            if all(re.fullmatch(r"\S+:\S+", piece) for piece in said.split()):
                yield from _tokens(game, field, convention)
            else:
                yield _of_line(game, field, convention)


def _tokens(game: Game, field: Field, convention: Convention) -> Iterator[Told]:
    """The package's own notation."""
    for match in re.finditer(r"\S+", field.text):
        place = field.place._replace(column=field.place.column + match.start())
        with place.blamed():
            shot = parse_shot(game, match[0], convention)
        yield place, shot


def _of_line(game: Game, field: Field, convention: Convention) -> Told:
    """A plain line: perhaps a number, the cell, the answer."""
    match = _PLAIN.fullmatch(field.text)
    if match is None:
        raise field.place.fault(
            f"{field.text!r} is not a shot; write the cell and the answer, for example E5 miss"
        )
    at, then = (
        field.place._replace(column=field.place.column + match.start(group))
        for group in ("cell", "answer")
    )
    with at.blamed():
        cell = parse_cell(game, match["cell"], convention)
    return at, _answered(game, cell, Field(match["answer"], then), convention)


def _of_record(game: Game, record: Record, at: Place, convention: Convention) -> Told:
    """A row of a table or an object."""
    cell, place = cell_of(game, record, at, convention)
    answer = named(record, ANSWER)
    ship = named(record, SHIP.get(game.feedback, ("ship",)))
    if answer is None:
        raise at.fault("no answer here; give it as answer, for example miss")
    if ship is not None:
        answer = answer._replace(text=f"{answer.text} {ship.text}")
    return place, _answered(game, cell, answer, convention)


def _answered(game: Game, cell: int, said: Field, convention: Convention) -> Shot:
    """The shot at a cell, from its answer in words."""
    match = _ANSWER.fullmatch(said.text)
    word = _WORDS.get(match["word"].lower()) if match else None
    with said.place.blamed():
        if match is None or word is None:
            raise ValueError(f"{said.text!r} is not an answer; {form(game, cell)}")
        rest = re.sub(r"^\(([^()]*)\)$", r"\1", match["ship"].strip())
        detail: int | str | tuple[int, ...] | None = rest or None
        if rest and game.feedback == "cells" and word == "sunk":
            detail = tuple(parse_cell(game, one, convention) for one in split_cells(rest))
        elif rest.isdecimal() and game.feedback not in ("name", "hit-name"):
            detail = int(rest)
        return answered(game, cell, word, detail)
