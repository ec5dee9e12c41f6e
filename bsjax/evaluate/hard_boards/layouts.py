"""Boards as the placements of their ships: legal, alike, drawn at random, written.

A layout is one placement number per ship (`bsjax.game.placements`). Every game turns the board at
random, so a layout stands for all its images; ships of equal length are alike unless the answers
name them.
"""

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Int8, Int16, Int64, Key

from bsjax import hide
from bsjax.game.game import Game
from bsjax.game.notation import format_cell, parse_cell
from bsjax.game.placements import overlap, placement_cells, placement_masks
from bsjax.game.symmetry import placement_images
from bsjax.hide.base import Hider, Placed

Layout = Int16[np.ndarray, " K"]
"""Placement of each ship."""
Layouts = Int16[np.ndarray, "_ K"]
"""B layouts."""
_SLOTS = 1024


def boards_of(game: Game, layouts: Layouts) -> Int8[np.ndarray, "B C"]:
    """Ship on each cell, −1 for water."""
    board = np.full((len(layouts), game.cells), -1, np.int8)
    for ship, length in enumerate(game.fleet):
        board[placement_masks(game.size, length)[layouts[:, ship]]] = ship
    return board


def legal(game: Game, layouts: Layouts) -> Bool[np.ndarray, " B"]:
    """Whether no two ships meet, or touch where the rules forbid it."""
    fine = np.ones(len(layouts), bool)
    for one in range(game.ships):
        for other in range(one):
            meet = overlap(game, game.fleet[one], game.fleet[other])
            fine &= ~meet[layouts[:, one], layouts[:, other]]
    return fine


def canonical(game: Game, layouts: Layouts) -> Layouts:
    """The same layout for all that are alike: turned, or with equal ships exchanged."""
    turned = np.stack(
        [placement_images(game.size, n)[:, layouts[:, k]].T for k, n in enumerate(game.fleet)], 2
    )
    if game.feedback not in ("name", "hit-name"):
        for length in game.lengths:
            equal = [k for k, n in enumerate(game.fleet) if n == length]
            turned[:, :, equal] = np.sort(turned[:, :, equal], axis=2)
    # Rows of big-endian words sort as strings do, by the first ship, then the next.
    rows = np.ascontiguousarray(turned.astype(">u2")).view(f"S{2 * game.ships}")[:, :, 0]
    least = np.ascontiguousarray(np.sort(rows, axis=1)[:, :1])
    return least.view(">u2").astype(np.int16).reshape(len(layouts), game.ships)


def distinct(game: Game, layouts: Layouts) -> Int64[np.ndarray, " D"]:
    """Rows of which no two are alike: the first of each kind, in their order."""
    if not len(layouts):
        return np.zeros(0, np.int64)
    return np.sort(np.unique(canonical(game, layouts), axis=0, return_index=True)[1])


def drawn(key: Key[Array, ""], game: Game, count: int) -> Layouts:
    """Layouts of the uniform hider. The key is consumed.

    Raises:
        ValueError: the fleet does not fit, or fits too rarely to be found.
    """
    if count == 0:
        return np.zeros((0, game.ships), np.int16)
    placed = _draw(hide.make("uniform", game), jax.random.split(key, count))
    if not np.asarray(placed.found).all():
        raise ValueError(f"no board of {game} was found; take a smaller fleet")
    return np.asarray(placed.placements)


@jax.jit
def _draw(hider: Hider, keys: Key[Array, " N"]) -> Placed:
    return hider.place(keys, jnp.int32(len(keys)), min(len(keys), _SLOTS))


def written(game: Game, layout: Layout) -> str:
    """First and last cell of each ship, in the order of the fleet: `A1-E1 A2-D2 …`."""
    return " ".join(ships_written(game, layout).values())


def ships_written(game: Game, layout: Layout) -> dict[str, str]:
    """First and last cell of each ship by its name."""
    ends = {}
    for name, length, place in zip(game.ship_names, game.fleet, layout.tolist(), strict=True):
        cells = placement_cells(game.size, length)[place].tolist()
        ends[name] = f"{format_cell(game, cells[0])}-{format_cell(game, cells[-1])}"
    return ends


def read(game: Game, text: str) -> Layout:
    """A layout from what `written` wrote; either end of a ship may come first.

    Raises:
        ValueError: not one ship of each length in the order of the fleet, or they meet.
    """
    ends = text.split()
    if len(ends) != game.ships:
        raise ValueError(f"{text!r}: write first and last cell of each of {game.ships} ships")
    layout = np.zeros(game.ships, np.int16)
    for ship, (length, pair) in enumerate(zip(game.fleet, ends, strict=True)):
        cells = {parse_cell(game, end) for end in pair.split("-")}
        lines = placement_cells(game.size, length)[:, [0, -1]].tolist()
        found = [number for number, line in enumerate(lines) if set(line) == cells]
        if not found:
            raise ValueError(f"{pair!r} is no straight line of {length} cells")
        layout[ship] = found[0]
    if not legal(game, layout[None])[0]:
        raise ValueError(f"{text!r}: ships meet, or touch where the rules forbid it")
    return layout
