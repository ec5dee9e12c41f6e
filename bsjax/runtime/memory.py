"""How many games fit: static batch sizes from a memory budget.

Sizes are powers of two, so that runs of similar length share one compiled program.
"""

import sys
from typing import NamedTuple

import jax

BUDGET = 1 << 30
"""Bytes per device a run may use by default."""

_CPU_SLOTS = 1 << 11
"""Slots whose planes stay in a core's cache (`experiments/throughput`, `slots`)."""
_ACCELERATOR_SLOTS = 1 << 17
_LEAST_SLOTS = 1 << 4
_LEAST_GAMES = 1 << 9
_TURNS = 32
"""Games per slot in one launch: the slots drain once per launch, so more turns idle less."""


class Bucket(NamedTuple):
    """Static sizes of one compiled program, per device."""

    games: int
    """Games of one launch at most."""
    slots: int
    """Games advanced together."""


def bucket(
    games: int,
    *,
    devices: int,
    platform: str,
    bytes_per_slot: int,
    bytes_per_game: int,
    budget: int = BUDGET,
    lanes: int = 1,
    slots: int | None = None,
) -> Bucket:
    """Sizes for a run of `games` games.

    Args:
        games: games of the whole run; a short run gets a small program.
        devices: devices that share it.
        platform: `cpu`, `gpu` or `tpu`.
        bytes_per_slot: memory of one game in progress, temporaries included.
        bytes_per_game: memory of one game waiting or finished.
        budget: bytes per device.
        lanes: pieces of work in one step of one game; so many fewer slots fill the machine.
        slots: fix the number of slots instead of deriving it.

    Raises:
        ValueError: not even one game fits the budget.
    """
    share = max(-(-games // devices), 1)
    fitting = budget // (bytes_per_slot + _TURNS * bytes_per_game)
    if fitting < 1:
        raise ValueError(
            f"one game needs {bytes_per_slot + _TURNS * bytes_per_game:,} bytes, the budget is "
            f"{budget:,} bytes per device; raise --memory"
        )
    usual = _CPU_SLOTS if platform == "cpu" else _ACCELERATOR_SLOTS
    usual = max(_floor_power(max(usual // lanes, 1)), _LEAST_SLOTS)
    width = slots or min(usual, _floor_power(fitting))
    most = _floor_power(max((budget - width * bytes_per_slot) // bytes_per_game, 1))
    total = min(_TURNS * width, most, max(_ceil_power(share), _LEAST_GAMES))
    return Bucket(games=total, slots=min(width, total))


def tree_bytes(tree: object) -> int:
    """Bytes of the arrays of a pytree of arrays or shapes."""
    return sum(leaf.size * leaf.dtype.itemsize for leaf in jax.tree.leaves(tree))


def peak_bytes() -> int:
    """Most memory this process has held so far, mapped files included; 0 where the system does not
    say."""
    try:
        import resource
    except ImportError:
        return 0
    # Kilobytes on Linux, bytes on macOS.
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def parse_size(text: str) -> int:
    """Bytes from a size such as `512M`, `2G` or `1000000`.

    Raises:
        ValueError: not a size.
    """
    units = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
    body = text.strip().upper().removesuffix("B").removesuffix("I")
    unit = body[-1:] if body[-1:] in ("K", "M", "G", "T") else ""
    try:
        size = int(float(body.removesuffix(unit)) * units[unit])
    except ValueError:
        size = 0
    if size <= 0:
        raise ValueError(f"memory size {text!r}: write a number of bytes such as 512M or 4G")
    return size


def _floor_power(n: int) -> int:
    return 1 << (n.bit_length() - 1)


def _ceil_power(n: int) -> int:
    return 1 << (n - 1).bit_length()
