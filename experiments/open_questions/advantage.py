"""How many shots rollouts save, measured at every decision instead of at the end of games.

The shots of a game spread by nine, so telling half a shot apart by results takes thousands of
games. But the mean difference between two hunters is the sum, over the decisions of games played
by one, of what each of its choices gains when the other plays on (the performance difference
lemma; Kakade and Langford, "Approximately optimal approximate reinforcement learning", 2002):

    E[shots of rollout] − E[shots of base] = E[ Σ over decisions of  Q(its cell) − Q(base's cell) ],

with Q(cell) the further shots that the base hunter needs if `cell` is fired at now. Each Q is the
mean over layouts drawn from the posterior *anew*, in which both cells are played out: the draws
that made the choice would flatter it. Most of the luck of a game is gone from the sum.
"""

import time
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float32, Int32, Key, PyTree

from bsjax import hide
from bsjax.game.observation import Observation
from bsjax.hide.base import Hider, boards
from bsjax.policies.base import Policy
from bsjax.policies.playing import finished, shoot, start
from bsjax.policies.rollout import Rollout, shots_after, worlds_of
from bsjax.posterior.drawn import Drawn
from bsjax.runtime import lockstep, streams


class Judged(Policy):
    """A rollout hunter that keeps count of what its choices gain over those of its base."""

    hunter: Rollout
    worlds: int = eqx.field(static=True)
    """Layouts drawn to judge a choice."""

    def init(self, key: Key[Array, ""]) -> PyTree:
        """What was gained so far, in shots."""
        return jnp.float32(0)

    def act(
        self, key: Key[Array, ""], observation: Observation, carry: PyTree
    ) -> tuple[Int32[Array, ""], PyTree]:
        """The hunter's cell."""
        mine, drawn, world = jax.random.split(key, 3)
        base = self.hunter.base
        cell, _ = self.hunter.act(mine, observation, ())
        other, _ = base.act(key, observation, base.init(key))
        view = Drawn(self.game, draws=4 * self.worlds).view(drawn, observation)
        layouts = worlds_of(self.game, view, world, self.worlds)
        cells = jnp.stack([cell, other])
        differ = jnp.broadcast_to((cell != other) & (cell >= 0), (2,))
        shots = shots_after(self.worlds)(base, observation, layouts, cells, differ)
        gain = (shots[0] - shots[1]).astype(jnp.float32).mean()
        return cell, carry + jnp.where(differ[0], gain, 0)


class Rows(NamedTuple):
    """Of every game: shots, and what the choices gained."""

    shots: Int32[np.ndarray, " n"]
    gain: Float32[np.ndarray, " n"]


@eqx.filter_jit
def _play(policy: Judged, hider: Hider, key: Key[Array, ""], first: Array, games: int, slots: int):
    keys = streams.board_keys(key, jnp.uint32(0), first, games)
    layouts = boards(hider.game, hider.place(keys, jnp.int32(games), slots).placements)

    def begin(number: Int32[Array, ""]):
        own = streams.game_key(key, jnp.uint32(0), first, number.astype(jnp.uint32))
        return start(policy, layouts[number], own)

    return lockstep.run(
        begin,
        partial(shoot, policy),
        finished,
        lambda state: (state.observation.shots, state.carry),
        tasks=games,
        count=jnp.int32(games),
        slots=slots,
        stride=1,
    )


def gains(
    hunter: Rollout, *, worlds: int, games: int, seed: int, folder: Path, batch: int, slots: int
) -> Rows:
    """Games of the hunter on the boards of a seed, kept in a folder and gone on with.

    Args:
        hunter: judged against its base.
        worlds: layouts that judge a choice.
        games: numbers 0 … games − 1, a multiple of `batch`.
        seed: seed of boards and dice.
        folder: rows are kept here, one file a batch.
        batch: games of one launch.
        slots: games advanced together.
    """
    folder.mkdir(parents=True, exist_ok=True)
    policy = Judged(hunter.game, hunter, worlds)
    hider = hide.make("uniform", hunter.game)
    parts = []
    for first in range(0, games, batch):
        path = folder / f"{first}.npz"
        if not path.exists():
            started = time.monotonic()
            shots, gain = _play(
                policy, hider, jax.random.key(seed), jnp.uint32(first), batch, slots
            )
            partial_path = path.with_suffix(".partial.npz")
            np.savez(partial_path, shots=np.asarray(shots), gain=np.asarray(gain))
            partial_path.replace(path)
            print(f"{folder.name}: {first + batch} of {games}, {time.monotonic() - started:.0f} s")
        with np.load(path) as kept:
            parts.append(Rows(kept["shots"].astype(np.int32), kept["gain"]))
    return Rows(*(np.concatenate(part) for part in zip(*parts, strict=True)))


def summary(rows: Rows) -> dict[str, Any]:
    """Mean shots and gain with their standard errors."""
    n = len(rows.shots)
    return {
        "games": n,
        "mean_shots": float(rows.shots.mean()),
        "mean_shots_se": float(rows.shots.std(ddof=1) / np.sqrt(n)),
        "gain": float(rows.gain.mean(dtype=np.float64)),
        "gain_se": float(rows.gain.std(ddof=1, dtype=np.float64) / np.sqrt(n)),
    }
