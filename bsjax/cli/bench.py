"""`bsjax bench`: how fast the hunters play on this machine."""

import json
from typing import Annotated

import typer

from bsjax.cli import app
from bsjax.cli.options import (
    FeedbackFlag,
    FleetFlag,
    JsonFlag,
    PresetFlag,
    SizeFlag,
    TouchingFlag,
    game_of,
    numbers_of,
)


@app.command()
def bench(
    policy: Annotated[
        str, typer.Option(help="Hunters with commas; all of them by default.")
    ] = "all",
    slots: Annotated[
        str, typer.Option(help="Games in lockstep per device, with commas; 0: the default.")
    ] = "0",
    devices: Annotated[
        str, typer.Option(help="Numbers of devices, with commas; 0: all local ones.")
    ] = "0",
    seconds: Annotated[float, typer.Option(help="Length of one run; each is made 3 times.")] = 2.0,
    games: Annotated[int, typer.Option(help="Games of the run whose sizes are measured.")] = 10**6,
    size: SizeFlag = None,
    fleet: FleetFlag = None,
    touching: TouchingFlag = None,
    feedback: FeedbackFlag = None,
    game: PresetFlag = "classic",
    as_json: JsonFlag = False,
) -> None:
    """Measure games/s, decisions/s, compile seconds and memory."""
    rules = game_of(game, size, fleet, touching, feedback)
    widths = numbers_of(slots, "--slots")
    counts = numbers_of(devices, "--devices")
    from bsjax.runtime import devices as machine

    machine.use_all_cores()
    import jax

    from bsjax import hide, policies
    from bsjax.evaluate.massive import Limits, Run, size_of
    from bsjax.evaluate.throughput import Throughput, measure
    from bsjax.runtime.origin import origin

    local = tuple(jax.local_devices())
    if max(counts) > len(local):
        raise ValueError(f"--devices {max(counts)}: this machine has {len(local)}")
    rows: list[dict] = []
    if not as_json:
        print(f"{rules}; {machine.describe()}")
        print(
            f"{'policy':24}{'devices':>8}{'slots':>8}{'games/s':>12}{'decisions/s':>14}"
            f"{'compile s':>11}{'program MB':>12}"
        )
    for name in policies.names() if policy == "all" else policy.split(","):
        hunter, hider = policies.make(name, rules).prepared(games), hide.make("uniform", rules)
        for count in counts:
            on = local[: count or len(local)]
            for width in widths:
                bucket = size_of(
                    hunter, Run(name, games, rules), Limits(slots=width or None), devices=len(on)
                )
                row: Throughput = measure(hunter, hider, bucket, seconds=seconds, on=on)
                rows.append({"policy": name, **row._asdict()})
                if not as_json:
                    print(
                        f"{name:24}{row.devices:8}{row.slots:8}{row.games_per_second:12,.0f}"
                        f"{row.decisions_per_second:14,.0f}{row.compile_seconds:11.1f}"
                        f"{row.program_bytes / 1e6:12,.0f}"
                    )
    if as_json:
        print(json.dumps({"game": str(rules), "origin": origin(0), "rows": rows}))
