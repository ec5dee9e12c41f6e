"""How a history is written: `E5:miss F5:hit G5:sunk3`, one token a shot, in the order fired.

What a sink and a hit read depends on the feedback rule:

    hit        E5:miss  E5:hit (also the hit that sinks)
    sunk       E5:miss  E5:hit  G5:sunk
    size       E5:miss  E5:hit  G5:sunk3
    name       E5:miss  E5:hit  G5:sunk=cruiser
    cells      E5:miss  E5:hit  G5:sunk@E5,F5,G5
    hit-name   E5:miss  E5:hit=cruiser  G5:sunk=cruiser

A token that tells more or less than the rule does is refused, not trimmed. Where only the length
of a sunk ship is told (`size`, `cells`), it is the first ship of that length not yet announced.
"""

import re
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache
from typing import Literal, NamedTuple

from bsjax.game.game import Game
from bsjax.game.notation import OWN, Convention, format_cell, parse_cell, split_cells
from bsjax.game.observation import HIT, MISS
from bsjax.game.placements import placement_cells

Word = Literal["miss", "hit", "sunk"]


class Shot(NamedTuple):
    """One shot and its answer."""

    cell: int
    """Cell fired at."""
    answer: int
    """Answer code, as in `bsjax.game.observation`."""
    shown: tuple[int, ...] = ()
    """Under `cells`, the cells of the ship if this shot sank one, ascending."""


History = tuple[Shot, ...]
"""Shots in the order fired."""

_ANSWER = re.compile(r"(miss|hit|sunk)(?:([0-9]{1,9})|=(.+)|@(.+))?", re.IGNORECASE)


def parse(game: Game, text: str, convention: Convention = OWN) -> History:
    """The history written in `text`: tokens apart by white space, `#` starts a comment.

    Only the writing is judged here; `check` says whether such a game can happen.

    Raises:
        ValueError: a token is not a shot, names a cell or ship that does not exist, or does not
            fit the feedback rule; the line names the shot.
    """
    shots: list[Shot] = []
    for line in text.splitlines():
        for token in line.split("#", 1)[0].split():
            try:
                shots.append(parse_shot(game, token, convention))
            except ValueError as fault:
                raise ValueError(f"shot {len(shots) + 1} ({token}): {fault}") from None
    return announced_in_order(game, shots)


def parse_shot(game: Game, token: str, convention: Convention = OWN) -> Shot:
    """One token. A sunk ship told by its length is the first one of that length.

    Raises:
        ValueError: see `parse`.
    """
    where, colon, told = token.partition(":")
    if not colon:
        raise ValueError("not a shot; write CELL:ANSWER without blanks, for example E5:miss")
    cell = parse_cell(game, where, convention)
    match = _ANSWER.fullmatch(told)
    if match is None:
        raise ValueError(f"{told!r} is not an answer; {form(game, cell)}")
    word, length, name, shown = match.groups()
    detail: int | str | tuple[int, ...] | None = name
    if length:
        detail = int(length)
    elif shown:
        detail = tuple(parse_cell(game, one, convention) for one in split_cells(shown))
    return answered(game, cell, _word(word), detail)


def answered(
    game: Game, cell: int, word: Word, detail: int | str | tuple[int, ...] | None = None
) -> Shot:
    """The shot at `cell` answered by a word and what it adds: a length, a name or cells.

    Raises:
        ValueError: the answer does not fit the feedback rule, or there is no such ship.
    """
    rule, ships = game.feedback, game.ships
    wanted: type | None = None
    if rule == "hit-name" and word != "miss":
        wanted = str
    elif word == "sunk":
        wanted = {"size": int, "name": str, "cells": tuple}.get(rule)
    told = None if detail is None else type(detail)
    if told is not wanted or (rule == "hit" and word == "sunk"):
        raise ValueError(form(game, cell))
    if word == "miss":
        return Shot(cell, MISS)
    if isinstance(detail, str):
        ship = named_ship(game, detail)
        return Shot(cell, ship + 1 if word == "sunk" else ships + 2 + ship)
    if word == "hit":
        return Shot(cell, HIT)
    if detail is None:
        return Shot(cell, ships + 1)
    length, shown = (detail, ()) if isinstance(detail, int) else (len(detail), detail)
    if len(set(shown)) < len(shown):
        raise ValueError("a cell of the sunk ship is shown twice")
    if length not in game.fleet:
        raise ValueError(f"the fleet {fleet_text(game)} has no ship of {length} cells")
    return Shot(cell, game.fleet.index(length) + 1, tuple(sorted(shown)))


def announced_in_order(game: Game, shots: Iterable[Shot]) -> History:
    """Number the sinks told by length: each is the first ship of that length not announced.

    One sink too many repeats the last ship of its length, for `check` to refuse.
    """
    if game.feedback not in ("size", "cells"):
        return tuple(shots)
    told, history = Counter[int](), []
    for shot in shots:
        if HIT < shot.answer <= game.ships:
            length = game.fleet[shot.answer - 1]
            alike = [ship for ship, other in enumerate(game.fleet) if other == length]
            shot = shot._replace(answer=alike[min(told[length], len(alike) - 1)] + 1)
            told[length] += 1
        history.append(shot)
    return tuple(history)


def format_history(game: Game, history: History) -> str:
    """The history as `parse` reads it, in the package's own convention.

    Raises:
        ValueError: a cell is off the board or an answer does not occur under the feedback rule.
    """
    return " ".join(format_shot(game, shot) for shot in history)


def format_shot(game: Game, shot: Shot) -> str:
    """One shot as a token.

    Raises:
        ValueError: see `format_history`.
    """
    cell, ships = format_cell(game, shot.cell), game.ships
    if shot.answer not in answer_codes(game):
        raise ValueError(f"answer {shot.answer} does not occur under feedback {game.feedback}")
    if shot.answer == MISS:
        return f"{cell}:miss"
    if shot.answer == HIT:
        return f"{cell}:hit"
    if shot.answer == ships + 1:
        return f"{cell}:sunk"
    if shot.answer > ships + 1:
        return f"{cell}:hit={game.ship_names[shot.answer - ships - 2]}"
    if game.feedback == "size":
        return f"{cell}:sunk{game.fleet[shot.answer - 1]}"
    if game.feedback == "cells":
        return f"{cell}:sunk@{','.join(format_cell(game, one) for one in shot.shown)}"
    return f"{cell}:sunk={game.ship_names[shot.answer - 1]}"


@lru_cache(maxsize=32)
def answer_codes(game: Game) -> tuple[int, ...]:
    """The answer codes that occur under the game's feedback rule."""
    each = range(game.ships)
    if game.feedback == "hit":
        return (MISS, HIT)
    if game.feedback == "sunk":
        return (MISS, HIT, game.ships + 1)
    sinks = tuple(ship + 1 for ship in each)
    if game.feedback == "hit-name":
        return (MISS, *sinks, *(game.ships + 2 + ship for ship in each))
    return (MISS, HIT, *sinks)


def named_ship(game: Game, name: str) -> int:
    """Index of the ship of that name, in upper or lower case.

    Raises:
        ValueError: no ship has that name.
    """
    if name.lower() not in game.ship_names:
        raise ValueError(f"no ship is called {name!r}; the ships are {', '.join(game.ship_names)}")
    return game.ship_names.index(name.lower())


def form(game: Game, cell: int) -> str:
    """One line that shows how a shot at `cell` reads under the game's feedback rule."""
    at, name, length = format_cell(game, cell), game.ship_names[0], game.fleet[0]
    lines = placement_cells(game.size, length).tolist()
    shown = ",".join(format_cell(game, one) for one in next(x for x in lines if cell in x))
    forms = {
        "hit": f"{at}:miss or {at}:hit, also where a ship sinks",
        "sunk": f"{at}:miss, {at}:hit or {at}:sunk",
        "size": f"{at}:miss, {at}:hit or {at}:sunk{length}",
        "name": f"{at}:miss, {at}:hit or {at}:sunk={name}",
        "cells": f"{at}:miss, {at}:hit or {at}:sunk@{shown}",
        "hit-name": f"{at}:miss, {at}:hit={name} or {at}:sunk={name}",
    }
    return f"under feedback {game.feedback} a shot reads like {forms[game.feedback]}"


def fleet_text(game: Game) -> str:
    """The fleet as it is typed: `5,4,3,3,2`."""
    return ",".join(map(str, game.fleet))


def _word(text: str) -> Word:
    """The answer's word in lower case."""
    lower = text.lower()
    return "miss" if lower == "miss" else "hit" if lower == "hit" else "sunk"
