"""Teachers by name: a rule, a stored player, recipes of hunts, or any other hunter."""

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from bsjax import policies
from bsjax.game.game import Game
from bsjax.game.placements import placement_counts
from bsjax.learn.targets import ByBoards, ByMixture, ByPolicy, ByRewind, ByRule, Teacher
from bsjax.policies.base import Policy
from bsjax.policies.over import RULES, over
from bsjax.policies.rewind import Rewind
from bsjax.posterior.beliefs import enumerated
from bsjax.posterior.drawn import DRAWS
from bsjax.posterior.enumerate import LISTABLE
from bsjax.runtime.origin import file_mark
from bsjax.solve.playable import playable
from bsjax.solve.player import Player, load
from bsjax.solve.rebuilt import HUNTS, rebuilt
from bsjax.solve.recipes import load_recipes

_HUNTS = 64
"""Hunts that a policy is taught as, if nothing else is asked for."""
_RARE = 1e-3
"""What the layouts on which a player never hides weigh together in his student's heat maps."""
_LISTED = 100_000
"""Layouts up to which a heat map comes from the list of all of them."""
BOARDS = "boards"
"""The posterior that is taught by draws alone: each game's own board."""


class Taught(NamedTuple):
    """A teacher, with what is needed to judge his student by him."""

    teacher: Teacher
    policy: Policy
    """The teacher as a hunter."""
    player: Player | None
    """The teacher as a player, where his races are decided exactly."""
    told: dict[str, Any]
    """What tells him apart, as JSON values."""


def by_rule(game: Game, rule: str, posterior: str, draws: int) -> Taught:
    """A greedy rule over a posterior (`bsjax.policies.over`).

    Raises:
        ValueError: no such rule or posterior, or it is out of reach for this game.
    """
    hunter = over(rule, game, posterior=posterior, draws=draws)
    told: dict[str, Any] = {"teacher": rule, "posterior": posterior}
    if posterior == "sample":
        told["draws"] = draws
    return Taught(ByRule(game, hunter), hunter, None, told)


def by_boards(game: Game) -> Taught:
    """The probability rule over the exact posterior, taught by the boards of the games."""
    hunter = over("probability", game, posterior="enumerate" if listable(game) else "exact")
    return Taught(ByBoards(game), hunter, None, {"teacher": "probability", "posterior": BOARDS})


def by_mixture(path: Path, *, coded: bool, feedback: str = "size") -> Taught:
    """The hunts of a player that `bsjax solve` wrote; heat maps weigh layouts about as he hides.

    Args:
        path: his file.
        coded: teach every hunt by itself, not the moves of all of them together.
        feedback: of the game that is asked for.

    Raises:
        ValueError: the file holds no player with hunts, or the feedback is not his.
    """
    player = load(path)
    if feedback != player.game.feedback:
        raise ValueError(f"{path} plays feedback {player.game.feedback}, not {feedback}")
    mixture = playable(player)
    belief = enumerated(player.game, player.hider + _RARE / len(player.hider))
    told = {"teacher": f"player {file_mark(path)}", "coded": coded}
    return Taught(ByMixture(player.game, mixture, belief, coded), mixture, player, told)


def by_policy(policy: Policy, told: str, hunts: int) -> Taught:
    """A policy, as so many fixed hunts.

    Args:
        policy: any.
        told: what tells it apart.
        hunts: draws of the policy, each of them a hunt.

    Raises:
        ValueError: no hunts.
    """
    if hunts < 1:
        raise ValueError(f"{hunts} hunts: teach at least one")
    belief = enumerated(policy.game) if listable(policy.game) else None
    kind = ByRewind if isinstance(policy, Rewind) else ByPolicy
    teacher = kind(policy.game, policy, hunts, belief)
    return Taught(teacher, policy, None, {"teacher": told, "hunts": hunts})


def by_recipes(game: Game, path: Path, hunts: int) -> Taught:
    """Hunts that `bsjax hunts` played again from their recipes, as so many draws of one of them:
    in their own game, or inside a larger one by the rewind.

    Raises:
        ValueError: the file or its hunts are missing, or cannot be played in this game.
    """
    policy = rebuilt(load_recipes(path), path.with_suffix(HUNTS), game)
    return by_policy(policy, f"hunts {file_mark(path)}", hunts)


def taught(
    game: Game,
    teacher: str,
    posterior: str | None = None,
    draws: int | None = None,
    hunts: int | None = None,
    *,
    together: bool = False,
) -> Taught:
    """A teacher by name.

    Args:
        game: the rules of the game.
        teacher: a rule of `bsjax.policies.over.RULES`, the file of a player, of recipes, or another
            policy.
        posterior: of a rule; all layouts listed where there are few, drawn ones otherwise;
            `boards` for the probability rule taught by the boards of its games.
        draws: of a drawn posterior.
        hunts: single hunts of a lottery; a player teaches all that he has.
        together: of a player, the moves of all his hunts together.

    Raises:
        ValueError: there is no such teacher, or an option does not fit him.
    """
    if teacher.endswith(".npz"):
        if hunts is not None:
            raise ValueError(f"{teacher} teaches all its hunts; leave out --hunts")
        found = by_mixture(Path(teacher), coded=not together, feedback=game.feedback)
        if found.teacher.game != game:
            raise ValueError(f"{teacher} plays {found.teacher.game}, not {game}")
    elif together:
        raise ValueError(f"{teacher} is no player of several hunts; leave out --together")
    elif teacher in RULES:
        if hunts is not None:
            raise ValueError(f"{teacher} is one hunt; leave out --hunts")
        if posterior == BOARDS:
            if teacher != "probability" or draws is not None:
                raise ValueError("boards teach the probability rule, and draw nothing else")
            return by_boards(game)
        posterior = posterior or ("enumerate" if listable(game) else "sample")
        return by_rule(game, teacher, posterior, DRAWS if draws is None else draws)
    elif teacher.endswith(".recipes"):
        found = by_recipes(game, Path(teacher), _HUNTS if hunts is None else hunts)
    else:
        found = by_policy(policies.make(teacher, game), teacher, _HUNTS if hunts is None else hunts)
    if posterior is not None or draws is not None:
        raise ValueError(f"{teacher} judges by no posterior; leave out --posterior and --draws")
    return found


def listable(game: Game) -> bool:
    """Whether there are few layouts; an upper bound is enough."""
    return int(np.prod(placement_counts(game).astype(float))) <= min(LISTABLE, _LISTED)
