"""Work for several processes, given back in order; in this process if there is one worker."""

import multiprocessing
import signal
from collections.abc import Callable, Iterable, Iterator
from types import TracebackType
from typing import Any, TypeVar

Given = TypeVar("Given")
Made = TypeVar("Made")


class Crew:
    """Worker processes, started with the first work and kept; use as a context manager."""

    def __init__(self, workers: int = 1):
        """Hire so many.

        Raises:
            ValueError: fewer than one.
        """
        if workers < 1:
            raise ValueError(f"{workers} workers: at least one is needed")
        self.workers = workers
        self._pool: Any = None

    def map(self, work: Callable[[Given], Made], given: Iterable[Given]) -> Iterator[Made]:
        """What `work`, a function of a module, makes of each, in their order."""
        if self.workers == 1:
            return map(work, given)
        if self._pool is None:
            # A forked copy of a process that runs JAX can hang.
            context = multiprocessing.get_context("spawn")
            self._pool = context.Pool(self.workers, _ignore_interrupts)
        return self._pool.imap(work, given)

    def close(self) -> None:
        """End the processes, whatever they are at."""
        if self._pool is not None:
            self._pool.terminate()
            self._pool.join()
            self._pool = None

    def __enter__(self) -> "Crew":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def _ignore_interrupts() -> None:
    """Ctrl-C is for the process that hired; its own end must not wait for a handler."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
