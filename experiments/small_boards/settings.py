"""What each part computes, as data; the settings of a part lie in its module."""

from typing import NamedTuple

from experiments.small_boards import context as contexts
from experiments.small_boards import graphs as state_graphs
from experiments.small_boards import joint as joint_replies
from experiments.small_boards import players as solved
from experiments.small_boards import regret as learner
from experiments.small_boards import rules as hand_written
from experiments.small_boards import self_play as mixture


class Settings(NamedTuple):
    """One field for each part, named as it is."""

    seed: int = 0
    graphs: state_graphs.Settings = state_graphs.FULL
    players: solved.Settings = solved.FULL
    player_5x5: solved.Settings = solved.LARGE
    joint_5x5: joint_replies.Settings = joint_replies.FULL
    rules: hand_written.Settings = hand_written.FULL
    self_play: mixture.Settings = mixture.FULL
    context: contexts.Settings = contexts.FULL
    context_5x5: contexts.Settings = contexts.LARGE
    regret: learner.Settings = learner.FULL
    regret_5x5: learner.Settings = learner.LARGE


FULL = Settings()
QUICK = Settings(
    0,
    state_graphs.QUICK,
    solved.QUICK,
    solved.QUICK,
    joint_replies.QUICK,
    hand_written.QUICK,
    mixture.QUICK,
    contexts.QUICK,
    contexts.QUICK,
    learner.QUICK,
    learner.QUICK,
)
