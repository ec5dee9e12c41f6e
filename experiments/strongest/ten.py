"""Self-play on 10×10 {3,3,2}, 1,924,020 layouts: the long run, and the mixture it ends with.

The run goes on from its folder. What it found is written as recipes: the hunts of the largest share
are weighed anew, as many as settings say, and rebuilt and timed.
"""

import time
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from bsjax.solve.recipes import load_recipes, paths_of, rebuild, save_recipes
from bsjax.solve.self_play import SelfPlay
from bsjax.solve.self_play import Settings as Loop
from bsjax.solve.self_play_settings import LARGE
from experiments.small_boards.self_play import Board, opened, run_told
from experiments.strongest.loops import folder_of
from experiments.strongest.stored import NAME, PLAYERS, hunts_in

PUBLISHED = {"worst": 49.95, "used": 743}
"""The write-up's mixture: per cent of races on its worst layout against its own pace, and hunts."""
_LARGEST = 10


class Settings(NamedTuple):
    """How long is played, and what is kept."""

    seed: int = 0
    board: Board = Board((10, 10), (3, 3, 2), 33, "", False, LARGE, workers=2)
    sizes: tuple[int, ...] = (32, 64, 128)
    """Mixtures of so many hunts that are weighed."""
    keep: int = 128
    """Hunts of the mixture that is written, one of `sizes`."""
    shown: int = 200
    """Rounds of the curve that are written down, at most."""
    kept: bool = True
    """Write the recipes among the players, not into the folder of games."""


FULL = Settings()
QUICK = Settings(
    board=Board((10, 10), (3, 2), 3, "", False, Loop(hunts=4, pool=20, trying=0.0)),
    sizes=(2, 6),
    keep=6,
    shown=3,
    kept=False,
)


def run(settings: Settings, work: Path) -> dict[str, Any]:
    """The curve of the run, mixtures of fewer hunts, and what the written one takes."""
    board = settings.board
    mix = opened(board, folder_of(board, work), settings.seed)
    into = PLAYERS if settings.kept else work
    into.mkdir(exist_ok=True, parents=True)
    try:
        mix.play(board.rounds, quiet=False)
        told = run_told(mix, board, settings.shown) | {"published": PUBLISHED}
        told["reduced"] = [_reduced(mix, size, settings.keep, into) for size in settings.sizes]
    finally:
        mix.close()
    return told | {"written": _written(into / NAME, work, board.workers)}


def _reduced(mix: SelfPlay, size: int, keep: int, into: Path) -> dict[str, Any]:
    """What so many hunts come to; the recipes of one size are written."""
    found = mix.reduced(size)
    if size == keep:
        save_recipes(into / NAME, found.recipes)
    rates = {"worst": 100 * found.worst, "gap": 100 * found.gap}
    return {
        "most": size,
        "hunts": len(found.recipes.recipes),
        **rates,
        "mean": found.mean,
        "slowest": found.slowest,
    }


def _written(path: Path, work: Path, workers: int) -> dict[str, Any]:
    """The file of recipes, and its hunts when they are rebuilt."""
    recipes, into = load_recipes(path), hunts_in(work)
    files = paths_of(recipes, into)
    missing, started = len([file for file in files if not file.exists()]), time.monotonic()
    rebuild(recipes, into, workers=workers, quiet=False)
    share = np.sort(recipes.weights / recipes.weights.sum())[::-1]
    tried = [recipe.style.tried > 1 for recipe in recipes.recipes]
    return {
        "file": path.name,
        "bytes": path.stat().st_size,
        "hunts": len(files),
        "snapshots": len(recipes.snapshots),
        "largest_shares": share[:_LARGEST].tolist(),
        "hunts_in_effect": float(1 / (share**2).sum()),
        "tried": int(np.sum(tried)),
        "tried_share": float(recipes.weights[tried].sum() / recipes.weights.sum()),
        "tree_bytes": sum(file.stat().st_size for file in set(files)),
        "rebuilt": missing,
        "rebuild_seconds": time.monotonic() - started if missing else None,
        "workers": workers,
    }
