"""A lottery over written hunts: one is drawn before the game, turned at random, and played.

A written hunt is a tree of nodes: a cell to fire at, and the node that each answer leads to. Where
one layout is left its cells are fired at from the lowest on. Answers are told apart as `size`
tells them: a miss, a hit, a sink of each length.
"""

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float32, Int16, Int32, Key

from bsjax.game.game import Game
from bsjax.game.observation import UNFIRED, Observation
from bsjax.game.symmetry import cell_images
from bsjax.policies.base import Policy
from bsjax.policies.choose import by_shares

Carry = tuple[Int32[Array, ""], Int32[Array, ""], Int32[Array, ""]]
"""Node, symmetry and the cell last fired at (−1 before the first shot)."""


class Mixture(Policy):
    """Hunts with weights; N nodes of all hunts together, M layouts, K answers.

    A node below 0 is the layout −1 − node, the only one left.
    """

    cell: Int16[Array, " N"]
    """Cell that each node fires at."""
    leads: Int32[Array, "N K"]
    """Node after each answer."""
    layouts: Bool[Array, "M C"]
    """Ship cells of every layout."""
    root: Int32[Array, " H"]
    """First node of each hunt."""
    cumulative: Float32[Array, " H"]
    """Weights of the hunts, added up; the last is 1."""
    kind: Int32[Array, " A"]
    """Which of the K answers each answer code is, from `MISS` on."""
    images: Int16[Array, "G C"]

    @classmethod
    def of(
        cls,
        game: Game,
        cell: Int16[np.ndarray, " N"],
        leads: Int32[np.ndarray, "N K"],
        layouts: Bool[np.ndarray, "M C"],
        root: Int32[np.ndarray, " H"],
        weights: np.ndarray,
    ) -> "Mixture":
        """A mixture from its nodes.

        Args:
            game: under `size` feedback.
            cell: cell of each node.
            leads: node after a miss, a hit, and a sink of each length of `game.lengths`.
            layouts: ship cells of every layout.
            root: first node of each hunt.
            weights: of the hunts, up to a factor.

        Raises:
            ValueError: the feedback is another, there is no node, not one weight for each hunt, or
                none that is positive.
        """
        if game.feedback != "size":
            raise ValueError(f"feedback {game.feedback!r}: written hunts are for feedback size")
        if not len(cell):
            raise ValueError("these hunts decide nothing; a game of one layout needs no mixture")
        if len(weights) != len(root) or not (weights >= 0).all() or not weights.sum() > 0:
            raise ValueError("a mixture needs a weight of 0 or more for each hunt, not all 0")
        # Codes from −1: a miss, a hit, then the ships that can be announced.
        kind = [0, 1, *(2 + game.lengths.index(length) for length in game.fleet)]
        share = np.cumsum(weights) / weights.sum()
        return cls(
            game,
            cell=jnp.asarray(cell),
            leads=jnp.asarray(leads),
            layouts=jnp.asarray(layouts),
            root=jnp.asarray(root),
            cumulative=jnp.asarray(share, jnp.float32),
            kind=jnp.asarray(kind, jnp.int32),
            images=jnp.asarray(cell_images(game.size)),
        )

    def init(self, key: Key[Array, ""]) -> Carry:
        """Draw a hunt and a symmetry."""
        draw, turn = jax.random.split(key)
        hunt = by_shares(draw, self.cumulative)
        symmetry = jax.random.randint(turn, (), 0, len(self.images), jnp.int32)
        return self.root[hunt], symmetry, jnp.int32(-1)

    def act(
        self, key: Key[Array, ""], observation: Observation, carry: Carry
    ) -> tuple[Int32[Array, ""], Carry]:
        """The next cell; the key is not used."""
        del key
        node, symmetry, last = carry
        answer = observation.answer[jnp.maximum(last, 0)].astype(jnp.int32)
        goes_on = (last >= 0) & (node >= 0)
        # Codes of other rules never come; before the first shot nothing was answered.
        after = self.leads[jnp.maximum(node, 0), self.kind[jnp.clip(answer + 1, 0)]]
        node = jnp.where(goes_on, after, node)
        image = self.images[symmetry].astype(jnp.int32)
        rest = self.layouts[jnp.maximum(-1 - node, 0)] & (observation.mark[image] == UNFIRED)
        cell = jnp.where(
            node >= 0,
            self.cell[jnp.maximum(node, 0)].astype(jnp.int32),
            jnp.argmax(rest).astype(jnp.int32),
        )
        fire = image[cell]
        return fire, (node, symmetry, fire)
