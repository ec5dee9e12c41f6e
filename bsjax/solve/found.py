"""Where a best-reply loop is, and its run folder.

hunts.npy     when every hunt that was found finishes on every class of layouts
worth.npy     what finishing at each shot was worth in every round: with it, and nothing else,
              the hunts of the round can be found again (`bsjax.solve.written`)
checkpoint    the centre, the pace, and which hunts are in the pool, with their lottery
"""

import json
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float64

from bsjax.game.game import Game
from bsjax.solve.knowledge import Graph
from bsjax.solve.pool import Pool
from bsjax.solve.tables import classes

_KIND = "best-reply loop"
_MAY_CHANGE = ("rounds", "gap")
"""Options that two runs of a folder may differ in."""


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
    seed: int = 0


class State(NamedTuple):
    """Where the loop is; O classes of layouts."""

    round: int
    hider: Float64[np.ndarray, " O"]
    """The centre: share of each class."""
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


def weights_of(game: Game, share: Float64[np.ndarray, "O ..."]) -> Float64[np.ndarray, "M ..."]:
    """Share of every layout from the shares of the classes."""
    of, size, _ = classes(game)
    return (share / size.reshape(-1, *[1] * (share.ndim - 1)))[of]


def settings_of(graph: Graph, options: Options) -> dict[str, Any]:
    """What a run folder answers to: whatever decides the rounds of its loop.

    Raises:
        ValueError: an option is out of range.
    """
    game = graph.game
    for name, fine in (
        ("variants", options.variants >= 1),
        ("coldest", 0 < options.coldest <= options.hottest),
        ("pool", options.pool > options.variants),
        ("reach", options.reach > 0),
        ("fair", 0 <= options.fair <= 1),
        ("damping", 0 <= options.damping <= 1),
        ("seed", 0 <= options.seed < 1 << 20),
    ):
        if not fine:
            raise ValueError(f"{name} {getattr(options, name)} is out of range for {game}")
    lasting = {key: value for key, value in options._asdict().items() if key not in _MAY_CHANGE}
    return {
        "kind": _KIND,
        "size": list(game.size),
        "fleet": list(game.fleet),
        "touching": game.touching,
        "rule": graph.rule,
        **lasting,
    }


def found_in(graph: Graph, out: Path) -> Found:
    """Where a loop is.

    Args:
        graph: states of knowledge of its game.
        out: its run folder.

    Raises:
        ValueError: the folder holds no loop of this game and these moves.
    """
    try:
        settings = json.loads((out / "settings.json").read_text())
        kept = json.loads((out / "checkpoint.json").read_text())["state"]
        own = settings_of(graph, Options())
        if any(settings[key] != own[key] for key in ("kind", "size", "fleet", "touching", "rule")):
            raise ValueError("not of this game and these moves")
        return unpacked(graph, kept, rows_in(out / "hunts.npy"))
    except (OSError, ValueError, KeyError) as error:
        raise ValueError(f"{out} holds no loop ({error}); run one with bsjax solve --out") from None


def worth_in(out: Path, round_: int) -> Float64[np.ndarray, "O T"]:
    """What finishing at each shot was worth in a round, for every class of layouts."""
    return np.array(rows_in(out / "worth.npy")[round_])


def rows_in(path: Path) -> np.ndarray:
    """The rows that a file of a run folder holds so far; its header counts those planned.

    Raises:
        ValueError: it is no such file.
        OSError: it cannot be read.
    """
    with open(path, "rb") as stream:
        np.lib.format.read_magic(stream)
        shape, _, kind = np.lib.format.read_array_header_1_0(stream)
        start = stream.tell()
    held = (path.stat().st_size - start) // (kind.itemsize * int(np.prod(shape[1:])))
    return np.memmap(path, kind, "r", start, (held, *shape[1:]))


def packed(found: Found) -> dict[str, Any]:
    """A checkpoint."""
    state, pool = found.state, found.pool
    kept = state._asdict() | {"hider": state.hider.tolist(), "pace": state.pace.tolist()}
    kept |= {"worth": None if state.worth == np.inf else state.worth}
    return kept | {key: getattr(pool, key).tolist() for key in ("number", "share", "used")}


def unpacked(graph: Graph, kept: dict[str, Any], rows: np.ndarray) -> Found:
    """Where a checkpoint is, with the rows of hunts.npy."""
    taken = dict(kept)
    number, share, used = (np.array(taken.pop(key)) for key in ("number", "share", "used"))
    pool = Pool(classes(graph.game).size, np.array(rows[number]), number, share, used)
    taken["hider"], taken["pace"] = np.array(taken["hider"]), np.array(taken["pace"])
    taken["worth"] = np.inf if taken["worth"] is None else taken["worth"]
    return Found(graph, State(**taken), pool)
