"""Teachers: what a network is to learn about an observation, made on the device as games are
played.

A teacher follows one game, like a policy, and for every observation gives a *label*: how likely it
fires at each cell, and how likely a ship lies there.

* `ByRule`: a greedy rule over a posterior: exact, drawn, or of a hider whose layouts are weighted.
  It labels any state, so a student can be taught on its own games.
* `ByBoards`: the board of the game itself, which is a draw from the posterior of whoever hid it. It
  costs nothing, so a network sees a hundred times as many positions as with counted layouts, and
  what it is left with on average is the posterior.
* `ByMixture`: a near-perfect mixture of a small game. Given the whole game so far, it knows which
  of its hunts would have fired the same shots; they vote, each with its weight, for the next cell.
  By perfect recall a player who draws his moves by these shares, shot by shot, is the mixture: he
  finishes on every layout at the same shots with the same chances. It can also be asked for single
  hunts, told apart by their paths. A state that no hunt reaches is labelled by its posterior.
* `ByPolicy`: any policy that draws a hunt before the game, for example from trees: a hunt stands
  for one draw of `init` with all dice. Its label holds while the game is its own.
* `ByRewind`: the rewind, which remembers what others fired at, so that more games are its own.

All are pytrees, written for one game and batched by `vmap`.
"""

from abc import abstractmethod
from typing import NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float32, Int8, Int32, Key, PyTree

from bsjax.game.game import Game
from bsjax.game.observation import UNFIRED, WATER, Observation
from bsjax.policies.base import Policy
from bsjax.policies.bayes import Greedy, probability, seen_by
from bsjax.policies.choose import lowest_best_cell
from bsjax.policies.mixture import Mixture
from bsjax.policies.rewind import Carry
from bsjax.posterior.beliefs import Belief
from bsjax.posterior.whole import nearly, positive


class Label(NamedTuple):
    """What a teacher says of one observation; C cells."""

    moves: Float32[Array, " C"]
    """Chance that the teacher fires at each cell; meaningless unless `known`."""
    known: Bool[Array, ""]
    heat: Float32[Array, " C"]
    """Chance of a ship on each cell; meaningless unless `seen`."""
    seen: Bool[Array, ""]


class Teacher(eqx.Module):
    """Base of all teachers."""

    game: Game = eqx.field(static=True)

    @property
    def anywhere(self) -> bool:
        """Whether it labels games that it does not play itself."""
        return True

    @property
    def shares(self) -> Float32[Array, " H"] | None:
        """How often each of the H hunts that it tells apart is drawn, added up; None for none."""
        return None

    def begin(self, hunt: Int32[Array, ""], board: Int8[Array, " C"]) -> PyTree:
        """State before the first shot of a game of the hunt with this number."""
        del hunt, board
        return ()

    @abstractmethod
    def label(
        self, key: Key[Array, ""], observation: Observation, carry: PyTree
    ) -> tuple[Label, PyTree]:
        """What it says, and its thoughts, which `after` takes. The key is consumed."""

    def after(
        self, observation: Observation, cell: Int32[Array, ""], carry: PyTree, thoughts: PyTree
    ) -> PyTree:
        """State after a shot at `cell`, whose answer the observation holds."""
        del observation, cell, thoughts
        return carry


class ByRule(Teacher):
    """A greedy rule over a belief (`bsjax.policies.over`); equal cells share."""

    rule: Greedy

    def label(
        self, key: Key[Array, ""], observation: Observation, carry: PyTree
    ) -> tuple[Label, PyTree]:
        """See `Teacher`."""
        belief = self.rule.belief
        view = belief.view(key, observation)
        scores, total = self.rule.rule(belief, observation, view)
        unfired = observation.mark == UNFIRED
        best = lowest_best_cell(scores, unfired)
        equal = unfired
        for score in scores:
            equal = equal & (score == score[best])
        moves = equal.astype(jnp.float32) / jnp.maximum(equal.sum(dtype=jnp.float32), 1.0)
        heat, _ = _heat(belief, observation, view)
        known = positive(total)
        return Label(moves, known, heat, known), ()


class ByBoards(Teacher):
    """The probability rule over the exact posterior of the hider, taught by one draw from it.

    With n ship cells left, a ship lies on a cell with n times the chance that a cell drawn from
    those n is this one: the network's scores come to rank cells by the chance of a ship.
    """

    def begin(self, hunt: Int32[Array, ""], board: Int8[Array, " C"]) -> Int8[Array, " C"]:
        """The board."""
        del hunt
        return board

    def label(
        self, key: Key[Array, ""], observation: Observation, carry: Int8[Array, " C"]
    ) -> tuple[Label, tuple[()]]:
        """See `Teacher`."""
        del key
        ship = (carry >= 0).astype(jnp.float32)
        left = jnp.where(observation.mark == UNFIRED, ship, 0.0)
        known = left.sum() > 0
        return Label(left / jnp.maximum(left.sum(), 1.0), known, ship, known), ()


class _Voters(NamedTuple):
    """Hunts of a mixture in one game."""

    node: Int32[Array, " H"]
    weight: Float32[Array, " H"]
    """0 for hunts that would not have played this game."""


class ByMixture(Teacher):
    """The moves of a mixture in its own frame: the hunter turns the board, not the teacher."""

    mixture: Mixture
    belief: Belief
    coded: bool = eqx.field(static=True, default=False)
    """Whether every hunt is taught by itself."""

    @property
    def shares(self) -> Float32[Array, " H"] | None:
        """The weights of the hunts."""
        return self.mixture.cumulative if self.coded else None

    def begin(self, hunt: Int32[Array, ""], board: Int8[Array, " C"]) -> _Voters:
        """All hunts with their weights, or the one."""
        del board
        weight = jnp.diff(self.mixture.cumulative, prepend=jnp.zeros(1))
        if self.coded:
            weight = (jnp.arange(len(weight)) == hunt).astype(jnp.float32)
        return _Voters(self.mixture.root, weight)

    def label(
        self, key: Key[Array, ""], observation: Observation, carry: _Voters
    ) -> tuple[Label, Int32[Array, " H"]]:
        """See `Teacher`; the thoughts are the cell of every hunt."""
        unfired = observation.mark == UNFIRED
        cell = self._cells(unfired, carry.node)
        votes = jnp.zeros(self.game.cells).at[cell].add(carry.weight)
        total = votes.sum()
        view = self.belief.view(key, observation)
        heat, sure = _heat(self.belief, observation, view)
        likely = jnp.argmax(jnp.where(unfired, heat, -1.0))
        alone = (jnp.arange(self.game.cells) == likely).astype(jnp.float32)
        moves = jnp.where(total > 0, votes / jnp.where(total > 0, total, 1.0), alone)
        return Label(moves, sure | (total > 0), heat, sure), cell

    def after(
        self,
        observation: Observation,
        cell: Int32[Array, ""],
        carry: _Voters,
        thoughts: Int32[Array, " H"],
    ) -> _Voters:
        """Hunts that fired elsewhere drop out; the others go on by the answer."""
        told = observation.answer[jnp.maximum(cell, 0)].astype(jnp.int32)
        kind = self.mixture.kind[jnp.clip(told + 1, 0)]
        leads = self.mixture.leads[jnp.maximum(carry.node, 0), kind]
        same = (thoughts == cell) & (cell >= 0)
        return _Voters(
            node=jnp.where(same & (carry.node >= 0), leads, carry.node),
            weight=jnp.where(same, carry.weight, 0.0),
        )

    def _cells(self, unfired: Bool[Array, " C"], node: Int32[Array, " H"]) -> Int32[Array, " H"]:
        """The cell every hunt fires at; where one layout is left, its lowest cell not fired at."""
        rest = self.mixture.layouts[jnp.maximum(-1 - node, 0)] & unfired[None]
        written = self.mixture.cell[jnp.maximum(node, 0)].astype(jnp.int32)
        return jnp.where(node >= 0, written, jnp.argmax(rest, axis=1).astype(jnp.int32))


class _Playing(NamedTuple):
    """A policy in one game."""

    carry: PyTree
    dice: Key[Array, ""]
    own: Bool[Array, ""]
    """Whether every shot was its own."""


class ByPolicy(Teacher):
    """Any policy that is a lottery over hunts: a hunt is one draw with all its dice."""

    policy: Policy
    hunts: int = eqx.field(static=True)
    """Draws, all equally often taken."""
    belief: Belief | None = None
    """Where its heat map comes from, if one is taught."""

    @property
    def anywhere(self) -> bool:
        """Whether it labels games that it does not play itself."""
        return False

    @property
    def shares(self) -> Float32[Array, " H"]:
        """All the same."""
        return jnp.asarray(np.arange(1, self.hunts + 1) / self.hunts, jnp.float32)

    def begin(self, hunt: Int32[Array, ""], board: Int8[Array, " C"]) -> _Playing:
        """The policy before the game of this draw."""
        del board
        opening, dice = jax.random.split(jax.random.fold_in(jax.random.key(self.hunts), hunt))
        return _Playing(self.policy.init(opening), dice, jnp.bool_(True))

    def label(
        self, key: Key[Array, ""], observation: Observation, carry: _Playing
    ) -> tuple[Label, tuple[Int32[Array, ""], PyTree]]:
        """See `Teacher`; the thoughts are its cell and its next state."""
        dice = jax.random.fold_in(carry.dice, observation.shots)
        cell, after = self.policy.act(dice, observation, carry.carry)
        moves = (jnp.arange(self.game.cells) == cell).astype(jnp.float32)
        if self.belief is None:
            heat, sure = jnp.zeros(self.game.cells), jnp.bool_(False)
        else:
            view = self.belief.view(key, observation)
            heat, sure = _heat(self.belief, observation, view)
        return Label(moves, carry.own & (cell >= 0), heat, sure), (cell, after)

    def after(
        self,
        observation: Observation,
        cell: Int32[Array, ""],
        carry: _Playing,
        thoughts: tuple[Int32[Array, ""], PyTree],
    ) -> _Playing:
        """Its own next state; another's shot ends what it can say."""
        del observation
        own, after = thoughts
        return _Playing(after, carry.dice, carry.own & (own == cell))


class ByRewind(ByPolicy):
    """The rewind, followed beside its own games too.

    It knows the cells that somebody else fired at, as if it had forgotten why: a miss more, or a
    hit more while hits are finished, is nothing to it. Only a hit that its hunt does not hear of
    would have it fire where it never does.
    """

    def after(
        self,
        observation: Observation,
        cell: Int32[Array, ""],
        carry: _Playing,
        thoughts: tuple[Int32[Array, ""], Carry],
    ) -> _Playing:
        """Its own next state; a shot that its hunt did not fire is one it waits for no more."""
        own, after = thoughts
        by_hunt, same = after.latest == own, own == cell
        water = observation.mark[jnp.maximum(cell, 0)] == WATER
        told = after._replace(latest=jnp.where(by_hunt & ~same, -1, after.latest))
        return _Playing(told, carry.dice, carry.own & (same | water | ~by_hunt))


def _heat(
    belief: Belief, observation: Observation, view: PyTree
) -> tuple[Float32[Array, " C"], Bool[Array, ""]]:
    """Chance of a ship on each cell, and whether any layout is left to judge by."""
    found, total = seen_by(belief, observation.mark != UNFIRED, view)
    share = nearly(found.ship) / jnp.maximum(nearly(total), 1.0)
    return share, positive(total)


def by_probability(game: Game, belief: Belief) -> ByRule:
    """The teacher that fires at the likeliest ship."""
    return ByRule(game, Greedy(game, belief, probability))
