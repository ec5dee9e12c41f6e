"""A rule played on one board after another: the tree pass is checked against this.

`check` shares nothing with the tree but the score of the cells. The boards answer by the rules of
the game, and at every shot the whole history is replayed on all layouts to find those that fit
it. A rule rolls no dice, so what it fires after a history is looked up if it was there before.

`check_hunter` shares nothing at all: it plays the registered hunter of that name, which counts
layouts in closed form, in lockstep.
"""

from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from bsjax import policies
from bsjax.game.history import History, play_history
from bsjax.play import games
from bsjax.policies.scores import SCORES, best_cells
from bsjax.posterior.listed import Listing
from bsjax.posterior.masses import Block


def check(listing: Listing, rule: str, shots: np.ndarray, rows: np.ndarray) -> dict[str, Any]:
    """Play the rule on the layouts in `rows`, and count those that end otherwise than told.

    Args:
        listing: all layouts of the game.
        rule: name of a score.
        shots: what the tree says of every layout.
        rows: layouts to play.

    Cost: 4 ms a decision on two ships, seconds for the first ones of a lookahead.
    """
    chosen: dict[History, int] = {}
    played = [play(listing, rule, board, chosen) for board in listing.boards(rows)]
    wrong = int((np.array(played) != shots[rows]).sum())
    return {"layouts": len(rows), "decisions": len(chosen), "mismatches": wrong}


def check_hunter(
    listing: Listing, name: str, shots: np.ndarray, rows: np.ndarray
) -> dict[str, Any]:
    """Play the registered hunter of a name on the layouts in `rows`, and count as `check` does.

    Cost: seconds to compile.
    """
    policy = policies.make(name, listing.game)
    program = jax.jit(partial(games.play, policy, slots=len(rows), record=False))
    # The hunter rolls no dice, so any keys do.
    keys = jax.random.split(jax.random.key(0), len(rows))
    played = program(jnp.asarray(listing.boards(rows)), keys, jnp.int32(len(rows)))
    wrong = int((np.asarray(played.shots) != shots[rows]).sum())
    return {"layouts": len(rows), "mismatches": wrong}


def play(listing: Listing, rule: str, board: np.ndarray, chosen: dict[History, int]) -> int:
    """Shots of the rule on one board; choices made are added to `chosen`."""
    game, cells, history = listing.game, list[int](), ()
    while (board[cells] >= 0).sum() < game.ship_cells:
        if history not in chosen:
            chosen[history] = choose(listing, rule, history)
        cells.append(chosen[history])
        history = play_history(game, board, cells)
    return len(cells)


def choose(listing: Listing, rule: str, history: History) -> int:
    """The cell that scores best after a history."""
    left = listing.after(history)
    is_open = np.ones((1, listing.game.cells), bool)
    is_open[0, [shot.cell for shot in history]] = False
    block = Block(listing, left, np.zeros(len(left.row), np.int64), is_open)
    return int(best_cells(SCORES[rule](block), is_open)[0])
