"""How fast games are played: games/s, decisions/s, compile seconds and memory.

A measurement compiles one program, plays games that are not counted, then launches of eight games
a slot (one, for slow hunters) for a given time, three times over. The median of the three rates is
reported, with the lowest and the highest beside it, because machines are shared.
"""

import statistics
import time
from typing import NamedTuple

import jax
import numpy as np
from jax.sharding import NamedSharding, PartitionSpec
from jaxtyping import Array

from bsjax.hide.base import Hider
from bsjax.play.simulate import Simulator
from bsjax.policies.base import Policy
from bsjax.policies.playing import GameState, shoot, start
from bsjax.runtime import devices, memory
from bsjax.runtime.devices import Device
from bsjax.runtime.memory import Bucket

REPEATS = 3


class Throughput(NamedTuple):
    """Speed of one hunter on one game with fixed batch sizes."""

    devices: int
    slots: int
    """Games in lockstep on each device."""
    games_per_second: float
    slowest: float
    fastest: float
    """Lowest and highest games/s of the three runs."""
    decisions_per_second: float
    compile_seconds: float
    program_bytes: int
    """Arguments, results and temporaries of the program, per device, by the compiler's count."""
    peak_bytes: int
    """Peak memory of the device, or of the process where the device is the CPU."""


def measure(
    policy: Policy,
    hider: Hider,
    bucket: Bucket,
    *,
    seconds: float = 2.0,
    on: tuple[Device, ...] | None = None,
) -> Throughput:
    """Play for about `REPEATS` × `seconds` and report the speed.

    Args:
        policy: the hunter.
        hider: draws the boards; drawing them is part of the time.
        bucket: static sizes per device.
        seconds: length of one of the runs, at least one launch.
        on: devices, by default all local ones.
    """
    simulator = Simulator(policy, hider, 0, bucket, on=on)
    width = min(simulator.most, bucket.slots * simulator.mesh.size)
    first, rates, shots, games = 0, [], 0, 0
    started = time.perf_counter()
    for batch in simulator.play(first, width):
        first += batch.games
    # Enough turns for the slots to be full nearly all the time, unless games take very long.
    turns = 8 if time.perf_counter() - started < seconds else 1
    turn = min(simulator.most, turns * width)
    for _ in range(REPEATS):
        started, played = time.perf_counter(), 0
        while time.perf_counter() - started < seconds:
            for batch in simulator.play(first, turn):
                first, played = first + batch.games, played + batch.games
                shots += int((batch.histogram * np.arange(len(batch.histogram))).sum())
        rates.append(played / (time.perf_counter() - started))
        games += played
    rate = statistics.median(rates)
    sizes = simulator.program.memory_analysis()
    return Throughput(
        devices=simulator.mesh.size,
        slots=bucket.slots,
        games_per_second=rate,
        slowest=min(rates),
        fastest=max(rates),
        decisions_per_second=rate * shots / games,
        compile_seconds=simulator.compile_seconds,
        program_bytes=sum(
            getattr(sizes, f"{part}_size_in_bytes", 0) for part in ("argument", "output", "temp")
        ),
        peak_bytes=_peak_bytes(simulator.mesh.devices.flat[0]),
    )


def operations(policy: Policy) -> float:
    """Elementwise operations per decision, answer included, by the compiler's count."""
    games = 1024
    board = jax.ShapeDtypeStruct((games, policy.game.cells), np.int8)

    def begin(boards: Array) -> GameState:
        keys = jax.random.split(jax.random.key(0), games)
        return jax.vmap(lambda one, key: start(policy, one, key))(boards, keys)

    step = jax.jit(jax.vmap(lambda state: shoot(policy, state)))
    counted = step.lower(jax.eval_shape(begin, board)).compile().cost_analysis() or {}
    return float(counted["flops"]) / games


def peak_operations(on: tuple[Device, ...] | None = None, *, seconds: float = 0.5) -> float:
    """int32 operations per second of the devices: a long chain of additions and xors in cache.

    What the machine reaches when a program does nothing else; the limit of a program whose
    operations are of that kind.
    """
    chain, size = 64, 4096
    mesh = devices.mesh("games", on)
    split = NamedSharding(mesh, PartitionSpec("games"))

    @jax.jit
    def work(x: Array, rounds: Array) -> Array:
        def body(_: Array, x: Array) -> Array:
            for _step in range(chain):
                x = (x + 7) ^ 5
            return x

        return jax.lax.fori_loop(0, rounds, body, x)

    x = jax.device_put(np.arange(size * mesh.size, dtype=np.int32), split)
    rounds, elapsed = 64, 0.0
    work(x, np.int32(rounds)).block_until_ready()
    while elapsed < seconds:
        rounds *= 2
        started = time.perf_counter()
        work(x, np.int32(rounds)).block_until_ready()
        elapsed = time.perf_counter() - started
    return 2.0 * chain * rounds * size * mesh.size / elapsed


def _peak_bytes(device: Device) -> int:
    held = device.memory_stats() or {}
    if "peak_bytes_in_use" in held:
        return int(held["peak_bytes_in_use"])
    return memory.peak_bytes()
