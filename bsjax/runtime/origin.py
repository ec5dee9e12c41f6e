"""Where a result comes from: command, commit, seed, versions, device and time."""

import hashlib
import platform
import shlex
import subprocess
import sys
from datetime import UTC, datetime
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

from bsjax.runtime import devices

_SOURCES = (".", ":!experiments/*/results/*", ":!figures/out/*")
"""Paths whose changes can change a result: all but results and what is drawn from them."""

PACKAGES = ("bsjax", "jax", "jaxlib", "numpy", "equinox")


def origin(seed: int | None) -> dict[str, Any]:
    """What every result file carries beside its figures."""
    return {
        "command": command(),
        "commit": commit(),
        "seed": seed,
        "versions": versions(),
        "device": devices.describe(),
        "time": datetime.now(UTC).isoformat(timespec="seconds"),
    }


def command() -> str:
    """The command line as it was typed, less folders of this machine: a path from the root is
    shortened to its last part."""
    typed = sys.orig_argv
    words = ["python", *typed[1:]] if len(typed) > 2 and typed[1] == "-m" else sys.argv
    return shlex.join(
        Path(word).name if n == 0 or Path(word).is_absolute() else word
        for n, word in enumerate(words)
    )


def file_mark(path: Path) -> str:
    """Name and contents of a file, in short: what tells it from others."""
    return f"{path.name} {hashlib.sha256(path.read_bytes()).hexdigest()[:12]}"


def versions() -> dict[str, str]:
    """Versions of Python and of the packages that decide a result."""
    found = {"python": platform.python_version()}
    for package in PACKAGES:
        try:
            found[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            found[package] = "not installed"
    return found


@cache
def commit() -> str:
    """Commit of the checkout the package runs from, `+changes` if it was edited since.

    It is looked up once: what a process writes into the checkout later changed none of its figures.
    """
    root = Path(__file__).parents[2]
    try:
        head = _git(root, "rev-parse", "HEAD")
        changed = _git(root, "status", "--porcelain", "--untracked-files=no", "--", *_SOURCES)
    except (OSError, subprocess.CalledProcessError):
        return "not a checkout"
    return head + ("+changes" if changed else "")


def _git(root: Path, *words: str) -> str:
    if not (root / ".git").exists():
        raise OSError("no checkout")
    done = subprocess.run(
        ["git", "-C", str(root), *words], capture_output=True, text=True, check=True, timeout=10
    )
    return done.stdout.strip()
