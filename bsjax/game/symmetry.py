"""The rotations and reflections of a board, as index tables.

A square board has 8, a rectangle 4 (identity, half turn and the two mirror images that keep
its sides). `cell_images(size)[g, c]` is the cell that cell c goes to under symmetry g, so a
plane x turned by g is y with `y[images[g, c]] = x[c]`.
"""

from functools import lru_cache

import numpy as np
from jaxtyping import Int16, Int32

from bsjax.game.placements import placement_cells


@lru_cache(maxsize=64)
def cell_images(size: tuple[int, int]) -> Int16[np.ndarray, "G C"]:
    """Image of every cell under every symmetry; row 0 is the identity."""
    width, height = size
    board = np.arange(width * height).reshape(height, width)
    seen = [board, board[::-1, ::-1], board[::-1], board[:, ::-1]]
    if width == height:
        seen += [turned.T for turned in seen]
    # `seen[g].flat[i]` is the cell seen at position i of the turned board, so i is its image.
    images = np.empty((len(seen), board.size), np.int16)
    for g, turned in enumerate(seen):
        images[g, turned.ravel()] = np.arange(board.size)
    images.setflags(write=False)
    return images


@lru_cache(maxsize=256)
def placement_images(size: tuple[int, int], length: int) -> Int32[np.ndarray, "G P"]:
    """Image of every placement of a ship of `length` under every symmetry."""
    cells = placement_cells(size, length).astype(np.int64)
    number = {tuple(sorted(row)): index for index, row in enumerate(cells.tolist())}
    images = [
        [number[tuple(sorted(row))] for row in turned[cells].tolist()]
        for turned in cell_images(size)
    ]
    return np.array(images, np.int32).reshape(len(images), len(cells))
