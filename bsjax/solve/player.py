"""A strong player of a small game, as a file: how he hides, when his hunts finish, and some hunts.

His hider and his finishing times decide every race, so they are exact whatever the number of
hunts he was mixed from. The hunts that are kept are those he can be played with.
"""

import zipfile
import zlib
from pathlib import Path
from typing import NamedTuple

import numpy as np
from jaxtyping import Float64, UInt8

from bsjax.evaluate.credit import race_credit
from bsjax.game.game import Game
from bsjax.solve.moves import Rule, rule_of
from bsjax.solve.tables import classes


class Player(NamedTuple):
    """A hider and a lottery over hunts, turned at random; M layouts, T = cells + 1."""

    game: Game
    rule: Rule
    """Moves that the hunts keep to."""
    hider: Float64[np.ndarray, " M"]
    """Share of each layout of `Listing(game)`, the same for turned layouts."""
    finishing: Float64[np.ndarray, "M T"]
    """Share of games over at shot 0, 1, … C on each layout."""
    weights: Float64[np.ndarray, " H"]
    """Share of each hunt that can be replayed; there may be none."""
    hunts: list[UInt8[np.ndarray, " _"]]
    """Cells of the hunts, for `bsjax.solve.hunts.ByCells`."""

    @property
    def pace(self) -> Float64[np.ndarray, " T"]:
        """When he finishes against a board that is hidden his own way."""
        return self.hider @ self.finishing

    @property
    def shots(self) -> Float64[np.ndarray, " M"]:
        """Expected shots on each layout."""
        return self.finishing @ np.arange(self.finishing.shape[1])


def save(player: Player, path: Path) -> None:
    """Write a player; one row for each class of turned layouts."""
    row = classes(player.game).row
    cells = np.concatenate([np.zeros(0, np.uint8), *player.hunts])
    with open(path, "wb") as stream:
        np.savez_compressed(
            stream,
            size=np.array(player.game.size),
            fleet=np.array(player.game.fleet),
            touching=np.array(player.game.touching),
            rule=np.array(player.rule),
            hider=player.hider[row],
            finishing=player.finishing[row],
            weights=player.weights,
            cells=cells,
            lengths=np.array([len(hunt) for hunt in player.hunts], np.int64),
        )


_CORRUPT = (OSError, ValueError, KeyError, zipfile.BadZipFile, zlib.error)
"""What reading a file raises that is none, or damaged."""


def load(path: Path) -> Player:
    """A player that `save` wrote.

    Raises:
        ValueError: the file holds none.
    """
    try:
        with zipfile.ZipFile(path) as whole:
            if (damaged := whole.testzip()) is not None:
                raise ValueError(f"{damaged} is damaged")
        with np.load(path) as held:
            size, fleet = tuple(held["size"].tolist()), tuple(held["fleet"].tolist())
            game = Game(size, fleet, str(held["touching"]))  # pyright: ignore[reportArgumentType]
            rule, hider, finishing = rule_of(str(held["rule"])), held["hider"], held["finishing"]
            weights, cells, ends = held["weights"], held["cells"], np.cumsum(held["lengths"])
        of, _, row = classes(game)
        if (len(hider), *finishing.shape) != (len(row), len(row), game.cells + 1):
            raise ValueError("not one row for each class of layouts")
        if not np.allclose([hider[of].sum(), *finishing.sum(1)], 1, atol=1e-9):
            raise ValueError("shares do not add up to 1")
        if len(weights) != len(ends) or len(cells) != ends[-1:].sum():
            raise ValueError("not one weight, or not the cells, of each hunt")
        hunts = np.split(cells, ends[:-1]) if len(ends) else []
        return Player(game, rule, hider[of], finishing[of], weights, hunts)
    except _CORRUPT as error:
        raise ValueError(
            f"{path} holds no player ({error}); write one with bsjax solve --out"
        ) from None


def win_rates(player: Player, pace: Float64[np.ndarray, " T"]) -> Float64[np.ndarray, " M"]:
    """Races that his hunts win on each layout against a pace."""
    return player.finishing @ race_credit(pace)


def hiding(player: Player) -> Float64[np.ndarray, " M"]:
    """Races won against him from each layout, by one who hunts as he does."""
    times = player.finishing
    return (1 - np.cumsum(times, axis=1) + times / 2) @ player.pace
