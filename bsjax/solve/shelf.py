"""Where self-play keeps what is too large for a checkpoint: hunts, snapshots and its hider.

hunts_NNNNNN.npz     the hunts that were tried in a round: recipes, cells, shots
snapshot_NNNNNN.npz  the hider after a round, in one byte a class (`bsjax.solve.snapshot`)
hider_NNNNNN.npz     the averaged hider after the latest round

Every file is whole or not there. Without a folder all of it is kept in memory.
"""

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Int32

from bsjax.solve.recipes import COLUMNS, Hunt, Recipe, as_columns, of_columns


class Shelf:
    """Files of a run folder, or memory."""

    def __init__(self, path: Path | None):
        """Keep things in this folder, which exists."""
        self._path = path
        self._held: dict[str, dict[str, Any]] = {}

    def put(self, kind: str, number: int, **arrays: Any) -> None:
        """Keep some arrays under a kind and a number, safe on disk when this returns."""
        name = _name(kind, number)
        if self._path is None:
            self._held[name] = arrays
            return
        partial = self._path / f"{name}.partial"
        with open(partial, "wb") as stream:
            np.savez(stream, **arrays)
            stream.flush()
            os.fsync(stream.fileno())
        os.replace(partial, self._path / name)

    def get(self, kind: str, number: int, *names: str) -> list[np.ndarray]:
        """Some of the arrays.

        Raises:
            ValueError: the file is missing.
        """
        name = _name(kind, number)
        if self._path is None:
            return [self._held[name][key] for key in names]
        if not (self._path / name).exists():
            raise ValueError(f"{self._path / name} is missing; start in a new folder")
        with np.load(self._path / name) as held:
            return [held[key] for key in names]

    def only(self, kind: str, numbers: Iterable[int]) -> None:
        """Let all of a kind go but these."""
        needed = {_name(kind, number) for number in numbers}
        if self._path is None:
            gone = [n for n in self._held if n.startswith(f"{kind}_") and n not in needed]
            for name in gone:
                del self._held[name]
            return
        for path in self._path.glob(f"{kind}_*.npz"):
            if path.name not in needed:
                path.unlink()

    def put_hunts(
        self, number: int, hunts: list[Hunt], recipes: list[Recipe], credit: Int32[np.ndarray, " T"]
    ) -> None:
        """Keep the hunts of a round and what they were made from."""
        self.put(
            "hunts",
            number,
            shots=np.stack([hunt.shots for hunt in hunts]),
            cells=np.concatenate([hunt.cells for hunt in hunts]),
            lengths=np.array([len(hunt.cells) for hunt in hunts]),
            counted=credit,
            **as_columns(recipes),
        )

    def hunts(self, number: int) -> list[Hunt]:
        """The hunts of a round."""
        cells, lengths, shots = self.get("hunts", number, "cells", "lengths", "shots")
        return list(map(Hunt, np.split(cells, np.cumsum(lengths)[:-1]), shots))

    def recipes(self, number: int) -> tuple[list[Recipe], Int32[np.ndarray, " T"]]:
        """What the hunts of a round were made from."""
        credit, *columns = self.get("hunts", number, "counted", *COLUMNS)
        return of_columns(dict(zip(COLUMNS, columns, strict=True))), credit


def _name(kind: str, number: int) -> str:
    return f"{kind}_{number:06}.npz"
