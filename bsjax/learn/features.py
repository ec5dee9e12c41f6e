"""What a network sees of a game: planes over the cells, and a few numbers beside them.

The planes are the same for every game, board and rule, so one network can play boards of any size.
Nothing is lost of the order of the shots, which the sinks make matter: the age of a shot is a plane
of its own, and a cell at which a ship sank carries the length that was told there. Where a cell
lies is the same in every game of a board, and is told apart from the planes (`places`).

An observation can also be seen on a turned board (`turned`). It is then what a hunter of the turned
game would have been told, so a network can be taught, and can play, in any orientation.

A network that plays many hunts is also shown the *path* of the one it plays (`bsjax.learn.paths`):
which cell comes next, and which were to come first.
"""

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float32, Int8, Int16, Int32

from bsjax.game.game import MAX_LENGTH, MAX_SIDE, Game
from bsjax.game.observation import CLOSED, OPEN, UNFIRED, WATER, Observation, afloat
from bsjax.game.symmetry import cell_images
from bsjax.posterior.density import density, digits, fits_one_word, weight

VERSION = 3
"""Counts changes of what the planes mean; a network belongs to one version."""

PLANES = (
    "miss",
    "open hit",
    "hit of a sunk ship",
    "age of the shot, in boards",
    "1 / age of the shot in shots",
    "length told sunk here",
    "length named here",
    "placements over no open hit",
    "logarithm of the density",
    "density over the largest",
)
"""The planes, in order. Densities are those of `bsjax.posterior.density`, 0 where fired at."""

PLACES = ("row, from 0 to 1", "column, from 0 to 1", "on the board")
"""Planes that are the same in every game, in order."""

NUMBERS = (
    *(f"ships of {length} afloat" for length in range(1, MAX_LENGTH + 1)),
    "shots, in boards",
    "width",
    "height",
)
"""The numbers beside the planes, in order."""

LINE = ("1 / place in line, of cells not fired at", "1 for the first shot, falling")
"""Planes of the path of a hunt, in order; 0 off the path."""

_LOGARITHM = 10.0
"""Brings the logarithm of a density near 1."""
_SHIPS = 4.0
"""The same for numbers of ships."""


def features(
    game: Game, observation: Observation
) -> tuple[Float32[Array, "P C"], Float32[Array, " N"]]:
    """The planes and the numbers of one observation; batch it with `vmap`.

    Cost: about that of a density.
    """
    mark, cells = observation.mark, game.cells
    fired = mark != UNFIRED
    age = jnp.where(fired, observation.shots - observation.shot_at, 0).astype(jnp.float32)
    none, density_ = _densities(game, observation)
    planes = [
        *((mark == kind).astype(jnp.float32) for kind in (WATER, OPEN, CLOSED)),
        age / cells,
        jnp.where(fired, 1 / jnp.maximum(age, 1.0), 0.0),
        _told(game, observation),
        _lengths(game, observation.ship_at),
        none / weight(game.fleet),
        # `log1p` costs a third more, and densities are whole numbers.
        jnp.log(1 + density_) / _LOGARITHM,
        density_ / jnp.maximum(density_.max(), 1.0),
    ]
    return jnp.stack(planes), _numbers(game, observation)


def in_line(path: Int16[Array, " C"], unfired: Bool[Array, " C"]) -> Float32[Array, "L C"]:
    """The planes of a path: what is left of it, and all of it, by which the hunt is known.

    Args:
        path: number of the shot at each cell, 0 for none (`bsjax.learn.paths`).
        unfired: cells not fired at.

    Cost: C² comparisons, less than a density.
    """
    on = path > 0
    left = unfired & on
    place = ((path[None] <= path[:, None]) & left[None]).sum(1).astype(jnp.float32)
    early = 1 - (path - jnp.int16(1)).astype(jnp.float32) / len(path)
    return jnp.stack([jnp.where(left, 1 / jnp.maximum(place, 1.0), 0.0), jnp.where(on, early, 0.0)])


def places(size: tuple[int, int]) -> Float32[np.ndarray, "C 3"]:
    """Where every cell of a board lies: the planes `PLACES`, side by side."""
    width, height = size
    rows, columns = np.divmod(np.arange(width * height), width)
    found = [rows / max(height - 1, 1), columns / max(width - 1, 1), np.ones(width * height)]
    return np.stack(found, axis=1).astype(np.float32)


def turned(game: Game, observation: Observation, turn: Int32[Array, ""]) -> Observation:
    """The observation on the turned board: cell c there is cell `cell_images(size)[turn, c]` here.

    Args:
        game: the rules; a rectangle has 4 turns, a square 8.
        observation: what was told on the board as it is.
        turn: number of the symmetry.
    """
    images = cell_images(game.size)
    image = jnp.asarray(images, jnp.int32)[turn]
    inverse = jnp.asarray(np.argsort(images, axis=1), jnp.int16)[turn]
    sank = observation.sunk_cell
    return observation._replace(
        mark=observation.mark[image],
        answer=observation.answer[image],
        shot_at=observation.shot_at[image],
        ship_at=observation.ship_at[image],
        sunk_cell=jnp.where(sank >= 0, inverse[jnp.maximum(sank, 0)], sank),
    )


def _densities(
    game: Game, observation: Observation
) -> tuple[Float32[Array, " C"], Float32[Array, " C"]]:
    """Placements over no open hit, and the density, of cells not fired at."""
    unfired, w = observation.mark == UNFIRED, weight(game.fleet)
    if fits_one_word(game):
        whole = jnp.where(unfired, density(game, observation), 0)
        return (whole % w).astype(jnp.float32), whole.astype(jnp.float32)
    counts = jnp.where(unfired[None], digits(game, observation), 0).astype(jnp.float32)
    powers = np.float32(w) ** np.arange(len(counts), dtype=np.float32)
    return counts[0], (counts * jnp.asarray(powers)[:, None]).sum(0)


def _told(game: Game, observation: Observation) -> Float32[Array, " C"]:
    """Length of the ship told, or proven, to have sunk by the shot at a cell; 0 elsewhere."""
    cell, told = jnp.arange(game.cells, dtype=jnp.int16), jnp.zeros(game.cells)
    for ship, length in enumerate(game.fleet):
        here = cell == observation.sunk_cell[ship]
        told = told + jnp.where(here, length / MAX_LENGTH, 0.0)
    return told


def _lengths(game: Game, named: Int8[Array, " C"]) -> Float32[Array, " C"]:
    """Length of the ship named at a cell; 0 where none was."""
    lengths = jnp.zeros(game.cells)
    for ship, length in enumerate(game.fleet):
        lengths = jnp.where(named == ship, length / MAX_LENGTH, lengths)
    return lengths


def _numbers(game: Game, observation: Observation) -> Float32[Array, " N"]:
    """The numbers beside the planes."""
    lengths = np.arange(1, MAX_LENGTH + 1)[:, None] == np.array(game.fleet)[None]
    left = (jnp.asarray(lengths) & afloat(observation)[None]).sum(1).astype(jnp.float32)
    rest = jnp.stack([observation.shots.astype(jnp.float32) / game.cells])
    size = jnp.asarray(np.array(game.size, np.float32) / MAX_SIDE)
    return jnp.concatenate([left / _SHIPS, rest, size])
