"""From the loop to a player: the lottery over hunts that wins most where it wins least.

He begins with the loop's hider. Of the lotteries that are as good against every layout as any,
many leave him open to **joint replies**: on a layout where his own finishing times are others than
usual, another hunt is best against him. A matrix game finds the lottery that is not. Its rows are

* layouts: what a hunt wins there against the player's pace;
* joint replies: what it wins on the layout they hide on, against the times of the hunt they found.

Both sides grow, exactly. **Columns**: the rows' lottery is an opponent like any other, whose pace
depends on where he hides; one backward pass gives the best hunt against him, and its variants.
**Rows**: against the lottery over hunts the best joint reply from every layout, the worst of which
become rows.

What a joint reply wins is linear in the hider too. If replies are tried from every layout, he may
**move**: to where the replies found win least, near where he is. Hunts and hider are then chosen in
turn, which can end where only both at once could go on. A move stays if an exact joint reply wins
less after it, and the next one goes farther; if not, it is taken back, and the next one is nearer.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from jaxtyping import Float64

from bsjax.evaluate.credit import race_credit
from bsjax.runtime.progress import Progress
from bsjax.solve.best_reply import MEMORY, best_values
from bsjax.solve.found import Found, Options, weights_of, worth_in
from bsjax.solve.knowledge import Graph
from bsjax.solve.loop import variants
from bsjax.solve.matrix_game import solve
from bsjax.solve.player import Player, hiding
from bsjax.solve.pool import Pool
from bsjax.solve.tables import classes
from bsjax.solve.walk import Hunts, valued, walk
from bsjax.solve.written import written

_ROUGH, _FINE = 1e-4, 1e-5
"""Gap of a matrix game too large for the linear program: of a step, and of a lottery to keep."""
_TIMES = 3
"""Most matrix games until a player's own pace is the one he was chosen for."""
_SAME = 5e-4
"""Two paces that differ by less than this in all are one."""
_USED = 1e-6
"""Share above which a hunt or a row counts as used."""
_GAINS = 1e-4
"""A joint reply that wins less than this above one half is left out."""
BEST = Hunts(np.full(1, -1), np.zeros(1), np.zeros(1, np.uint64))
"""The best reply itself."""
_DEAR = 3.0
"""What a layout wins above one half counts so much: a reply that only hides needs no thought."""


_MOVE, _LONGER, _SHORTER = 0.005, 1.5, 1.5
"""Share of its weight that a class of layouts may gain or lose in the first move of the hider; what
it is multiplied with after a move that stays, and divided by after one that does not."""
_ROWS = 500
"""Joint replies that may be rows before those that are not feared are left out."""
_MET = 2000
"""Joint replies, the last ones, that the hider moves away from."""
_LEAST_MOVE = 1e-5
"""Weight that a class may gain at least, whatever it has."""


class Plan(NamedTuple):
    """How a player is settled."""

    rounds: int = 4
    """How often joint replies become rows."""
    columns: int = 4
    """How often hunts are looked for in each round."""
    tried: int | None = None
    """Classes of layouts that joint replies are tried from, those where hiding alone wins most;
    all by default."""
    rows: int | None = None
    """The most joint replies of a round that become rows, the best; all by default."""
    moves: bool = False
    """The hider moves as well, after half of the rounds."""
    hunts: int = 4000
    """Hunts that the lottery is over, those used most lately."""
    kept: int | None = None
    """Most hunts to write down, those with the largest shares; all that are used by default. With
    fewer the player keeps the finishing times of all, and the hunts that are written are a lottery
    of their own."""


class Joint(NamedTuple):
    """A joint reply: where it hides, and when it finishes on every class of layouts."""

    on: int
    """Class of layouts."""
    times: Float64[np.ndarray, "O T"]


class Chosen(NamedTuple):
    """A player: his hider, and the lottery of a pool at a pace."""

    hider: Float64[np.ndarray, " O"]
    pool: Pool
    pace: Float64[np.ndarray, " T"]
    joint: float = np.inf
    """What the best joint reply wins against him."""


def settled(
    found: Found,
    plan: Plan,
    *,
    written_to: tuple[Options, Path] | None = None,
    memory: int = MEMORY,
    quiet: bool = True,
) -> Player:
    """The player that the loop has found.

    Args:
        found: where the loop is.
        plan: how.
        written_to: options and run folder of the loop, if his hunts are to be written down.
        memory: bytes of a pass, about; they change no result.
        quiet: show no progress.

    Raises:
        ValueError: the hider is to move, but not all replies that he moves from are tried.

    Cost: for each round `columns` matrix games, backward passes and walks, a column of a pass for
        each joint reply that is tried, and a pass for each that becomes a row.
    """
    if plan.moves and plan.tried is not None:
        raise ValueError(
            "the hider moves from replies of all layouts: leave out how many are tried"
        )
    graph, options = found.graph, Options() if written_to is None else written_to[0]
    worths: list[Float64[np.ndarray, "O T"]] = []
    """What finishing was worth in each step: with it, its hunts can be found again."""
    first, reach = found.state.round + 1, _MOVE
    now = Chosen(found.state.hider, found.pool.most_used(plan.hunts), found.state.pace)
    best, joint, met = now, [], []
    with Progress("settling", plan.rounds, "rounds", done=0, quiet=quiet) as bar:
        for number in range(plan.rounds + 1):
            for _ in range(plan.columns if number else 0):
                now, rows = _lottery(now, joint, times=1, gap=_ROUGH)
                worths.append(_worth(rows, now, joint))
                now = now._replace(pool=_grown(graph, now.pool, worths, first, options, plan.hunts))
            now, rows = _lottery(now, joint)
            if not plan.rounds:
                best = now
                break
            replies = Replies(graph, now, plan, memory)
            now = now._replace(joint=replies.won[0])
            better = now.joint < best.joint
            best = now if better else best
            if number == plan.rounds:
                break
            if len(joint) > _ROWS:
                # Those that the lottery need not fear come back if they are missed.
                feared = rows[len(rows) - len(joint) :] > _USED
                joint = [one for one, kept in zip(joint, feared, strict=True) if kept]
            new = replies.rows()
            joint, met = joint + new, met + new
            if plan.moves and number >= plan.rounds // 2:
                reach = reach * _LONGER if better else reach / _SHORTER
                now = now._replace(hider=_moved(best.hider, now.pool, met[-_MET:], reach))
            bar.advance(1)
    player = _player(graph, best)
    if written_to is None:
        return player
    share = best.pool.share
    used = np.flatnonzero(share > _USED)
    used = used[np.argsort(-share[used], kind="stable")][: plan.kept]
    few = best._replace(pool=best.pool.part(used))
    if len(used) == plan.kept:
        few, _ = _lottery(few, joint)
    of = written_to[1]
    cells = written(
        graph,
        options,
        lambda number: worth_in(of, number) if number < first else worths[number - first],
        few.pool.number,
    )
    return player._replace(weights=few.pool.share, hunts=cells)


def _grown(
    graph: Graph,
    pool: Pool,
    worths: Sequence[Float64[np.ndarray, "O T"]],
    first: int,
    options: Options,
    most: int,
) -> Pool:
    """The pool with the best hunts of the last step; the steps are numbered from `first` on."""
    number = first + len(worths) - 1
    reply = valued(graph, weights_of(graph.game, worths[-1]))
    new = walk(reply, variants(reply, options, number))
    return pool.joined(new, number * options.variants, most)


def _lottery(
    now: Chosen, joint: Sequence[Joint], times: int = _TIMES, gap: float = _FINE
) -> tuple[Chosen, Float64[np.ndarray, " R"]]:
    """The lottery that wins most on the worst layout, at its own pace, and against the worst joint
    reply; with the lottery over rows, layouts first.

    Args:
        now: his hider, the pool, and the pace to begin with.
        joint: replies that are rows.
        times: most matrix games until the pace is its own.
        gap: at which a matrix game that is not solved exactly stops.
    """
    pool, pace, size = now.pool, now.pace, now.pool.size.astype(np.float32)
    more = [
        pool.finishing[:, one.on] @ race_credit(now.hider @ one.times).astype(np.float32)
        for one in joint
    ]
    while True:
        layouts = 0.5 + _DEAR * (pool.payoff(race_credit(pace)) - 0.5)
        rows = [row[None] / size[one.on] for row, one in zip(more, joint, strict=True)]
        won = np.concatenate([layouts, *rows])
        solution = solve(won, tolerance=gap, start=pool.share)
        pool, times = pool.mixed(solution.columns), times - 1
        own = now.hider @ pool.times()
        if times < 1 or np.abs(own - pace).sum() < _SAME:
            return now._replace(pool=pool, pace=pace), solution.rows
        pace = (own + pace) / 2


def _worth(
    rows: Float64[np.ndarray, " R"], now: Chosen, joint: Sequence[Joint]
) -> Float64[np.ndarray, "O T"]:
    """What finishing is worth on each class of layouts against a lottery over rows."""
    layouts = len(rows) - len(joint)
    worth = _DEAR * rows[:layouts, None] * race_credit(now.pace)
    for share, one in zip(rows[layouts:], joint, strict=True):
        worth[one.on] += share * race_credit(now.hider @ one.times)
    return worth


class Replies:
    """Exact joint replies from the classes where hiding alone wins most, the best first."""

    def __init__(self, graph: Graph, now: Chosen, plan: Plan, memory: int):
        player = _player(graph, now)
        row = classes(graph.game).row
        tried = np.argsort(-hiding(player)[row], kind="stable")[: plan.tried]
        times = player.finishing[row[tried]]
        credits = np.stack([race_credit(one) for one in times / times.sum(1, keepdims=True)])
        won = best_values(graph, player.hider, credits, memory=memory)
        order = np.argsort(-won, kind="stable")
        self.graph, self.hider, self.most = graph, player.hider, plan.rows
        self.on, self.won, self.credits = tried[order], won[order], credits[order]

    def rows(self) -> list[Joint]:
        """Those that win something, as rows. Cost: a backward pass for each."""
        size = classes(self.graph.game).size
        gains = np.flatnonzero(self.won > 0.5 + _GAINS)[: self.most]
        joint = []
        for at in gains.tolist():
            reply = valued(self.graph, self.hider[:, None] * self.credits[at])
            joint.append(Joint(int(self.on[at]), walk(reply, BEST)[0] / size[:, None]))
        return joint


def _moved(
    hider: Float64[np.ndarray, " O"], pool: Pool, joint: Sequence[Joint], reach: float
) -> Float64[np.ndarray, " O"]:
    """The hider against whom the joint replies win least, within reach."""
    from scipy.optimize import linprog

    times = pool.times()
    won = np.stack([one.times @ race_credit(times[one.on]) for one in joint])
    found = linprog(
        np.append(np.zeros(len(hider)), 1.0),
        A_ub=np.hstack([won, -np.ones((len(won), 1))]),
        b_ub=np.zeros(len(won)),
        A_eq=np.append(np.ones(len(hider)), 0.0)[None],
        b_eq=[1.0],
        bounds=[(one * (1 - reach), one * (1 + reach) + _LEAST_MOVE) for one in hider]
        + [(None, None)],
        method="highs",
    )
    if not found.success:
        raise ValueError(f"the hider found no move: {found.message}")
    moved = np.maximum(found.x[:-1], 0)
    return moved / moved.sum()


def _player(graph: Graph, now: Chosen) -> Player:
    game, none = graph.game, np.zeros(0)
    times = now.pool.times()[classes(game).of]
    return Player(game, graph.rule, weights_of(game, now.hider), times, none, [])
