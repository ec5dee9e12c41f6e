"""Which hunter plays, from the flags shared by the commands that play games."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Protocol, TypeVar, runtime_checkable

import typer

from bsjax.game.game import Game

if TYPE_CHECKING:
    from bsjax.policies import Policy


@runtime_checkable
class _Stored(Protocol):
    @property
    def game(self) -> Game: ...


T = TypeVar("T", bound=_Stored)

PosteriorFlag = Annotated[
    str | None,
    typer.Option(help="What a rule over layouts judges by: exact, sample or enumerate."),
]
DrawsFlag = Annotated[
    int | None, typer.Option(help="Layouts drawn per shot, for sample; 1500 by default.")
]


PLAYER, RECIPES = ".npz", ".recipes"
"""Endings of the files of players, and of recipes."""
NETWORK = "network"
"""The trained network that comes with the package, in place of a file."""
TRAINED = ".hunter"
"""Ending of the files of trained networks."""


def hunter_of(
    policy: str, rules: Game, posterior: str | None = None, draws: int | None = None
) -> "tuple[Policy | None, str]":
    """The hunter of a stored player or network, or a rule over the posterior asked for, and a name
    that tells it apart; None where it is the registered one.

    Args:
        policy: name of a registered hunter, the file of a player (`bsjax.solve.player`), of recipes
            whose hunts were rebuilt, or of a network (`bsjax.learn.files`), or `network`.
        rules: the game.
        posterior: what a rule judges by.
        draws: layouts drawn per shot.

    Raises:
        ValueError: draws of a posterior that draws nothing, no such rule or posterior, or a player
            or network of another game.
    """
    stored = {PLAYER: _played, RECIPES: _rebuilt, TRAINED: _trained}
    kind = TRAINED if policy == NETWORK else Path(policy).suffix
    if kind in stored:
        if posterior is not None or draws is not None:
            raise ValueError(f"{policy} plays its own hunts; leave out --posterior and --draws")
        return stored[kind](policy, rules)
    if draws is not None and posterior != "sample":
        raise ValueError(f"--draws {draws} needs --posterior sample, which draws layouts")
    if posterior is None:
        return None, policy
    from bsjax.policies.over import over
    from bsjax.posterior.drawn import DRAWS

    draws = DRAWS if draws is None else draws
    name = f"{policy} {posterior}" + (f" {draws} draws" if posterior == "sample" else "")
    return over(policy, rules, posterior=posterior, draws=draws), name


def _played(file: str, rules: Game) -> "tuple[Policy, str]":
    """The hunts of a stored player, and a name that tells files apart."""
    from bsjax.runtime.origin import file_mark
    from bsjax.solve.playable import playable
    from bsjax.solve.player import load

    known = load(path := Path(file))
    return playable(_of_game(known, rules, path)), f"player {file_mark(path)}"


def _rebuilt(file: str, rules: Game) -> "tuple[Policy, str]":
    """The hunts of a file of recipes, in their own game or inside a larger one."""
    from bsjax.runtime.origin import file_mark
    from bsjax.solve.rebuilt import HUNTS, rebuilt
    from bsjax.solve.recipes import load_recipes

    known = load_recipes(path := Path(file))
    return rebuilt(known, path.with_suffix(HUNTS), rules), f"hunts {file_mark(path)}"


def _trained(file: str, rules: Game) -> "tuple[Policy, str]":
    """A trained network, and a name that tells files apart."""
    from bsjax.learn.files import load_hunter, path_of
    from bsjax.runtime.origin import file_mark

    known = load_hunter(path := path_of("classic" if file == NETWORK else file))
    return _of_game(known, rules, path), f"network {file_mark(path)}"


def _of_game(known: T, rules: Game, path: Path) -> T:
    """What a file holds, if it plays this game."""
    if known.game != rules:
        raise ValueError(f"{path} plays {known.game}, not {rules}; give its --size and --fleet")
    return known
