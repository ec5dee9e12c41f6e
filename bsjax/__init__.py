"""Battleship on a GPU: fleets hunted by the million in lockstep under `jit` and `vmap`.

The names below are the table of contents; each is imported when it is first used, so that
`import bsjax` and `bsjax --help` are instant and start no JAX backend.

    import bsjax
    result = bsjax.simulate(bsjax.Run("density", games=20_000))
    print(result["mean"], "±", result["se"])

Rooms, each importing only from those before it: `runtime` (lockstep, devices, memory, run
folders), `game` (rules, placements, symmetry, histories, observations), `files` (boards and logs
people have), `hide` (hiders), `posterior` (what can be where), `policies` (hunters), `play`
(games, massive runs, replay), `evaluate` (figures of a run, throughput), `solve` (small games:
states of knowledge, best replies), `learn` (networks taught by strong players); then `draw` and
`cli`.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bsjax.evaluate.massive import Limits as Limits
    from bsjax.evaluate.massive import Run as Run
    from bsjax.evaluate.massive import simulate as simulate
    from bsjax.evaluate.paces import Pace as Pace
    from bsjax.evaluate.race import race as race
    from bsjax.evaluate.summary import Summary as Summary
    from bsjax.evaluate.summary import summarize as summarize
    from bsjax.files import read_boards as read_boards
    from bsjax.files import read_shots as read_shots
    from bsjax.game.game import PRESETS as PRESETS
    from bsjax.game.game import Game as Game
    from bsjax.game.notation import Convention as Convention
    from bsjax.game.observation import Observation as Observation
    from bsjax.hide import Hider as Hider
    from bsjax.hide import Listed as Listed
    from bsjax.learn.files import load_hunter as load_hunter
    from bsjax.learn.files import save_hunter as save_hunter
    from bsjax.play.replay import replay as replay
    from bsjax.play.simulate import Simulator as Simulator
    from bsjax.policies import Policy as Policy
    from bsjax.policies.over import over as over
    from bsjax.posterior.exact import exact as exact
    from bsjax.posterior.prior import habit as habit
    from bsjax.posterior.sampled import sampled as sampled

_HOME = {
    "Convention": "bsjax.game.notation",
    "Game": "bsjax.game.game",
    "Hider": "bsjax.hide",
    "Limits": "bsjax.evaluate.massive",
    "Listed": "bsjax.hide",
    "Observation": "bsjax.game.observation",
    "PRESETS": "bsjax.game.game",
    "Pace": "bsjax.evaluate.paces",
    "Policy": "bsjax.policies",
    "Run": "bsjax.evaluate.massive",
    "Simulator": "bsjax.play.simulate",
    "Summary": "bsjax.evaluate.summary",
    "exact": "bsjax.posterior.exact",
    "habit": "bsjax.posterior.prior",
    "load_hunter": "bsjax.learn.files",
    "over": "bsjax.policies.over",
    "race": "bsjax.evaluate.race",
    "read_boards": "bsjax.files",
    "read_shots": "bsjax.files",
    "replay": "bsjax.play.replay",
    "sampled": "bsjax.posterior.sampled",
    "save_hunter": "bsjax.learn.files",
    "simulate": "bsjax.evaluate.massive",
    "summarize": "bsjax.evaluate.summary",
}


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'bsjax' has no attribute {name!r}")
    return getattr(import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return sorted(_HOME)
