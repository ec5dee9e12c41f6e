"""Every hand-written rule of section 5, scored against a near-perfect player.

For each rule: how many races it wins against the player who hides his own way (head-to-head), on
the layout where it races worst, and on its worst layout once more with its own fleet hidden where
that helps it most (both adversarial); how many shots it needs under that hider, under a uniform
one, and on its slowest layout.

The heat map counts placements ship by ship, open hits first (`bsjax.policies.heatmap`): so counted
its slowest layout is the write-up's corner pack. Beside it stand the map of the exact posterior, of
which the corner pack is not the slowest: the share of layouts left, every layout equally likely,
with a ship on the cell, scored exactly, all ways to break a tie at once (`bsjax.evaluate.ties`);
and that of a hunter who knows how the player hides. Rules that roll dice are played, and a figure
is given with its standard error. The rules and the published figures lie in
`experiments.small_boards.hand_written`.
"""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import jax
import numpy as np
from jaxtyping import Float64, Int64

from bsjax import policies
from bsjax.evaluate.by_layout import Estimate, Stage, by_layout, lowest, means, over_layouts
from bsjax.evaluate.credit import race_credit, shots_credit
from bsjax.evaluate.ties import with_ties
from bsjax.evaluate.tree import evaluate
from bsjax.game.game import Game
from bsjax.game.notation import format_cell
from bsjax.policies import Policy
from bsjax.policies.over import over
from bsjax.policies.patterns import rule
from bsjax.policies.scores import probability
from bsjax.posterior.listed import Listing
from bsjax.solve.best_reply import best_reply, finishing
from bsjax.solve.knowledge import build
from bsjax.solve.player import Player, load
from bsjax.solve.tables import classes
from experiments.small_boards.hand_written import PARTICLES, PUBLISHED, REASONS, RULES, compared


class Settings(NamedTuple):
    """Players, and sizes that change the precision only."""

    seed: int = 0
    players: tuple[tuple[str, str], ...] = (
        ("5x5", "experiments/small_boards/players/5x5.npz"),
        ("4x4", "experiments/small_boards/players/4x4.npz"),
    )
    """Board and file of each player (`bsjax.solve.player`). Without a file: one who hides the
    fleet {3,3,2} at random and hunts by the best reply to that."""
    games: int = 400
    """Games of a quick rule on every class of turned layouts."""
    stages: tuple[tuple[int, int], ...] = ((32, 2_000), (8, 10_000), (1, 100_000))
    """How the worst layout of a quick rule is looked for (`bsjax.evaluate.by_layout.Stage`)."""
    slow: int = 4
    """Rules that look at layouts in play have so many times fewer games."""


FULL = Settings()
QUICK = Settings(players=(("4x4", ""),), games=20, stages=((8, 100), (4, 200), (1, 400)), slow=2)


class Reference(NamedTuple):
    """A player, and what races against him are worth."""

    player: Player
    listing: Listing
    rows: Int64[np.ndarray, " R"]
    """One layout of each class."""
    size: Int64[np.ndarray, " R"]
    """Layouts of each class."""
    race: Float64[np.ndarray, " T"]
    """Credit against his pace."""


def run(settings: Settings, work: Path) -> dict[str, Any]:
    """The table of every board; `work` is not used, the games are played again."""
    del work
    return {"boards": [_board(name, path, settings) for name, path in settings.players]}


def reference(player: Player) -> Reference:
    """What races against a player are worth."""
    alike = classes(player.game)
    race = race_credit(player.pace)
    return Reference(player, Listing(player.game), alike.row, alike.size, race)


def stand_in(game: Game) -> Player:
    """A player who hides at random and hunts by the best reply to that."""
    shots = best_reply(build(game), shots_credit(game)).play().shots
    found = finishing(Listing(game), shots)
    return Player(game, "finish", np.full(len(found), 1 / len(found)), found, np.zeros(0), [])


def _board(name: str, path: str, settings: Settings) -> dict[str, Any]:
    """All rules on a board."""
    if path:
        player = load(Path(path))
    else:
        width, height = map(int, name.split("x"))
        player = stand_in(Game((width, height), (3, 3, 2)))
    against = reference(player)
    told, listing = [], against.listing
    for rule_name, parts in RULES.items():
        slow = settings.slow if parts.get("finish") == "layouts" else 1
        policy = rule(player.game, **parts)
        told.append(_played(rule_name, policy, against, settings, slow))
    filtered = over("probability", player.game, posterior="sample", draws=PARTICLES)
    told.append(_played("particle filter", filtered, against, settings, settings.slow))
    for rule_name, policy in (
        ("heat map", "density"),
        ("heat map, ties to the lowest cell", "density-lowest"),
    ):
        hunter = policies.make(policy, player.game)
        told.append(_played(rule_name, hunter, against, settings, 1))
    lowest_cell = finishing(listing, evaluate(listing, probability).shots)
    own = with_ties(listing, probability, prior=player.hider)
    told += [
        _exact("exact posterior", with_ties(listing, probability), against),
        _exact("exact posterior, ties to the lowest cell", lowest_cell, against),
        _exact("exact posterior, knowing the hider", own, against),
    ]
    hunts = player.finishing[against.rows]
    worst = (hunts @ against.race).argmin()
    published = PUBLISHED.get(name, {})
    for one in told:
        one["published"] = compared(one, published.get(one["rule"], {}))
        if any(told["differs"] for told in one["published"].values()):
            one["reason"] = REASONS.get(one["rule"], "not known")
    return {
        "board": name,
        "player": path or "hides at random, hunts by the best reply to that",
        "player_shots": float(player.pace @ np.arange(len(player.pace))),
        "player_worst": 100 * float(hunts[worst] @ against.race),
        "player_worst_on": layout_text(listing, int(against.rows[worst])),
        "player_by_layout": _by_layout(hunts, against.size, 0.0),
        "player_times": player.pace.round(6).tolist(),
        "player_times_worst": hunts[worst].round(6).tolist(),
        "rules": told,
    }


def _played(
    name: str, policy: Policy, against: Reference, settings: Settings, slow: int
) -> dict[str, Any]:
    """A rule that rolls dice."""
    started = time.monotonic()
    listing, rows = against.listing, against.rows
    key = jax.random.key(settings.seed)
    keys = [jax.random.fold_in(key, number) for number in range(4)]
    games = max(settings.games // slow, 2)
    found = by_layout(keys[0], policy, listing, games, rows=rows)
    stages = [Stage(keep, max(games // slow, 2)) for keep, games in settings.stages]

    def worst(number: int, credit: np.ndarray) -> Worst:
        own = keys[1 + number]
        least = lowest(own, policy, listing, credit, found, rows, stages)
        return Worst(least.estimate, least.row, least.histogram / least.games)

    def mean(credit: np.ndarray, weights: np.ndarray) -> Estimate:
        return over_layouts(found, credit, weights)

    noise = float(np.sqrt((means(found, shots_credit(listing.game))[1] ** 2).mean()))
    told = _row(name, against, found / games, noise, mean, worst)
    return {**told, "games_on_each": games, "seconds": time.monotonic() - started}


def _exact(name: str, shares: Float64[np.ndarray, "M T"], against: Reference) -> dict[str, Any]:
    """A rule whose finishing times are known on every layout, turned at random."""
    number = len(against.rows)
    alike = classes(against.player.game)
    total = np.stack([np.bincount(alike.of, column, number) for column in shares.T], axis=1)
    found = total / against.size[:, None]

    def worst(number: int, credit: np.ndarray) -> Worst:
        del number
        value = found @ credit
        at = value.argmin()
        return Worst(Estimate(float(value[at]), 0.0), int(against.rows[at]), found[at])

    def mean(credit: np.ndarray, weights: np.ndarray) -> Estimate:
        return Estimate(float(weights @ (found @ credit) / weights.sum()), 0.0)

    return _row(name, against, found, 0.0, mean, worst)


class Worst(NamedTuple):
    """The layout on which a rule does worst."""

    estimate: Estimate
    row: int
    times: Float64[np.ndarray, " T"]
    """Share of games over at each shot there."""


def _row(
    name: str,
    against: Reference,
    found: Float64[np.ndarray, "R T"],
    noise: float,
    mean: Callable[[np.ndarray, np.ndarray], Estimate],
    worst: Callable[[int, np.ndarray], Worst],
) -> dict[str, Any]:
    """The figures of a rule: its means over layouts, its lowest means, and `found`, the share of
    its games over at each shot on one layout of each class; `noise` as in `_by_layout`."""
    player, listing, shots = against.player, against.listing, shots_credit(against.player.game)
    hider = player.hider[against.rows] * against.size
    raced, slowest = worst(0, against.race), worst(1, shots)
    # Its fleet lies where the player's hunt there loses most races against its own worst hunt.
    races = [race_credit(times) for times in player.finishing[against.rows]]
    hidden = int(np.argmax(np.stack(races) @ raced.times))
    both = worst(2, races[hidden])
    return {
        "rule": name,
        "head_to_head": _told(mean(against.race, hider), 100),
        "worst": _told(raced.estimate, 100),
        "worst_on": layout_text(listing, raced.row),
        "shots": _told(mean(shots, hider), -1),
        "shots_uniform": _told(mean(shots, against.size.astype(np.float64)), -1),
        "slowest": _told(slowest.estimate, -1),
        "slowest_on": layout_text(listing, slowest.row),
        "by_layout": _by_layout(found, against.size, noise),
        "times": (hider / hider.sum() @ found).round(6).tolist(),
        "times_worst": raced.times.round(6).tolist(),
        "both_adversarial": _told(both.estimate, 100),
        "both_on": layout_text(listing, both.row),
        "both_hidden": layout_text(listing, int(against.rows[hidden])),
    }


def _by_layout(
    found: Float64[np.ndarray, "R T"], size: Int64[np.ndarray, " R"], noise: float
) -> dict[str, float]:
    """How the expected shots of the layouts spread, each layout once.

    `noise` is the root mean square of the standard errors of their readings. It widens the middle
    80% little, but the least and the greatest reading lie outside by some two to three of it.
    """
    shots = np.repeat(found @ np.arange(found.shape[1]), size)
    spread = np.quantile(shots, (0.0, 0.1, 0.5, 0.9, 1.0))
    names = ("fewest", "tenth", "median", "ninetieth", "most")
    return {**dict(zip(names, spread.tolist(), strict=True)), "noise": noise}


def _told(estimate: Estimate, factor: int) -> dict[str, float]:
    return {"value": factor * estimate.value, "se": abs(factor) * estimate.se}


def layout_text(listing: Listing, row: int) -> str:
    """First and last cell of each ship: `A1-C1 A2-C2 E1-E2`."""
    game, cells = listing.game, listing.cells[:, row].tolist()
    ends, at = [], 0
    for length in game.fleet:
        ends.append((cells[at], cells[at + length - 1]))
        at += length
    return " ".join("-".join(format_cell(game, cell) for cell in pair) for pair in ends)
