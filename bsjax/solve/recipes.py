"""Hunts as recipes: what a hunt was made from is a few hundred bytes, its tree is megabytes.

A recipe names a snapshot of the hider and the credit of a round, which many recipes share, and how
the hunt departs from them. Playing it takes seconds to minutes and gives the same cells to the
last bit; the file holds a digest of them that is checked. What is made from a file lies beside it,
a tree for each hunt (`bsjax.evaluate.hunt_trees`), so that the hunts can be played with.
"""

import hashlib
import io
import os
import zipfile
import zlib
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float64, Int32, UInt8

from bsjax.evaluate import hunt_trees
from bsjax.evaluate.tree import evaluate
from bsjax.game.game import Game
from bsjax.posterior.listed import Listing
from bsjax.runtime.progress import Progress
from bsjax.solve.by_trial import ByTrial, Style
from bsjax.solve.crew import Crew
from bsjax.solve.hunts import ByCells, Writing
from bsjax.solve.snapshot import belief, credit_of
from bsjax.solve.tables import classes

COLUMNS = ("snapshot", "credit", "blur", "even", "seed", *Style._fields)
"""What a table of recipes holds."""

_FORMAT = 1
_DIGEST = 16


class Recipe(NamedTuple):
    """What a hunt is made from."""

    snapshot: int
    """Which snapshot of the hider."""
    credit: int
    """Which credit."""
    style: Style
    blur: float
    """See `bsjax.solve.snapshot.belief`, as for the next two."""
    even: int
    seed: int


class Hunt(NamedTuple):
    """A hunt that was played on every layout."""

    cells: UInt8[np.ndarray, " N"]
    """For `bsjax.solve.hunts.ByCells`."""
    shots: UInt8[np.ndarray, " M"]


class Job(NamedTuple):
    """A hunt to be played: everything another process needs."""

    game: Game
    recipe: Recipe
    levels: UInt8[np.ndarray, " O"]
    """The snapshot itself."""
    credit: Int32[np.ndarray, " T"]
    """The credit itself, in whole numbers of 2⁻²⁰."""


class Recipes(NamedTuple):
    """A lottery over H hunts, to be played again; S snapshots of O classes, P credits."""

    game: Game
    snapshots: UInt8[np.ndarray, "S O"]
    credits: Int32[np.ndarray, "P T"]
    recipes: list[Recipe]
    weights: Float64[np.ndarray, " H"]
    digests: UInt8[np.ndarray, "H D"]
    """`digest` of each hunt's shots and cells."""

    def job(self, hunt: int) -> Job:
        """How one of the hunts is played."""
        recipe = self.recipes[hunt]
        levels, credit = self.snapshots[recipe.snapshot], self.credits[recipe.credit]
        return Job(self.game, recipe, levels, credit)


def play(job: Job) -> Hunt:
    """Play a hunt on every layout. The same job gives the same bits."""
    listing, of = _listed(job.game)
    recipe = job.recipe
    told = belief(job.levels, of, blur=recipe.blur, even=recipe.even, seed=recipe.seed)
    hunt = Writing(ByTrial(listing, told, credit_of(job.credit), recipe.style))
    shots = evaluate(listing, hunt).shots
    return Hunt(hunt.written(), shots.astype(np.uint8))


def digest(hunt: Hunt) -> UInt8[np.ndarray, " D"]:
    """16 bytes that tell a hunt from any other: of when it finishes and of its cells."""
    found = hashlib.blake2b(hunt.shots.tobytes(), digest_size=_DIGEST // 2).digest()
    return np.frombuffer(found + _of_cells(hunt.cells), np.uint8)


def save_recipes(path: Path, recipes: Recipes) -> None:
    """Write recipes; snapshots are stored as differences from one to the next."""
    game = recipes.game
    parts: dict[str, Any] = {
        "format": np.array(_FORMAT),
        "size": np.array(game.size),
        "fleet": np.array(game.fleet),
        "touching": np.array(game.touching),
        "feedback": np.array(game.feedback),
        "snapshots": np.diff(recipes.snapshots, axis=0, prepend=np.uint8(0)),
        "credits": recipes.credits,
        "weights": recipes.weights,
        "digests": recipes.digests,
        **as_columns(recipes.recipes),
    }
    with open(path, "wb") as stream:
        np.savez_compressed(stream, checksum=_checksum(parts), **parts)


def as_columns(recipes: Sequence[Recipe]) -> dict[str, np.ndarray]:
    """Recipes as one array for each of `COLUMNS`."""
    flat = [recipe._asdict() | recipe.style._asdict() for recipe in recipes]
    return {key: np.array([row[key] for row in flat]) for key in COLUMNS}


def of_columns(columns: dict[str, np.ndarray]) -> list[Recipe]:
    """The recipes again."""
    held = {key: columns[key].tolist() for key in COLUMNS}
    styles = map(Style, *(held[key] for key in Style._fields))
    rest = (held[key] for key in COLUMNS if key not in Style._fields)
    return [
        Recipe(snapshot, credit, style, *others)
        for style, snapshot, credit, *others in zip(styles, *rest, strict=True)
    ]


_DAMAGED = (OSError, ValueError, KeyError, IndexError, EOFError, zipfile.BadZipFile, zlib.error)


def load_recipes(path: Path) -> Recipes:
    """Recipes that `save_recipes` wrote.

    Raises:
        ValueError: the file holds none, or is damaged.
    """
    try:
        with np.load(io.BytesIO(path.read_bytes())) as held:
            parts = {name: held[name] for name in held.files}
        if not np.array_equal(parts.pop("checksum"), _checksum(parts)):
            raise ValueError("its checksum does not match")
        if int(parts["format"]) != _FORMAT:
            raise ValueError(f"format {parts['format']}, this is {_FORMAT}")
        size, fleet = tuple(parts["size"].tolist()), tuple(parts["fleet"].tolist())
        rules = str(parts["touching"]), str(parts["feedback"])
        game = Game(size, fleet, *rules)  # pyright: ignore[reportArgumentType]
        return Recipes(
            game,
            np.cumsum(parts["snapshots"], axis=0, dtype=np.uint8),
            parts["credits"],
            of_columns(parts),
            parts["weights"],
            parts["digests"],
        )
    except _DAMAGED as error:
        raise ValueError(
            f"{path} holds no recipes ({error}); write them with bsjax self-play --recipes"
        ) from None


def paths_of(recipes: Recipes, out: Path) -> list[Path]:
    """Files of the hunts in a folder, named by what they hold: several lotteries can share it."""
    return [out / f"{row.tobytes().hex()}.hunt" for row in recipes.digests]


def rebuild(recipes: Recipes, out: Path, *, workers: int = 1, quiet: bool = True) -> list[Path]:
    """Play all hunts and write their trees into a folder, one file a hunt, in their order.

    Files that are there and whole are kept, so an interrupted call goes on where it was.

    Args:
        recipes: what the hunts are made from.
        out: the folder.
        workers: processes.
        quiet: show no progress.

    Raises:
        ValueError: a hunt came out otherwise than it was when its recipe was written, or the
            feedback is not `size`.
        OSError: the folder cannot be written.
    """
    out.mkdir(parents=True, exist_ok=True)
    paths = paths_of(recipes, out)
    missing = [n for n, path in enumerate(paths) if not _whole(path)]
    title, done = f"hunts of {recipes.game}", len(paths) - len(missing)
    crew = Crew(workers)
    with crew, Progress(title, len(paths), "hunts", done=done, quiet=quiet) as progress:
        for n, hunt in zip(missing, crew.map(play, map(recipes.job, missing)), strict=True):
            if (digest(hunt) != recipes.digests[n]).any():
                raise ValueError(
                    f"hunt {n} came out otherwise than when its recipe was written; rebuild with "
                    f"the version of bsjax that wrote the file"
                )
            listing, _ = _listed(recipes.game)
            partial = paths[n].with_suffix(".partial")
            hunt_trees.save(hunt_trees.grown(listing, ByCells(hunt.cells))[0], partial)
            os.replace(partial, paths[n])
            progress.advance(1)
    return paths


def _whole(path: Path) -> bool:
    """Whether a file holds a tree without damage."""
    try:
        hunt_trees.load(path)
    except (OSError, ValueError):
        return False
    return True


def _of_cells(cells: np.ndarray) -> bytes:
    return hashlib.blake2b(cells.tobytes(), digest_size=_DIGEST // 2).digest()


def _checksum(parts: dict[str, np.ndarray]) -> UInt8[np.ndarray, " 32"]:
    found = hashlib.sha256()
    for name in sorted(parts):
        found.update(f"{name}{parts[name].dtype.str}{parts[name].shape}".encode())
        found.update(np.ascontiguousarray(parts[name]).tobytes())
    return np.frombuffer(found.digest(), np.uint8)


@lru_cache(maxsize=2)
def _listed(game: Game) -> tuple[Listing, np.ndarray]:
    """All layouts, and the class of each."""
    return Listing(game), classes(game).of
