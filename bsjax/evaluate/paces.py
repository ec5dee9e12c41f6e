"""Paces: the finishing times that hunters race against, as files.

A pace is how an opponent finishes, and all that a race needs of him. The files shipped here go by
name:

* `strongest`: measured, 100,000 games of the best strategy that self-play made
  (`experiments/strongest`);
* `density-lowest`: measured, a million games of the best hunter at hand;
* `reconstruction`: the published pace of the classic write-up, from its published figures alone.
  Nobody played it: where no figure was published it is a smooth guess.

A file is JSON: `format`, `name`, one line of `note`, `game`, `games` played (null if none were),
`counts` of games over at shot 0 … C (or `shares` that add up to 1), and the `origin` of a result
(command, commit, seed, versions, device, time). `bsjax race POLICY --save FILE` writes one.
"""

import difflib
import json
import math
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float64, Int64

from bsjax.evaluate.credit import Credit, race_credit
from bsjax.game.game import Game
from bsjax.runtime import results

FOLDER = Path(__file__).parent / "pace_files"
"""The paces that go by name."""
_GAME = ("size", "fleet", "touching", "feedback")


class Pace(NamedTuple):
    """Finishing times of an opponent."""

    name: str
    game: Game
    times: Float64[np.ndarray, " T"]
    """Share of his games over at shot 0, 1, … C; adds up to 1."""
    origin: dict[str, Any]
    """Command, commit, seed, versions, device and time of the file; its `games` and its `note`."""

    @property
    def credit(self) -> Credit:
        """Share of races won by finishing at each shot; finishing together counts half."""
        return race_credit(self.times)

    @property
    def mean(self) -> float:
        """Shots of a game, on average."""
        return float(self.times @ np.arange(len(self.times)))


def names() -> list[str]:
    """Paces that go by name."""
    return sorted(path.stem for path in FOLDER.glob("*.json"))


def load(name_or_path: str | Path, game: Game) -> Pace:
    """A pace, by name or from its file.

    Args:
        name_or_path: one of `names()`, or a file that `save` wrote.
        game: what is played.

    Raises:
        ValueError: no such pace, the file is corrupt, or it is of another game.
    """
    known = names()
    path = FOLDER / f"{name_or_path}.json" if str(name_or_path) in known else Path(name_or_path)
    if not path.is_file():
        near = difflib.get_close_matches(str(name_or_path), known, n=1)
        hint = f"did you mean {near[0]!r}? " if near else ""
        raise ValueError(
            f"no pace {str(name_or_path)!r}; {hint}choose one of {', '.join(known)}, or a file "
            f"that `bsjax race POLICY --save FILE` wrote"
        )
    try:
        pace = _read(json.loads(path.read_text()))
    except (ValueError, KeyError, TypeError) as error:
        told = f"no {error}" if isinstance(error, KeyError) else str(error)
        raise ValueError(
            f"{path} is no pace ({told}); write one with `bsjax race POLICY --save FILE`"
        ) from None
    if pace.game != game:
        raise ValueError(f"{path} is a pace of {pace.game}, not of {game}")
    return pace


def save(
    path: Path,
    name: str,
    game: Game,
    times: Int64[np.ndarray, " T"] | Float64[np.ndarray, " T"],
    *,
    note: str,
    seed: int | None,
    overwrite: bool = False,
) -> None:
    """Write a pace, with the running command as its origin.

    Args:
        path: the file.
        name: what the pace is called.
        game: what was played.
        times: games over at shot 0, 1, … C as whole numbers, or their shares.
        note: one line on who the opponent is.
        seed: of the games; None if nothing was played.
        overwrite: replace a file that exists.

    Raises:
        ValueError: the file exists and `overwrite` is not set, or these are no finishing times.
    """
    counted = times.dtype.kind in "iu"
    told = {
        "name": name,
        "note": note,
        "game": {field: getattr(game, field) for field in _GAME},
        "games": int(times.sum()) if counted else None,
        "counts" if counted else "shares": times.tolist(),
    }
    _times(told, game)
    results.write(path, told, seed=seed, overwrite=overwrite)


def _read(told: dict[str, Any]) -> Pace:
    """A pace from the JSON values of its file."""
    if told["format"] != results.FORMAT:
        raise ValueError(f"format {told['format']}, this version reads {results.FORMAT}")
    size, fleet, *rest = (told["game"][field] for field in _GAME)
    game = Game(tuple(size), tuple(fleet), *rest)
    origin = {**told["origin"], "games": told["games"], "note": told["note"]}
    return Pace(told["name"], game, _times(told, game), origin)


def _times(told: dict[str, Any], game: Game) -> Float64[np.ndarray, " T"]:
    """The shares of a file; what cannot be finishing times of the game raises ValueError."""
    counted = "counts" in told
    times = told["counts"] if counted else told["shares"]
    if len(times) != game.cells + 1:
        raise ValueError(f"{len(times)} finishing times, the game has {game.cells + 1}")
    kinds = int if counted else int | float
    if any(isinstance(n, bool) or not isinstance(n, kinds) or not 0 <= n < math.inf for n in times):
        raise ValueError("a finishing time counts games, or is a share of them")
    if any(times[: game.ship_cells]):
        raise ValueError(f"a game over in fewer than {game.ship_cells} shots")
    total = sum(times) if counted else math.fsum(times)
    if counted and total != told["games"]:
        raise ValueError(f"{total} games at all shots, {told['games']} in all")
    if total == 0 or (not counted and abs(total - 1) > 1e-9):
        raise ValueError(f"finishing times that add up to {total:g}")
    return np.array([n / total for n in times])
