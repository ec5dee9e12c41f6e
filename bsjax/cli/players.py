"""What `solve` and `reply` share: the graph of a game, and how a player is told of."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bsjax.game.game import Game
    from bsjax.solve.knowledge import Graph
    from bsjax.solve.player import Player

HUNTS = 256
"""Most hunts that are written into the file of a player."""
_SMALL = 1_000_000
"""States up to which a joint reply is tried from every layout."""
_JOINT = 6
"""Layouts that it is tried from in a larger game."""


def states_of(rules: "Game", moves: str, graph: Path | None) -> "Graph":
    """The state graph of a game, from its folder or built.

    Raises:
        ValueError: the folder holds no graph, or another.
    """
    from bsjax.solve.knowledge import build, load

    if graph is None:
        return build(rules, moves, quiet=False)
    states = load(graph)
    if (states.game, states.rule) != (rules, moves):
        raise ValueError(
            f"{graph} holds {states.game}, moves {states.rule}, not {rules}, moves {moves}"
        )
    return states


def replies_of(graph: "Graph") -> int | None:
    """Layouts that joint replies hide on, None for all."""
    return None if graph.states < _SMALL else _JOINT


def judged(graph: "Graph", player: "Player") -> dict[str, Any]:
    """A player and what exact replies win against him, as JSON fields."""
    from bsjax.solve.exploit import exploited

    shots = player.shots
    return {
        "mean": float(player.hider @ shots),
        "fewest": float(shots.min()),
        "most": float(shots.max()),
        **exploited(graph, player, most=replies_of(graph))._asdict(),
        "hunts": len(player.hunts),
        "moves": graph.rule,
        "game": str(graph.game),
    }


def sentence(told: dict[str, Any]) -> str:
    """The same for people."""
    sure = told["joint_at_most"] - told["joint"] < 1e-5
    tried = f" (of {told['tried']} layouts tried, at most {100 * told['joint_at_most']:.3f}%)"
    return (
        f"{told['mean']:.3f} shots, {told['fewest']:.3f} to {told['most']:.3f} by layout; wins "
        f"{100 * told['worst']:.3f}% on its worst layout at its own pace; a reply that hunts wins "
        f"{100 * told['hunt']:.3f}%, one that hides {100 * told['hide']:.3f}%, one that does both "
        f"{100 * told['joint']:.3f}%{'' if sure else tried}"
    )
