"""Where the shots of the rewind policy go (classic-fleet, section 5: "Where do its shots go?").

A game is played again from its board and its key, and every decision is asked how it came about.
"""

import functools
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Int8, Int16, Int32, Key, PyTree

from bsjax.game.observation import UNFIRED, Observation
from bsjax.play.games import STRIDE
from bsjax.policies.base import Policy
from bsjax.policies.playing import GameState, finished, shoot, start
from bsjax.policies.private_game import Private
from bsjax.policies.rewind import FINAL, FINISHER, HUNT, Rewind, Turn
from bsjax.posterior.density import density, digits, fits_one_word
from bsjax.runtime import lockstep

_SLOTS = 1 << 11


class Account(NamedTuple):
    """One game, or many along a leading axis; K ships. The first seven count choices."""

    kept: Int16[Array, ""]
    """Shots of the small-ship hunt that no rewind undid before the fleet was sunk."""
    erased: Int16[Array, ""]
    """Shots of the small-ship hunt that a rewind undid."""
    erased_hits: Int16[Array, ""]
    """Those of them that hit a big ship."""
    finisher: Int16[Array, ""]
    """Shots of the finisher while a small ship was afloat."""
    final: Int16[Array, ""]
    """Shots with only big ships afloat, and those of the heat map while a hunt was lost."""
    recalled: Int16[Array, ""]
    """Choices of the hunt that were answered without a shot."""
    hottest: Int16[Array, " 3"]
    """Shots of the small-ship hunt, the finisher and the final hunt that went to a hottest cell of
    the heat map of all ships afloat, open hits first (`bsjax.policies.heatmap`)."""
    first: Int8[Array, " K"]
    """Which part made the first hit on each ship: `HUNT`, `FINISHER` or `FINAL`."""
    lost: Bool[Array, ""]
    """The hunt was lost for a while, with a small ship afloat."""
    shot_at: Int16[Array, " C"]
    """Order of the shots, −1 where none was fired."""
    on_path: Bool[Array, ""]
    """In the end the hunt's private game is its game on the small ships alone, up to where it
    stopped: each answer is the one that it would have had there."""


class Step(NamedTuple):
    """One shot of a game, and what led to it."""

    cell: int
    ship: int
    """Ship that it hit, −1 for water."""
    part: int
    """`HUNT`, `FINISHER` or `FINAL`."""
    erased: list[int]
    """Cells whose choice by the hunt was undone before this shot."""
    recalled: int
    """Choices of the hunt that were answered without a shot before it."""


def steps(policy: Rewind, board: Int8[np.ndarray, " C"], key: Key[Array, ""]) -> list[Step]:
    """One game, shot by shot.

    Args:
        policy: the hunter.
        board: ship on each cell, −1 for water.
        key: of the game (`bsjax.runtime.streams.game_keys`).

    Raises:
        ValueError: the hunter fired at a cell twice.
    """
    found, state = [], start(policy, jnp.asarray(board), key)
    while not bool(finished(state)):
        turn, state = _turned(policy, state)
        cell, erased = int(turn.cell), np.flatnonzero(turn.erased).tolist()
        told = int(board[cell]), int(turn.part), erased, int(turn.recalled)
        found.append(Step(cell, *told))
    if not bool(state.legal):
        raise ValueError("the hunter fired at a cell twice")
    return found


@jax.jit
def _turned(policy: Rewind, state: GameState) -> tuple[Turn, GameState]:
    """A decision, and the game after it."""
    key = jax.random.fold_in(state.dice, state.observation.shots)
    turn = policy.turn(key, state.observation, state.carry)
    return turn, shoot(_Decided(policy.game, turn.cell, turn.carry), state)


class _Decided(Policy):
    """A decision that was made."""

    cell: Int32[Array, ""]
    carry: PyTree

    def act(
        self, key: Key[Array, ""], observation: Observation, carry: PyTree
    ) -> tuple[Int32[Array, ""], PyTree]:
        """See `Policy`."""
        del key, observation, carry
        return self.cell, self.carry


class _Tally(NamedTuple):
    """A game in progress."""

    state: GameState
    account: Account
    by_hunt: Bool[Array, " C"]
    """Shots of the hunt that were not undone."""


def account(
    policy: Rewind,
    boards: Int8[np.ndarray, "N C"],
    keys: Key[Array, " N"],
    *,
    slots: int = _SLOTS,
) -> Account:
    """Play games and tell where their shots went.

    Args:
        policy: the hunter.
        boards: ship on each cell, −1 for water.
        keys: key of each game (`bsjax.runtime.streams.game_keys`).
        slots: games advanced together; changes no result.

    Returns:
        The accounts, on the host.

    Raises:
        ValueError: the hunter fired at a cell twice.
    """
    found, legal = _play(policy, jnp.asarray(boards), keys, slots=slots)
    if not np.asarray(legal).all():
        raise ValueError("the hunter fired at a cell twice")
    return jax.device_get(found)


@functools.partial(jax.jit, static_argnames="slots")
def _play(
    policy: Rewind, boards: Int8[Array, "N C"], keys: Key[Array, " N"], *, slots: int
) -> tuple[Account, Bool[Array, " N"]]:
    game = policy.game

    def begin(number: Int32[Array, ""]) -> _Tally:
        none, no = jnp.int16(0), jnp.bool_(False)
        first, hottest = jnp.full(game.ships, -1, jnp.int8), jnp.zeros(3, jnp.int16)
        state = start(policy, boards[number], keys[number])
        order = state.observation.shot_at
        zero = Account(none, none, none, none, none, none, hottest, first, no, order, no)
        return _Tally(state, zero, jnp.zeros(game.cells, bool))

    def keep(tally: _Tally) -> tuple[Account, Bool[Array, ""]]:
        state = tally.state
        seen = policy.look(state.observation, state.carry)
        on_path = _is_true(seen.private, state.board, ~np.array(policy.big))
        kept, shot_at = tally.by_hunt.sum(dtype=jnp.int16), state.observation.shot_at
        whole = tally.account._replace(kept=kept, shot_at=shot_at, on_path=on_path)
        return whole, state.legal

    return lockstep.run(
        begin,
        functools.partial(_shot, policy),
        lambda tally: finished(tally.state),
        keep,
        tasks=len(boards),
        count=jnp.int32(len(boards)),
        slots=slots,
        stride=STRIDE,
    )


def _shot(policy: Rewind, tally: _Tally) -> _Tally:
    """One shot, and what it was for."""
    game, state, so_far = policy.game, tally.state, tally.account
    observation = state.observation
    key = jax.random.fold_in(state.dice, observation.shots)
    turn = policy.turn(key, observation, state.carry)
    at = jnp.arange(game.cells, dtype=jnp.int32) == turn.cell
    ship = state.board[turn.cell]
    undone = tally.by_hunt & turn.erased
    on_big = (state.board >= 0) & jnp.asarray(np.array(policy.big))[jnp.maximum(state.board, 0)]
    if fits_one_word(game):
        scores = [density(game, observation)]
    else:
        scores = list(digits(game, observation)[::-1])
    hot = observation.mark == UNFIRED
    for score in scores:
        seen = jnp.where(hot, score, jnp.iinfo(jnp.int32).min)
        hot = seen == seen.max()
    part = jnp.arange(3, dtype=jnp.int8) == turn.part
    untouched = (jnp.arange(game.ships, dtype=jnp.int8) == ship) & (so_far.first < 0)

    def count(flags: Bool[Array, "*n"]) -> Int16[Array, ""]:
        return flags.sum(dtype=jnp.int16)

    account = so_far._replace(
        erased=so_far.erased + count(undone),
        erased_hits=so_far.erased_hits + count(undone & on_big),
        finisher=so_far.finisher + part[FINISHER].astype(jnp.int16),
        final=so_far.final + part[FINAL].astype(jnp.int16),
        recalled=so_far.recalled + turn.recalled,
        hottest=so_far.hottest + (part & hot[turn.cell]).astype(jnp.int16),
        first=jnp.where(untouched, turn.part, so_far.first),
        lost=so_far.lost | turn.lost,
    )
    by_hunt = (tally.by_hunt & ~turn.erased) | (at & part[HUNT])
    over = finished(state)
    account, by_hunt = jax.tree.map(
        lambda new, old: jnp.where(over, old, new), (account, by_hunt), (so_far, tally.by_hunt)
    )
    return _Tally(shoot(_Decided(game, turn.cell, turn.carry), state), account, by_hunt)


def _is_true(
    private: Private, board: Int8[Array, " C"], small: Bool[np.ndarray, " K"]
) -> Bool[Array, ""]:
    """Whether a hunt was told what the small ships alone would have answered."""
    asked, place = private.asked >= 0, private.place
    of_ship = (board[None] == jnp.arange(len(small), dtype=jnp.int8)[:, None]) & small[:, None]
    unasked = (of_ship & ~asked[None]).any(1)
    last = jnp.where(of_ship & asked[None], place[None], jnp.int16(-1)).max(1)
    sinks = of_ship & (place[None] == last[:, None]) & ~unasked[:, None]
    # Of a sink the answer tells more than that it was one: the length is that of the ship.
    told = jnp.where(sinks.any(0), 2, jnp.where(of_ship.any(0), 1, 0)).astype(jnp.int16)
    return (~asked | (jnp.minimum(private.answer, 2) == told)).all()
