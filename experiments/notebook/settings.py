"""What is counted and played, and what the write-up published, as data."""

from typing import Any, NamedTuple

from bsjax.game.game import Game

ONE_SHIP = Game(fleet=(4,), feedback="name")
TWO_SHIPS = Game(fleet=(4, 3), feedback="name")
"""The write-up's small games: a sink names the ship."""
FIVE_SHIPS = Game()
"""The standard fleet, where a sink tells the length; with equal ships it comes to the same."""

FIVE_SHIP_MAPS: dict[str, int | None] = {
    "": 30_093_975_536,
    "E5:hit": 6_428_054_040,
    "E5:hit F5:hit G5:sunk3 B2:miss I8:miss H5:hit": None,
}
"""Histories, with the layouts they leave where another exact count is known."""

RULES = {
    "probability": "Probability",
    "information": "Information",
    "lookahead-hits": "Lookahead: hits",
    "lookahead-information": "Lookahead: information",
}
"""Scores by name (`bsjax.policies.scores`), with the names of the write-up."""

BASE = "probability"
"""The rule the others are compared with, and the rule of both players of the habits."""


class Settings(NamedTuple):
    """Sizes of the experiment; they change its precision, never its meaning."""

    seed: int = 0
    checked: int = 100
    """Layouts that each rule is played on game by game."""
    played: tuple[str, ...] = ("probability", "information")
    """Rules whose registered hunter plays them too. The hunters that look two shots ahead judge
    fewer cells than the rules do, so they play otherwise."""
    edges: tuple[float, ...] = tuple(i / 10 for i in range(16))
    """Edge bias a of the grid of habits."""
    touches: tuple[float, ...] = (0.0, 1.0, 2.0, 3.0, 4.0)
    """Spacing b of the grid of habits."""
    orders: int = 10
    """Random orders of the cells by which ties are broken, to see what ties do."""
    draws: tuple[int, int] = (40_000, 240_000)
    """Draws of the sampler from each history of two and of five ships."""
    standard_size: tuple[int, int] = (10, 10)
    standard_fleet: tuple[int, ...] = (5, 4, 3, 3, 2)
    standard_games: int = 1_000
    """Games of every hunter on the standard fleet."""
    standard_draws: int = 1_500
    """Draws a decision of those that sample."""


FULL = Settings()
QUICK = Settings(
    checked=5,
    played=("probability",),
    edges=(0.0, 0.2, 0.5, 1.0),
    touches=(0.0, 2.0, 3.0),
    orders=2,
    draws=(4_000, 8_000),
    standard_size=(5, 5),
    standard_fleet=(3, 2, 2),
    standard_games=40,
    standard_draws=64,
)

PLACEMENTS = {"corner": 2, "centre": 8}
"""Placements of the 4-hole ship that cover a corner and the centre."""

MAPS: dict[str, dict[str, Any]] = {
    "": {"layouts": 20_336, "best": "D4"},
    "D4:miss": {"layouts": 18_456},
    "D4:hit": {"layouts": 1_880},
}
"""The three maps by history; after a miss at D4, "a miss discards those" that cover it."""

RANDOM = {"mean": 88.375, "mean_text": "7 · 101 / 8"}

PUBLISHED: dict[str, dict[str, Any]] = {
    "probability": {
        "mean": 25.6, "median": 25, "p95": 41, "worst": 52,
    },
    "information": {
        "mean": 25.8, "difference": 0.22, "median": 25, "p95": 41, "worst": 52,
        "fewer": 4_187, "more": 7_641,
    },
    "lookahead-hits": {
        "difference": 0.14, "median": 25, "p95": 41, "worst": 52,
        "fewer": 5_649, "more": 6_364,
    },
    "lookahead-information": {
        "difference": 0.12, "median": 25, "p95": 41, "worst": 52,
        "fewer": 3_044, "more": 6_018,
    },
}  # fmt: skip
"""Figures of the four rules: means and differences as the text gives them; numbers of layouts
with fewer or more shots than `probability` as its page computes them, of which the text quotes
the least and the most."""

OPENINGS = ((0.2, 2.0), (0.5, 2.0), (0.0, 0.0))
"""Habits (a, b) whose opening map is drawn or quoted; the uniform opponent last."""

OPENING_TEXT: dict[tuple[float, float], dict[str, Any]] = {
    # The text says 7.4% of D4; its own program prints 7.348%.
    (0.2, 2.0): {"cells": ("D1", "G1", "A4"), "best_percent": 9.4, "d4_percent": 7.348},
    (0.5, 2.0): {"best_percent": 14, "d4_percent": 5},
    (0.0, 0.0): {"cells": ("D4",)},
}
"""What the text says of the openings."""

PRIOR_CHECK: dict[str, Any] = {
    "habit": (0.5, 2.0),
    "touching_percent": 17,
    "ratios": {0.2: 4, 0.5: 33, 1.0: 1_100},
}
"""The habit whose layouts are looked at; the share of uniform layouts with touching ships; by a,
how many times more a layout with all seven squares on the border weighs than one with none."""

QUOTED: tuple[tuple[float, float, str, float, int], ...] = (
    (0.2, 2.0, "saving", 2.0, 1),
    (0.5, 2.0, "saving", 6.7, 1),
    (1.0, 2.0, "saving", 14, 0),
    (0.5, 2.0, "knows_vs_habit", 22.5, 1),
    (0.5, 2.0, "assumes_vs_habit", 29.2, 1),
    (1.0, 2.0, "knows_vs_habit", 16.9, 1),
    (1.0, 2.0, "assumes_vs_habit", 30.9, 1),
    (0.0, 0.0, "assumes_vs_habit", 25.6, 1),
    (0.2, 2.0, "assumes_vs_habit", 27.3, 1),
    (0.2, 2.0, "cost", 1.9, 1),
    (0.5, 2.0, "cost", 3.0, 1),
    (0.1, 2.0, "cost", 1.0, 1),
    (0.1, 2.0, "saving", 0.9, 1),
    (0.0, 3.0, "saving", 0.8, 1),
    (0.0, 3.0, "cost", 0.5, 1),
    (1.0, 0.0, "saving", 13.7, 1),
    (1.0, 2.0, "saving", 14.1, 1),
)
"""Figures of the habits in the text: a, b, what, figure, decimals. `saving` is what knowing the
habit saves where it is true, `cost` what it costs where the opponent is uniform."""

CORRECTED = {(1.0, 0.0, "saving"): 13.645185}
"""Where the text rounds wrongly: what the write-up's own program prints."""

STANDARD_SAID: dict[str, Any] = {
    "probability": {"mean": 45, "games": 300},
    "information": {"mean": 45, "games": 300},
    "random": {"mean": 96, "games": 300},
    "gap": {"mean": 1.1, "error": 1.1, "games": 300},
}
"""The text on the standard fleet: "about" so many shots in 300 and 400 games (the fewer are judged
here), and how many more the information rule needs, with its 95% error."""

STANDARD_60: dict[str, Any] = {
    "probability": {"mean": 44.2, "sd": 7.769563, "games": 60},
    "information": {"mean": 46.133333, "sd": 9.557084, "games": 60},
    "random": {"mean": 95.633333, "sd": 4.441586, "games": 60},
    "gap": {"mean": 1.933333, "error": 2.662779, "fewer": 23, "same": 4, "more": 33, "games": 60},
}
"""What the write-up's own program prints of its first 60 games, 1,500 draws a decision."""
