"""From a teacher to a trained hunter with its measures."""

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from bsjax import hide
from bsjax.evaluate.tree import evaluate
from bsjax.learn.files import rounded
from bsjax.learn.hunter import By, Hunter
from bsjax.learn.judge import Mapped, mapped, paired
from bsjax.learn.lessons import Course
from bsjax.learn.lottery import as_player, weighed
from bsjax.learn.paths import paths_of
from bsjax.learn.step import Settings
from bsjax.learn.targets import ByBoards, ByMixture, ByRewind, ByRule
from bsjax.learn.teachers import Taught
from bsjax.learn.train import Plan, Trained, hunter_of, train
from bsjax.policies.bayes import Greedy
from bsjax.posterior.listed import Listing
from bsjax.solve.best_reply import finishing
from bsjax.solve.player import Player

LATENTS = 2048
"""Hunts that a student is judged by on a listable game."""
_RULE = "finish"
"""Moves that replies keep to where the teacher is no stored player."""


def course_of(found: Taught, *, turns: bool = False, hider: str = "uniform") -> Course:
    """How its student learns: at temperature 1 where its observation and path do not tell which of
    a mixture's hunts is played, otherwise at 0.

    Args:
        found: the teacher.
        turns: show boards turned at random, which teaches a small network no better
            (`experiments/distilled`, `symmetry`).
        hider: a registered one.
    """
    # After its first hit a rewind goes on as one of many hunts would that began alike.
    mixed = isinstance(found.teacher, ByRewind) or (
        isinstance(found.teacher, ByMixture) and not found.teacher.coded
    )
    return Course(
        found.teacher,
        hide.make(hider, found.teacher.game),
        temperature=1.0 if mixed else 0.0,
        turns=turns,
        paths=paths_of(found.teacher),
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
    turns: bool = False,
    hider: str = "uniform",
    by: By = "moves",
    tried: int = 0,
    resume: bool = False,
    quiet: bool = True,
) -> tuple[Hunter, Trained]:
    """Train a student of this teacher; see `distill`."""
    if tried and (found.player is None or found.teacher.shares is None):
        raise ValueError("only a student of a player's single hunts explores new paths")
    course = course_of(found, turns=turns, hider=hider)
    told = {"game": str(course.teacher.game), "hider": hider, "by": by, **found.told}
    told |= {"turns": course.turns, "temperature": course.temperature}
    trained = train(course, settings, plan, told, out, by=by, resume=resume, quiet=quiet)
    # What is weighed and judged is what the file of the hunter will hold.
    hunter, player = hunter_of(course, rounded(trained.network), by), found.player
    if player is not None and hunter.every is not None:
        listing = Listing(player.game)
        hunter = weighed(hunter, listing, player.hider, tried=tried, seed=settings.seed)
    return hunter, trained


def seen_beside(found: Taught, hunter: Hunter, hider: str, games: int, seed: int) -> Mapped:
    """What the student thinks of positions of its games, beside the teacher.

    Where boards taught, beside the exact posterior that they are draws from.
    """
    teacher = found.teacher
    if isinstance(teacher, ByBoards):
        assert isinstance(found.policy, Greedy)
        teacher = ByRule(teacher.game, found.policy)
    course = course_of(found, turns=False, hider=hider)
    plain = Course(teacher, course.hider, course.temperature, turns=False, paths=course.paths)
    return mapped(plain, hunter.network, games, seed)


def distill(
    found: Taught,
    settings: Settings,
    plan: Plan,
    out: Path,
    *,
    turns: bool = False,
    hider: str = "uniform",
    by: By = "moves",
    tried: int = 0,
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
        tried: new paths that are tried for the lottery of a student of a player's single hunts,
            whose shares are found anew (`bsjax.learn.lottery.weighed`).
        games: boards on which both play.
        resume: go on with the run in `out`.
        quiet: show no progress.

    Raises:
        ValueError: `tried` where there is no such lottery; see also `bsjax.learn.train.train`.
    """
    hunter, trained = learned(
        found,
        settings,
        plan,
        out,
        turns=turns,
        hider=hider,
        by=by,
        tried=tried,
        resume=resume,
        quiet=quiet,
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
