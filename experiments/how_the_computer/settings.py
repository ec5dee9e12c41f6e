"""What is played and counted, and what the write-up published, as data."""

from typing import Any, NamedTuple

from bsjax.game.game import Game

GAME = Game(feedback="cells")
"""The write-up's game: a sunk ship's cells are shown."""

STRATEGIES = {
    "random": "Random (Easy)",
    "hunt-target-no-parity": "Hunt & target without parity",
    "hunt-target": "Hunt & target (Normal)",
    "density": "Probability density (Hard)",
}
"""Hunters by name, slowest first, with the names of the write-up."""


class Settings(NamedTuple):
    """Sizes of the experiment; they change its precision, never its meaning."""

    seed: int = 0
    hiders: tuple[tuple[str, int], ...] = (("uniform", 1_000_000), ("ship-by-ship", 200_000))
    """Hiders and the games each hunter plays against them."""
    count_fleet: bool = True
    """Count all layouts, half a minute of two cores; without, the published number is not met."""
    largest: int = 16
    """The patterns are checked on every board up to this side."""
    tie_games: int = 20_000
    """Opening games of the density hunter against water, each with its own way to break ties."""
    candidates: int = 1_000
    """Game numbers among which the typical game is looked for."""
    counted: int = 20_000
    """Games whose hunt and target shots are averaged."""
    state_games: int = 5_000
    """Games whose steps from state to state are counted."""


FULL = Settings()
QUICK = Settings(
    hiders=(("uniform", 2_000), ("ship-by-ship", 2_000)),
    count_fleet=False,
    largest=10,
    tie_games=500,
    candidates=1_000,
    counted=1_000,
    state_games=1_000,
)

MEAN_ERROR = 0.9
"""Published: a mean of 1,000 games is very likely this close to the mean of countless games."""

SAMPLE = 1_000
"""Games per strategy in the write-up."""

PUBLISHED: dict[str, dict[str, Any]] = {
    "random": {
        "mean": 95.4, "median": 97, "p10": 89, "p90": 100, "best": 63, "worst": 100,
    },
    "hunt-target-no-parity": {
        "mean": 60.3, "median": 60, "p10": 42, "p90": 80, "best": 22, "worst": 100,
    },
    "hunt-target": {
        "mean": 50.5, "median": 51, "p10": 38, "p90": 62, "best": 24, "worst": 74,
        "within_50": 0.47,
    },
    "density": {
        "mean": 44.4, "median": 43, "p10": 33, "p90": 57, "best": 22, "worst": 71,
        "within_50": 0.76,
    },
}  # fmt: skip
"""The table of strategies and the shares of games over within 50 shots."""

SAVINGS = {
    "parity": ("hunt-target-no-parity", "hunt-target", 9.8),
    "density": ("hunt-target", "density", 6.1),
}
"""Slower hunter, faster hunter, published shots saved."""

PUBLIC_DENSITY = {"mean": 44.364, "error": 0.123, "games": 20_000}
"""A public density program: uniform boards, sinks by size."""

RANDOM_LAW = {"mean": 95.4, "median": 97, "within_85": 0.048}
PLACEMENTS = (120, 140, 160, 160, 180)
PRODUCT = 77_414_400_000
LAYOUTS = 30_093_975_536
PATTERN_CELLS = {2: 50, 3: 34}
TYPICAL = {
    "number": 743,
    "hunt-target": {"hunt": 36, "target": 13},
    "hunt-target-no-parity": {"hunt": 43, "target": 16},
}
"""The game the write-up shows; its numbers are of its own program's games."""
