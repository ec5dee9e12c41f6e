"""Measure the throughput of the hunters on this machine.

    python -m experiments.throughput.run [--quick] [--overwrite] [--no-peer] [--out FOLDER]

Absolute speeds of a shared machine drift; compare rows of one result.
"""

import argparse
import sys
from pathlib import Path
from typing import Any

import jax

from bsjax import hide, policies
from bsjax.evaluate.massive import Limits, Run, size_of
from bsjax.evaluate.throughput import measure, operations, peak_operations
from bsjax.game.game import FEEDBACK, Game
from bsjax.runtime import devices, results
from experiments.throughput import peer
from experiments.throughput.settings import FULL, QUICK, Settings


def row(
    settings: Settings, policy: str, game: Game, *, slots: int | None = None, used: int = 0
) -> dict[str, Any]:
    """One measurement; no compilation cache is set up here, so compiling is measured too."""
    hunter, hider = policies.make(policy, game), hide.make("uniform", game)
    on = tuple(jax.local_devices())[: used or None]
    run = Run(policy, settings.games, game)
    bucket = size_of(hunter, run, Limits(slots=slots), devices=len(on))
    speed = measure(hunter, hider, bucket, seconds=settings.seconds, on=on)
    told = {
        "policy": policy,
        "side": game.width,
        "feedback": game.feedback,
        **speed._asdict(),
    }
    print(
        f"{policy:24}{game.width:4}{game.feedback:>9}{speed.devices:3}{speed.slots:7}"
        f"{speed.games_per_second:12,.0f} games/s",
        file=sys.stderr,
    )
    return told


def sweep(settings: Settings) -> dict[str, list[dict[str, Any]]]:
    """All rows, by what they vary."""
    classic = Game()
    every = settings.policies
    return {
        "peak": [
            {"devices": n, "operations_per_second": peak_operations(tuple(jax.local_devices()[:n]))}
            for n in range(1, jax.local_device_count() + 1)
        ],
        "operations": [
            {"policy": name, "per_decision": operations(policies.make(name, classic))}
            for name in every
        ],
        "hunters": [row(settings, name, classic) for name in every],
        "slots": [row(settings, name, classic, slots=n) for name in every for n in settings.slots],
        "devices": [
            row(settings, name, classic, used=n)
            for name in every
            for n in range(1, jax.local_device_count() + 1)
        ],
        "boards": [
            row(settings, name, Game((side, side))) for name in every for side in settings.sides
        ],
        "feedback": [
            row(settings, "density", Game(feedback=rule))
            for rule in FEEDBACK
            if rule in settings.feedback
        ],
    }


def main() -> None:
    """Entry point; see the module docstring."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a few seconds, to see that it works")
    parser.add_argument("--overwrite", action="store_true", help="replace the result")
    parser.add_argument("--no-peer", action="store_true", help="leave the peer out")
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "results")
    asked = parser.parse_args()
    devices.use_all_cores()
    settings = QUICK if asked.quick else FULL
    data: dict[str, Any] = {
        "settings": settings._asdict(),
        "peer": None if asked.no_peer else peer.measure(settings.peer_seconds),
        **sweep(settings),
    }
    name = "quick.json" if asked.quick else "throughput.json"
    try:
        results.write(asked.out / name, data, seed=0, overwrite=asked.overwrite or asked.quick)
    except (ValueError, OSError) as error:
        sys.exit(f"throughput: {error}")


if __name__ == "__main__":
    main()
