"""Commands that tests start, watch and interrupt."""

import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def running(command: list[str]) -> Iterator[subprocess.Popen[str]]:
    """A command as a terminal starts it; it is gone when the block ends, whatever happened.

    A shell starts what runs in the background with interrupts ignored, and a child inherits that.
    """
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True) as process:
        signal.signal(signal.SIGINT, before)
        try:
            yield process
        finally:
            process.kill()
