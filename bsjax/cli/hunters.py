"""Which hunter plays, from the flags shared by the commands that play games."""

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


def over_posterior(
    policy: str, rules: Game, posterior: str | None, draws: int | None
) -> "tuple[Policy | None, str]":
    """A rule over the posterior asked for, and its name; None where it is the registered one.

    Raises:
        ValueError: draws of a posterior that draws nothing, or no such rule or posterior.
    """
    if draws is not None and posterior != "sample":
        raise ValueError(f"--draws {draws} needs --posterior sample, which draws layouts")
    if posterior is None:
        return None, policy
    from bsjax.policies.over import over
    from bsjax.posterior.drawn import DRAWS

    draws = DRAWS if draws is None else draws
    name = f"{policy} {posterior}" + (f" {draws} draws" if posterior == "sample" else "")
    return over(policy, rules, posterior=posterior, draws=draws), name
