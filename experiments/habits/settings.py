"""Opponents, games and sizes, as data."""

from typing import Any, NamedTuple

from bsjax.game.game import Game

FLEETS = {"two_ships": Game(fleet=(4, 3)), "classic": Game()}
"""The games by name of their result file; sinks are announced by size."""

HUNTER = "density"

HABITS = ((0.0, 0.0), (0.2, 2.0), (0.5, 2.0), (1.0, 0.0))
"""Edge bias a and spacing b of the opponents: none, mild, stronger, edge alone."""

FITS: dict[str, dict[str, Any]] = {
    "both": {},
    "prior": {"spread": (1.0, 3.0)},
    "edge": {"touch": 0},
}
"""What is estimated (`bsjax.posterior.habit_fit.maximum`): a and b; the same with weak normal
priors; a alone, as if b were 0."""

SIGNIFICANT = 2.0
"""Standard errors by which an estimate is told from 0."""


class Settings(NamedTuple):
    """Sizes of the experiment; they change its precision, never its meaning."""

    seed: int = 0
    played: tuple[tuple[str, int], ...] = (("two_ships", 20_000), ("classic", 10_000))
    """Games played against each opponent."""
    stops: tuple[tuple[str, tuple[int, ...]], ...] = (
        ("two_ships", (20, 10)),
        ("classic", (30, 20)),
    )
    """Shots after which transcripts are stopped."""
    games: tuple[int, ...] = (1, 3, 10, 30, 100)
    """Games that an estimate is made from."""
    replicates: int = 200
    """Estimates of each kind at most, each from games of its own."""


FULL = Settings()
QUICK = Settings(
    played=(("two_ships", 60), ("classic", 30)),
    stops=(("two_ships", (20,)), ("classic", (30,))),
    games=(1, 3, 10),
    replicates=4,
)
