"""Layers of a state graph, in memory or in a run folder.

    layer_07/    edges out of the states after seven shots, and which of them are ends
    front_08/    lists of layouts of the states after eight shots; only for the newest layer

A layer is written beside its place, moved there in one step and then counted in the folder's
checkpoint. A kill leaves at most a layer that is not counted, which is thrown away.
"""

import os
import re
import shutil
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from bsjax.runtime.run_folder import RunFolder
from bsjax.solve.children import Ends
from bsjax.solve.front import Bucket
from bsjax.solve.pages import Pages

_OWN = re.compile(r"(layer|front)_\d\d(\.partial)?")


class Counts(NamedTuple):
    """Size of one layer."""

    states: int
    moves: int
    """Pairs of a state and a cell that may be fired at."""
    edges: int
    """Triples of a state, such a cell and an answer it can get."""


class Layer(NamedTuple):
    """States after the same number of shots."""

    counts: Counts
    pages: Pages
    ends: Ends


class Shelf:
    """Keeps layers in memory, or in a run folder and reads them from there as they are needed."""

    def __init__(self, folder: RunFolder | None):
        """Take up the layers that the folder has counted, and throw away what it has not.

        Raises:
            ValueError: a layer that was counted is missing.
        """
        self.layers: list[Layer] = []
        self.front: list[Bucket] | None = None
        self.complete = False
        self._folder = folder
        if folder is None:
            return
        state = folder.state or {"layers": [], "complete": False}
        counted, self.complete = state["layers"], state["complete"]
        keep = {_name("layer", t) for t in range(len(counted))}
        if not self.complete:
            keep.add(_name("front", len(counted)))
        for path in folder.path.iterdir():
            if _OWN.fullmatch(path.name) and path.name not in keep:
                shutil.rmtree(path)
        self.layers = read(folder.path, counted)
        if counted and not self.complete:
            self.front = _read_front(folder.path / _name("front", len(counted)))

    def add(self, layer: Layer, front: list[Bucket]) -> None:
        """Keep a layer, and the lists of the next one, which has no state if this is the last."""
        number = len(self.layers)
        self.complete = not any(len(bucket.hits) for bucket in front)
        if self._folder is None:
            self.layers.append(layer)
            return
        path = self._folder.path
        _write(path / _name("layer", number), layer.pages._asdict() | layer.ends._asdict())
        if not self.complete:
            _write(
                path / _name("front", number + 1),
                {
                    "members": np.concatenate([bucket.members.ravel() for bucket in front]),
                    "hits": np.concatenate([bucket.hits for bucket in front]),
                    "shapes": np.array([bucket.members.shape for bucket in front]),
                },
            )
        self.layers.append(_read_layer(path / _name("layer", number), layer.counts))
        counted = [list(done.counts) for done in self.layers]
        self._folder.save({"layers": counted, "complete": self.complete})
        shutil.rmtree(path / _name("front", number), ignore_errors=True)


def read(path: Path, counted: list[Any]) -> list[Layer]:
    """The layers of a folder.

    Raises:
        ValueError: one is missing.
    """
    return [
        _read_layer(path / _name("layer", number), Counts(*counts))
        for number, counts in enumerate(counted)
    ]


def _name(kind: str, number: int) -> str:
    return f"{kind}_{number:02}"


def _write(path: Path, arrays: dict[str, Any]) -> None:
    """Arrays as the files of a folder that is there whole or not at all."""
    partial = path.with_name(path.name + ".partial")
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir()
    for name, array in arrays.items():
        with open(partial / f"{name}.npy", "wb") as stream:
            np.save(stream, array)
            stream.flush()
            os.fsync(stream.fileno())
    os.replace(partial, path)


def _read_layer(path: Path, counts: Counts) -> Layer:
    arrays = _open(path)
    answers, none = int(arrays.pop("answers")), int(arrays.pop("none"))
    ends = Ends(*(arrays.pop(name) for name in Ends._fields))
    return Layer(counts, Pages(**arrays, answers=answers, none=none), ends)


def _read_front(path: Path) -> list[Bucket]:
    arrays = _open(path)
    front, place, state = [], 0, 0
    for states, width in arrays["shapes"].tolist():
        members = arrays["members"][place : place + states * width].reshape(states, width)
        front.append(Bucket(np.array(members), np.array(arrays["hits"][state : state + states])))
        place, state = place + states * width, state + states
    return front


def _open(path: Path) -> dict[str, np.ndarray]:
    if not path.is_dir():
        raise ValueError(f"{path} is missing; build this state graph again in a new folder")
    return {file.stem: np.load(file, mmap_mode="r") for file in path.glob("*.npy")}
