"""What is measured: settings as data."""

from typing import NamedTuple

from bsjax.game.game import Game


class Settings(NamedTuple):
    """One sweep; the classic fleet under feedback `size` throughout."""

    policies: tuple[str, ...]
    slots: tuple[int, ...]
    """Games in lockstep per device, on the 10×10 board."""
    sides: tuple[int, ...]
    """Square boards, with the default number of slots."""
    feedback: tuple[str, ...]
    """Feedback rules for the density hunter, 10×10, default slots."""
    games: int
    """Games of the run whose batch sizes are measured."""
    seconds: float
    """Length of one timed run; three are made."""
    peer_seconds: float


FULL = Settings(
    policies=("random", "hunt-target-no-parity", "hunt-target", "density"),
    slots=(64, 512, 2048, 8192),
    sides=(6, 8, 10, 12, 16),
    feedback=("hit", "sunk", "size", "name", "cells", "hit-name"),
    games=1_000_000,
    seconds=1.0,
    peer_seconds=10.0,
)

QUICK = Settings(
    policies=("random", "density"),
    slots=(64,),
    sides=(6,),
    feedback=("size",),
    games=2_000,
    seconds=0.05,
    peer_seconds=0.5,
)


class PosteriorSettings(NamedTuple):
    """The hunters that judge by layouts, and single posteriors."""

    game: Game
    hunters: tuple[tuple[str, str, bool, int | None], ...]
    """Rule and posterior (none for a hunter of the registry), whether its opening is written down
    before, and games in lockstep (few where a game takes long)."""
    alone: tuple[tuple[str, str, bool, int | None], ...]
    """Those of them that are also measured on one core, beside the notebook's own code."""
    draws: int
    games: int
    """Games of the run whose batch sizes are measured, and for which books are written."""
    decision_games: int
    """Games whose posteriors are counted one by one."""
    seconds: float


NOTEBOOK_MS_PER_GAME = 276.2
"""The notebook's own code: `probability` with 1,500 draws, one core of an AMD EPYC, 20 games of 46
decisions, without its memo of choices."""

FULL_POSTERIOR = PosteriorSettings(
    game=Game(),
    hunters=(
        ("density-lowest", "", False, None),
        ("probability", "sample", False, None),
        ("information", "sample", False, None),
        ("lookahead-hits", "sample", False, None),
        ("lookahead-information", "sample", False, 4),
        ("probability", "exact", False, 16),
        ("probability", "exact", True, None),
        ("information", "exact", True, None),
        ("rollout", "", False, 2),
    ),
    alone=(
        ("probability", "sample", False, None),
        ("probability", "exact", False, 16),
        ("probability", "exact", True, None),
    ),
    draws=1500,
    games=20_000,
    decision_games=20,
    seconds=5.0,
)

QUICK_POSTERIOR = FULL_POSTERIOR._replace(
    game=Game((6, 6), (3, 2, 2)),
    hunters=(("probability", "sample", False, None), ("probability", "exact", True, None)),
    alone=(("probability", "sample", False, None),),
    draws=64,
    games=64,
    decision_games=1,
    seconds=0.05,
)
