"""Boards that differ from a board in the place of one ship."""

import numpy as np

from bsjax.evaluate.hard_boards.layouts import Layout, Layouts, canonical, distinct
from bsjax.game.game import Game
from bsjax.game.placements import overlap, placement_masks


def moves(game: Game, layout: Layout, ship: int) -> Layouts:
    """The boards with this ship on every other legal spot; of boards that are alike, one.

    Boards alike to the board itself are left out. 105 boards for a ship of the classic fleet.

    Cost: one table row for each other ship.
    """
    return _others(game, layout, _moved(game, layout, ship))


def sweep(game: Game, layout: Layout) -> Layouts:
    """The boards with any one ship on any other legal spot, about 524 on the classic board."""
    every = [_moved(game, layout, ship) for ship in range(game.ships)]
    return _others(game, layout, np.concatenate(every))


def _moved(game: Game, layout: Layout, ship: int) -> Layouts:
    length = game.fleet[ship]
    free = np.ones(len(placement_masks(game.size, length)), bool)
    for other, place in enumerate(layout.tolist()):
        if other != ship:
            free &= ~overlap(game, length, game.fleet[other])[:, place]
    free[layout[ship]] = False
    spots = np.flatnonzero(free)
    boards = np.repeat(layout[None], len(spots), axis=0)
    boards[:, ship] = spots
    return boards


def _others(game: Game, layout: Layout, boards: Layouts) -> Layouts:
    """Without the board itself, and one of those that are alike."""
    boards = boards[distinct(game, boards)]
    same = (canonical(game, boards) == canonical(game, layout[None])).all(1)
    return boards[~same]
