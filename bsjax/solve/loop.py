"""The best-reply loop: a near-perfect player of a small game, exact reply by exact reply.

The hider q is judged by v(q), the most that any hunt wins against him at the current pace: one
backward pass (`bsjax.solve.walk.valued`). It is a convex function of q. The best reply touches it
at q, variants of the reply touch it nearly, and nearby; all hunts found are the pool. From it
follow a lottery over hunts, what wins most against every layout, and a hider, against whom the
pool wins least.

To reply to that hider makes q jump between extreme answers: the pool knows nothing where it has
not been. This loop is a **proximal bundle** method (Lemaréchal 1978): the next q is the best
against the pool within reach of a centre (`bsjax.solve.matrix_game.proximal`). It becomes the
centre if v falls by a fair share of what the pool promised; if not, the pool has learned why.

The pace goes part of the way to the mixture's own finishing times whenever the centre moves, so a
fixed point races against itself.

**Rivals.** A joint reply hunts otherwise for every layout it hides on, because the pace there is
another one. With `rivals` the loop also plays against such replies: each round the best hunt
against q at the pace on some layouts is found, and the opponent of the matrix game chooses a
layout and a rival together. The centre is then a lottery over such pairs; its layouts are the
hider. Without, there is one rival, who hunts as the player does.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float64, UInt8

from bsjax.game.game import Game
from bsjax.runtime.origin import origin
from bsjax.runtime.progress import Progress
from bsjax.runtime.run_folder import RunFolder
from bsjax.solve.best_reply import race_credit
from bsjax.solve.knowledge import Graph
from bsjax.solve.matrix_game import proximal
from bsjax.solve.pool import Pool
from bsjax.solve.rivals import Rivals, replies
from bsjax.solve.tables import classes
from bsjax.solve.walk import Hunts, Valued, valued, walk

_LONGER, _SHORTER = 1.5, 1.5
"""What the reach is multiplied with after a round that moved the centre, and divided by after one
that did not."""
_DUST = 0.02
"""Share that the hunts of the pool have together when the proximal step begins."""
_FLOOR = 1e-4
"""Share that is spread evenly over the classes of layouts in every hider."""


class Options(NamedTuple):
    """How the loop goes."""

    rounds: int = 100
    """Rounds after which it stops."""
    gap: float = 1e-5
    """It stops before that when hunter and hider can gain no more than this."""
    variants: int = 64
    """Hunts of each round: the best reply, and warmer ones with all first shots in turn."""
    coldest: float = 1e-4
    hottest: float = 1e-2
    """Temperatures of the variants (`bsjax.solve.walk`), spread evenly in their logarithm."""
    pool: int = 4000
    """Most hunts that are kept; the least used go first."""
    reach: float = 3.0
    """First and least step of the hider (η in `bsjax.solve.matrix_game.proximal`)."""
    fair: float = 0.1
    """Share of the promised gain that moves the centre."""
    damping: float = 0.5
    """How far the pace goes to the mixture's finishing times."""
    rivals: int = 0
    """Joint replies that are found in a round."""
    keep: int = 24
    """Most rivals; the least used go first."""
    seed: int = 0


class State(NamedTuple):
    """Where the loop is; O classes of layouts, J rivals."""

    round: int
    center: Float64[np.ndarray, "O J"]
    """The opponent: share of each class and rival."""
    worth: float
    """What the best reply wins against him at the pace."""
    pace: Float64[np.ndarray, " T"]
    reach: float
    history: list[dict[str, float]]
    """What each round found."""

    @property
    def hider(self) -> Float64[np.ndarray, " O"]:
        """Share of each class."""
        return self.center.sum(1)


class Found(NamedTuple):
    """A hider, a pace, a lottery over the hunts of a pool, and rivals."""

    graph: Graph
    state: State
    pool: Pool
    rivals: Rivals

    def credits(self) -> Float64[np.ndarray, "J T"]:
        """What finishing at shot t is worth against every rival."""
        return self.rivals.credits(self.state.pace, self.state.hider)


def loop(
    graph: Graph,
    options: Options,
    out: Path,
    *,
    resume: bool = False,
    start: Found | None = None,
    quiet: bool = False,
    told: Callable[[dict[str, float]], None] | None = None,
) -> Found:
    """Run the loop, or go on with it, until it is done.

    Args:
        graph: states of knowledge of the game.
        options: how. `rounds` and `gap` may change between two runs of the same folder.
        out: run folder; every round is a checkpoint. A killed loop goes on with the same bits.
        resume: go on with the loop in `out`.
        start: where a new loop begins; by default all layouts are equally likely, and the pool is
            of hunts that need few shots.
        quiet: show no progress.
        told: called with the figures of each round.

    Raises:
        ValueError: the folder holds something else.
        OSError: it cannot be written; the rounds before are kept.

    Cost: a backward pass, one for each joint reply, a walk of the variants, and some hundred
    products with the pool a round.
    """
    folder = RunFolder(out, _settings(graph, options), resume=resume)
    try:
        kept = folder.state
        if kept is None:
            found = _opening(graph, options) if start is None else _reopened(start, options)
            first = len(found.pool.number)
            done = 0
        else:
            first, done = kept["first"], kept["round"]
        shape = (len(classes(graph.game).size), graph.game.cells + 1)
        a_round = options.variants + options.rivals
        planned = first + max(options.rounds, done) * a_round
        folder.rows("hunts", planned, shape, "u1", 0 if kept is None else first + done * a_round)
        if kept is None:
            folder.append("hunts", found.pool.finishing)
            folder.save(_packed(found, first))
        else:
            found = _unpacked(graph, kept, np.load(folder.path / "hunts.npy", mmap_mode="r"))
        with Progress("rounds", options.rounds, "rounds", done=done, quiet=quiet) as bar:
            while found.state.round < options.rounds and not _closed(found.state, options):
                number = first + found.state.round * a_round
                found, new = _round(found, options, number)
                folder.append("hunts", new)
                folder.save(_packed(found, first))
                bar.advance(1)
                if told is not None:
                    told(found.state.history[-1])
        last = {"rounds": found.state.round, "history": found.state.history}
        folder.finish(last, origin(options.seed))
        return found
    finally:
        folder.close()


def weights_of(game: Game, share: Float64[np.ndarray, "O ..."]) -> Float64[np.ndarray, "M ..."]:
    """Share of every layout from the shares of the classes."""
    of, size, _ = classes(game)
    return (share / size.reshape(-1, *[1] * (share.ndim - 1)))[of]


def _settings(graph: Graph, options: Options) -> dict[str, Any]:
    game = graph.game
    lasting = {key: value for key, value in options._asdict().items() if key not in _MAY_CHANGE}
    return {
        "kind": "best-reply loop",
        "size": list(game.size),
        "fleet": list(game.fleet),
        "touching": game.touching,
        "rule": graph.rule,
        **lasting,
    }


_MAY_CHANGE = ("rounds", "gap")


def _closed(state: State, options: Options) -> bool:
    last = state.history[-1] if state.history else None
    return last is not None and max(last["worth"] - 0.5, 0.5 - last["low"]) <= options.gap


def _opening(graph: Graph, options: Options) -> Found:
    """All layouts equally likely, hunted by those who need few shots, at the pace of the best."""
    cells, size = graph.game.cells, classes(graph.game).size
    hider = size / size.sum()
    few = (cells - np.arange(cells + 1.0)) * weights_of(graph.game, hider)[:, None]
    quick = valued(graph, few)
    new = walk(quick, _variants(quick, options, 0))
    number = np.arange(len(new))
    even = np.full(len(new), 1 / len(new))
    pool = Pool(size, new, number, even, even)
    pace = hider @ pool.times((number == 0).astype(float))
    state = State(0, hider[:, None], np.inf, pace, options.reach, [])
    return Found(graph, state, pool, Rivals.none(pool))


def _reopened(start: Found, options: Options) -> Found:
    """A new loop from where another is."""
    number = np.arange(len(start.pool.number))
    state = start.state._replace(round=0, worth=np.inf, reach=options.reach, history=[])
    state = state._replace(center=state.hider[:, None])
    pool = start.pool._replace(number=number)
    return Found(start.graph, state, pool, Rivals.none(pool))


def _round(
    found: Found, options: Options, number: int
) -> tuple[Found, UInt8[np.ndarray, "N O T"]]:
    """One reply and what follows from it, and the hunts that were found."""
    graph, state, pool, rivals = found
    game, credits = graph.game, found.credits()
    won = pool.payoff(credits)
    flat = won.reshape(-1, won.shape[2])
    near = proximal(flat, state.center.ravel(), state.reach, _dusted(pool.share, _DUST))
    asked = _dusted(near.rows, _FLOOR).reshape(state.center.shape)
    reply = valued(graph, weights_of(game, asked @ credits))
    new = walk(reply, _variants(reply, options, state.round + 1))
    moved = state.worth - reply.value >= options.fair * (state.worth - near.worth)
    pool = pool.mixed(near.columns)
    told = {
        "round": state.round + 1,
        "worth": reply.value if moved else state.worth,
        "low": float((flat @ pool.share).min()),
        "asked": reply.value,
        "promised": near.worth,
        "reach": state.reach,
        "moved": float(moved),
        "pool": len(pool.number),
        "rivals": len(rivals.number),
    }
    joint = replies(graph, state.hider, pool.times(), rivals, options.rivals)
    told |= joint.told
    new = np.concatenate([new, joint.finishing])
    pool = pool.joined(new, number, options.pool)
    state = state._replace(round=state.round + 1, history=[*state.history, told])
    if moved:
        own = asked.sum(1) @ pool.times()
        pace = state.pace + options.damping * (own - state.pace)
        state = state._replace(center=asked, pace=pace, reach=state.reach * _LONGER)
    else:
        state = state._replace(reach=max(state.reach / _SHORTER, options.reach))
    rivals, center = rivals.joined(joint, number + options.variants, state.center, options.keep)
    found = Found(graph, state._replace(center=center), pool, rivals)
    if moved or options.rivals:
        # The replies touch v at the centre; the pool says what the new pace makes of it.
        value = (center.ravel() @ pool.payoff(found.credits()).reshape(center.size, -1)).max()
        found = found._replace(state=found.state._replace(worth=float(value)))
    return found, new


def _dusted(share: Float64[np.ndarray, " n"], dust: float) -> Float64[np.ndarray, " n"]:
    """A lottery in which everything has a little."""
    return (1 - dust) * share + dust / len(share)


def _variants(reply: Valued, options: Options, round_: int) -> Hunts:
    """The best reply itself, then warmer and warmer ones; every other one with a given first shot,
    all of them in turn over the rounds."""
    number = options.variants
    warm = np.geomspace(options.coldest, options.hottest, max(number - 1, 1))
    temperature = np.append(0.0, warm)[:number]
    moves = int(reply.graph.layers[0].pages.moves(np.zeros(1, np.int64))[0])
    turn = np.arange(number)
    first = np.where(turn % 2 == 1, (turn // 2 + round_ * (number // 2)) % moves, -1)
    mark = (options.seed << 40) + round_ * number + turn
    return Hunts(first, temperature, mark.astype(np.uint64))


def _packed(found: Found, first: int) -> dict[str, Any]:
    state, pool, rivals = found.state, found.pool, found.rivals
    kept = state._asdict() | {"center": state.center.tolist(), "pace": state.pace.tolist()}
    kept |= {"worth": None if state.worth == np.inf else state.worth, "first": first}
    kept |= {key: getattr(pool, key).tolist() for key in ("number", "share", "used")}
    return kept | {"rivals": rivals.number.tolist(), "asked": rivals.asked.tolist()}


def _unpacked(graph: Graph, kept: dict[str, Any], rows: np.ndarray) -> Found:
    taken = dict(kept)
    del taken["first"]
    number, share, used = (np.array(taken.pop(key)) for key in ("number", "share", "used"))
    pool = Pool(classes(graph.game).size, np.array(rows[number]), number, share, used)
    rival, asked = (np.array(taken.pop(key), np.int64) for key in ("rivals", "asked"))
    rivals = Rivals(pool.size, np.array(rows[rival]), rival, asked)
    taken["center"] = np.array(taken["center"]).reshape(len(pool.size), -1)
    taken["pace"] = np.array(taken["pace"])
    taken["worth"] = np.inf if taken["worth"] is None else taken["worth"]
    return Found(graph, State(**taken), pool, rivals)
