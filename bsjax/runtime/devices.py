"""Which devices a run uses, and what they are called in its results."""

import os
from typing import Any, TypeAlias

import jax
import numpy as np

Device: TypeAlias = Any
"""A `jax.Device`, which is a value and no type to static checkers."""


def use_all_cores() -> None:
    """Give the CPU backend one device per core this process may use.

    Games then run sharded over the cores, each core a lockstep of its own, which scales better
    than many cores sharing one small array operation. Must come before the first computation;
    does nothing if the user has set a number of host devices.
    """
    chosen = getattr(jax.config, "jax_num_cpu_devices")  # noqa: B009
    if chosen > 0 or "xla_force_host_platform_device_count" in os.environ.get("XLA_FLAGS", ""):
        return
    jax.config.update("jax_num_cpu_devices", cores())


def cores() -> int:
    """Processor cores this process may run on."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def mesh(axis: str, on: tuple[Device, ...] | None = None) -> jax.sharding.Mesh:
    """One-dimensional mesh over these devices, by default all local ones."""
    return jax.sharding.Mesh(np.array(on or jax.local_devices()), (axis,))


def describe(on: tuple[Device, ...] | None = None) -> str:
    """For results and reports, for example `2 x cpu (AMD EPYC)`."""
    used = on or tuple(jax.local_devices())
    kind = used[0].device_kind
    if used[0].platform == "cpu":
        kind = f"cpu ({_processor()})"
    return f"{len(used)} x {kind}"


def _processor() -> str:
    try:
        with open("/proc/cpuinfo") as lines:
            for line in lines:
                if line.startswith("model name"):
                    return line.split(":", 1)[1].strip()
    except OSError:
        pass
    import platform

    return platform.processor() or platform.machine()
