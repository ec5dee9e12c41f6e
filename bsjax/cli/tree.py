"""`bsjax tree`: exact shots of a hunt without dice over all layouts of a small game."""

import json
from typing import TYPE_CHECKING, Annotated, Any

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
)

if TYPE_CHECKING:
    from bsjax.evaluate.tree import Figures


@app.command()
def tree(
    policy: Annotated[
        str,
        typer.Option(
            help="probability, information, lookahead-hits, lookahead-information, or a hunter "
            "without dice that `bsjax list` names."
        ),
    ] = "probability",
    size: SizeFlag = None,
    fleet: FleetFlag = None,
    touching: TouchingFlag = None,
    feedback: FeedbackFlag = None,
    game: PresetFlag = "classic",
    as_json: JsonFlag = False,
) -> None:
    """Exact shots over all layouts: mean, median, 95th percentile, worst case, histogram."""
    rules = game_of(game, size, fleet, touching, feedback)
    from bsjax.evaluate.tree import evaluate
    from bsjax.posterior.listed import Listing

    result = evaluate(Listing(rules), policy)
    figures = result.figures()
    told = as_fields(figures) | {"policy": policy, "game": str(rules)}
    told["decisions"] = result.decisions
    if as_json:
        print(json.dumps(told))
    else:
        print(
            f"{policy} on {rules}: {told['mean']:.6f} shots ({told['mean_fraction']}) over "
            f"{figures.layouts:,} layouts; median {figures.median}, p95 {figures.p95}, best "
            f"{figures.best}, worst {figures.worst}; {result.decisions:,} decisions"
        )


def as_fields(figures: "Figures") -> dict[str, Any]:
    """The figures as JSON values; the mean also as the exact fraction sum of shots / layouts."""
    histogram = figures.histogram.tolist()
    total = sum(shots * count for shots, count in enumerate(histogram))
    return {
        "layouts": figures.layouts,
        "mean": float(figures.mean),
        "mean_fraction": f"{total}/{figures.layouts}",
        "median": figures.median,
        "p95": figures.p95,
        "best": figures.best,
        "worst": figures.worst,
        "histogram": histogram,
    }
