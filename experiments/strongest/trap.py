"""Why self-play on the full fleet stalled: a program that holds few boards believes in itself.

The write-up's loop on the full fleet held one placement of the big ships for each layout of the
small ones. On 6×6 {4,3,3,2} all 633,432 boards can be scored, so the same design shows the trap:
the loop's own score, over the boards it knows, beside the truth over all of them. Three runs: one
placement of the 4 for each layout of the three small ships; the same, with the worst boards of
each round added; and every board.
"""

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Bool

from bsjax.game.game import Game
from bsjax.posterior.listed import Listing
from bsjax.solve.self_play import Settings as Loop
from bsjax.solve.tables import classes
from experiments.small_boards.self_play import Board, opened, run_told
from experiments.strongest.loops import folder_of

PUBLISHED = {"one": {"own": 49.0, "true": 26.0}, "learning": {"true": 40.1}}
"""Per cent: what the write-up's loops read, and the truth."""
RUNS = ("one", "learning", "all")


class Settings(NamedTuple):
    """What is played."""

    seed: int = 0
    board: Board = Board(
        (6, 6), (4, 3, 3, 2), 24, "", False, Loop(hunts=8, trying=0.0, step=8.0), workers=2
    )
    added: int = 400
    """Boards that join the program after every round of the second run."""
    shown: int = 60


FULL = Settings()
QUICK = Settings(
    board=Board((4, 3), (3, 2, 2), 3, "", False, Loop(hunts=4, pool=20)), added=4, shown=3
)


def run(settings: Settings, work: Path) -> dict[str, Any]:
    """The three runs."""
    board, game = settings.board, settings.board.game
    known = one_each(game, settings.seed)
    learning = board._replace(loop=board.loop._replace(added=settings.added))
    told = {}
    for name, one in zip(RUNS, (board, learning, board), strict=True):
        some = {} if name == "all" else {"known": known}
        mix = opened(one, folder_of(board, work) / name, settings.seed, **some)
        try:
            mix.play(one.rounds, quiet=False)
            told[name] = run_told(mix, one, settings.shown)
            told[name] |= {"known": int(mix.known.sum()), "published": PUBLISHED.get(name)}
        finally:
            mix.close()
    return {
        "game": str(game),
        "boards": len(Listing(game)),
        "classes": len(known),
        "runs": told,
    }


def one_each(game: Game, seed: int) -> Bool[np.ndarray, " O"]:
    """Classes of boards, one for each class of layouts of the smaller ships: a random one of the
    places that the longest ship may then take.

    Args:
        game: its first ship is the only one of its length.
        seed: of the places.
    """
    small = Game(game.size, game.fleet[1:], game.touching, game.feedback)
    listing, few = Listing(game), Listing(small)
    # A layout of the small ships as one number.
    base = int(listing.layouts.max()) + 1
    weigh = base ** np.arange(small.ships, dtype=np.int64)
    of, row = classes(game).of, classes(small).row
    wanted = np.sort(few.layouts[row].astype(np.int64) @ weigh)
    own = listing.layouts[:, 1:].astype(np.int64) @ weigh
    place = np.minimum(np.searchsorted(wanted, own), len(wanted) - 1)
    fits = np.flatnonzero(wanted[place] == own)
    # The first of them in a random order is a random one.
    fits = np.random.default_rng(seed).permutation(fits)
    _, first = np.unique(place[fits], return_index=True)
    found = np.zeros(len(classes(game).size), bool)
    found[of[fits[first]]] = True
    return found
