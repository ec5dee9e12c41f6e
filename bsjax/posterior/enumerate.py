"""Every layout of a listable game, and how many there are.

Ships are added one after the other, longest first; the partial layouts are rows of packed masks,
and each step keeps the pairs (partial layout, placement) that do not meet.

Counting lists all ships but two. With f_a and f_b the 0/1 vectors of the placements that the
others leave open to the last two ships, and O(p, q) = 1 where placements p and q meet, a partial
layout has Σ f_a(p)·(1 − O(p, q))·f_b(q) completions: one matrix product for a block of partial
layouts. The classic board has 2.2 million partial layouts of three ships.

Told apart, ships of equal length are different ships; alike, they are not. Two equal ships never
lie on the same cells, so every set of placements is counted once per order: told apart = alike ×
Π (number of ships of each length)!.
"""

from collections import Counter
from collections.abc import Iterator
from math import factorial, prod

import numpy as np
from jaxtyping import Int16, UInt32

from bsjax.game.game import Game
from bsjax.game.placements import fleet_tables, overlap

LISTABLE = 2_000_000
"""Partial layouts that may be held at once."""
COUNTABLE = 20_000_000
"""Partial layouts that a count may visit: about a minute of two cores."""

_CHUNK = 1 << 22
"""Entries of one partial × placement table."""


class Counts(dict[str, int]):
    """Numbers of layouts: `layouts_told_apart` and `layouts_alike`."""


def count(game: Game, *, budget: int = COUNTABLE) -> Counts:
    """Exact number of layouts, by listing all ships but the last two.

    Raises:
        ValueError: more than about `budget` partial layouts would have to be visited.

    Cost: partial layouts × placements of the last ship × placements of the one before.
    """
    ordered = _ordered(game)
    listed = max(game.ships - 2, 0)
    cells, _, counts = fleet_tables(ordered)
    prefix = ordered.fleet[:listed]
    _refuse(game, prod(int(n) for n in counts[:listed]) / _orders(prefix), budget)
    ends = [cells[k, : counts[k]] for k in range(listed, game.ships)]
    together = None
    if len(ends) == 2:
        together = (~overlap(ordered, *ordered.fleet[-2:])).astype(np.float32)
    total = 0
    for _, taken in _partial(ordered, listed):
        for rows in _chunks(len(taken), sum(map(len, ends))):
            is_open = [~(end[None] & taken[rows, None]).any(-1) for end in ends]
            if together is None:
                total += int(is_open[0].sum())
            else:
                # At most 480 · 480 completions a row: exact in float32.
                pairs = (is_open[0].astype(np.float32) @ together) * is_open[1]
                total += int(pairs.sum(1).astype(np.int64).sum())
    apart = total * _orders(prefix)
    return Counts(layouts_told_apart=apart, layouts_alike=apart // _orders(game.fleet))


def layouts(game: Game, *, budget: int = LISTABLE) -> Int16[np.ndarray, "M K"]:
    """All layouts with equal ships alike: placement of each ship, in the order of `game.fleet`.

    Of the orders in which equal ships can lie on their placements, the ascending one is listed.

    Raises:
        ValueError: there are more than `budget`.
    """
    ordered = _ordered(game)
    found, listed = [np.zeros((0, game.ships), np.int16)], 0
    for placements, _ in _partial(ordered, game.ships):
        found.append(placements)
        listed += len(placements)
        _refuse(game, listed, budget)
    table = np.concatenate(found)
    # The stable order of `_ordered`, undone.
    back = np.argsort(_order(game), kind="stable")
    return table[:, back]


def _order(game: Game) -> np.ndarray:
    return np.argsort([-length for length in game.fleet], kind="stable")


def _ordered(game: Game) -> Game:
    """The same game with the longest ships first: they leave the fewest partial layouts."""
    fleet = tuple(game.fleet[k] for k in _order(game))
    return Game(game.size, fleet, game.touching, game.feedback)


def _partial(
    game: Game, ships: int
) -> Iterator[tuple[Int16[np.ndarray, "M S"], UInt32[np.ndarray, "M W"]]]:
    """Layouts of the first `ships` ships and the cells they deny, in blocks, depth first."""
    cells, denied, counts = fleet_tables(game)

    def extend(depth: int, placements: np.ndarray, taken: np.ndarray) -> Iterator:
        if depth == ships:
            yield placements, taken
            return
        options = cells[depth, : counts[depth]]
        twin = depth > 0 and game.fleet[depth] == game.fleet[depth - 1]
        for rows in _chunks(len(taken), len(options)):
            is_open = ~(options[None] & taken[rows, None]).any(-1)
            if twin:
                is_open &= np.arange(len(options)) > placements[rows, -1:]
            row, place = np.nonzero(is_open)
            longer = np.column_stack([placements[rows][row], place.astype(np.int16)])
            yield from extend(depth + 1, longer, taken[rows][row] | denied[depth][place])

    empty = np.zeros((1, 0), np.int16), np.zeros((1, cells.shape[-1]), np.uint32)
    yield from extend(0, *empty)


def _chunks(rows: int, columns: int) -> Iterator[slice]:
    step = max(_CHUNK // max(columns, 1), 1)
    for start in range(0, rows, step):
        yield slice(start, start + step)


def _orders(fleet: tuple[int, ...]) -> int:
    """Orders in which the ships of a fleet can trade places with equal ones."""
    return prod(factorial(n) for n in Counter(fleet).values())


def _refuse(game: Game, partial: int | float, budget: int) -> None:
    if partial > budget:
        fleet = ",".join(map(str, game.fleet))
        raise ValueError(
            f"the fleet {fleet} on {game.width}x{game.height} needs about {partial:,.0f} layouts "
            f"listed, the limit is {budget:,}; take a smaller board or fleet"
        )
