"""A die over hunters: one is drawn before the game, and plays it.

    Die.of([make("smart-3-parity", game), make("heat-map", game)], [0.9, 0.1])

Every game is a game of one of them: the die is a stream of its own beside what the hunter draws.
To play with; a batch pays for all hunters at every shot, as its games follow different ones. What
the die finishes in is the weighted mean of what each hunter does, which is cheaper to play and less
noisy (`bsjax.solve.die_table`).
"""

from collections.abc import Sequence

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float32, Int32, Key, PyTree

from bsjax.game.observation import Observation
from bsjax.policies.base import Policy
from bsjax.policies.choose import by_shares

Carry = tuple[Int32[Array, ""], tuple[PyTree, ...]]
"""The face that was drawn, and the state of every hunter; only that of the face changes."""


class Die(Policy):
    """F hunters of one game with weights."""

    faces: tuple[Policy, ...]
    cumulative: Float32[Array, " F"]
    """Weights added up; the last is 1."""

    @classmethod
    def of(cls, faces: Sequence[Policy], weights: Sequence[float | int] | np.ndarray) -> "Die":
        """A die from its faces.

        Args:
            faces: the hunters.
            weights: of each, up to a factor.

        Raises:
            ValueError: no hunter, hunters of several games, not one weight for each of 0 or more,
                or none that is positive.
        """
        games = {face.game for face in faces}
        if len(games) != 1:
            raise ValueError(
                f"a die over {len(faces)} hunters of {len(games)} games: take one or more of the "
                f"same game"
            )
        share = np.asarray(weights, np.float64)
        if len(share) != len(faces) or not (share >= 0).all() or not 0 < share.sum() < np.inf:
            raise ValueError("a die needs a weight of 0 or more for each hunter, not all 0")
        cumulative = jnp.asarray(np.cumsum(share) / share.sum(), jnp.float32)
        return cls(games.pop(), faces=tuple(faces), cumulative=cumulative)

    @property
    def lanes(self) -> int:
        """The most of any hunter."""
        return max(face.lanes for face in self.faces)

    @property
    def bytes_per_game(self) -> int:
        """Those of all hunters."""
        return sum(face.bytes_per_game for face in self.faces)

    def prepared(self, games: int) -> "Die":
        """Every hunter made ready for as many games."""
        faces = tuple(face.prepared(games) for face in self.faces)
        return Die(self.game, faces=faces, cumulative=self.cumulative)

    def init(self, key: Key[Array, ""]) -> Carry:
        """Roll the die; every hunter gets ready."""
        roll, opening = jax.random.split(key)
        face = by_shares(roll, self.cumulative)
        return face, tuple(one.init(opening) for one in self.faces)

    def act(
        self, key: Key[Array, ""], observation: Observation, carry: Carry
    ) -> tuple[Int32[Array, ""], Carry]:
        """The next cell of the hunter that was drawn."""
        face, carries = carry

        def turn(number: int):
            def act(carries: tuple[PyTree, ...]) -> tuple[Int32[Array, ""], tuple[PyTree, ...]]:
                cell, own = self.faces[number].act(key, observation, carries[number])
                return cell, (*carries[:number], own, *carries[number + 1 :])

            return act

        turns = [turn(number) for number in range(len(self.faces))]
        cell, carries = jax.lax.switch(face, turns, carries)
        return cell, (face, carries)
