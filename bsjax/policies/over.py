"""The rules that judge by layouts, over any posterior: by name, as a user picks them.

    hunter = over("information", Game(), posterior="sample", draws=1500)

The names in the registry stand for the exact posterior.
"""

from collections.abc import Callable
from functools import partial

from bsjax.game.game import Game
from bsjax.policies.base import register
from bsjax.policies.bayes import Greedy, Rule, information, probability
from bsjax.policies.lookahead import Lookahead
from bsjax.posterior.beliefs import Belief, counted, enumerated
from bsjax.posterior.drawn import DRAWS, Drawn
from bsjax.posterior.prior import Prior

POSTERIORS = ("exact", "sample", "enumerate")
"""Counted by leaves, drawn with weights, and listed (small games)."""
CANDIDATES = 6
"""First shots that a lookahead looks at where every posterior is counted by leaves."""

RULES: dict[str, tuple[str, Callable[[Game, int | None], Rule]]] = {
    "probability": ("the cell most layouts put a ship on", lambda game, few: probability),
    "information": (
        "the cell that leaves the fewest layouts, ties to the likelier hit",
        lambda game, few: information,
    ),
    "lookahead-hits": (
        "the most hits by this shot and the best next one",
        lambda game, few: Lookahead(game, True, few),
    ),
    "lookahead-information": (
        "the fewest layouts left after this shot and the best next one",
        lambda game, few: Lookahead(game, False, few),
    ),
}
"""Of every rule, what it fires at and how it is made (with how few first shots to look at)."""


def over(
    rule: str,
    game: Game,
    *,
    posterior: str = "exact",
    draws: int = DRAWS,
    prior: Prior | None = None,
) -> Greedy:
    """A rule over a posterior.

    Args:
        rule: a key of `RULES`.
        game: the rules of the game.
        posterior: one of `POSTERIORS`. A lookahead looks at the best `CANDIDATES` first shots of
            the one-shot rule over `exact`, at all of them otherwise.
        draws: layouts drawn for each decision over `sample`.
        prior: what the hunter takes layouts to be worth; every layout the same by default.

    Raises:
        ValueError: no such rule or posterior, or the posterior is out of reach for this game.
    """
    if rule not in RULES:
        raise ValueError(f"no rule {rule!r} over a posterior; choose one of {', '.join(RULES)}")
    few = CANDIDATES if posterior == "exact" else None
    return Greedy(game, belief(game, posterior, draws, prior), RULES[rule][1](game, few))


def belief(game: Game, posterior: str, draws: int, prior: Prior | None) -> Belief:
    """The posterior of this name; see `over`."""
    if posterior == "exact":
        return counted(game, prior)
    if posterior == "sample":
        return Drawn(game, draws, prior)
    if posterior == "enumerate":
        if prior is not None:
            raise ValueError("the listed posterior takes no prior; choose exact or sample")
        return enumerated(game)
    raise ValueError(f"no posterior {posterior!r}; choose one of {', '.join(POSTERIORS)}")


for _name, (_about, _) in RULES.items():
    register(_name, f"{_about}, counted exactly")(partial(over, _name))
