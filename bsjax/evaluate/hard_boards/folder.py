"""What a search has played, kept in order: a killed search replays it and goes on.

A search decides by the readings of its trials and by its seed alone. So the readings, in the order
of the trials, are all that must be kept: a search that is started again makes the same trials, is
told their readings from the journal as far as it goes, and plays on from there to the same bits.
"""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Float64

from bsjax.runtime.run_folder import RunFolder

_WIDTH = 4
_BYTES = 8 * _WIDTH
NAME = "trials.f8"


class Journal:
    """Readings in the order of the trials; this one forgets them."""

    def next(self, rows: int) -> Float64[np.ndarray, "n 4"]:
        """The next readings, at most `rows`, as far as they are known."""
        del rows
        return np.zeros((0, _WIDTH))

    def add(self, readings: Float64[np.ndarray, "n 4"]) -> None:
        """Write down the readings that come next."""

    def finish(self, result: dict[str, Any], origin: dict[str, Any]) -> None:
        """Write what all readings came to."""


class Kept(Journal):
    """A journal in a run folder: `trials.f8`, one row of four 64-bit floats a reading.

    Rows count once a checkpoint says so; what comes after the last one is played again.
    """

    def __init__(self, folder: RunFolder, *, every: float):
        """Open the journal.

        Args:
            folder: an open run folder; its state says how many rows count.
            every: seconds between two checkpoints.

        Raises:
            ValueError: the file holds fewer rows than the checkpoint says.
        """
        self._folder, self._every, self._saved = folder, every, time.monotonic()
        path = folder.path / NAME
        self._rows = 0 if folder.state is None else int(folder.state["rows"])
        held = path.stat().st_size // _BYTES if path.exists() else 0
        if held < self._rows:
            raise ValueError(
                f"{path} holds {held} of {self._rows} readings; delete the folder's "
                f"checkpoint.json to start this search again"
            )
        self._stream = open(path, "r+b" if path.exists() else "w+b")  # noqa: SIM115
        self._known = np.frombuffer(self._stream.read(self._rows * _BYTES), "<f8")
        self._known = self._known.reshape(-1, _WIDTH)
        self._stream.truncate(self._rows * _BYTES)
        self._stream.seek(0, os.SEEK_END)
        self._read = 0

    def next(self, rows: int) -> Float64[np.ndarray, "n 4"]:
        """The next readings, at most `rows`, as far as they are known."""
        known = self._known[self._read : self._read + rows]
        self._read += len(known)
        return known

    def add(self, readings: Float64[np.ndarray, "n 4"]) -> None:
        """Write down the readings that come next."""
        self._stream.write(np.ascontiguousarray(readings, "<f8").tobytes())
        self._rows += len(readings)
        if time.monotonic() - self._saved >= self._every:
            self.save()

    def save(self) -> None:
        """Checkpoint: the rows first, then how many there are."""
        self._stream.flush()
        os.fsync(self._stream.fileno())
        self._folder.save(self.state)
        self._saved = time.monotonic()

    def finish(self, result: dict[str, Any], origin: dict[str, Any]) -> None:
        """Write what all readings came to, after the readings themselves."""
        self.save()
        self._folder.finish(result, origin)

    @property
    def state(self) -> dict[str, Any]:
        """What the checkpoint says."""
        return {"rows": self._rows}

    def close(self) -> None:
        """Release the file."""
        self._stream.close()


@contextmanager
def journal_in(
    out: Path | None, identity: dict[str, Any], *, resume: bool, every: float
) -> Iterator[Journal]:
    """The journal of a run folder while it is open, or one that forgets.

    Args:
        out: the folder; none to keep nothing.
        identity: what decides the readings, as JSON values.
        resume: go on with what the folder holds.
        every: seconds between two checkpoints.

    Raises:
        ValueError: to go on without a folder, or the folder holds something else.
        OSError: the folder cannot be written.
    """
    if out is None:
        if resume:
            raise ValueError("resume needs a run folder: add --out DIR")
        yield Journal()
        return
    folder = RunFolder(out, identity, resume=resume)
    try:
        kept = Kept(folder, every=every)
        try:
            yield kept
        finally:
            kept.close()
    finally:
        folder.close()
