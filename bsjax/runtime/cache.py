"""JAX's persistent compilation cache, on by default in a per-user folder.

`BSJAX_CACHE=off` switches it off, `BSJAX_CACHE=DIR` moves it. A cache folder that the user has set
in JAX is left alone.
"""

import os
import sys
from pathlib import Path

import jax

SWITCH = "BSJAX_CACHE"


def folder() -> Path | None:
    """The cache folder by environment and platform; None if switched off."""
    chosen = os.environ.get(SWITCH)
    if chosen is not None:
        return None if chosen.lower() in ("off", "0", "no", "") else Path(chosen)
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData" / "Local"))
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache"))
    return base / "bsjax" / "compiled"


def enable() -> None:
    """Keep compiled programs across processes, unless switched off or set up already."""
    if getattr(jax.config, "jax_compilation_cache_dir") is not None:  # noqa: B009
        return
    chosen = folder()
    if chosen is None:
        return
    try:
        chosen.mkdir(parents=True, exist_ok=True)
    except OSError:
        # A read-only home is no reason to fail: the run only compiles again.
        return
    jax.config.update("jax_compilation_cache_dir", str(chosen))
    # The programs of a short run take a second or two each: worth keeping all of them.
    jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.1)
