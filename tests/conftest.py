"""Settings of every test: strict numerics, the CPU, and a compilation cache between runs."""

import os
from pathlib import Path

import jax
import pytest

# Nothing is promoted by accident: mixed dtypes and mixed ranks raise.
jax.config.update("jax_numpy_dtype_promotion", "strict")
jax.config.update("jax_numpy_rank_promotion", "raise")

# Set JAX_PLATFORMS to run the suite on another device.
jax.config.update("jax_platforms", os.environ.get("JAX_PLATFORMS", "cpu"))

# Most of the suite's time is compilation; the second run reads it from disk.
_CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "bsjax" / "tests"
jax.config.update("jax_compilation_cache_dir", str(_CACHE))
jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.1)


def pytest_configure(config):
    # Workers share the cache without a lock. An entry that is half written is compiled anew.
    for verb in ("reading", "writing"):
        line = f"ignore:Error {verb} persistent compilation cache entry"
        config.addinivalue_line("filterwarnings", line)


@pytest.fixture(autouse=True, scope="module")
def _forget_programs():
    """Free the compiled programs of a module: those of the whole suite need more memory maps than
    Linux gives a process, which then dies."""
    yield
    jax.clear_caches()
