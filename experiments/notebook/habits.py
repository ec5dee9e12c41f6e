"""Opponents with habits: how their layouts look, and what a player saves who knows the habit.

A layout weighs exp(a · edge squares − b · touching pairs) (`bsjax.posterior.prior.habit`). Two
players shoot where a ship is most likely. One takes every layout as equally likely, the other
knows the weights. Both are evaluated on all layouts, which are then averaged by the weights of an
opponent with the habit, or all alike.

**Ties.** Many cells are equal by symmetry, and which of them is fired at moves the mean of the
player who knows the habit by tenths of a shot. Here the lowest of the cells within one part in
10⁹ wins. The write-up's own program leaves it to rounding, so for every figure it quotes the
means of other orders of the cells are given too.
"""

from typing import Any

import numpy as np
from jaxtyping import Float64, Int64

from bsjax.evaluate.tree import evaluate
from bsjax.game.habits import edge_squares, near
from bsjax.game.notation import format_cell, parse_cell
from bsjax.game.observation import blank
from bsjax.policies.scores import SCORES, TOLERANCE
from bsjax.posterior.exact import exact
from bsjax.posterior.filtered import filtered
from bsjax.posterior.listed import Listing
from bsjax.posterior.prior import habit
from experiments.notebook.settings import (
    BASE,
    CORRECTED,
    OPENING_TEXT,
    OPENINGS,
    PRIOR_CHECK,
    QUOTED,
    TWO_SHIPS,
    Settings,
)
from experiments.notebook.ties import orders, ranked

Features = tuple[Int64[np.ndarray, " M"], Int64[np.ndarray, " M"]]
"""Edge squares and touching pairs of every layout."""


def run(settings: Settings) -> dict[str, Any]:
    """The opening maps, the grid of habits, and the figures that the text quotes of it."""
    listing = Listing(TWO_SHIPS)
    found = features(listing)
    assumes = evaluate(listing, BASE).shots
    grid = [row(listing, found, assumes, a, b) for b in settings.touches for a in settings.edges]
    return {
        "game": str(TWO_SHIPS),
        "layouts": len(listing),
        "rule": BASE,
        "prior_check": prior_check(found),
        "openings": [opening(listing, found, a, b) for a, b in OPENINGS],
        "rows": grid,
        "quoted": quoted(listing, found, grid, settings),
    }


def features(listing: Listing) -> Features:
    """Ship squares on the border, and pairs of ships with cells next to each other."""
    game, at = listing.game, listing.layouts.T
    edge = [edge_squares(game.size, length)[at[k]] for k, length in enumerate(game.fleet)]
    touch = [
        near(game, game.fleet[i], game.fleet[j])[at[i], at[j]].astype(np.int64)
        for i in range(game.ships)
        for j in range(i)
    ]
    return np.sum(edge, axis=0), np.sum(touch, axis=0)


def weights(found: Features, a: float, b: float) -> Float64[np.ndarray, " M"]:
    """Weight of every layout under a habit."""
    edge, touch = found
    return np.exp(a * edge - b * touch)


def prior_check(found: Features) -> dict[str, Any]:
    """Shares of layouts with touching ships and mean edge squares, uniform and under a habit."""
    a, b = PRIOR_CHECK["habit"]
    edge, touch = found
    share = weights(found, a, b)
    most = int(edge.max())
    return {
        "habit": {"a": a, "b": b},
        "touching": {
            "uniform": float(touch.mean()),
            "habit": float(np.average(touch, weights=share)),
        },
        "edge_squares": {
            "uniform": float(edge.mean()),
            "habit": float(np.average(edge, weights=share)),
        },
        "weight_of_most_edge_squares": {
            str(a): float(np.exp(a * most)) for a in PRIOR_CHECK["ratios"]
        },
        "published": PRIOR_CHECK,
    }


def opening(listing: Listing, found: Features, a: float, b: float) -> dict[str, Any]:
    """Chance of a ship on each cell before the first shot, in closed form and from the list."""
    game = listing.game
    p = exact(game, blank(game), habit(game, a, b)).p_ship
    listed = filtered(listing, (), weights(found, a, b)).p_ship
    best = np.flatnonzero(p >= p.max() * (1 - TOLERANCE)).tolist()
    return {
        "a": a,
        "b": b,
        "p_ship": [round(share, 9) for share in p.tolist()],
        "best": best,
        "best_names": [format_cell(game, cell) for cell in best],
        "p_best": float(p.max()),
        "p_d4": float(p[parse_cell(game, "D4")]),
        "largest_difference_from_listing": float(abs(p - listed).max()),
        "published": OPENING_TEXT[a, b],
    }


def row(
    listing: Listing, found: Features, assumes: np.ndarray, a: float, b: float
) -> dict[str, float]:
    """Expected shots of both players against both opponents."""
    share = weights(found, a, b)
    knows = evaluate(listing, BASE, prior=share).shots
    return {
        "a": a,
        "b": b,
        "assumes_vs_uniform": float(assumes.mean()),
        "assumes_vs_habit": float(np.average(assumes, weights=share)),
        "knows_vs_uniform": float(knows.mean()),
        "knows_vs_habit": float(np.average(knows, weights=share)),
    }


def figure(of: dict[str, float], what: str) -> float:
    """A mean of a row, or a difference: what knowing saves, and what it costs when untrue."""
    if what == "saving":
        return of["assumes_vs_habit"] - of["knows_vs_habit"]
    if what == "cost":
        return of["knows_vs_uniform"] - of["assumes_vs_uniform"]
    return of[what]


def quoted(
    listing: Listing, found: Features, grid: list[dict[str, float]], settings: Settings
) -> list[dict[str, Any]]:
    """Figures of the text beside ours, and ours with ties broken by other orders of the cells.

    A figure agrees if ours rounds to it. It agrees but for ties if it lies in the range of the
    orders, give or take what rounding hides. Where the text rounds wrongly, what its own program
    prints is judged.
    """
    by_habit = {(of["a"], of["b"]): of for of in grid}
    ranks = orders(listing.game, settings)
    others: dict[tuple[float, float], list[dict[str, float]]] = {}
    told = []
    for a, b, what, published, decimals in QUOTED:
        if (a, b) not in by_habit:
            continue
        of = by_habit[a, b]
        if (a, b) not in others:
            others[a, b] = [reordered(listing, found, of, rank) for rank in ranks]
        ours = figure(of, what)
        values = [ours, *(figure(other, what) for other in others[a, b])]
        printed = CORRECTED.get((a, b, what), published)
        hidden = 0.5 * 10.0**-decimals
        told.append(
            {
                "a": a,
                "b": b,
                "what": what,
                "published": published,
                "corrected": printed if printed != published else None,
                "decimals": decimals,
                "measured": ours,
                "least": min(values),
                "most": max(values),
                "agrees": round(ours, decimals) == round(printed, decimals),
                "agrees_but_for_ties": min(values) - hidden <= printed <= max(values) + hidden,
            }
        )
    return told


def reordered(
    listing: Listing, found: Features, of: dict[str, float], rank: np.ndarray
) -> dict[str, float]:
    """The row with ties of the player who knows the habit broken by the highest rank.

    The other player counts whole layouts; the write-up breaks its ties by the lowest cell too.
    """
    share = weights(found, of["a"], of["b"])
    knows = evaluate(listing, ranked(SCORES[BASE], rank), prior=share).shots
    return of | {
        "knows_vs_uniform": float(knows.mean()),
        "knows_vs_habit": float(np.average(knows, weights=share)),
    }
