"""What one hunt costs: playing it on all layouts, quickly or by trying cells out, and storing it.

One process, so seconds are of one core. The stored tree plays all layouts again, in lockstep, and
must finish each after as many shots as the pass said.
"""

import resource
import time
from pathlib import Path
from typing import Any, NamedTuple

import jax
import numpy as np

from bsjax.evaluate import hunt_trees
from bsjax.evaluate.by_layout import by_layout
from bsjax.policies.by_trees import ByTrees
from bsjax.posterior.listed import Listing
from bsjax.solve.hunts import ByCells
from bsjax.solve.recipes import Recipe, load_recipes, play
from experiments.strongest.stored import file_of

PUBLISHED = {"tree_nodes": 1_950_550}
"""Nodes with two or more layouts of the tree of the probability rule."""
_STYLES = (
    ("quick", 1, 0.0),
    ("quick, with information", 1, 0.25),
    ("tries two cells", 2, 0.0),
    ("tries four cells", 4, 0.0),
)


class Settings(NamedTuple):
    """Which hider and pace the hunts are played against: those of the last recipe."""

    seed: int = 0
    kept: bool = True
    """The recipes lie among the players, not in the folder of games."""


FULL = Settings()
QUICK = Settings(kept=False)


def run(settings: Settings, work: Path) -> dict[str, Any]:
    """Seconds of each kind of hunt; bytes and replay of the first."""
    recipes = load_recipes(file_of(work, kept=settings.kept))
    last = max(range(len(recipes.recipes)), key=lambda n: recipes.recipes[n].snapshot)
    listing = Listing(recipes.game)
    told, first = [], None
    for name, tried, information in _STYLES:
        base: Recipe = recipes.recipes[last]
        style = base.style._replace(tried=tried, information=information)
        job = recipes.job(last)._replace(recipe=base._replace(style=style, blur=0.0, even=0))
        started, cpu = time.monotonic(), time.process_time()
        hunt = play(job)
        seconds, own = time.monotonic() - started, time.process_time() - cpu
        shots = hunt.shots
        told.append(
            {
                "name": name,
                "seconds": seconds,
                "core_seconds": own,
                "decisions": len(hunt.cells),
                "mean_on_uniform_boards": float(shots.mean()),
                "slowest": int(shots.max()),
            }
        )
        first = first or hunt
    assert first is not None
    started = time.monotonic()
    tree, _ = hunt_trees.grown(listing, ByCells(first.cells))
    grown = time.monotonic() - started
    trees = hunt_trees.stack(listing, [tree])
    alone = ByTrees.of(trees, np.ones(1), turned=False)
    started = time.monotonic()
    counts = by_layout(jax.random.key(settings.seed), alone, listing, 1, turned=False)
    replayed = counts.argmax(1)
    return {
        "game": str(recipes.game),
        "layouts": len(listing),
        "hunts": told,
        "tree": {
            "nodes": len(tree.cell),
            "bytes": tree.bytes,
            "seconds": grown,
            "published": PUBLISHED,
        },
        "replay": {
            "layouts": len(replayed),
            "differ": int((replayed != first.shots).sum()),
            "seconds": time.monotonic() - started,
        },
        "most_memory_bytes": 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss,
    }
