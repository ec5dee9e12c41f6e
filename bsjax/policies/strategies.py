"""Named strategies of the classic fleet, put together from the grammar by a table.

A name says its parts: the search, `-lazy`, `-full` or `-count` for the endgame, `-computer` for
finishing by the heat map, `-late` for late near-miss cells. `smart-3-parity` is the revised card
with the full endgame, `-first` the first version, which hunts the 2 anywhere on its colour.
(classic-fleet, sections 1, 3, 7 and 8.)
"""

from functools import partial
from typing import Any, Literal, NamedTuple

import jax.numpy as jnp
import numpy as np

from bsjax.game.game import Game
from bsjax.policies.base import Policy, register
from bsjax.policies.heatmap import Density
from bsjax.policies.patterns import rule
from bsjax.policies.weighted_map import WeightedMap, of_cells

Ties = Literal["random", "lowest"]
LIGHT, STRONG = 0.5, 1.5
"""α of late near-miss cells."""
BORDER = 2.0
"""How much more than another cell one on the border weighs in `heat-map-border`."""


class Strategy(NamedTuple):
    """A rule by its parts (`bsjax.policies.patterns.rule`)."""

    about: str
    parts: dict[str, Any]


_LAZY, _FULL, _COUNT = ({"endgame": name} for name in ("lazy", "full", "count"))
_COMPUTER = {"finish": "density"}
_FIRST: dict[str, Any] = {"final": "anywhere"}
_FASTEST: dict[str, Any] = {"sweep": "diagonals", "jump": 0.0, "final": "fewest"}

_TWO, _THREE = "random cells of one colour, then the other", "every third diagonal, set by set"
_SMART, _SMART_FIRST = "smart 3-parity, revised card", "smart 3-parity, first version"
_QUICK = (
    "half A, then B, diagonal by diagonal from a corner, the 2 where fewest neighbours are shot"
)
_WITH = {
    "lazy": "lazy endgame",
    "full": "full endgame",
    "count": "the big ships where most placements fit",
    "computer": "finishing by the heat map",
}


def _family(
    name: str, search: str, about: str, ways: list[str], **base: Any
) -> dict[str, Strategy]:
    """A search alone and with the parts named in `ways`, such as `lazy computer`."""
    found = {}
    for way in ways:
        parts: dict[str, Any] = {"search": search}
        for word in way.split():
            parts |= _COMPUTER if word == "computer" else {"endgame": word}
        told = [about, *(_WITH[word] for word in way.split())]
        found["-".join([name, *way.split()])] = Strategy("; ".join(told), parts)
    return found


def _smart(about: str, **parts: Any) -> Strategy:
    return Strategy(about, {"search": "smart-three-parity", **parts})


def _three(about: str, **parts: Any) -> Strategy:
    return Strategy(f"{_THREE}; {about}", {"search": "three-parity", **parts})


_WAYS = ["", "lazy", "full", "count", "computer", "lazy computer"]

STRATEGIES: dict[str, Strategy] = {
    **_family("checkerboard", "checkerboard", _TWO, _WAYS),
    **_family("3-parity", "three-parity", _THREE, [*_WAYS, "full computer", "count computer"]),
    "3-parity-late": _three("cells beside a miss later, a little", late=LIGHT),
    "3-parity-late-strong": _three("cells beside a miss much later", late=STRONG),
    "3-parity-late-count": _three(
        "cells beside a miss later; big ships counted", late=LIGHT, **_COUNT
    ),
    "3-parity-late-computer": _three(
        "cells beside a miss later; lazy endgame; finishing by the heat map",
        late=LIGHT,
        **_LAZY,
        **_COMPUTER,
    ),
    "3-parity-densest": _three("where most placements fit first", densest=True),
    "3-parity-densest-computer": _three(
        "where most placements fit first; finishing by the heat map", densest=True, **_COMPUTER
    ),
    # The full endgame is the card's own.
    "smart-3-parity": _smart(f"{_SMART}, full endgame", **_FULL),
    "smart-3-parity-lazy": _smart(f"{_SMART}; lazy endgame", **_LAZY),
    "smart-3-parity-count": _smart(f"{_SMART}; {_WITH['count']}", **_COUNT),
    "smart-3-parity-sweep": _smart(f"{_SMART}; for the big ships it sweeps on"),
    "smart-3-parity-anywhere": _smart(f"{_SMART}; big ships anywhere", endgame="anywhere"),
    "smart-3-parity-computer": _smart(f"{_SMART}; {_WITH['computer']}", **_FULL, **_COMPUTER),
    "smart-3-parity-never-jump": _smart(f"{_SMART}; it never jumps", jump=0.0, **_FULL),
    "smart-3-parity-always-jump": _smart(f"{_SMART}; it always jumps", jump=1.0, **_FULL),
    "smart-3-parity-late": _smart(f"{_SMART}; cells beside a miss later", late=LIGHT, **_FULL),
    "smart-3-parity-first": _smart(f"{_SMART_FIRST}, full endgame", **_FIRST, **_FULL),
    "smart-3-parity-first-lazy": _smart(f"{_SMART_FIRST}; lazy endgame", **_FIRST, **_LAZY),
    "smart-3-parity-first-count": _smart(f"{_SMART_FIRST}; {_WITH['count']}", **_FIRST, **_COUNT),
    "smart-3-parity-first-sweep": _smart(f"{_SMART_FIRST}; for big ships it sweeps on", **_FIRST),
    "smart-3-parity-first-computer": _smart(
        f"{_SMART_FIRST}; {_WITH['computer']}", **_FIRST, **_FULL, **_COMPUTER
    ),
    **{
        f"smart-3-parity-first-jump-{percent}": _smart(
            f"{_SMART_FIRST}; lazy endgame; it jumps in {percent}% of games",
            jump=percent / 100,
            **_FIRST,
            **_LAZY,
        )
        for percent in (0, 20, 40, 50, 70, 100)
    },
    "smart-3-parity-part-of-b": _smart(
        f"{_SMART}; every game jumps, to a part of B", jump=1.0, share=0.35, **_FULL
    ),
    "smart-3-parity-runs": _smart(f"{_SMART}; B in long runs", sweep="runs", **_FULL),
    "smart-3-parity-reading": _smart(
        f"{_SMART}; A and B in turn once a sunk big ship crossed both", reading=True, **_FULL
    ),
    "fastest-by-hand": _smart(f"{_QUICK}; full endgame", **_FASTEST, **_FULL),
    "fastest-by-hand-lazy": _smart(f"{_QUICK}; lazy endgame", **_FASTEST, **_LAZY),
    "fastest-by-hand-computer": _smart(
        f"{_QUICK}; {_WITH['computer']}", **_FASTEST, **_FULL, **_COMPUTER
    ),
}
"""The composed strategies by name."""


def _weighted(game: Game, *, small_first: bool, border: float, ties: Ties) -> Policy:
    """A heat map of `bsjax.policies.weighted_map`."""
    row, column = np.divmod(np.arange(game.cells), game.width)
    edge = (row % (game.height - 1 or 1) == 0) | (column % (game.width - 1 or 1) == 0)
    weights = jnp.asarray(of_cells(game, np.where(edge, border, 1.0)))
    return WeightedMap(game, weights, small_first=small_first, ties=ties)


MAPS = {
    "heat-map": ("most placements of the ships afloat, open hits first", partial(Density)),
    "heat-map-lowest": ("as heat-map, ties to the lowest cell", partial(Density, ties="lowest")),
    "heat-map-border": (
        "as heat-map, every border cell doubles a placement",
        partial(_weighted, small_first=False, border=BORDER, ties="random"),
    ),
    "heat-map-three-ship": (
        "placements of the 3s and the 2 alone until they are sunk",
        partial(_weighted, small_first=True, border=1.0, ties="random"),
    ),
    "heat-map-three-ship-lowest": (
        "as heat-map-three-ship, ties to the lowest cell",
        partial(_weighted, small_first=True, border=1.0, ties="lowest"),
    ),
    "heat-map-three-ship-border": (
        "as heat-map-three-ship, every border cell doubles a placement",
        partial(_weighted, small_first=True, border=BORDER, ties="random"),
    ),
}
"""The heat maps by name: what each is, and how it is made."""

for _name, _strategy in STRATEGIES.items():
    register(_name, _strategy.about)(partial(rule, **_strategy.parts))
for _name, (_about, _make) in MAPS.items():
    register(_name, _about)(_make)
