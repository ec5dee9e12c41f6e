"""A whole run: settings in, figures out, with progress, a run folder and resume."""

import time
from pathlib import Path
from typing import Any, NamedTuple

import jax
import numpy as np
from jaxtyping import Int64

from bsjax import hide, policies
from bsjax.evaluate.summary import as_json, summarize
from bsjax.game.game import Game
from bsjax.hide.base import Hider
from bsjax.play.simulate import Batch, Simulator
from bsjax.policies.base import Policy
from bsjax.policies.playing import start
from bsjax.runtime import cache, memory, streams
from bsjax.runtime.origin import origin
from bsjax.runtime.progress import Progress
from bsjax.runtime.run_folder import RunFolder

_TEMPORARIES = 8
"""Memory of one step in units of the state of its games; checked against the compiler's figure."""


class Run(NamedTuple):
    """What a run plays, and what it keeps.

    The shots of game i depend on (game, policy, hider, seed, i) alone; `games` may grow when a
    run is resumed.
    """

    policy: str
    games: int
    game: Game = Game()
    hider: str = "uniform"
    seed: int = 0
    first: int = 0
    """Number of the first game."""
    shots: bool = False
    """Keep the shots of every game (`shots.npy`)."""
    record: bool = False
    """Keep the order of the shots of every game (`shot_at.npy`)."""


class Limits(NamedTuple):
    """How a run uses the machine; changes no result."""

    memory: int = memory.BUDGET
    slots: int | None = None
    checkpoint: float = 20.0
    """Seconds between two checkpoints; launches take seconds, so one a minute is kept."""


_DEFAULT = Limits()


def simulate(
    run: Run,
    *,
    out: Path | None = None,
    resume: bool = False,
    limits: Limits = _DEFAULT,
    hider: Hider | None = None,
    policy: Policy | None = None,
    quiet: bool = True,
) -> dict[str, Any]:
    """Play the run and return its figures.

    Args:
        run: what to play.
        out: run folder; required if `run.shots` or `run.record`.
        resume: go on with the run in `out`.
        limits: memory budget, slots and checkpoints.
        hider: boards from here instead of the registered `run.hider`, which then names them.
        policy: the hunter, instead of the registered `run.policy`, which then names it.
        quiet: show no progress.

    Returns:
        The JSON fields of `bsjax simulate`.

    Raises:
        ValueError: a setting is wrong, or the folder holds something else.
        OSError: the folder cannot be written; everything up to the last checkpoint is kept.
    """
    if run.games < 1:
        raise ValueError(f"{run.games} games: play at least one")
    if out is None and (run.shots or run.record or resume):
        raise ValueError("per-game results and resume need a run folder: add --out DIR")
    cache.enable()
    streams.split_number(run.first + run.games - 1)
    policy = policy or policies.make(run.policy, run.game)
    hider = hider or hide.make(run.hider, run.game)
    folder = None if out is None else RunFolder(out, _settings(run), resume=resume)
    try:
        done, histogram = _restore(run, folder)
        with Progress(f"{run.policy}", run.games, "games", done=done, quiet=quiet) as progress:
            policy = policy.prepared(run.games)
            simulator = Simulator(
                policy,
                hider,
                run.seed,
                size_of(policy, run, limits, devices=jax.local_device_count()),
                shots=run.shots,
                record=run.record,
            )
            progress.restart_clock()
            started = saved = time.monotonic()
            played = 0
            for batch in simulator.play(run.first + done, run.games - done):
                histogram = histogram + batch.histogram
                done, played = done + batch.games, played + batch.games
                progress.advance(batch.games)
                if folder is not None:
                    _append(folder, batch)
                    if time.monotonic() - saved >= limits.checkpoint or done == run.games:
                        folder.save(_state(done, histogram))
                        saved = time.monotonic()
            seconds = time.monotonic() - started
        result = {
            "policy": run.policy,
            "hider": run.hider,
            "game": _game(run.game),
            "seed": run.seed,
            "first": run.first,
            **as_json(summarize(histogram)),
            "histogram": [int(n) for n in histogram],
        }
        speed = {
            "games_per_second": played / seconds if played else None,
            "compile_seconds": simulator.compile_seconds,
        }
        if folder is not None:
            folder.finish(result, {**origin(run.seed), **speed})
        return result | speed
    finally:
        if folder is not None:
            folder.close()


def size_of(policy: Policy, run: Run, limits: Limits, *, devices: int) -> memory.Bucket:
    """Batch sizes of a run on this many of the local devices."""
    cells, ships = policy.game.cells, policy.game.ships
    state = jax.eval_shape(
        lambda board: start(policy, board, jax.random.key(0))._replace(dice=None),
        jax.ShapeDtypeStruct((cells,), np.int8),
    )
    return memory.bucket(
        run.games,
        devices=devices,
        platform=jax.local_devices()[0].platform,
        bytes_per_slot=_TEMPORARIES * max(memory.tree_bytes(state), 4 * cells)
        + policy.bytes_per_game,
        # Board, placements, key and result of a game that waits or is finished.
        bytes_per_game=cells + 2 * ships + 24 + (2 * cells if run.record else 0),
        budget=limits.memory,
        lanes=policy.lanes,
        slots=limits.slots,
    )


def _settings(run: Run) -> dict[str, Any]:
    settings = run._asdict() | {"game": _game(run.game)}
    del settings["games"]
    return settings


def _game(game: Game) -> dict[str, Any]:
    return {
        "size": list(game.size),
        "fleet": list(game.fleet),
        "touching": game.touching,
        "feedback": game.feedback,
    }


def _state(done: int, histogram: Int64[np.ndarray, " T"]) -> dict[str, Any]:
    return {"done": done, "histogram": [int(n) for n in histogram]}


def _restore(run: Run, folder: RunFolder | None) -> tuple[int, Int64[np.ndarray, " T"]]:
    """Games played before and their histogram; opens the row files behind them."""
    done, histogram = 0, np.zeros(run.game.cells + 1, np.int64)
    if folder is None:
        return done, histogram
    if folder.state is not None:
        done = folder.state["done"]
        histogram = np.array(folder.state["histogram"], np.int64)
    if done > run.games:
        raise ValueError(
            f"{folder.path} already holds {done:,} games, more than the {run.games:,} asked for"
        )
    if run.shots:
        folder.rows("shots", run.games, (), "<i2", done)
    if run.record:
        folder.rows("shot_at", run.games, (run.game.cells,), "<i2", done)
    return done, histogram


def _append(folder: RunFolder, batch: Batch) -> None:
    if batch.shots is not None:
        folder.append("shots", batch.shots)
    if batch.shot_at is not None:
        folder.append("shot_at", batch.shot_at)
