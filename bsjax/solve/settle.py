"""From the loop to a player: the lottery over the pool that wins most where it wins least.

He hides as the loop's hider does. Of the lotteries over the pool that are as good against every
layout as any, many leave him open to **joint replies**: on a layout where his own finishing times
are others than usual, another hunt is best against him. Such replies are found, exactly, and the
matrix game is solved again with them as rows: what the lottery wins against an opponent who hides
on that layout and hunts with that reply. A few rounds close most of the gap.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from jaxtyping import Float64

from bsjax.evaluate.credit import race_credit
from bsjax.solve.found import Found, Options, weights_of
from bsjax.solve.matrix_game import solve
from bsjax.solve.player import Player, hiding
from bsjax.solve.pool import Pool
from bsjax.solve.tables import classes
from bsjax.solve.walk import Hunts, valued, walk
from bsjax.solve.written import written

_TIMES = 3
"""Most matrix games until a player's own pace is the one he was chosen for."""
_SAME = 5e-4
"""Two paces that differ by less than this in all are one."""
_USED = 1e-6
"""Share above which a hunt counts as used."""
_GAINS = 1e-4
"""A joint reply that wins less than this above one half is left out."""


class Joint(NamedTuple):
    """A joint reply: where it hides, and when it finishes against the player's hider."""

    on: int
    """Class of layouts."""
    pace: Float64[np.ndarray, " T"]


def settled(
    found: Found,
    *,
    rounds: int = 4,
    replies: int | None = None,
    hunts: int = 4000,
    written_to: tuple[Options, Path] | None = None,
    kept: int | None = None,
) -> Player:
    """The player that the loop has found.

    Args:
        found: where the loop is.
        rounds: how often joint replies are looked for.
        replies: classes of layouts they hide on, those where the player is weakest; all by default.
        hunts: hunts that the lottery is over, those used most lately.
        written_to: options and run folder of the loop, if his hunts are to be written down.
        kept: most hunts to write, those with the largest shares; all that are used by default.
            With fewer the player keeps the finishing times of all, and the hunts that are written
            are a lottery of their own.

    Cost: a matrix game or two and a backward pass for every reply, each round.
    """
    pool = found.pool.most_used(hunts)
    joint: list[Joint] = []
    for _ in range(rounds):
        share = _lottery(found, pool, joint)
        joint += _replies(found, _player(found, pool, share), replies)
    share = _lottery(found, pool, joint)
    player = _player(found, pool, share)
    if written_to is None:
        return player
    used = np.flatnonzero(share > _USED)
    used = used[np.argsort(-share[used], kind="stable")][:kept]
    few, weights = pool.part(used), share[used] / share[used].sum()
    if len(used) == kept:
        weights = _lottery(found, few, joint)
    cells = written(found.graph, *written_to, few.number)
    return player._replace(weights=weights, hunts=cells)


def _lottery(found: Found, pool: Pool, joint: Sequence[Joint]) -> Float64[np.ndarray, " H"]:
    """What wins most on the worst layout, at its own pace, and against the worst joint reply."""
    hider, pace, share = found.state.hider, found.state.pace, pool.share
    size = pool.size.astype(np.float32)
    more = [
        pool.finishing[:, one.on] @ race_credit(one.pace).astype(np.float32) / size[one.on]
        for one in joint
    ]
    for _ in range(_TIMES):
        won = np.concatenate([pool.payoff(race_credit(pace)), *(row[None] for row in more)])
        share = solve(won, start=share).columns
        own = hider @ pool.times(share)
        if np.abs(own - pace).sum() < _SAME:
            break
        pace = (own + pace) / 2
    return share


def _replies(found: Found, player: Player, number: int | None) -> list[Joint]:
    """Exact joint replies from the classes where hiding alone wins most."""
    row, size = classes(player.game).row, found.pool.size
    hider = found.state.hider
    best = Hunts(np.full(1, -1), np.zeros(1), np.zeros(1, np.uint64))
    joint = []
    for on in np.argsort(-hiding(player)[row], kind="stable")[:number].tolist():
        times = player.finishing[row[on]]
        worth = player.hider[:, None] * race_credit(times / times.sum())
        reply = valued(found.graph, worth)
        if reply.value > 0.5 + _GAINS:
            pace = hider @ (walk(reply, best)[0] / size[:, None])
            joint.append(Joint(on, pace / pace.sum()))
    return joint


def _player(found: Found, pool: Pool, share: Float64[np.ndarray, " H"]) -> Player:
    game, none = found.graph.game, np.zeros(0)
    times = pool.times(share)[classes(game).of]
    return Player(game, found.graph.rule, weights_of(game, found.state.hider), times, none, [])
