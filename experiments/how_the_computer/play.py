"""Runs of many games with the boards, the shots and the results of every game at hand."""

import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Int16, Int32

from bsjax.evaluate.massive import Run, simulate


def play(run: Run) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Play a run in a folder that is thrown away.

    Returns:
        Its figures, and the arrays asked for: `shots` (n) and `shot_at` (n, C).
    """
    with tempfile.TemporaryDirectory(prefix="bsjax-") as folder:
        path = Path(folder) / "run"
        figures = simulate(run, out=path, quiet=False)
        arrays = {file.stem: np.load(file) for file in path.glob("*.npy")}
    return figures, arrays


def fired_in_order(shot_at: Int16[np.ndarray, "N C"]) -> Int32[np.ndarray, "N C"]:
    """Cells in the order they were fired at, −1 past the last shot of a game."""
    cells = shot_at.shape[1]
    order = np.argsort(np.where(shot_at < 0, cells, shot_at), axis=1, kind="stable")
    fired = (shot_at >= 0).sum(1)
    return np.where(np.arange(cells) < fired[:, None], order, -1).astype(np.int32)
