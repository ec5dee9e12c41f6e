"""What a hunter has been told, and how each answer changes it.

One answer is one small integer, so that a game's answers fill one int8 plane:

    −2 not fired · −1 miss · 0 hit · k+1 ship k is sunk · K+1 some ship is sunk ·
    K+2+k hit on ship k (it is still afloat)

Which codes occur depends on the feedback rule. Where a rule tells only the length of a sunk
ship (`size`, and `cells`, which shows it), the ship is the first one of that length not yet
announced: ships of equal length are interchangeable, so this loses nothing.

**Open and closed hits.** A hit is *closed* when it surely belongs to a sunk ship, otherwise
*open*. `cells` and `hit-name` say which hits a sink closes. Under `size` and `name` the sunk
ship of length k is k hits in a line through the cell just shot. Its cells cannot be closed
already, so if exactly one such line of open hits exists it is the ship and is closed; if there
are several, all stay open. Under `sunk` the same is done over every length that may be afloat;
one line closes its hits, one length settles which ship it was. Where ships may not touch,
hits side by side are one ship, so only a whole run counts as a line. Nothing is guessed: a closed
hit is a proof. Under `hit` nothing is ever closed.
"""

from typing import NamedTuple

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Int8, Int16, Int32

from bsjax.game.game import Game

NOT_FIRED, MISS, HIT = -2, -1, 0
"""Answer codes that mean the same in every game."""

UNFIRED, WATER, OPEN, CLOSED = 0, 1, 2, 3
"""Marks of a cell: not fired at; a miss; a hit not explained by a sink; a hit that is."""


class Observation(NamedTuple):
    """All that one game has told its hunter; C cells, K ships. Batch it with `vmap`."""

    mark: Int8[Array, " C"]
    """`UNFIRED`, `WATER`, `OPEN` or `CLOSED`."""
    answer: Int8[Array, " C"]
    """Answer code of the shot at each cell, `NOT_FIRED` where there was none."""
    shot_at: Int16[Array, " C"]
    """Number of the shot that hit this cell, from 0; −1 where there was none."""
    ship_at: Int8[Array, " C"]
    """Ship the rule named at a cell (`cells`, `hit-name`), −1 where it named none."""
    sunk_at: Int16[Array, " K"]
    """Number of the shot that sank each ship, as told or proven; −1 otherwise."""
    sunk_cell: Int16[Array, " K"]
    """Cell of that shot; −1 otherwise."""
    shots: Int16[Array, ""]
    """Shots fired so far."""


def blank(game: Game) -> Observation:
    """The observation before the first shot."""
    cells, ships = game.cells, game.ships
    return Observation(
        mark=jnp.full(cells, UNFIRED, jnp.int8),
        answer=jnp.full(cells, NOT_FIRED, jnp.int8),
        shot_at=jnp.full(cells, -1, jnp.int16),
        ship_at=jnp.full(cells, -1, jnp.int8),
        sunk_at=jnp.full(ships, -1, jnp.int16),
        sunk_cell=jnp.full(ships, -1, jnp.int16),
        shots=jnp.zeros((), jnp.int16),
    )


def impossible(observation: Observation) -> Observation:
    """An observation that no layout agrees with, all cells of which were fired at.

    It stands where there is no game, and gives a hunter nothing to think about.
    """
    return observation._replace(
        mark=jnp.full_like(observation.mark, WATER),
        answer=jnp.full_like(observation.answer, MISS),
        shot_at=jnp.zeros_like(observation.shot_at),
    )


def numbers(ships: int) -> Int8[Array, " K"]:
    """0 … K − 1 in the type of ship numbers."""
    return jnp.arange(ships, dtype=jnp.int8)


def afloat(observation: Observation) -> Bool[Array, " K"]:
    """Ships not known to be sunk."""
    return observation.sunk_at < 0


def tell(
    game: Game,
    observation: Observation,
    hit: Bool[Array, ""],
    sunk: Bool[Array, ""],
    ship: Int8[Array, ""],
) -> Int8[Array, ""]:
    """Answer code for what truly happened: a hit, a sink, and the ship concerned (−1 = none)."""
    some_ship, on_ship = game.ships + 1, game.ships + 2
    told = jnp.int8(HIT)
    if game.feedback == "hit":
        named = told
    elif game.feedback == "sunk":
        named = jnp.int8(some_ship)
    elif game.feedback in ("name", "hit-name"):
        named = ship + jnp.int8(1)
        if game.feedback == "hit-name":
            told = ship + jnp.int8(on_ship)
    else:
        target = numbers(game.ships) == ship
        length = jnp.where(target, jnp.asarray(game.fleet), 0).sum()
        alike = jnp.asarray(game.fleet) == length
        named = jnp.argmax(alike & afloat(observation)).astype(jnp.int8) + jnp.int8(1)
    return jnp.where(hit, jnp.where(sunk, named, told), jnp.int8(MISS))


def observe(
    game: Game,
    observation: Observation,
    cell: Int32[Array, ""],
    answer: Int8[Array, ""],
    shown: Bool[Array, " C"] | None = None,
) -> Observation:
    """The observation after a shot at `cell` was answered by `answer`.

    Args:
        game: the rules.
        observation: what was known before the shot.
        cell: the cell fired at; −1 fires no shot and changes nothing.
        answer: its answer code.
        shown: under `cells`, the cells of the ship if this shot sank one.

    Returns:
        The next observation. Nothing is checked: see `bsjax.game.history.check`.

    Cost: a few passes over C cells.
    """
    some_ship, on_ship = game.ships + 1, game.ships + 2
    fired = cell >= 0
    at = jnp.arange(game.cells, dtype=jnp.int32) == cell
    hit = fired & (answer >= HIT)
    sunk = fired & (answer > HIT) & (answer <= some_ship)
    ship = jnp.where(sunk & (answer < some_ship), answer - jnp.int8(1), jnp.int8(-1))
    mark = jnp.where(at, jnp.where(hit, OPEN, WATER).astype(jnp.int8), observation.mark)
    ship_at = observation.ship_at

    if game.feedback == "cells":
        if shown is None:
            raise ValueError("feedback 'cells': an answer must show the cells of a sunk ship")
        closed = shown & sunk
        ship_at = jnp.where(closed, ship, ship_at)
    elif game.feedback == "hit-name":
        named = jnp.where(answer > some_ship, answer - jnp.int8(on_ship), ship)
        ship_at = jnp.where(at & hit, named, ship_at)
        closed = (ship_at == ship) & sunk
    elif game.feedback == "hit":
        closed = jnp.zeros(game.cells, bool)
    else:
        ship, closed = _reading(game, observation, mark, cell, ship)
        closed = closed & sunk
        ship = jnp.where(sunk, ship, jnp.int8(-1))

    sinks = numbers(game.ships) == ship
    return Observation(
        mark=jnp.where(closed, jnp.int8(CLOSED), mark),
        answer=jnp.where(at, answer, observation.answer),
        shot_at=jnp.where(at, observation.shots, observation.shot_at),
        ship_at=ship_at,
        sunk_at=jnp.where(sinks, observation.shots, observation.sunk_at),
        sunk_cell=jnp.where(sinks, cell.astype(jnp.int16), observation.sunk_cell),
        shots=observation.shots + fired.astype(jnp.int16),
    )


def _reading(
    game: Game,
    observation: Observation,
    mark: Int8[Array, " C"],
    cell: Int32[Array, ""],
    ship: Int8[Array, ""],
) -> tuple[Int8[Array, ""], Bool[Array, " C"]]:
    """Ship and cells of a sink at `cell`, as far as only one reading is possible.

    `ship` is the ship as told (−1 under `sunk`). Every run of open hits through the cell is
    measured; a length k then has as many readings as windows of k cells of those runs hold the
    cell.
    """
    runs = _open_runs(game, mark, cell)
    told = numbers(game.ships) == ship
    candidates = told if game.feedback != "sunk" else afloat(observation)
    windows = []
    for length in game.lengths:
        possible = jnp.stack([candidates[k] for k, n in enumerate(game.fleet) if n == length])
        windows.append(jnp.where(possible.any(), _windows(game, runs, length), 0))
    counts = jnp.stack(windows)
    only = counts.sum() == 1
    if game.feedback == "sunk":
        length = jnp.asarray(game.lengths)[jnp.argmax(counts > 0)]
        settled = (counts > 0).sum() == 1
        same = jnp.asarray(game.fleet) == length
        first = jnp.argmax(same & candidates).astype(jnp.int8)
        ship = jnp.where(settled, first, jnp.int8(-1))
    else:
        length = jnp.where(told, jnp.asarray(game.fleet), 0).sum()

    left, right, up, _ = runs
    row, column = cell // game.width, cell % game.width
    index = jnp.arange(game.cells)
    rows, columns = index // game.width, index % game.width
    # Exactly one window: it starts as far back as the run or the length allows.
    across = jnp.minimum(left, length - 1) + jnp.minimum(right, length - 1) >= length - 1
    start_column = column - jnp.minimum(left, length - 1)
    start_row = row - jnp.minimum(up, length - 1)
    horizontal = (rows == row) & (columns >= start_column) & (columns < start_column + length)
    vertical = (columns == column) & (rows >= start_row) & (rows < start_row + length)
    return ship, only & jnp.where(across, horizontal, vertical)


def _open_runs(
    game: Game, mark: Int8[Array, " C"], cell: Int32[Array, ""]
) -> tuple[Int32[Array, ""], ...]:
    """Open hits in a row to the left, right, above and below `cell`, at most L_max − 1 each."""
    longest = max(game.fleet)
    if longest == 1:
        return (jnp.int32(0),) * 4
    step = np.arange(1, longest)
    across = np.concatenate([-step, step, 0 * step, 0 * step]).reshape(4, -1)
    down = np.concatenate([0 * step, 0 * step, -step, step]).reshape(4, -1)
    rows, columns = cell // game.width + down, cell % game.width + across
    inside = (rows >= 0) & (rows < game.height) & (columns >= 0) & (columns < game.width)
    index = jnp.clip(rows * game.width + columns, 0, game.cells - 1)
    open_hit = inside & (mark[index] == OPEN)
    run = jnp.cumprod(open_hit.astype(jnp.int32), axis=1).sum(1)
    return run[0], run[1], run[2], run[3]


def _windows(game: Game, runs: tuple[Int32[Array, ""], ...], length: int) -> Int32[Array, ""]:
    """Number of ways a ship of `length` lies on the runs and covers their common cell.

    Where ships may not touch, hits side by side are one ship: only a whole run will do.
    """
    if game.touching != "allowed":
        left, right, up, down = runs
        alone = (left + right == 0, up + down == 0)
        across = (left + right == length - 1) & alone[1]
        vertical = (up + down == length - 1) & alone[0]
        return (across | vertical).astype(jnp.int32)
    if length == 1:
        return jnp.int32(1)
    left, right, up, down = (jnp.minimum(run, length - 1) for run in runs)
    across = jnp.maximum(left + right - (length - 2), 0)
    vertical = jnp.maximum(up + down - (length - 2), 0)
    return across + vertical
