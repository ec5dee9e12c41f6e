"""From the loop to a player: the lottery over the pool that wins most where it wins least."""

import numpy as np

from bsjax.solve.loop import Found, weights_of
from bsjax.solve.matrix_game import solve
from bsjax.solve.player import Player
from bsjax.solve.tables import classes

_TIMES = 12
"""Most matrix games."""
_SAME = 1e-4
"""Two paces that differ by less than this in all are one."""


def player_of(found: Found, *, tolerance: float = 1e-5) -> Player:
    """The player that the loop has found.

    He hides as the centre does. His lottery wins most against the worst pair of a layout and a
    rival, at the pace that he sets himself: the matrix game is solved again with the pace half way
    to his own until they agree.

    Args:
        found: where the loop is.
        tolerance: gap at which a large matrix game is taken as solved.

    Cost: a few matrix games over the pool.
    """
    graph, state, pool, rivals = found
    hider, pace, share = state.hider, state.pace, pool.share
    for _ in range(_TIMES):
        won = pool.payoff(rivals.credits(pace, hider))
        share = solve(won.reshape(-1, won.shape[2]), tolerance=tolerance, start=share).columns
        own = hider @ pool.times(share)
        if np.abs(own - pace).sum() < _SAME:
            break
        pace = (own + pace) / 2
    game, of, none = graph.game, classes(graph.game).of, np.zeros(0)
    return Player(game, graph.rule, weights_of(game, hider), pool.times(share)[of], none, [])
