"""Luck with the 2: how fast 3-parity is if its first set meets the smallest ship, and if not.

A 2 lies on two neighbouring diagonals, so on two of the three sets, and the first set is drawn
before the game without looking: it meets the 2 in two games of three exactly. Both the board and
the first set of a game follow from its key, so the games are played as any others and told apart
afterwards.
"""

from pathlib import Path
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Key

from bsjax import hide, policies
from bsjax.evaluate import paces
from bsjax.evaluate.massive import Run, simulate
from bsjax.evaluate.race import race
from bsjax.evaluate.summary import as_json, summarize
from bsjax.hide.base import Hider
from bsjax.policies.patterns import Rule
from bsjax.policies.searches import Diagonals
from bsjax.runtime import streams
from experiments.classic_fleet.strategies import GAME, as_rates

PUBLISHED = {
    "met": {"share": 2 / 3, "mean": 44.1, "win": 0.581},
    "missed": {"share": 1 / 3, "mean": 59.8, "win": 0.185},
}
"""What the write-up says of the games whose first set meets the 2, and of the others."""
_BLOCK = 1 << 16
"""Games whose boards are drawn at once, at most."""
_SLOTS = 1 << 12
"""Boards that are drawn together; changes no board."""


class Settings(NamedTuple):
    """Whose games are told apart, and how many."""

    seed: int = 0
    """That of the table of strategies: the first games here are those there."""
    pace: str = "reconstruction"
    name: str = "3-parity"
    """A strategy that searches one set of diagonals after the other."""
    games: int = 400_000


FULL = Settings()
QUICK = Settings(games=200)


def run(settings: Settings, work: Path) -> dict[str, Any]:
    """Games by their shots, apart by whether the first set meets the 2."""
    name, games = settings.name, settings.games
    folder = work / "luck" / f"{name}-seed{settings.seed}"
    simulate(
        Run(name, games, GAME, seed=settings.seed, shots=True),
        out=folder,
        resume=folder.exists(),
        quiet=False,
    )
    shots = np.load(folder / "shots.npy").astype(np.int64)
    policy, hider = policies.make(name, GAME), hide.make("uniform", GAME)
    met = first_set_meets(policy, hider, settings.seed, games)
    pace = paces.load(settings.pace, GAME).times
    told = {}
    for kind, chosen in (("met", met), ("missed", ~met)):
        counts = np.bincount(shots[chosen], minlength=GAME.cells + 1)
        told[kind] = {
            "share": float(chosen.mean()),
            **as_json(summarize(counts)),
            "race": as_rates(race(counts, pace)),
            "published": PUBLISHED[kind],
            "histogram": counts.tolist(),
        }
    return {"game": str(GAME), "pace": settings.pace, "name": name, "games": games, **told}


def first_set_meets(
    policy: policies.Policy, hider: Hider, seed: int, games: int
) -> Bool[np.ndarray, " N"]:
    """Whether the first set of diagonals holds a cell of the smallest ship, in games 0 … N − 1.

    Args:
        policy: searches by diagonals (`bsjax.policies.searches.Diagonals`) and nothing else.
        hider: who hid.
        seed: of the run that played these games.
        games: how many; at most 2³².

    Raises:
        ValueError: another kind of hunter.
    """
    if not (isinstance(policy, Rule) and isinstance(policy.search, Diagonals)):
        raise ValueError("the first set is that of a rule that searches by diagonals alone")
    shortest, block = int(np.argmin(policy.game.fleet)), min(games, _BLOCK)

    @jax.jit
    def meets(first: Array) -> Bool[Array, " N"]:
        key, high = jax.random.key(seed), jnp.uint32(0)
        placed = hider.place(streams.board_keys(key, high, first, block), jnp.int32(block), _SLOTS)
        boards = hide.boards(policy.game, placed.placements)

        def one(own: Key[Array, ""]) -> Bool[Array, " C"]:
            return policy.init(streams.stream(own, streams.OPENING)).plan == 0

        sets = jax.vmap(one)(streams.game_keys(key, high, first, block))
        return (sets & (boards == shortest)).any(1)

    blocks = [np.asarray(meets(jnp.uint32(first))) for first in range(0, games, block)]
    return np.concatenate(blocks)[:games]
