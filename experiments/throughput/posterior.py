"""Measure how fast posteriors are counted and drawn, and the hunters that use them.

    python -m experiments.throughput.posterior [--quick] [--overwrite] [--out FOLDER]

Everything is measured on all cores; single posteriors and some hunters also on one core, in a
process that may use no other, beside the notebook's own code on one core.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import jax
import numpy as np

from bsjax import hide, policies
from bsjax.evaluate.massive import Limits, Run, size_of
from bsjax.evaluate.throughput import measure
from bsjax.game.firing import fire
from bsjax.game.game import Game
from bsjax.game.observation import blank
from bsjax.play.replay import replay
from bsjax.policies.over import over
from bsjax.posterior.evidence import read_many
from bsjax.posterior.exact import exact
from bsjax.posterior.leaves import cut
from bsjax.runtime import devices, results
from experiments.throughput.settings import (
    FULL_POSTERIOR,
    NOTEBOOK_MS_PER_GAME,
    QUICK_POSTERIOR,
    PosteriorSettings,
)

EARLY = 8
"""Shots of which the leaves are told apart from those of all others."""


def hunters(settings: PosteriorSettings) -> list[dict[str, Any]]:
    """Games per second of every hunter, its book written before."""
    game, rows = settings.game, []
    for rule, posterior, booked, slots in settings.hunters:
        made = (
            over(rule, game, posterior=posterior, draws=settings.draws)
            if posterior
            else policies.make(rule, game)
        )
        started = time.perf_counter()
        hunter = made.prepared(settings.games) if booked else made
        prepared = time.perf_counter() - started
        run, limits = Run(rule, settings.games, game), Limits(slots=slots)
        bucket = size_of(hunter, run, limits, devices=jax.local_device_count())
        speed = measure(hunter, hide.make("uniform", game), bucket, seconds=settings.seconds)
        row = {"rule": rule, "posterior": posterior, "book": booked, **speed._asdict()}
        row["prepare_seconds"] = prepared
        row["milliseconds_per_decision"] = 1000 / speed.decisions_per_second
        rows.append(row)
        print(
            f"{rule:22}{posterior:>10}{'  book' if booked else '':6}"
            f"{speed.games_per_second:10,.1f} games/s"
            f"{row['milliseconds_per_decision']:9.3f} ms a decision",
            file=sys.stderr,
        )
    return rows


def one_by_one(settings: PosteriorSettings) -> dict[str, Any]:
    """Seconds of single posteriors with all marginals: the empty board, and whole games."""
    game = settings.game
    started = time.perf_counter()
    exact(game, blank(game))
    first = time.perf_counter() - started
    empty = min(_seconds(lambda: exact(game, blank(game))) for _ in range(5))
    histories = _histories(settings)
    for seen in histories:
        exact(game, seen)
    each = [_seconds(lambda seen=seen: exact(game, seen)) for seen in histories]
    leaves, shots = _leaves(game, histories)
    return {
        "leaves_by_shots": np.bincount(shots, leaves).tolist(),
        "leaves_of_the_first_eight_shots": float(leaves[shots < EARLY].sum() / leaves.sum()),
        "empty_board_seconds": empty,
        "empty_board_seconds_with_compilation": first,
        "decisions": len(each),
        "mean_decision_seconds": float(np.mean(each)),
        "median_decision_seconds": float(np.median(each)),
        "slowest_decision_seconds": float(np.max(each)),
    }


def _leaves(game: Game, histories: list[Any]) -> tuple[np.ndarray, np.ndarray]:
    """Leaves of every history, and its shots."""
    seen = jax.tree.map(lambda *rows: np.stack(rows), *histories)
    leaves = cut(game, read_many(game, seen), budget=1 << 30)
    return np.bincount(leaves.observation, minlength=len(histories)), seen.shots


def _histories(settings: PosteriorSettings) -> list[Any]:
    """What the hunter knew before every shot of some games."""
    game, hider = settings.game, hide.make("uniform", settings.game)
    hunter = policies.make("density-lowest", game)
    shoot = jax.jit(lambda board, left, seen, cell: fire(game, board, left, seen, cell))
    histories = []
    for number in range(settings.decision_games):
        board, cells = replay(hunter, hider, 0, number)
        left, seen = np.array(game.fleet, np.int8), blank(game)
        for cell in cells:
            histories.append(jax.tree.map(np.asarray, seen))
            left, seen = shoot(board, left, seen, np.int32(cell))
    return histories


def _seconds(work: Any) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def measured(settings: PosteriorSettings) -> dict[str, Any]:
    """All figures of this process."""
    return {
        "device": devices.describe(),
        "one_by_one": one_by_one(settings),
        "hunters": hunters(settings),
    }


def _on_one_core(quick: bool) -> dict[str, Any]:
    """The same in a process of one core."""
    command = [sys.executable, "-m", "experiments.throughput.posterior", "--pinned"]
    done = subprocess.run(
        command + ["--quick"] * quick, stdout=subprocess.PIPE, text=True, check=True
    )
    return json.loads(done.stdout)


def main() -> None:
    """Entry point; see the module docstring."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a small game, to see that it works")
    parser.add_argument("--overwrite", action="store_true", help="replace the result")
    parser.add_argument("--pinned", action="store_true", help="use one core and print the figures")
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "results")
    asked = parser.parse_args()
    settings = QUICK_POSTERIOR if asked.quick else FULL_POSTERIOR
    if asked.pinned:
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
        print(json.dumps(measured(settings._replace(hunters=settings.alone))))
        return
    one = _on_one_core(asked.quick)
    devices.use_all_cores()
    game: Game = settings.game
    data = {
        "settings": settings._asdict() | {"game": str(game)},
        "notebook_milliseconds_per_game": NOTEBOOK_MS_PER_GAME,
        "one_core": one,
        "all_cores": measured(settings),
    }
    name = "posterior-quick.json" if asked.quick else "posterior.json"
    try:
        results.write(asked.out / name, data, seed=0, overwrite=asked.overwrite or asked.quick)
    except (ValueError, OSError) as error:
        sys.exit(f"throughput: {error}")


if __name__ == "__main__":
    main()
