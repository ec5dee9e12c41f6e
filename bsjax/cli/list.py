"""`bsjax list`: the hunters, hiders and games that have a name."""

import json

from bsjax.cli import app
from bsjax.cli.options import JsonFlag


@app.command(name="list")
def list_names(as_json: JsonFlag = False) -> None:
    """List hunters, hiders and named games, one line each."""
    from bsjax import hide, policies
    from bsjax.game.game import PRESETS

    told = {
        "policies": {name: policies.describe(name) for name in policies.names()},
        "hiders": {name: hide.describe(name) for name in hide.names()},
        "games": {name: str(game) for name, game in PRESETS.items()},
    }
    if as_json:
        print(json.dumps(told))
        return
    for kind, entries in told.items():
        print(kind)
        for name, line in entries.items():
            print(f"  {name:24}{line}")
