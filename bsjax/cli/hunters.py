"""Which hunter plays, from the flags shared by the commands that play games."""

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bsjax.game.game import Game

if TYPE_CHECKING:
    from bsjax.policies import Policy

PosteriorFlag = Annotated[
    str | None,
    typer.Option(help="What a rule over layouts judges by: exact, sample or enumerate."),
]
DrawsFlag = Annotated[
    int | None, typer.Option(help="Layouts drawn per shot, for sample; 1500 by default.")
]


PLAYER = ".npz"
"""Ending of the files of players."""


def hunter_of(
    policy: str, rules: Game, posterior: str | None = None, draws: int | None = None
) -> "tuple[Policy | None, str]":
    """The hunter of a stored player, or a rule over the posterior asked for, and a name that tells
    it apart; None where it is the registered one.

    Args:
        policy: name of a registered hunter, or the file of a player (`bsjax.solve.player`).
        rules: the game.
        posterior: what a rule judges by.
        draws: layouts drawn per shot.

    Raises:
        ValueError: draws of a posterior that draws nothing, no such rule or posterior, or a player
            of another game.
    """
    if policy.endswith(PLAYER):
        if posterior is not None or draws is not None:
            raise ValueError(f"{policy} plays its own hunts; leave out --posterior and --draws")
        return _played(Path(policy), rules)
    if draws is not None and posterior != "sample":
        raise ValueError(f"--draws {draws} needs --posterior sample, which draws layouts")
    if posterior is None:
        return None, policy
    from bsjax.policies.over import over
    from bsjax.posterior.drawn import DRAWS

    draws = DRAWS if draws is None else draws
    name = f"{policy} {posterior}" + (f" {draws} draws" if posterior == "sample" else "")
    return over(policy, rules, posterior=posterior, draws=draws), name


def _played(path: Path, rules: Game) -> "tuple[Policy, str]":
    """The hunts of a stored player, and a name that tells files apart."""
    from bsjax.solve.playable import playable
    from bsjax.solve.player import load

    known = load(path)
    if known.game != rules:
        raise ValueError(f"{path} plays {known.game}, not {rules}; give its --size and --fleet")
    digest = hashlib.sha256(path.read_bytes()).hexdigest()[:12]
    return playable(known), f"player {path.name} {digest}"
