"""What each part computes, as data; the settings of a part lie in its module."""

from typing import NamedTuple

from experiments.classic_fleet import hard_boards as searches
from experiments.classic_fleet import luck as lucks
from experiments.classic_fleet import mixture as mixtures
from experiments.classic_fleet import paces as opponents
from experiments.classic_fleet import strategies as tables


class Settings(NamedTuple):
    """One field for each part, named as it is."""

    seed: int = 0
    paces: opponents.Settings = opponents.FULL
    strategies: tables.Settings = tables.FULL
    hard_boards: searches.Settings = searches.FULL
    heat_maps: searches.Settings = searches.MAPS_FULL
    mixture: mixtures.Settings = mixtures.FULL
    luck: lucks.Settings = lucks.FULL


FULL = Settings()
QUICK = Settings(
    0,
    opponents.QUICK,
    tables.QUICK,
    searches.QUICK,
    searches.MAPS_QUICK,
    mixtures.QUICK,
    lucks.QUICK,
)
