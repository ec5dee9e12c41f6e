"""What is known of an opponent's boards: shown whole, fired at to the end, or for a few shots."""

import tempfile
from functools import partial
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Int8, Int32

from bsjax.evaluate.massive import Run, simulate
from bsjax.game.firing import fire
from bsjax.game.game import Game
from bsjax.game.observation import Observation, blank
from bsjax.hide import Habit
from bsjax.play.replay import boards_of
from experiments.how_the_computer.play import fired_in_order


def play(
    game: Game, hunter: str, habit: tuple[float, float], games: int, seed: int
) -> tuple[Int8[np.ndarray, "N C"], Int32[np.ndarray, "N C"]]:
    """Boards of an opponent with this habit, and the cells the hunter fired at in order.

    Cells are −1 past the end of a game.
    """
    hider = Habit(game, *habit)
    run = Run(hunter, games, game, f"habit a={habit[0]:g} b={habit[1]:g}", seed, record=True)
    with tempfile.TemporaryDirectory(prefix="bsjax-") as folder:
        path = Path(folder) / "run"
        simulate(run, out=path, hider=hider)
        shot_at = np.load(path / "shot_at.npy")
    return boards_of(hider, seed, 0, games), fired_in_order(shot_at)


@partial(jax.jit, static_argnames="game")
def seen(game: Game, boards: Int8[Array, "N C"], cells: Int32[Array, "N T"]) -> Observation:
    """What is known after these shots (−1 fires none), one observation per board."""

    def one(board: Int8[Array, " C"], order: Int32[Array, " T"]) -> Observation:
        def shot(state: tuple, cell: Int32[Array, ""]) -> tuple:
            left, observation = state
            return fire(game, board, left, observation, cell), None

        start = jnp.asarray(np.array(game.fleet, np.int8)), blank(game)
        return jax.lax.scan(shot, start, order)[0][1]

    return jax.vmap(one)(boards, cells)


def shown(game: Game, boards: Int8[np.ndarray, "N C"]) -> tuple[Game, Observation]:
    """Whole boards, as a game in which every hit names its ship and every ship cell was hit."""
    told = Game(game.size, game.fleet, game.touching, "hit-name")
    cells = np.argsort(boards < 0, axis=1, kind="stable")[:, : game.ship_cells]
    return told, seen(told, boards, cells.astype(np.int32))
