"""A peer that installs from PyPI: OpenSpiel's battleship game under uniformly random play.

Its game has two players who also place their ships by moves; both halves of a game are hunts. The
bots and the game run in its C++ core, on one core of the machine.
"""

import time
from typing import Any

_GAME = (
    "battleship(board_width=10,board_height=10,ship_sizes=[2;3;3;4;5],ship_values=[1;1;1;1;1],"
    "num_shots=100,allow_repeated_shots=false,loss_multiplier=1.0)"
)
_PLACEMENTS = 10
"""Moves of a game that place a ship."""


def measure(seconds: float) -> dict[str, Any]:
    """Hunts and shots per second of random play.

    Raises:
        ValueError: OpenSpiel is not installed.
    """
    try:
        import pyspiel  # pyright: ignore[reportMissingImports]
    except ImportError:
        raise ValueError(
            "the peer is not installed: pip install -e '.[peers]', or run with --no-peer"
        ) from None
    game = pyspiel.load_game(_GAME)
    started, games, shots = time.perf_counter(), 0, 0
    while time.perf_counter() - started < seconds:
        state = game.new_initial_state()
        bots = [pyspiel.make_uniform_random_bot(side, 2 * games + side) for side in (0, 1)]
        pyspiel.evaluate_bots(state, bots, games)
        games, shots = games + 1, shots + state.move_number() - _PLACEMENTS
    elapsed = time.perf_counter() - started
    return {
        "name": "OpenSpiel battleship, random bots, one core",
        "two_player_games": games,
        "two_player_games_per_second": games / elapsed,
        "shots_per_second": shots / elapsed,
    }
