"""Run folders: settings, checkpoints and results of one long run, safe against any interruption.

    settings.json      what the run is; a folder answers only to the same settings
    checkpoint.json    how far it got, with a checksum; replaced in one step
    NAME.npy           one row per game, appended in the order of the game numbers
    result.json        the figures, written at the end; the same bits whenever and however often
                       the run was interrupted
    origin.json        command, commit, versions, device, time and speed of the last part

A kill can only lose what came after the last checkpoint. Rows behind it are cut off on resume and
played again, which gives the same rows.
"""

import hashlib
import json
import os
from pathlib import Path
from typing import Any

import numpy as np

FORMAT = 1
_HEADER = 128
"""Bytes of a .npy header; NumPy pads it so that the count can grow in place."""


class RunFolder:
    """An open run folder; holds a lock until `close`."""

    def __init__(self, path: Path, settings: dict[str, Any], *, resume: bool):
        """Open or create the folder.

        Args:
            path: the folder.
            settings: what decides the results, as JSON values.
            resume: go on where the folder's run stopped.

        Raises:
            ValueError: the folder holds another run, holds a run and `resume` is not set, is in
                use, or its checkpoint is corrupt.
            OSError: it cannot be written.
        """
        self.path = path
        self.state: dict[str, Any] | None = None
        self._rows: dict[str, Any] = {}
        settings = {"format": FORMAT, **settings}
        if path.exists() and not path.is_dir():
            raise ValueError(f"{path} is a file; give --out a folder")
        if path.exists() and any(path.iterdir()):
            self._check(settings, resume)
        path.mkdir(parents=True, exist_ok=True)
        self._lock = _lock(path)
        try:
            self._replace("settings.json", settings)
            if resume and (path / "checkpoint.json").exists():
                self.state = self._load()
        except BaseException:
            self.close()
            raise

    def _check(self, settings: dict[str, Any], resume: bool) -> None:
        stored_path = self.path / "settings.json"
        if not stored_path.exists():
            raise ValueError(f"{self.path} is not empty and holds no run; choose a new folder")
        if not resume:
            raise ValueError(
                f"{self.path} already holds a run; add --resume to go on with it or choose a new "
                f"folder"
            )
        try:
            stored = json.loads(stored_path.read_text())
        except ValueError as error:
            raise ValueError(f"{stored_path} is corrupt ({error}); choose a new folder") from None
        other = [key for key in stored | settings if stored.get(key) != settings.get(key)]
        if other:
            told = "; ".join(
                f"{key} was {stored.get(key)!r}, now {settings.get(key)!r}" for key in other
            )
            raise ValueError(f"{self.path} holds another run: {told}; choose a new folder")

    def _load(self) -> dict[str, Any]:
        path = self.path / "checkpoint.json"
        try:
            stored = json.loads(path.read_text())
            if _digest(stored["state"]) != stored["sha256"]:
                raise ValueError("its checksum does not match")
        except (ValueError, KeyError, TypeError) as error:
            raise ValueError(
                f"{path} is corrupt ({error}); delete it to start this run again from game 0"
            ) from None
        return stored["state"]

    def rows(self, name: str, games: int, width: tuple[int, ...], dtype: str, done: int) -> None:
        """Open `name`.npy for one row per game, keeping the first `done` rows.

        Raises:
            ValueError: the file holds fewer than `done` rows.
        """
        path = self.path / f"{name}.npy"
        kind = np.dtype(dtype)
        size = kind.itemsize * int(np.prod(width, dtype=np.int64))
        held = (path.stat().st_size - _HEADER) // size if path.exists() else 0
        if held < done:
            raise ValueError(
                f"{path} holds {max(held, 0)} of {done} games played; delete the folder's "
                f"checkpoint.json to start this run again"
            )
        stream = open(path, "r+b" if path.exists() else "w+b")  # noqa: SIM115
        header = {"descr": kind.str, "fortran_order": False, "shape": (games, *width)}
        np.lib.format.write_array_header_1_0(stream, header)
        if stream.tell() != _HEADER:
            raise ValueError(f"{path}: unexpected header of {stream.tell()} bytes")
        stream.truncate(_HEADER + done * size)
        stream.seek(0, os.SEEK_END)
        self._rows[name] = stream

    def append(self, name: str, rows: np.ndarray) -> None:
        """Add rows to `name`.npy; they count once `save` has returned."""
        self._rows[name].write(np.ascontiguousarray(rows).tobytes())

    def save(self, state: dict[str, Any]) -> None:
        """Checkpoint: rows first, then the state, each safely on disk before the next."""
        for stream in self._rows.values():
            stream.flush()
            os.fsync(stream.fileno())
        self._replace("checkpoint.json", {"state": state, "sha256": _digest(state)})

    def finish(self, result: dict[str, Any], origin: dict[str, Any]) -> None:
        """Write the figures, and beside them where they came from."""
        self._replace("result.json", result)
        self._replace("origin.json", origin)

    def close(self) -> None:
        """Release the folder."""
        for stream in self._rows.values():
            stream.close()
        self._lock.close()

    def _replace(self, name: str, value: dict[str, Any]) -> None:
        # A reader, or the next start after a kill, sees the old file or the new one, never half.
        partial = self.path / f"{name}.partial"
        with open(partial, "w") as stream:
            json.dump(value, stream, indent=1)
            stream.write("\n")
            stream.flush()
            os.fsync(stream.fileno())
        os.replace(partial, self.path / name)


def _digest(state: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(state, sort_keys=True).encode()).hexdigest()


def _lock(path: Path) -> Any:
    """An exclusive lock that ends with the process, however it ends."""
    stream = open(path / "lock", "a")  # noqa: SIM115
    try:
        import fcntl
    except ImportError:
        return stream
    try:
        fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        stream.close()
        raise ValueError(f"{path} is in use by another run; wait for it to end") from None
    return stream
