"""Which way the state machine goes: every step of many games of the Normal computer, counted.

Before each shot the state is read off the board by the package's own rule (the rank of the cells
it may fire at); the answer leads to the state before the next shot.
"""

from collections import Counter
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Int8, Int32

from bsjax import hide
from bsjax.evaluate.massive import Run
from bsjax.game.firing import fire
from bsjax.game.observation import HIT, MISS, blank
from bsjax.play.replay import boards_of
from bsjax.policies.hunt import HUNT, LINE, TARGET, ranks
from experiments.how_the_computer.play import fired_in_order, play
from experiments.how_the_computer.settings import GAME, Settings

NAMES = {HUNT: "Hunt", TARGET: "Target", LINE: "Line"}
OVER = "Over"
"""After the shot that sinks the last ship."""


def run(settings: Settings) -> dict[str, Any]:
    """Steps (state, answer, next state) and how often each was taken."""
    games = settings.state_games
    run = Run("hunt-target", games, GAME, "uniform", settings.seed, record=True)
    _, arrays = play(run)
    fleets = boards_of(hide.make("uniform", GAME), settings.seed, 0, games)
    cells = fired_in_order(arrays["shot_at"])
    before, answers = map(np.asarray, jax.jit(jax.vmap(_follow))(fleets, cells))
    steps = Counter[tuple[str, str, str]]()
    for state, answer, fired in zip(before, answers, (cells >= 0).sum(1), strict=True):
        names = [NAMES[rank] for rank in state[:fired].tolist()] + [OVER]
        words = [_word(code) for code in answer[:fired].tolist()]
        steps.update(zip(names, words, names[1:], strict=False))
    return {
        "game": str(GAME),
        "games": games,
        "steps": [
            {"state": state, "answer": answer, "next": after, "count": count}
            for (state, answer, after), count in sorted(steps.items())
        ],
    }


def _word(code: int) -> str:
    return "miss" if code == MISS else "hit" if code == HIT else "sunk"


def _follow(
    board: Int8[Array, " C"], cells: Int32[Array, " C"]
) -> tuple[Int32[Array, " C"], Int8[Array, " C"]]:
    """State before each shot of one game, and its answer; without meaning past the last shot."""

    def shoot(carry: Any, cell: Int32[Array, ""]) -> tuple[Any, Any]:
        left, seen = carry
        state = ranks(GAME, seen, parity=True).max()
        left, seen = fire(GAME, board, left, seen, cell)
        return (left, seen), (state, seen.answer[cell])

    start = jnp.asarray(np.array(GAME.fleet, np.int8)), blank(GAME)
    return jax.lax.scan(shoot, start, cells)[1]
