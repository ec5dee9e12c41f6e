"""Finishing times of a hunter on every layout: what a race and a worst case are made of.

A hunter that rolls dice is played many times on every layout (`by_layout`): a histogram of whole
numbers, of games that are numbered, so no batch size changes a result. Hunters whose only dice are
those between equal cells are followed exactly (`bsjax.evaluate.ties`), those without dice by the
tree pass.

**The lowest of many noisy readings is too low.** `lowest` therefore looks for the worst layout in
stages, each with more games on fewer layouts, and measures the last one left on games of its own.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import jax
import numpy as np
from jaxtyping import Array, Float64, Int64, Key

from bsjax.evaluate.by_board import by_board
from bsjax.evaluate.massive import Limits
from bsjax.policies import Policy
from bsjax.posterior.listed import Listing

_DEFAULT = Limits()


def by_layout(
    key: Key[Array, ""],
    policy: Policy,
    listing: Listing,
    games: int,
    *,
    rows: Int64[np.ndarray, " R"] | None = None,
    turned: bool = True,
    limits: Limits = _DEFAULT,
    progress: Callable[[int, int], None] | None = None,
) -> Int64[np.ndarray, "R T"]:
    """Games over at shot 0, 1, … C on each layout.

    Args:
        key: consumed; game g on row r has the number g·R + r, so more games go on with the same.
        policy: the hunter.
        listing: layouts of his game.
        games: games on each layout.
        rows: rows of the listing to play on, all by default.
        turned: turn the board at random in every game. One row stands for all its turned layouts.
        limits: memory and slots; they change no result.
        progress: called after every launch with the games played and all games.

    Raises:
        ValueError: another game, no games, or the hunter fired at a cell twice.
    """
    if policy.game != listing.game:
        raise ValueError(f"the hunter plays {policy.game}, the layouts are of {listing.game}")
    rows = np.arange(len(listing)) if rows is None else rows
    if games < 1 or len(rows) < 1:
        raise ValueError(f"{games} games on {len(rows)} layouts: play at least one on one")
    return by_board(
        key,
        policy,
        listing.boards(rows),
        games,
        turned=turned,
        room=len(listing),
        limits=limits,
        progress=progress,
    )


class Estimate(NamedTuple):
    """A mean over games."""

    value: float
    se: float
    """Standard error; 0 where the value is exact."""


def means(
    histogram: Int64[np.ndarray, "R T"], credit: Float64[np.ndarray, " T"]
) -> tuple[Float64[np.ndarray, " R"], Float64[np.ndarray, " R"]]:
    """Mean credit of the games on each layout, and its standard error."""
    games = histogram.sum(1)
    value = histogram @ credit / games
    spread = histogram @ credit**2 / games - value**2
    return value, np.sqrt(np.maximum(spread, 0) / np.maximum(games - 1, 1))


def over_layouts(
    histogram: Int64[np.ndarray, "R T"],
    credit: Float64[np.ndarray, " T"],
    weights: Float64[np.ndarray, " R"],
) -> Estimate:
    """Mean credit against a hider with these weights, up to a factor."""
    value, se = means(histogram, credit)
    share = weights / weights.sum()
    return Estimate(float(share @ value), float(np.sqrt(share**2 @ se**2)))


class Stage(NamedTuple):
    """A step of the search for the worst layout."""

    keep: int
    """Layouts that go on, the worst so far."""
    games: int
    """Further games on each of them."""


class Lowest(NamedTuple):
    """The layout on which a hunter does worst."""

    row: int
    """Row of the listing."""
    estimate: Estimate
    """Its mean credit, from games that did not choose it."""
    games: int
    """Those games."""
    runner_up: float
    """Mean credit of the next worst layout of the last choice, from all its games."""
    histogram: Int64[np.ndarray, " T"]
    """Those games by their shots."""


def lowest(
    key: Key[Array, ""],
    policy: Policy,
    listing: Listing,
    credit: Float64[np.ndarray, " T"],
    found: Int64[np.ndarray, "R T"],
    rows: Int64[np.ndarray, " R"],
    stages: Sequence[Stage],
    *,
    limits: Limits = _DEFAULT,
) -> Lowest:
    """The layout with the lowest mean credit, found in stages.

    Args:
        key: consumed; must not be the one that `found` was played with.
        policy: the hunter.
        listing: layouts of his game.
        credit: what finishing at each shot is worth.
        found: games on these rows (`by_layout`).
        rows: rows of the listing.
        stages: the last one keeps one layout and measures it.
        limits: memory and slots; they change no result.

    Raises:
        ValueError: the last stage keeps more than one layout.
    """
    if not stages or stages[-1].keep != 1:
        raise ValueError("the last stage measures the layout that is left: keep one")
    runner_up = np.inf
    fresh = found
    for number, stage in enumerate(stages):
        value, _ = means(found, credit)
        order = np.argsort(value, kind="stable")
        if len(order) > 1:
            runner_up = float(value[order[1]])
        rows, found = rows[order[: stage.keep]], found[order[: stage.keep]]
        own = jax.random.fold_in(key, number)
        fresh = by_layout(own, policy, listing, stage.games, rows=rows, limits=limits)
        found = found + fresh
    estimate = over_layouts(fresh, credit, np.ones(1))
    return Lowest(int(rows[0]), estimate, stages[-1].games, runner_up, fresh[0])
