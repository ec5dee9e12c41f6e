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
from bsjax.solve.matrix_game import proximal, solve
from bsjax.solve.player import Player
from bsjax.solve.pool import Pool
from bsjax.solve.tables import classes
from bsjax.solve.walk import Hunts, Valued, valued, walk

_LONGER, _SHORTER = 1.5, 1.5
"""What the reach is multiplied with after a round that moved the centre, and divided by after one
that did not."""
_DUST = 0.02
"""Share that the hunts of the pool have together when the proximal step begins."""
_FLOOR = 1e-4
"""Share that is spread evenly over all classes of layouts in every hider."""
_SETTLING, _SETTLED = 12, 1e-4
"""Most matrix games until a player's own pace is the one he was chosen for, and how near is near."""


class Options(NamedTuple):
    """How the loop goes."""

    rounds: int = 300
    """Rounds after which it stops."""
    gap: float = 1e-4
    """It stops before that when hunter and hider together can gain no more than this."""
    variants: int = 64
    """Hunts of each round: the best reply, and warmer ones with all first shots in turn."""
    coldest: float = 1e-4
    hottest: float = 1e-2
    """Temperatures of the variants (`bsjax.solve.walk`), spread evenly in their logarithm."""
    pool: int = 4000
    """Most hunts that are kept; the least used go first."""
    reach: float = 30.0
    """First step of the hider (η in `bsjax.solve.matrix_game.proximal`)."""
    fair: float = 0.1
    """Share of the promised gain that moves the centre."""
    damping: float = 0.5
    """How far the pace goes to the mixture's finishing times."""
    seed: int = 0


class State(NamedTuple):
    """Where the loop is; O classes of layouts."""

    round: int
    center: Float64[np.ndarray, " O"]
    """The hider: share of each class."""
    worth: float
    """What the best reply wins against him at the pace."""
    pace: Float64[np.ndarray, " T"]
    reach: float
    history: list[dict[str, float]]
    """What each round found."""


class Found(NamedTuple):
    """A hider, a pace, and a lottery over the hunts of a pool."""

    graph: Graph
    state: State
    pool: Pool


def loop(
    graph: Graph,
    options: Options,
    out: Path,
    *,
    resume: bool = False,
    quiet: bool = False,
    told: Callable[[dict[str, float]], None] | None = None,
) -> Found:
    """Run the loop, or go on with it, until it is done.

    Args:
        graph: states of knowledge of the game.
        options: how. `rounds` and `gap` may change between two runs of the same folder.
        out: run folder; every round is a checkpoint. A killed loop goes on with the same bits.
        resume: go on with the loop in `out`.
        quiet: show no progress.
        told: called with the figures of each round.

    Raises:
        ValueError: the folder holds something else.
        OSError: it cannot be written; the rounds before are kept.

    Cost: a backward pass, a walk of the variants, and some hundred products with the pool a round.
    """
    folder = RunFolder(out, _settings(graph, options), resume=resume)
    try:
        size = classes(graph.game).size
        shape, path = (len(size), graph.game.cells + 1), folder.path / "hunts.npy"
        done = 0 if folder.state is None else folder.state["round"] + 1
        planned = max(options.rounds + 1, done) * options.variants
        folder.rows("hunts", planned, shape, "u1", done * options.variants)
        if folder.state is None:
            found, new = _start(graph, options)
            folder.append("hunts", new)
            folder.save(_packed(found))
        else:
            found = _unpacked(graph, folder.state, np.load(path, mmap_mode="r"))
        start = found.state.round
        with Progress("rounds", options.rounds, "rounds", done=start, quiet=quiet) as bar:
            while found.state.round < options.rounds and not _closed(found.state, options):
                found, new = _round(found, options)
                folder.append("hunts", new)
                folder.save(_packed(found))
                bar.advance(1)
                if told is not None:
                    told(found.state.history[-1])
        last = {"rounds": found.state.round, "history": found.state.history}
        folder.finish(last, origin(options.seed))
        return found
    finally:
        folder.close()


def player_of(found: Found) -> Player:
    """The player that the loop has: its hider, and the lottery over the pool that wins most on its
    worst layout, at the pace that this very player sets.

    Cost: a few matrix games over the pool.
    """
    graph, state, pool = found
    pace, share = state.pace, pool.share
    for _ in range(_SETTLING):
        share = solve(pool.payoff(pace)).columns
        own = state.center @ pool.times(share)
        if np.abs(own - pace).sum() < _SETTLED:
            break
        pace = (own + pace) / 2
    game, of = graph.game, classes(graph.game).of
    hider = weights_of(game, state.center)
    none = np.zeros(0)
    return Player(game, graph.rule, hider, pool.times(share)[of], none, [])


def weights_of(game: Game, share: Float64[np.ndarray, " O"]) -> Float64[np.ndarray, " M"]:
    """Share of every layout from the shares of the classes."""
    of, size, _ = classes(game)
    return (share / size)[of]


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


def _start(graph: Graph, options: Options) -> tuple[Found, UInt8[np.ndarray, "N O T"]]:
    """All layouts equally likely, hunted by those who need few shots, at the pace of the best."""
    cells, size = graph.game.cells, classes(graph.game).size
    center = size / size.sum()
    quick = valued(graph, cells - np.arange(cells + 1.0), weights_of(graph.game, center))
    new = walk(quick, _variants(quick, options, 0))
    number = np.arange(len(new))
    even = np.full(len(new), 1 / len(new))
    pool = Pool(size, new, number, even, even)
    pace = center @ pool.times((number == 0).astype(float))
    state = State(0, center, np.inf, pace, options.reach, [])
    return Found(graph, state, pool), new


def _round(found: Found, options: Options) -> tuple[Found, UInt8[np.ndarray, "N O T"]]:
    """One reply and what follows from it, and the hunts that were found."""
    graph, state, pool = found
    won = pool.payoff(state.pace)
    near = proximal(won, state.center, state.reach, _dusted(pool.share, _DUST))
    asked = _dusted(near.rows, _FLOOR)
    reply = valued(graph, race_credit(state.pace), weights_of(graph.game, asked))
    new = walk(reply, _variants(reply, options, state.round + 1))
    promised = state.worth - near.worth
    moved = state.worth - reply.value >= options.fair * promised
    pool = pool.mixed(near.columns)
    low = float((won @ pool.share).min())
    pool = pool.joined(new, (state.round + 1) * options.variants, options.pool)
    told = {
        "round": state.round + 1,
        "worth": reply.value if moved else state.worth,
        "low": low,
        "asked": reply.value,
        "promised": near.worth,
        "reach": state.reach,
        "moved": float(moved),
        "pool": len(pool.number),
    }
    state = state._replace(round=state.round + 1, history=[*state.history, told])
    if not moved:
        reach = max(state.reach / _SHORTER, options.reach)
        return Found(graph, state._replace(reach=reach), pool), new
    own = asked @ pool.times()
    pace = state.pace + options.damping * (own - state.pace)
    state = state._replace(
        center=asked,
        pace=pace,
        reach=state.reach * _LONGER,
        # The reply just found touches v here; the pool says what the new pace makes of it.
        worth=float((asked @ pool.payoff(pace)).max()),
    )
    return Found(graph, state, pool), new


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


def _packed(found: Found) -> dict[str, Any]:
    state, pool = found.state, found.pool
    arrays = {key: getattr(pool, key).tolist() for key in ("number", "share", "used")}
    kept = state._asdict() | {"center": state.center.tolist(), "pace": state.pace.tolist()}
    return kept | {"worth": None if state.worth == np.inf else state.worth} | arrays


def _unpacked(graph: Graph, kept: dict[str, Any], rows: np.ndarray) -> Found:
    number, share, used = (np.array(kept.pop(key)) for key in ("number", "share", "used"))
    pool = Pool(classes(graph.game).size, np.array(rows[number]), number, share, used)
    arrays = {key: np.array(kept[key]) for key in ("center", "pace")}
    worth = np.inf if kept["worth"] is None else kept["worth"]
    return Found(graph, State(**(kept | arrays | {"worth": worth})), pool)
