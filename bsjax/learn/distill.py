"""From the name of a teacher to a trained hunter with its measures."""

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from bsjax import hide, policies
from bsjax.evaluate.tree import evaluate
from bsjax.game.game import Game
from bsjax.game.placements import placement_counts
from bsjax.learn.hunter import By, Hunter
from bsjax.learn.judge import Mapped, as_player, mapped, paired
from bsjax.learn.lessons import Course
from bsjax.learn.step import Settings
from bsjax.learn.targets import ByBoards, ByMixture, ByPolicy, ByRule, Teacher
from bsjax.learn.train import Plan, Trained, hunter_of, train
from bsjax.policies.base import Policy
from bsjax.policies.bayes import Greedy
from bsjax.policies.over import RULES, over
from bsjax.posterior.beliefs import enumerated
from bsjax.posterior.drawn import DRAWS
from bsjax.posterior.enumerate import LISTABLE
from bsjax.posterior.listed import Listing
from bsjax.runtime.origin import file_mark
from bsjax.solve.best_reply import finishing
from bsjax.solve.playable import playable
from bsjax.solve.player import Player, load
from bsjax.solve.rebuilt import HUNTS, rebuilt
from bsjax.solve.recipes import load_recipes

LATENTS = 2048
"""Hunts that a student is judged by on a listable game."""
_HUNTS = 64
"""Hunts that a policy is taught as, if nothing else is asked for."""
_RULE = "finish"
"""Moves that replies keep to where the teacher is no stored player."""
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
        coded: teach every hunt under a code of its own, not the moves of all of them together.
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
    """A policy, as so many fixed hunts, each under a code of its own.

    Args:
        policy: any.
        told: what tells it apart.
        hunts: codes.

    Raises:
        ValueError: no hunts.
    """
    if hunts < 1:
        raise ValueError(f"{hunts} hunts: teach at least one")
    belief = enumerated(policy.game) if listable(policy.game) else None
    teacher = ByPolicy(policy.game, policy, hunts, belief)
    return Taught(teacher, policy, None, {"teacher": told, "hunts": hunts})


def by_recipes(game: Game, path: Path, hunts: int) -> Taught:
    """Hunts that `bsjax hunts` played again from their recipes, as so many draws of one of them,
    each under a code of its own: in their own game, or inside a larger one by the rewind.

    Raises:
        ValueError: the file or its hunts are missing, or cannot be played in this game.
    """
    policy = rebuilt(load_recipes(path), path.with_suffix(HUNTS), game)
    return by_policy(policy, f"hunts {file_mark(path)}", hunts)


def taught(
    game: Game, teacher: str, posterior: str | None, draws: int | None, hunts: int | None
) -> Taught:
    """A teacher by name.

    Args:
        game: the rules of the game.
        teacher: a rule of `bsjax.policies.over.RULES`, the file of a player, of recipes, or another
            policy.
        posterior: of a rule; all layouts listed where there are few, drawn ones otherwise;
            `boards` for the probability rule taught by the boards of its games.
        draws: of a drawn posterior.
        hunts: hunts under codes of their own; of a player all that he has, whatever the number.

    Raises:
        ValueError: there is no such teacher, or an option does not fit him.
    """
    if teacher.endswith(".npz"):
        found = by_mixture(Path(teacher), coded=hunts is not None, feedback=game.feedback)
        if found.teacher.game != game:
            raise ValueError(f"{teacher} plays {found.teacher.game}, not {game}")
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


def course_of(found: Taught, *, turns: bool | None = None, hider: str = "uniform") -> Course:
    """How its student learns: at temperature 1 from a mixture's moves, otherwise at 0.

    Args:
        found: the teacher.
        turns: show boards turned at random; by default where the teacher does alike on them.
        hider: a registered one.
    """
    mixed = isinstance(found.teacher, ByMixture) and not found.teacher.coded
    alike = isinstance(found.teacher, (ByRule, ByBoards))
    return Course(
        found.teacher,
        hide.make(hider, found.teacher.game),
        temperature=1.0 if mixed else 0.0,
        turns=alike if turns is None else turns,
    )


class Distilled(NamedTuple):
    """A student and how well he plays."""

    hunter: Hunter
    trained: Trained
    measures: dict[str, Any]
    """JSON values."""


def learned(
    found: Taught,
    settings: Settings,
    plan: Plan,
    out: Path,
    *,
    turns: bool | None = None,
    hider: str = "uniform",
    by: By = "moves",
    resume: bool = False,
    quiet: bool = True,
) -> tuple[Hunter, Trained]:
    """Train a student of this teacher; see `distill`."""
    course = course_of(found, turns=turns, hider=hider)
    told = {"game": str(course.teacher.game), "hider": hider, "by": by, **found.told}
    told |= {"turns": course.turns, "temperature": course.temperature}
    trained = train(course, settings, plan, told, out, by=by, resume=resume, quiet=quiet)
    return hunter_of(course, trained.network, by), trained


def seen_beside(found: Taught, hunter: Hunter, hider: str, games: int, seed: int) -> Mapped:
    """What the student thinks of positions of its games, beside the teacher.

    Where boards taught, beside the exact posterior that they are draws from.
    """
    teacher = found.teacher
    if isinstance(teacher, ByBoards):
        assert isinstance(found.policy, Greedy)
        teacher = ByRule(teacher.game, found.policy)
    course = course_of(found, turns=False, hider=hider)
    plain = Course(teacher, course.hider, course.temperature, turns=False)
    return mapped(plain, hunter.network, games, seed)


def distill(
    found: Taught,
    settings: Settings,
    plan: Plan,
    out: Path,
    *,
    turns: bool | None = None,
    hider: str = "uniform",
    by: By = "moves",
    games: int = 2000,
    resume: bool = False,
    quiet: bool = True,
) -> Distilled:
    """Train a student of this teacher and play him beside the teacher.

    Args:
        found: the teacher.
        settings: of the training.
        plan: how long.
        out: run folder.
        turns: see `course_of`.
        hider: of lessons and boards.
        by: what the student fires at.
        games: boards on which both play.
        resume: go on with the run in `out`.
        quiet: show no progress.

    Raises:
        ValueError: see `bsjax.learn.train.train`.
    """
    hunter, trained = learned(
        found, settings, plan, out, turns=turns, hider=hider, by=by, resume=resume, quiet=quiet
    )
    seed = settings.seed + 1
    measures = {
        "parameters": trained.network.parameters,
        "steps": trained.steps,
        "positions": trained.positions,
        "positions_per_second": trained.positions_per_second,
        "held_out": trained.shots,
        "paired": paired(hunter, found.policy, hider, games, seed)._asdict(),
        "mapped": seen_beside(found, hunter, hider, min(games, 256), seed)._asdict(),
    }
    return Distilled(hunter, trained, measures)


def players(
    found: Taught, hunter: Hunter, latents: int = LATENTS, seed: int = 0
) -> tuple[Player, Player | None]:
    """Student and teacher of a listable game as players; both hide as the teacher does, at random
    if he does not. A teacher with dice who is no stored player is left out.

    Raises:
        ValueError: there are too many layouts.
    """
    listing = Listing(hunter.game)
    teacher = found.player
    if teacher is not None:
        student = as_player(hunter, listing, teacher.hider, teacher.rule, latents, seed)
        return student, teacher
    hider = np.full(len(listing), 1 / len(listing))
    if isinstance(found.teacher, ByRule) and not found.teacher.rule.belief.rolls_dice:
        times = finishing(listing, evaluate(listing, found.policy).shots)
        teacher = Player(hunter.game, _RULE, hider, times, np.zeros(0), [])
    return as_player(hunter, listing, hider, _RULE, latents, seed), teacher


def listable(game: Game) -> bool:
    """Whether there are few layouts; an upper bound is enough."""
    return int(np.prod(placement_counts(game).astype(float))) <= min(LISTABLE, _LISTED)
