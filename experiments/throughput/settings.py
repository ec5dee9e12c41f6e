"""What is measured: settings as data."""

from typing import NamedTuple


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
