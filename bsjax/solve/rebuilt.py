"""Hunts that were rebuilt from recipes, as a policy: in their own game, or inside a larger one."""

from pathlib import Path

from bsjax.evaluate.hunt_trees import loaded
from bsjax.game.game import Game
from bsjax.policies.base import Policy
from bsjax.policies.by_trees import ByTrees
from bsjax.policies.rewind import PRINTED, Variant, rewind
from bsjax.posterior.listed import Listing
from bsjax.solve.recipes import Recipes, paths_of

HUNTS = ".hunts"
"""Ending of the folder of hunts beside a file of recipes."""


def rebuilt(recipes: Recipes, folder: Path, game: Game, variant: Variant = PRINTED) -> Policy:
    """The lottery over the hunts of a file of recipes.

    Args:
        recipes: of the hunts.
        folder: where `bsjax.solve.recipes.rebuild` put them.
        game: that of the hunts, or one whose fleet contains theirs (`bsjax.policies.rewind`).
        variant: of the program that plays them inside a larger game.

    Raises:
        ValueError: hunts are missing or damaged, or cannot be played in this game.

    Cost: 5 bytes a node and 4 a layout of memory for each hunt, 17.5 MB on 10×10 {3,3,2}.
    """
    paths = paths_of(recipes, folder)
    missing = [path for path in paths if not path.exists()]
    if missing:
        raise ValueError(
            f"{folder} lacks {len(missing)} of {len(paths)} hunts; rebuild them with bsjax hunts"
        )
    trees = loaded(Listing(recipes.game), paths)
    if game == recipes.game:
        return ByTrees.of(trees, recipes.weights)
    return rewind(game, trees, recipes.weights, variant)
