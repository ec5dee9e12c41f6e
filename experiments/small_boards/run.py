"""Runs the experiment: `python -m experiments.small_boards.run` (`experiments.parts`).

The graph of 5×5 and the loops lie in run folders under `--work`: a part that was killed goes on
where it was, and what was played is not played again.
"""

from pathlib import Path

from experiments.parts import Experiment, by_field
from experiments.small_boards import context, graphs, joint, players, regret, rules, self_play
from experiments.small_boards.settings import FULL, QUICK

PARTS = by_field(
    {
        "graphs": graphs.run,
        "players": players.run,
        "player_5x5": players.run,
        "joint_5x5": joint.run,
        "rules": rules.run,
        "self_play": self_play.run,
        "context": context.run,
        "context_5x5": context.run,
        "regret": regret.run,
        "regret_5x5": regret.run,
    }
)
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
