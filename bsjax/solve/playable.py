"""A player's hunts as a policy that `bsjax.simulate` plays."""

import numpy as np

from bsjax.evaluate.stored_tree import StoredTree
from bsjax.evaluate.tree import evaluate
from bsjax.game.observation import HIT
from bsjax.policies.mixture import Mixture
from bsjax.posterior.listed import Listing
from bsjax.solve.hunts import ByCells
from bsjax.solve.player import Player


def playable(player: Player) -> Mixture:
    """The lottery over the hunts that are kept with a player.

    Raises:
        ValueError: none is kept, or the cells of one are no hunt of the game.

    Cost: a tree pass for each hunt, a second for 8,000 layouts; 4 bytes for every node and answer.
    """
    if not player.hunts:
        raise ValueError("this player was stored without hunts that can be replayed")
    listing = Listing(player.game)
    cells, leads, roots, nodes = [], [], [], 0
    for hunt in player.hunts:
        written = ByCells(hunt)
        tree = evaluate(listing, written, keep_tree=True).tree
        assert tree is not None
        written.require_all_read()
        cell, lead = _nodes(tree)
        cells.append(cell)
        leads.append(np.where(lead >= 0, lead + nodes, lead))
        roots.append(nodes)
        nodes += len(cell)
    return Mixture.of(
        player.game,
        np.concatenate(cells),
        np.concatenate(leads).astype(np.int32),
        listing.boards() >= 0,
        np.array(roots, np.int32),
        player.weights,
    )


def _nodes(tree: StoredTree) -> tuple[np.ndarray, np.ndarray]:
    """Cells of the deciding nodes, and where every answer leads; leaves as −1 − their layout."""
    game = tree.listing.game
    deciding = tree.cell >= 0
    number = np.cumsum(deciding) - 1
    name = np.where(deciding, number, -1 - tree.row.astype(np.int64))
    kinds = np.array([game.lengths.index(length) for length in game.fleet])
    leads = np.full((int(deciding.sum()), 2 + len(game.lengths)), -1, np.int64)
    at = np.flatnonzero(deciding)
    child = np.repeat(tree.first[at], tree.children[at])
    parent = np.repeat(np.arange(len(at)), tree.children[at])
    child += np.arange(len(child)) - np.repeat(
        np.cumsum(tree.children[at]) - tree.children[at], tree.children[at]
    )
    answer = tree.answer[child].astype(np.int64)
    kind = np.where(answer > HIT, 2 + kinds[np.maximum(answer - 1, 0)], answer + 1)
    leads[parent, kind] = name[child]
    return tree.cell[at], leads
