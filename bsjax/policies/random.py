"""Fire at a random cell not yet fired at: the yardstick that needs no theory.

Its distribution of shots is known exactly: `bsjax.evaluate.random_fire`.
"""

from jaxtyping import Array, Int32, Key, PyTree

from bsjax.game.observation import UNFIRED, Observation
from bsjax.policies.base import Policy, register
from bsjax.policies.choose import uniform_cell


@register("random", "a random cell not yet fired at")
class Random(Policy):
    """Uniform over the cells not yet fired at."""

    def act(
        self, key: Key[Array, ""], observation: Observation, carry: PyTree
    ) -> tuple[Int32[Array, ""], PyTree]:
        """The next cell; `carry` is unused."""
        return uniform_cell(key, observation.mark == UNFIRED), carry
