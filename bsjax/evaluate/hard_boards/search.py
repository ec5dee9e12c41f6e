"""The whole search for the worst boards of hunters, with a run folder.

A search may miss harder boards, so a worst case is an upper bound, written ≤ and rounded up. Its
value comes from games that chose nothing: neither the board nor the way to it.
"""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import jax
import numpy as np

from bsjax.evaluate.credit import Credit
from bsjax.evaluate.hard_boards.common import common
from bsjax.evaluate.hard_boards.folder import Journal, journal_in
from bsjax.evaluate.hard_boards.layouts import Layouts, distinct, legal
from bsjax.evaluate.hard_boards.pool import Pool
from bsjax.evaluate.hard_boards.report import told
from bsjax.evaluate.hard_boards.settings import Settings
from bsjax.evaluate.hard_boards.stages import Hunt, Shared, run
from bsjax.evaluate.hard_boards.trial import Table
from bsjax.evaluate.massive import Limits
from bsjax.game.game import Game
from bsjax.policies.base import Policy
from bsjax.runtime import cache
from bsjax.runtime.origin import origin

_DEFAULT = Settings()


def search(
    hunters: Mapping[str, Policy],
    credit: Credit,
    settings: Settings = _DEFAULT,
    *,
    boards: Layouts | None = None,
    out: Path | None = None,
    resume: bool = False,
    limits: Limits | None = None,
    quiet: bool = True,
) -> dict[str, Any]:
    """Search for the worst board of every hunter.

    Args:
        hunters: by name; all of one game. They share the boards they find.
        credit: what finishing at each shot is worth (`bsjax.evaluate.credit`).
        settings: what it may spend.
        boards: hard boards known before, besides the common ones.
        out: run folder; the search can then be killed and gone on with.
        resume: go on with the search in `out`.
        limits: memory, slots and checkpoints; they change no result.
        quiet: show no progress.

    Returns:
        JSON values (`bsjax.evaluate.hard_boards.report.told`), and for each hunter its `speed`:
        `games_played`, `games_per_second` and `compile_seconds` of this part of the search.

    Raises:
        ValueError: no hunter, hunters of several games, a board that is not legal, a setting out of
            range, or the folder holds something else.
        OSError: the folder cannot be written.
    """
    game = _game(hunters)
    settings.require()
    known = common(game)
    if boards is not None:
        if not legal(game, boards).all():
            raise ValueError("a board given has ships that meet, or touch against the rules")
        known = np.concatenate([known, boards])
        known = known[distinct(game, known)]
    cache.enable()
    limits = limits or Limits()
    identity = _identity(hunters, credit, settings, known)
    with journal_in(out, identity, resume=resume, every=limits.checkpoint) as journal:
        hunts = _hunts(hunters, credit, settings, limits, journal)
        shared = Shared(Pool(game), settings, quiet)
        run(hunts, known, shared)
        result = told(hunts, shared.pool, settings)
        speed = {hunt.name: hunt.table.speed for hunt in hunts}
        journal.finish(result, {**origin(settings.seed), "speed": speed})
        return result | {"speed": speed}


def _game(hunters: Mapping[str, Policy]) -> Game:
    games = {policy.game for policy in hunters.values()}
    if len(games) != 1:
        raise ValueError(f"hunters of {len(games)} games: take one or more of the same game")
    return games.pop()


def _hunts(
    hunters: Mapping[str, Policy],
    credit: Credit,
    settings: Settings,
    limits: Limits,
    journal: Journal,
) -> list[Hunt]:
    seed = jax.random.key(settings.seed)
    hunts = []
    for number, (name, policy) in enumerate(hunters.items()):
        table = Table(policy, credit, common=settings.common, limits=limits, journal=journal)
        hunts.append(Hunt(name, jax.random.fold_in(seed, number), table, [], {}, {}))
    return hunts


def _identity(
    hunters: Mapping[str, Policy], credit: Credit, settings: Settings, known: Layouts
) -> dict[str, Any]:
    """What decides the results, as JSON values."""
    given = {
        "hunters": list(hunters),
        "game": str(_game(hunters)),
        "credit": hashlib.sha256(credit.tobytes()).hexdigest(),
        "known": hashlib.sha256(known.tobytes()).hexdigest(),
        "settings": settings._asdict(),
    }
    return json.loads(json.dumps(given))
