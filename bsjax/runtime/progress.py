"""Progress of long work on standard error: a live bar on a terminal, plain lines elsewhere."""

import sys
import time
from types import TracebackType
from typing import Any

_EVERY = 10.0
"""Seconds between two plain lines."""


class Progress:
    """Counts finished units of a known total; use as a context manager.

    The speed and the time left count from the first update on, so compiling and the part of a
    resumed run that was done before do not distort them.
    """

    def __init__(self, title: str, total: int, unit: str, *, done: int = 0, quiet: bool = False):
        self.title, self.total, self.unit = title, total, unit
        self.done, self._start_done = done, done
        self._quiet = quiet
        self._started = self._told = time.monotonic()
        self._bar: Any = None

    def __enter__(self) -> "Progress":
        if not self._quiet and sys.stderr.isatty():
            self._bar = _bar()
            self._bar.start()
            self._task = self._bar.add_task(
                self.title, total=self.total, completed=self.done, speed=""
            )
        return self

    def restart_clock(self) -> None:
        """Measure the speed from now on."""
        self._started = self._told = time.monotonic()

    def advance(self, units: int) -> None:
        """Report `units` more as done."""
        self.done += units
        now = time.monotonic()
        if self._bar is not None:
            self._bar.update(self._task, completed=self.done, speed=self._speed(now))
        elif not self._quiet and now - self._told >= _EVERY:
            self._told = now
            rate = (self.done - self._start_done) / max(now - self._started, 1e-9)
            left = (self.total - self.done) / rate if rate else float("inf")
            print(
                f"{self.title}: {self.done:,} of {self.total:,} {self.unit}, "
                f"{rate:,.0f} {self.unit}/s, {left:,.0f} s left",
                file=sys.stderr,
                flush=True,
            )

    def _speed(self, now: float) -> str:
        rate = (self.done - self._start_done) / max(now - self._started, 1e-9)
        return f"{rate:,.0f} {self.unit}/s"

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._bar is not None:
            self._bar.stop()


def _bar() -> Any:
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        TextColumn,
        TimeRemainingColumn,
    )
    from rich.progress import Progress as Bar

    return Bar(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[speed]}"),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    )
