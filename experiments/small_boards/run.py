"""Runs the experiment: `python -m experiments.small_boards.run` (`experiments.parts`).

The graph of 5×5 and the loops lie in run folders under `--work`: a part that was killed goes on
where it was, and what was played is not played again.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from experiments.parts import Experiment
from experiments.small_boards import context, graphs, joint, players, regret, rules, self_play
from experiments.small_boards.settings import FULL, QUICK, Settings

PARTS: dict[str, Callable[[Settings, Path], dict[str, Any]]] = {
    "graphs": lambda settings, work: graphs.run(settings.graphs, work),
    "players": lambda settings, work: players.run(settings.players, work),
    "player_5x5": lambda settings, work: players.run(settings.player_5x5, work),
    "joint_5x5": lambda settings, work: joint.run(settings.joint_5x5, work),
    "rules": lambda settings, work: rules.run(settings.rules, work),
    "self_play": lambda settings, work: self_play.run(settings.self_play, work),
    "context": lambda settings, work: context.run(settings.context, work),
    "context_5x5": lambda settings, work: context.run(settings.context_5x5, work),
    "regret": lambda settings, work: regret.run(settings.regret, work),
    "regret_5x5": lambda settings, work: regret.run(settings.regret_5x5, work),
}
"""Name of each result file, and what computes it."""

EXPERIMENT = Experiment(
    folder=Path(__file__).parent,
    about="Solve the small boards, and score hand-written rules against near-perfect players.",
    parts=PARTS,
    full=FULL,
    quick=QUICK,
)
main = EXPERIMENT.main

if __name__ == "__main__":
    EXPERIMENT.run()
