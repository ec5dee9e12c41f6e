"""What each part computes, as data; the settings of a part lie in its module."""

from typing import NamedTuple

from experiments.strongest import account as accounts
from experiments.strongest import choices as tried
from experiments.strongest import classic as games
from experiments.strongest import costs as hunts
from experiments.strongest import example as examples
from experiments.strongest import loops as boards
from experiments.strongest import ten as long
from experiments.strongest import trap as traps
from experiments.strongest import variants as others
from experiments.strongest import worst as searches


class Settings(NamedTuple):
    """One field for each part, named as it is."""

    seed: int = 0
    choices: tried.Settings = tried.FULL
    loops: boards.Settings = boards.FULL
    trap: traps.Settings = traps.FULL
    ten: long.Settings = long.FULL
    costs: hunts.Settings = hunts.FULL
    classic: games.Settings = games.FULL
    account: accounts.Settings = accounts.FULL
    worst: searches.Settings = searches.FULL
    variants: others.Settings = others.FULL
    example: examples.Settings = examples.FULL


FULL = Settings()
QUICK = Settings(
    0,
    tried.QUICK,
    boards.QUICK,
    traps.QUICK,
    long.QUICK,
    hunts.QUICK,
    games.QUICK,
    accounts.QUICK,
    searches.QUICK,
    others.QUICK,
    examples.QUICK,
)
