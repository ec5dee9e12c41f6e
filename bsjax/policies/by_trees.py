"""A lottery over written hunts: one is drawn before the game, turned at random, and played.

The hunts are trees (`bsjax.policies.trees`); all games of a batch step down one stack of them.
"""

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float32, Int16, Int32, Key

from bsjax.game.game import Game
from bsjax.game.observation import HIT, UNFIRED, Observation
from bsjax.game.symmetry import cell_images
from bsjax.policies.base import Policy
from bsjax.policies.choose import by_shares
from bsjax.policies.trees import Trees, cell, step

Carry = tuple[Int32[Array, ""], Int32[Array, ""], Int32[Array, ""]]
"""Node, symmetry and the cell last fired at (−1 before the first shot)."""


class ByTrees(Policy):
    """H hunts with weights, G symmetries."""

    trees: Trees
    cumulative: Float32[Array, " H"]
    """Weights of the hunts, added up; the last is 1."""
    images: Int16[Array, "G C"]
    """Symmetries, one of which is drawn."""

    @classmethod
    def of(cls, trees: Trees, weights: np.ndarray, *, turned: bool = True) -> "ByTrees":
        """A lottery over all hunts of a stack.

        Args:
            trees: the hunts.
            weights: of the hunts, up to a factor.
            turned: turn the hunt at random before each game.

        Raises:
            ValueError: not one weight of 0 or more for each hunt, or none that is positive.
        """
        images = cell_images(trees.game.size)
        images = jnp.asarray(images if turned else images[:1])
        return cls(trees.game, trees=trees, cumulative=added_up(trees, weights), images=images)

    def init(self, key: Key[Array, ""]) -> Carry:
        """Draw a hunt and a symmetry."""
        node, symmetry = drawn(key, self.trees, self.cumulative, len(self.images))
        return node, symmetry, jnp.int32(-1)

    def act(
        self, key: Key[Array, ""], observation: Observation, carry: Carry
    ) -> tuple[Int32[Array, ""], Carry]:
        """The next cell; the key is not used."""
        del key
        node, symmetry, last = carry
        told = observation.answer[jnp.maximum(last, 0)].astype(jnp.int32)
        # Answers of other rules never come; before the first shot nothing was answered.
        after = step(self.trees, node, jnp.asarray(answer_of(self.game))[jnp.clip(told + 1, 0)])
        node = jnp.where(last >= 0, after, node)
        fired = observation.mark != UNFIRED
        fire = cell(self.trees, node, self.images[symmetry], fired)
        return fire, (node, symmetry, fire)


def drawn(
    key: Key[Array, ""], trees: Trees, cumulative: Float32[Array, " H"], symmetries: int
) -> tuple[Int32[Array, ""], Int32[Array, ""]]:
    """First node of a hunt drawn by weight, and a symmetry. The key is consumed."""
    draw, turn = jax.random.split(key)
    root = trees.root[by_shares(draw, cumulative)]
    return root, jax.random.randint(turn, (), 0, symmetries, jnp.int32)


def added_up(trees: Trees, weights: np.ndarray) -> Float32[Array, " H"]:
    """Weights of the hunts as `drawn` takes them.

    Raises:
        ValueError: not one weight of 0 or more for each hunt, or none that is positive.
    """
    share = np.asarray(weights, np.float64)
    if share.shape != trees.root.shape or not (share >= 0).all() or not 0 < share.sum() < np.inf:
        raise ValueError("a lottery needs a weight of 0 or more for each hunt, not all 0")
    return jnp.asarray(np.cumsum(share) / share.sum(), jnp.float32)


def answer_of(game: Game) -> Int32[np.ndarray, " A"]:
    """Answer of a tree for each answer code from `MISS` on: a miss, a hit, sinks by length."""
    sinks = [HIT + 2 + game.lengths.index(length) for length in game.fleet]
    return np.array([0, 1, *sinks], np.int32)
