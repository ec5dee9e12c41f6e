"""One ship of four cells: how many of its placements cover each cell."""

from typing import Any

from bsjax.game.placements import placement_masks
from experiments.notebook.settings import ONE_SHIP, PLACEMENTS, Settings


def run(settings: Settings) -> dict[str, Any]:
    """Placements over each cell, in the corner and at the most covered cells."""
    del settings
    (length,) = ONE_SHIP.fleet
    masks = placement_masks(ONE_SHIP.size, length)
    covers = masks.sum(0)
    side = ONE_SHIP.width - length + 1
    return {
        "game": str(ONE_SHIP),
        "length": length,
        "placements": len(masks),
        "formula": 2 * ONE_SHIP.height * side,
        "covers": covers.tolist(),
        "corner": int(covers[0]),
        "centre": int(covers.max()),
        "published": PLACEMENTS,
    }
