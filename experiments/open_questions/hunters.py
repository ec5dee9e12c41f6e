"""Who plays: hunters and opponents as values, with names that say all of their settings."""

from dataclasses import replace
from typing import Literal, NamedTuple

import jax.numpy as jnp
from jaxtyping import Array, Int32, Key, PyTree

from bsjax import hide, policies
from bsjax.game.game import Feedback, Game
from bsjax.game.observation import UNFIRED, Observation
from bsjax.policies.base import Policy
from bsjax.policies.bayes import Greedy
from bsjax.policies.book import Booked, written
from bsjax.policies.choose import best_cell
from bsjax.policies.heatmap import Density
from bsjax.policies.over import over
from bsjax.policies.rollout import Rollout
from bsjax.posterior.drawn import Drawn
from bsjax.posterior.prior import habit


class Opponent(NamedTuple):
    """Boards weighed exp(a·edge squares − b·touching pairs); uniform ones by default."""

    edge: float = 0.0
    """a."""
    touch: float = 0.0
    """b."""

    @property
    def name(self) -> str:
        """For example `habit-a0.2-b2`."""
        return f"habit{_habit(self.edge, self.touch)}" if any(self) else "uniform"

    def hider(self, game: Game) -> hide.Hider:
        """The hider that draws its boards."""
        return hide.Habit(game, *self) if any(self) else hide.make("uniform", game)


UNIFORM = Opponent()


class Hunter(NamedTuple):
    """A registered hunter, a rule over a posterior, or a rollout."""

    rule: str
    """Name in the registry, rule of `bsjax.policies.over`, or `rollout`."""
    posterior: Literal["", "exact", "sample"] = ""
    """Of a rule; a registered hunter has none."""
    draws: int = 0
    """Draws a decision over `sample`."""
    edge: float = 0.0
    """a of the habit that it takes its opponent to have."""
    touch: float = 0.0
    """b of it."""
    feedback: Feedback = "size"
    ties: Literal["lowest", "random"] = "lowest"
    """Which of several best cells, over `exact`."""
    options: tuple[tuple[str, float | int], ...] = ()
    """Settings of a rollout."""

    @property
    def name(self) -> str:
        """For example `probability-exact-a0.2` or `information-sample-1500`."""
        words = [self.rule, self.posterior, str(self.draws or "")]
        words += [f"{self.ties}-ties" if self.ties != "lowest" else ""]
        words += [f"{what}{value:g}" for what, value in self.options]
        words += [self.feedback if self.feedback != "size" else ""]
        return "-".join(filter(None, words)) + _habit(self.edge, self.touch)

    def policy(self, game: Game) -> Policy:
        """The hunter, bound to a game.

        Raises:
            ValueError: no such hunter, or it does not play this game.
        """
        game = replace(game, feedback=self.feedback)
        if self.rule == "rollout":
            base, belief = Density(game, ties="lowest"), Drawn(game, self.draws)
            return Rollout(game, base, belief, **dict(self.options))  # pyright: ignore
        if not self.posterior:
            return policies.make(self.rule, game)
        prior = habit(game, self.edge, self.touch) if self.edge or self.touch else None
        draws = {"draws": self.draws} if self.draws else {}
        greedy = over(self.rule, game, posterior=self.posterior, prior=prior, **draws)
        return greedy if self.ties == "lowest" else RandomTies(greedy)


class RandomTies(Policy):
    """A rule over an exact posterior that fires at a random one of its best cells.

    In the histories of its book it fires at the lowest of them, as the rule does: ties in the
    opening are those of a board that looks the same turned or mirrored.
    """

    greedy: Greedy

    def __init__(self, greedy: Greedy):
        self.game, self.greedy = greedy.game, greedy

    @property
    def lanes(self) -> int:
        """Those of the rule."""
        return self.greedy.lanes

    @property
    def bytes_per_game(self) -> int:
        """Those of the rule."""
        return self.greedy.bytes_per_game

    def prepared(self, games: int) -> Policy:
        """With the rule's book of its opening."""
        booked = written(self.greedy, games)
        assert isinstance(booked, Booked)
        return Booked(self.game, self, booked.book)

    def act(
        self, key: Key[Array, ""], observation: Observation, carry: PyTree
    ) -> tuple[Int32[Array, ""], PyTree]:
        """The next cell; `carry` is unused."""
        greedy = self.greedy
        view = greedy.belief.view(key, observation)
        scores, _ = greedy.rule(greedy.belief, observation, view)
        return best_cell(key, scores, observation.mark == UNFIRED).astype(jnp.int32), carry


def rollout(options: dict[str, float | int]) -> Hunter:
    """The rollout hunter with these settings (`experiments.open_questions.settings.ROLLOUT`)."""
    rest = {what: value for what, value in options.items() if what != "draws"}
    return Hunter("rollout", "sample", int(options["draws"]), options=tuple(rest.items()))


def _habit(edge: float, touch: float) -> str:
    """`-a0.2-b2`, without what is 0."""
    return "".join(f"-{what}{value:g}" for what, value in (("a", edge), ("b", touch)) if value)
