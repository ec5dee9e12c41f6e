"""Written hunts: made by one tree pass, kept as files, loaded for play.

    tree, shots = grown(listing, ByCells(cells))     # or any hunt that the tree pass takes
    save(tree, path)                                 # a file for each hunt
    trees = loaded(listing, [path, ...])             # any of them, for `bsjax.policies.by_trees`

A file is a line of JSON, padded to 512 bytes, and the arrays of `HuntTree` one after the other:
three bytes a node and four a layout. It is mapped into memory, so hunts that are not asked for are
not read.
"""

import hashlib
import json
from collections.abc import Iterable
from pathlib import Path

import numpy as np
from jaxtyping import Bool, Int16

from bsjax.evaluate.fixed_hunts import FixedHunt
from bsjax.evaluate.front import Children, Front
from bsjax.evaluate.tree import evaluate
from bsjax.game.game import Game
from bsjax.policies.by_trees import answer_of
from bsjax.policies.trees import ANSWERS, HuntTree, Trees, stacked
from bsjax.posterior.listed import Listing

_KIND = "bsjax hunt 1"
_HEAD = 512
"""Bytes before the arrays."""


class Grown(FixedHunt):
    """A hunt whose nodes are taken down while it plays."""

    def __init__(self, hunt: FixedHunt, listing: Listing):
        """Play this hunt.

        Raises:
            ValueError: the feedback is not `size`, or there are too many ship lengths.
        """
        game = listing.game
        if game.feedback != "size" or 2 + len(game.lengths) > ANSWERS:
            raise ValueError(
                f"hunts are written down for feedback size and up to {ANSWERS - 2} lengths of "
                f"ships, not for {game}"
            )
        self.hunt, self.counts, self.listing = hunt, hunt.counts, listing
        self.parts: list[tuple[np.ndarray, ...]] = []

    def cells(self, front: Front) -> Int16[np.ndarray, " B"]:
        """See `FixedHunt`."""
        return self.hunt.cells(front)

    def follow(
        self, cell: Int16[np.ndarray, " B"], children: Children, kept: Bool[np.ndarray, " N"]
    ) -> None:
        """See `FixedHunt`."""
        bit = 1 << answer_of(self.listing.game)[children.answer.astype(np.int64) + 1]
        inner, single = (
            np.bincount(children.parent[part], bit[part], len(cell)).astype(np.uint8)
            for part in (kept, ~kept)
        )
        self.parts.append((cell.astype(np.uint8), inner, single, children.row[~kept]))
        self.hunt.follow(cell, children, kept)

    def tree(self) -> HuntTree:
        """Everything taken down; the pass must be over."""
        game, order = self.listing.game, order_of(self.listing)
        if not self.parts:
            none = np.zeros(0, np.uint8)
            return HuntTree(game, order, none, none, none, np.zeros(1, np.int32))
        cell, inner, single, layout = map(np.concatenate, zip(*self.parts, strict=True))
        return HuntTree(game, order, cell, inner, single, layout)


def grown(listing: Listing, hunt: FixedHunt) -> tuple[HuntTree, Int16[np.ndarray, " M"]]:
    """A hunt as a tree, and its shots on every layout.

    Raises:
        ValueError: it is no hunt of this game, or cannot be written down.

    Cost: a tree pass, and 3 bytes a node.
    """
    hunt = Grown(hunt, listing)
    shots = evaluate(listing, hunt).shots
    return hunt.tree(), shots


def stack(listing: Listing, trees: Iterable[HuntTree]) -> Trees:
    """Hunts for play.

    Raises:
        ValueError: no hunt, or they were made for other layouts.
    """
    trees, order = list(trees), order_of(listing)
    if any(tree.game != listing.game or tree.listing != order for tree in trees):
        raise ValueError(f"these hunts were not made for the layouts of {listing.game}")
    return stacked(trees, np.ascontiguousarray(listing.cells.T))


def loaded(listing: Listing, paths: Iterable[Path]) -> Trees:
    """Hunts from files, for play.

    Raises:
        ValueError: a file holds no hunt of these layouts.
        OSError: a file cannot be read.
    """
    return stack(listing, (load(path) for path in paths))


def save(tree: HuntTree, path: Path) -> None:
    """Write a hunt.

    Raises:
        OSError: the file cannot be written.
    """
    game = tree.game
    head = {
        "kind": _KIND,
        "size": game.size,
        "fleet": game.fleet,
        "touching": game.touching,
        "listing": tree.listing,
        "nodes": len(tree.cell),
        "singles": len(tree.layout),
        "digest": digest(tree),
    }
    with open(path, "wb") as stream:
        stream.write(json.dumps(head).encode().ljust(_HEAD - 1) + b"\n")
        for array in tree[2:]:
            stream.write(np.ascontiguousarray(array, array.dtype.newbyteorder("<")).data)


def load(path: Path, *, check: bool = True) -> HuntTree:
    """A hunt that `save` wrote, mapped into memory.

    Args:
        path: the file.
        check: read it once, to see that nothing of it is damaged.

    Raises:
        ValueError: the file holds none, or is damaged.
        OSError: it cannot be read.
    """
    try:
        with open(path, "rb") as stream:
            head = json.loads(stream.read(_HEAD))
        if head["kind"] != _KIND:
            raise ValueError(f"of kind {head['kind']!r}")
        nodes, singles = int(head["nodes"]), int(head["singles"])
        if singles < 1 or path.stat().st_size != _HEAD + 3 * nodes + 4 * singles:
            raise ValueError("not of its length")
        game = Game(tuple(head["size"]), tuple(head["fleet"]), head["touching"])
        whole = np.memmap(path, np.uint8, "r", _HEAD)
        cell, inner, single = whole[: 3 * nodes].reshape(3, nodes)
        layout = whole[3 * nodes :].view("<i4")
        tree = HuntTree(game, head["listing"], cell, inner, single, layout)
        if check and digest(tree) != head["digest"]:
            raise ValueError("damaged")
        return tree
    except (ValueError, KeyError, TypeError) as error:
        raise ValueError(f"{path} holds no hunt ({error}); write it again") from None


def digest(tree: HuntTree) -> str:
    """What tells two hunts apart: 32 hexadecimal digits."""
    summed = hashlib.blake2b(digest_size=16)
    for array in tree[2:]:
        summed.update(np.ascontiguousarray(array, array.dtype.newbyteorder("<")).data)
    return summed.hexdigest()


def order_of(listing: Listing) -> str:
    """What tells the layouts and their order apart: 32 hexadecimal digits."""
    summed = hashlib.blake2b(str(listing.game).encode(), digest_size=16)
    summed.update(np.ascontiguousarray(listing.layouts, "<i2").data)
    return summed.hexdigest()
