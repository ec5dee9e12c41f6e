"""A network as a hunter like any other.

Before the game it draws its *latent*: an orientation of the board, the path of a hunt where the
network was taught several, and the seed of its dice. Everything it does then follows from the
latent and the answers, so a latent is a fixed hunt: the same latent, the same hunt. A mixture of
hunts is played by drawing latents, and evaluated exactly latent by latent (`Hunter.with_latent`).

At temperature 0 it fires where its score is highest. At temperature 1 it fires at a cell with the
probability that the network gives it: Gumbel noise, drawn from the latent for every shot, is added
to the scores. What a network learned of a mixture's moves is played in this way.
"""

from typing import Literal, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float32, Int16, Int32, Key, UInt32

from bsjax.game.game import Game
from bsjax.game.observation import UNFIRED, Observation
from bsjax.game.symmetry import cell_images
from bsjax.learn.features import PLANES, features, in_line, turned
from bsjax.learn.network import Network
from bsjax.policies.base import Policy
from bsjax.policies.choose import by_shares

By = Literal["moves", "heat"]
"""What is fired at: what the teacher would fire at, or the likeliest ship."""


class Latent(NamedTuple):
    """What a hunter draws before the game."""

    turn: Int32[Array, ""]
    """Orientation: cell c of the hunter's board is cell `cell_images(size)[turn, c]`."""
    path: Int16[Array, " C"] | None
    """Of the hunt (`bsjax.learn.paths`), on the hunter's board."""
    dice: UInt32[Array, ""]
    """Seed of the noise."""


class Hunter(Policy):
    """A network that plays."""

    network: Network
    shares: Float32[Array, " H"] | None = None
    """How often each of H hunts is drawn, added up; None for a network of one hunt."""
    paths: Int16[Array, "H C"] | None = None
    """Their paths."""
    latent: Latent | None = None
    """A latent that is always played; None draws one for every game."""
    temperature: float = eqx.field(static=True, default=0.0)
    by: By = eqx.field(static=True, default="moves")
    turns: bool = eqx.field(static=True, default=True)
    """Whether the orientation is drawn, or always the board's own."""

    def __check_init__(self):
        if not self.temperature >= 0:
            raise ValueError(f"temperature {self.temperature}: give 0 or more")

    @property
    def lanes(self) -> int:
        """Products of a matrix with this many rows serve a core well."""
        return 16

    @property
    def bytes_per_game(self) -> int:
        """The planes, and some copies of the channels with what surrounds the board."""
        return 4 * self.game.cells * (2 * len(PLANES) + 10 * self.network.size.width)

    def init(self, key: Key[Array, ""]) -> Latent:
        """Draw the latent; the key is consumed."""
        if self.latent is not None:
            return self.latent
        turn, hunt, dice = jax.random.split(key, 3)
        ways = len(cell_images(self.game.size)) if self.turns else 1
        path = None
        if self.shares is not None and self.paths is not None:
            # They may have been fetched to the host.
            shares, paths = jnp.asarray(self.shares), jnp.asarray(self.paths)
            path = paths[by_shares(hunt, shares)]
        return Latent(
            turn=jax.random.randint(turn, (), 0, ways, jnp.int32),
            path=path,
            dice=jax.random.bits(dice, (), jnp.uint32),
        )

    @property
    def every(self) -> Latent | None:
        """The latents of all its hunts, unturned; None if it rolls dice or has one hunt only."""
        if self.paths is None or self.temperature:
            return None
        none = jnp.zeros(len(self.paths), jnp.int32)
        return Latent(none, self.paths, none.astype(jnp.uint32))

    def with_latent(self, latent: Latent) -> "Hunter":
        """The fixed hunt of one latent, for the exact passes over all layouts."""
        return eqx.tree_at(lambda h: h.latent, self, latent, is_leaf=lambda x: x is None)

    def act(
        self, key: Key[Array, ""], observation: Observation, carry: Latent
    ) -> tuple[Int32[Array, ""], Latent]:
        """The next cell; the key is not used."""
        del key
        seen = turned(self.game, observation, carry.turn)
        scores, odds = judged(self.network, self.game, seen, carry.path)
        if self.by == "heat":
            scores = jnp.where(seen.mark == UNFIRED, odds, -jnp.inf)
        cell = chosen(scores, carry.dice, observation.shots, self.temperature)
        return jnp.asarray(cell_images(self.game.size), jnp.int32)[carry.turn, cell], carry


def judged(
    network: Network, game: Game, observation: Observation, path: Int16[Array, " C"] | None = None
) -> tuple[Float32[Array, " C"], Float32[Array, " C"]]:
    """Scores, −∞ at cells fired at, and the logarithm of the odds of a ship on every cell.

    Where every cell was fired at there is no game, and no cell is ruled out.
    """
    unfired = observation.mark == UNFIRED
    line = None if path is None else in_line(path, unfired)
    scores, odds = network(*features(game, observation), line, game.width)
    return jnp.where(unfired | ~unfired.any(), scores, -jnp.inf), odds


def chosen(
    scores: Float32[Array, " C"], dice: UInt32[Array, ""], shots: Array, temperature: float
) -> Int32[Array, ""]:
    """The highest score, or at a temperature a draw by exp(score / temperature)."""
    if temperature:
        key = jax.random.fold_in(jax.random.key(dice), shots.astype(jnp.uint32))
        scores = scores + temperature * jax.random.gumbel(key, scores.shape)
    return jnp.argmax(scores).astype(jnp.int32)
