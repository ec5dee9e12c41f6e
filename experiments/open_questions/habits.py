"""Do the effects of an opponent's habits carry over to the standard fleet?

Two players fire where a ship is most likely. One takes every layout as equally likely, the other
knows the opponent's habit exp(a·edge squares − b·touching pairs). Knowing it saves shots where it
is true, and costs shots where the opponent places uniformly. Without spacing (b = 0) both count
the posterior exactly; with it they draw layouts. Beside each stands the two-ship fleet of the
write-up, evaluated on all its layouts.

Weights are float32, so that rounding decides which of equally likely cells a player with a habit
in mind fires at; the player without one counts whole numbers and fires at the lowest of them. What
that alone changes is measured by a habit too weak to weigh anything.

The boards are checked: edge squares and touching pairs of a board against their exact means, and
every cell against its exact chance.
"""

from functools import partial
from typing import Any

import jax
import numpy as np
from jaxtyping import Array, Float32, Float64, Int64, Key

from bsjax import hide
from bsjax.evaluate.tree import evaluate
from bsjax.game.game import Game
from bsjax.game.habits import edge_squares, near
from bsjax.game.observation import Observation, blank
from bsjax.posterior.estimates import effective_size
from bsjax.posterior.evidence import read
from bsjax.posterior.exact import exact
from bsjax.posterior.habit_counts import all_counts
from bsjax.posterior.importance import draw
from bsjax.posterior.listed import Listing
from bsjax.posterior.prior import Prior, habit
from experiments.habits.transcripts import seen
from experiments.how_the_computer.play import fired_in_order
from experiments.notebook import habits as two_ships
from experiments.notebook.settings import BASE, TWO_SHIPS
from experiments.open_questions.compare import paired
from experiments.open_questions.hunters import UNIFORM, Hunter, Opponent
from experiments.open_questions.play import Games, Runs
from experiments.open_questions.settings import Settings

ROUNDED = 1e-9
"""An edge bias that weighs all layouts alike, but in float32, where rounding breaks ties."""
FEW = 100
"""Draws so few that their shares mean little."""
_TOGETHER = 32
"""Observations drawn for at once."""


def run(runs: Runs, settings: Settings) -> dict[str, Any]:
    """Every opponent, its boards, and what knowing it is worth."""
    rows, hunters = [], {}
    opponents = [(Opponent(a), settings.edge_games) for a in settings.edges]
    opponents += [(Opponent(a, b), settings.spaced_games) for a, b in settings.spaced]
    for opponent, games in opponents:
        row, played = against(runs, settings, opponent, games)
        rows.append(row)
        hunters |= {f"{one.hunter.name} on {one.opponent.name}": one.figures() for one in played}
    rounded = Hunter("probability", "exact", edge=ROUNDED)
    ties = [runs.play(one, settings.edge_games) for one in (rounded, rounded._replace(edge=0))]
    boards = [check(runs, settings, opponent) for opponent in (UNIFORM, *(o for o, _ in opponents))]
    return {
        "game": str(settings.game()),
        "two_ships": str(TWO_SHIPS),
        "rows": rows,
        "rounding": paired(*ties),
        "boards": boards,
        "hunters": hunters,
    }


def against(
    runs: Runs, settings: Settings, opponent: Opponent, games: int
) -> tuple[dict[str, Any], list[Games]]:
    """Both players against one opponent and against uniform boards."""
    a, b = opponent
    assumes = (
        Hunter("probability", "sample", settings.draws) if b else Hunter("probability", "exact")
    )
    knows = assumes._replace(edge=a, touch=b)
    played = {
        (who, where): runs.play(hunter, games, other)
        for who, hunter in (("assumes", assumes), ("knows", knows))
        for where, other in (("habit", opponent), ("uniform", UNIFORM))
    }
    row = {
        "edge": a,
        "touch": b,
        "posterior": assumes.posterior,
        "saving": paired(played["assumes", "habit"], played["knows", "habit"]),
        "cost": paired(played["knows", "uniform"], played["assumes", "uniform"]),
        "means": {
            f"{who}_vs_{where}": float(one.shots.mean()) for (who, where), one in played.items()
        },
        "two_ships": on_two_ships(a, b),
    }
    if b:
        row["effective"] = {
            who: effective(runs, settings, played[who, "habit"]) for who in ("assumes", "knows")
        }
    return row, list(played.values())


def on_two_ships(a: float, b: float) -> dict[str, float]:
    """The same on the write-up's fleet, over all layouts."""
    listing = Listing(TWO_SHIPS)
    assumes = evaluate(listing, BASE).shots
    found = two_ships.row(listing, two_ships.features(listing), assumes, a, b)
    return found | {what: two_ships.figure(found, what) for what in ("saving", "cost")}


def features(
    game: Game, boards: np.ndarray
) -> tuple[Int64[np.ndarray, " N"], Int64[np.ndarray, " N"]]:
    """Edge squares and touching pairs of every board."""
    at = hide.layouts_of(game, boards).astype(np.int64).T
    edge = sum(edge_squares(game.size, length)[at[k]] for k, length in enumerate(game.fleet))
    touch = sum(
        near(game, game.fleet[i], game.fleet[j])[at[i], at[j]].astype(np.int64)
        for i in range(game.ships)
        for j in range(i)
    )
    return np.asarray(edge), np.asarray(touch)


def due(game: Game, opponent: Opponent) -> dict[str, float]:
    """Exact means of edge squares and touching pairs, from the layouts counted by both."""
    table = all_counts(Game(game.size, game.fleet, game.touching))
    e, t = np.indices(table.shape)
    share = table * np.exp(opponent.edge * e - opponent.touch * t)
    share /= share.sum()
    return {"edge_squares": float((share * e).sum()), "touching_pairs": float((share * t).sum())}


def chances(game: Game, opponent: Opponent) -> Float64[np.ndarray, " C"]:
    """Exact chance of a ship on each cell of an opponent's boards."""
    prior = habit(game, *opponent) if any(opponent) else None
    return exact(game, blank(game), prior).p_ship


def check(runs: Runs, settings: Settings, opponent: Opponent) -> dict[str, Any]:
    """How far the boards are from what the prior says, in standard errors."""
    game = settings.game()
    boards = runs.boards(opponent, settings.checked)
    found = dict(zip(("edge_squares", "touching_pairs"), features(game, boards), strict=True))
    exactly, p = due(game, opponent), chances(game, opponent)
    border = edge_squares(game.size, 1).astype(bool)
    off = ((boards >= 0).mean(0) - p) / np.sqrt(p * (1 - p) / len(boards))
    told: dict[str, Any] = {
        "opponent": opponent.name,
        "boards": len(boards),
        "edge_squares_by_marginals": float(p[border].sum()),
        "largest_cell_in_standard_errors": float(abs(off).max()),
    }
    for what, own in found.items():
        error = float(own.std(ddof=1)) / len(own) ** 0.5
        mean = float(own.mean())
        told[what] = {"mean": mean, "se": error, "exactly": exactly[what]}
        told[what]["in_standard_errors"] = (mean - exactly[what]) / error
    return told


def effective(runs: Runs, settings: Settings, games: Games) -> list[dict[str, Any]]:
    """Effective draws of a hunter in its own games, after some numbers of shots."""
    hunter, game = games.hunter, settings.game(games.hunter.feedback)
    boards = runs.boards(games.opponent, settings.effective_games)
    order = fired_in_order(np.asarray(games.shot_at[: len(boards)]))
    prior = habit(game, hunter.edge, hunter.touch) if hunter.edge or hunter.touch else None
    told = []
    for number, shots in enumerate(settings.effective_at):
        going = (order >= 0).sum(1) > shots
        if not going.any():
            break
        observations = seen(game, boards[going], order[going, :shots])
        keys = jax.random.split(
            jax.random.fold_in(jax.random.key(settings.seed), number), going.sum()
        )
        size = np.asarray(_sizes(game, prior, hunter.draws, observations, keys))
        low, median = np.quantile(size, (0.1, 0.5)).tolist()
        told.append(
            {
                "shots": shots,
                "games": len(size),
                "draws": hunter.draws,
                "p10": low,
                "median": median,
                "few": float((size < FEW).mean()),
            }
        )
    return told


def _sizes(
    game: Game, prior: Prior | None, draws: int, observations: Observation, keys: Key[Array, " N"]
) -> Float32[Array, " N"]:
    """Effective draws of each observation."""

    def one(of: tuple[Observation, Key[Array, ""]]) -> Float32[Array, ""]:
        return effective_size(draw(game, read(game, of[0], prior), of[1], draws, prior))

    return jax.jit(partial(jax.lax.map, one, batch_size=_TOGETHER))((observations, keys))
