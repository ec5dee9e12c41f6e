"""What each part computes, as data; the settings of a part lie in its module."""

from typing import NamedTuple

from experiments.distilled import beyond as policies
from experiments.distilled import calibration as maps
from experiments.distilled import classic as boards
from experiments.distilled import rewound as rewinds
from experiments.distilled import small
from experiments.distilled import symmetry as turns


class Settings(NamedTuple):
    """One field for each part, named as it is."""

    seed: int = 0
    classic: boards.Settings = boards.FULL
    calibration: maps.Settings = maps.FULL
    four_by_four: small.Settings = small.FULL
    five_by_five: small.Settings = small.FULL_5X5
    rewound: rewinds.Settings = rewinds.FULL
    symmetry: turns.Settings = turns.FULL
    beyond: policies.Settings = policies.FULL


FULL = Settings()
QUICK = Settings(
    0,
    boards.QUICK,
    maps.QUICK,
    small.QUICK,
    small.QUICK_5X5,
    rewinds.QUICK,
    turns.QUICK,
    policies.QUICK,
)
