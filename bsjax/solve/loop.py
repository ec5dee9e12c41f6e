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

import numpy as np
from jaxtyping import Float64, UInt8

from bsjax.evaluate.credit import race_credit
from bsjax.runtime.origin import origin
from bsjax.runtime.progress import Progress
from bsjax.runtime.run_folder import RunFolder
from bsjax.solve.found import (
    Found,
    Options,
    State,
    packed,
    rows_in,
    settings_of,
    unpacked,
    weights_of,
)
from bsjax.solve.knowledge import Graph
from bsjax.solve.matrix_game import proximal
from bsjax.solve.pool import Pool
from bsjax.solve.tables import classes
from bsjax.solve.walk import Hunts, Valued, valued, walk

_LONGER, _SHORTER = 1.5, 1.5
"""What the reach is multiplied with after a round that moved the centre, and divided by after one
that did not."""
_DUST = 0.02
"""Share that the hunts of the pool have together when the proximal step begins."""
_NOTHING = 1e-7
"""A promise below this is none: single precision knows no better."""
_LONGEST = 300.0
"""Longest step of the hider."""
_FLOOR = 1e-4
"""Share that is spread evenly over the classes of layouts in every hider."""


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
        ValueError: the folder holds something else, or an option is out of range.
        OSError: it cannot be written; the rounds before are kept.

    Cost: a backward pass, a walk of the variants, and some hundred products with the pool a round.
    """
    folder = RunFolder(out, settings_of(graph, options), resume=resume)
    try:
        done = -1 if folder.state is None else folder.state["round"]
        shape = (len(classes(graph.game).size), graph.game.cells + 1)
        # The opening is round 0.
        planned = max(options.rounds, done) + 1
        a_round = options.variants
        folder.rows("hunts", planned * a_round, shape, "u1", (done + 1) * a_round)
        folder.rows("worth", planned, shape, "<f8", done + 1)
        if folder.state is None:
            found, worth = _opening(graph, options)
            folder.append("hunts", found.pool.finishing)
            folder.append("worth", worth)
            folder.save(packed(found))
        else:
            found = unpacked(graph, folder.state, rows_in(folder.path / "hunts.npy"))
        start = found.state.round
        with Progress("rounds", options.rounds, "rounds", done=start, quiet=quiet) as bar:
            while found.state.round < options.rounds and not _closed(found.state, options):
                found, new, worth = _round(found, options)
                folder.append("hunts", new)
                folder.append("worth", worth)
                folder.save(packed(found))
                bar.advance(1)
                if told is not None:
                    told(found.state.history[-1])
        last = {"rounds": found.state.round, "history": found.state.history}
        folder.finish(last, origin(options.seed))
        return found
    finally:
        folder.close()


def _closed(state: State, options: Options) -> bool:
    last = state.history[-1] if state.history else None
    return last is not None and max(last["worth"] - 0.5, 0.5 - last["low"]) <= options.gap


def _opening(graph: Graph, options: Options) -> tuple[Found, Float64[np.ndarray, "O T"]]:
    """All layouts equally likely, hunted by those who need few shots, at the pace of the best; and
    what finishing is worth to them."""
    game, size = graph.game, classes(graph.game).size
    hider = size / size.sum()
    worth = hider[:, None] * (game.cells - np.arange(game.cells + 1.0))
    quick = valued(graph, weights_of(game, worth))
    new = walk(quick, variants(quick, options, 0))
    number = np.arange(len(new))
    even = np.full(len(new), 1 / len(new))
    pool = Pool(size, new, number, even, even)
    pace = hider @ pool.times((number == 0).astype(float))
    return Found(graph, State(0, hider, np.inf, pace, options.reach, []), pool), worth


def _round(
    found: Found, options: Options
) -> tuple[Found, UInt8[np.ndarray, "N O T"], Float64[np.ndarray, "O T"]]:
    """One reply and what follows from it, the hunts that were found, and what finishing is worth
    to them."""
    graph, state, pool = found
    credit = race_credit(state.pace)
    won = pool.payoff(credit)
    near = proximal(won, state.hider, state.reach, _dusted(pool.share, _DUST))
    asked = _dusted(near.rows, _FLOOR)
    worth = asked[:, None] * credit
    reply = valued(graph, weights_of(graph.game, worth))
    number = state.round + 1
    new = walk(reply, variants(reply, options, number))
    moved = state.worth - reply.value >= options.fair * max(state.worth - near.worth, _NOTHING)
    pool = pool.mixed(near.columns)
    told = {
        "round": number,
        "worth": reply.value if moved else state.worth,
        "low": float((won @ pool.share).min()),
        "asked": reply.value,
        "promised": near.worth,
        "reach": state.reach,
        "moved": float(moved),
        "pool": len(pool.number),
    }
    pool = pool.joined(new, number * options.variants, options.pool)
    state = state._replace(round=number, history=[*state.history, told])
    if not moved:
        reach = max(state.reach / _SHORTER, options.reach)
        return Found(graph, state._replace(reach=reach), pool), new, worth
    pace = state.pace + options.damping * (asked @ pool.times() - state.pace)
    state = state._replace(
        hider=asked,
        pace=pace,
        reach=min(state.reach * _LONGER, _LONGEST),
        # The reply touches v at the new centre; the pool says what the new pace makes of it.
        worth=float((asked @ pool.payoff(race_credit(pace))).max()),
    )
    return Found(graph, state, pool), new, worth


def _dusted(share: Float64[np.ndarray, " n"], dust: float) -> Float64[np.ndarray, " n"]:
    """A lottery in which everything has a little."""
    return (1 - dust) * share + dust / len(share)


def variants(reply: Valued, options: Options, round_: int) -> Hunts:
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
