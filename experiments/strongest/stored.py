"""The mixture of the loop on 10×10, as recipes in `players/`, and its hunts, rebuilt once."""

from functools import lru_cache
from pathlib import Path

from bsjax.game.game import Game
from bsjax.policies.base import Policy
from bsjax.policies.rewind import PRINTED, Variant
from bsjax.solve.rebuilt import rebuilt
from bsjax.solve.recipes import Recipes, load_recipes, rebuild

PLAYERS = Path(__file__).parent / "players"
NAME = "three-ships.recipes"
_WORKERS = 2


def file_of(work: Path, *, kept: bool) -> Path:
    """The file of recipes: among the players, or in the folder of games.

    Raises:
        ValueError: there is none.
    """
    path = (PLAYERS if kept else work) / NAME
    if not path.is_file():
        raise ValueError(f"{path} is missing; write it with --only ten")
    return path


def hunts_in(work: Path) -> Path:
    """Where the hunts are rebuilt."""
    return work / "hunts"


@lru_cache(maxsize=1)
def hunter(
    work: Path, game: Game, *, kept: bool, variant: Variant = PRINTED
) -> tuple[Policy, Recipes]:
    """The strongest strategy, and the recipes of its hunts; those missing are rebuilt.

    The last one is kept: its trees take gigabytes, and the parts ask for it again and again.
    """
    recipes = load_recipes(file_of(work, kept=kept))
    rebuild(recipes, hunts_in(work), workers=_WORKERS, quiet=False)
    return rebuilt(recipes, hunts_in(work), game, variant), recipes
