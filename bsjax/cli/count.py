"""`bsjax count`: how many layouts a game has."""

import json

from bsjax.cli import app
from bsjax.cli.options import FleetFlag, JsonFlag, PresetFlag, SizeFlag, TouchingFlag, game_of


@app.command()
def count(
    size: SizeFlag = None,
    fleet: FleetFlag = None,
    touching: TouchingFlag = None,
    game: PresetFlag = "classic",
    as_json: JsonFlag = False,
) -> None:
    """Count the layouts of a game, equal ships told apart and alike."""
    rules = game_of(game, size, fleet, touching, None)
    from bsjax.posterior import exact

    counts = exact.count(rules)
    if as_json:
        print(json.dumps(counts))
    else:
        apart, alike = counts["layouts_told_apart"], counts["layouts_alike"]
        print(f"{apart:,} layouts with equal ships told apart, {alike:,} with equal ships alike")
