"""What each part computes, as data; the settings of a part lie in its module."""

from typing import NamedTuple

from experiments.classic_fleet import paces as opponents


class Settings(NamedTuple):
    """One field for each part, named as it is."""

    seed: int = 0
    paces: opponents.Settings = opponents.FULL


FULL = Settings()
QUICK = Settings(0, opponents.QUICK)
