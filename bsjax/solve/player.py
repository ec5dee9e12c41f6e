"""A strong player of a small game, as a file: how he hides, when his hunts finish, and some hunts.

His hider and his finishing times decide every race, so they are exact whatever the number of
hunts he was mixed from. The hunts that are kept are those he can be played with.
"""

from pathlib import Path
from typing import NamedTuple

import numpy as np
from jaxtyping import Float64, UInt8

from bsjax.game.game import Game
from bsjax.posterior.listed import Listing
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


def load(path: Path) -> Player:
    """A player that `save` wrote.

    Raises:
        ValueError: the file holds none.
    """
    try:
        with np.load(path) as held:
            game = Game(
                tuple(held["size"].tolist()), tuple(held["fleet"].tolist()), str(held["touching"])
            )
            of, _, row = classes(game)
            if held["hider"].shape != row.shape:
                raise ValueError("not one row for each class of layouts")
            ends = np.cumsum(held["lengths"])
            hunts = np.split(held["cells"], ends[:-1]) if len(ends) else []
            return Player(
                game,
                rule_of(str(held["rule"])),
                held["hider"][of],
                held["finishing"][of],
                held["weights"],
                hunts,
            )
    except (OSError, ValueError, KeyError) as error:
        raise ValueError(
            f"{path} holds no player ({error}); write one with bsjax solve --out"
        ) from None
