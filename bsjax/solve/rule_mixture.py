"""A die over rules, and where to hide from it: a double oracle on the boards that searches find.

Rules × boards is a matrix game: an entry is what a rule wins of the races on a board, from games.
The linear program gives the die over rules that does best on its worst board, and a lottery over
boards that no rule does well against. But the boards known are few of many, so the die is then
searched for a hard board as any hunter is; what is found becomes a row for every rule, from fresh
games, and the die is made again.

A round's search is short. Once short ones find little, a thorough one decides: what lowers the die
by less than the tolerance ends it, what lowers it more goes on. So the last die has met a thorough
search, and its worst board is measured on games that chose nothing. A bound all the same: ≤.

The hider's lottery is held against the rules and the boards at hand, and nothing is proved beyond.
"""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import jax
import numpy as np
from jaxtyping import Array, Float64, Key

from bsjax.evaluate.credit import Credit
from bsjax.evaluate.hard_boards.common import common
from bsjax.evaluate.hard_boards.descent import Effort, descend
from bsjax.evaluate.hard_boards.folder import journal_in
from bsjax.evaluate.hard_boards.layouts import Layouts, drawn, legal
from bsjax.evaluate.hard_boards.pool import Pool
from bsjax.evaluate.hard_boards.trial import Table
from bsjax.evaluate.massive import Limits
from bsjax.policies.base import Policy
from bsjax.runtime import cache
from bsjax.runtime.origin import origin
from bsjax.runtime.progress import Progress
from bsjax.solve.die_table import DieTable
from bsjax.solve.matrix_game import Solution, exact
from bsjax.solve.mixture_report import Mixed, Trial, Weights, Worst, told
from bsjax.solve.mixture_settings import Settings

_MATRIX, _DRAW, _SEARCH, _MEASURE, _CHOOSE, _FINAL = range(6)
"""Keys of a mixture."""


_DEFAULT = Settings()


def mix(
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
    """The die over these hunters that does best on the hardest boards found, and where to hide.

    Args:
        hunters: by name; all of one game.
        credit: what finishing at each shot is worth (`bsjax.evaluate.credit`).
        settings: what it may spend.
        boards: hard boards known before, besides the common ones.
        out: run folder; the work can then be killed and gone on with.
        resume: go on with the work in `out`.
        limits: memory, slots and checkpoints; they change no result.
        quiet: show no progress.

    Returns:
        JSON values (`bsjax.solve.mixture_report.told`), and the `speed` of this part of the work:
        `games_played` and `games_per_second`.

    Raises:
        ValueError: no hunter, hunters of several games, a board that is not legal, no board known,
            a setting out of range, or the folder holds something else.
        OSError: the folder cannot be written.
    """
    games = {policy.game for policy in hunters.values()}
    if len(games) != 1:
        raise ValueError(f"hunters of {len(games)} games: take one or more of the same game")
    (game,) = games
    settings.require()
    pool = Pool(game)
    pool.add(common(game), "known", "common")
    if boards is not None:
        if not legal(game, boards).all():
            raise ValueError("a board given has ships that meet, or touch against the rules")
        pool.add(boards, "known", "given")
    if not len(pool):
        raise ValueError(f"no hard board of {game} is known: give some, such as random ones")
    cache.enable()
    limits = limits or Limits()
    identity = _identity(hunters, credit, settings, pool)
    with journal_in(out, identity, resume=resume, every=limits.checkpoint) as journal:
        tables = {
            name: Table(policy, credit, limits=limits, journal=journal)
            for name, policy in hunters.items()
        }
        oracle = _Oracle(tables, pool, settings, quiet)
        result = told(oracle.trials, oracle.run(), pool, credit, settings._asdict())
        played = sum(table.played for table in tables.values())
        seconds = sum(table.seconds for table in tables.values())
        speed = {"games_played": played, "games_per_second": played / seconds if played else None}
        journal.finish(result, {**origin(settings.seed), "speed": speed})
        return result | {"speed": speed}


class _Oracle:
    """The double oracle, so far."""

    def __init__(self, tables: dict[str, Table], pool: Pool, settings: Settings, quiet: bool):
        self.tables, self.pool, self.settings, self.quiet = tables, pool, settings, quiet
        self.key = jax.random.key(settings.seed)
        self.value = np.zeros((0, len(tables)))
        """What each rule wins on each board known, [R, S]."""
        self.trials: list[Trial] = []

    def run(self) -> Mixed:
        """Until a thorough search finds little."""
        settings, stalled = self.settings, 0
        while True:
            self._fill()
            solved = exact(self.value)
            weights = _trimmed(self.value, solved, settings.least)
            thorough = stalled >= settings.patience or len(self.trials) >= settings.rounds
            trial = self._search(weights, solved.rows, thorough=thorough)
            self.trials.append(trial)
            little = trial.gain < settings.tolerance
            if thorough and (little or len(self.trials) > settings.rounds):
                break
            stalled = stalled + 1 if little else 0
        worst = self._worst(weights)
        # The hider knows the boards of the last search too.
        self._fill()
        return Mixed(list(self.tables), weights, self.value, exact(self.value), worst)

    def _key(self, *path: int) -> Key[Array, ""]:
        key = self.key
        for step in path:
            key = jax.random.fold_in(key, step)
        return key

    def _fill(self) -> None:
        """Rows of the matrix for the boards that have none: the same games on every board."""
        first, games = len(self.value), self.settings.matrix
        layouts = self.pool.layouts(list(range(first, len(self.pool))))
        if not len(layouts):
            return
        rows = np.zeros((len(layouts), len(self.tables)))
        total = rows.size * games
        with Progress(f"{len(layouts)} boards", total, "games", quiet=self.quiet) as progress:
            for number, table in enumerate(self.tables.values()):
                rows[:, number] = table.play(self._key(_MATRIX, number), layouts, games).value
                progress.advance(len(layouts) * games)
        self.value = np.concatenate([self.value, rows])

    def _table(self, weights: Weights) -> DieTable:
        """The die as a hunter to be searched: of the rules that come up."""
        faces = [
            table for table, weight in zip(self.tables.values(), weights, strict=True) if weight
        ]
        return DieTable(faces, weights[weights > 0])

    def _search(
        self,
        weights: Weights,
        hiding: Float64[np.ndarray, " R"],
        *,
        thorough: bool,
    ) -> Trial:
        """Descents against a die; where they end is known from then on."""
        settings, number = self.settings, len(self.trials)
        hunted = settings.thorough if thorough else settings.short
        table, on_known = self._table(weights), self.value @ weights
        # Where the die is held down, it is held down alike: the likeliest of those boards first.
        hardest = np.lexsort((on_known, -hiding))[: hunted.starts[0]].tolist()
        others = drawn(self._key(_DRAW, number), self.pool.game, sum(hunted.starts) - len(hardest))
        starts = np.concatenate([self.pool.layouts(hardest), others])
        effort = Effort(hunted.budget, settings.trials, settings.confirm)
        title = f"search {number + 1}{', thorough' if thorough else ''}"
        with table.watched(title, hunted.budget * len(starts), self.quiet):
            found = descend(self._key(_SEARCH, number), table, starts, effort)
        known = len(self.pool)
        ends = self.pool.add(np.stack([one.end for one in found]), "die", f"search {number + 1}")
        ends = list(dict.fromkeys(ends))
        # The readings that made the die flatter it: it is measured again where it was held down.
        layouts = self.pool.layouts([*hardest, *ends])
        readings = table.play(self._key(_MEASURE, number), layouts, settings.games)
        return Trial(
            weights=weights,
            low=float(on_known.min()),
            thorough=thorough,
            known=known,
            held=readings.take(np.arange(len(hardest))),
            boards=ends,
            readings=readings.take(np.arange(len(hardest), len(layouts))),
            games=sum(one.games for one in found),
        )

    def _worst(self, weights: Weights) -> Worst:
        """The lowest board of the last die, chosen and then measured on games of its own."""
        settings, table = self.settings, self._table(weights)
        order = np.argsort(self.value @ weights, kind="stable")
        lowest = order[: sum(settings.thorough.starts)].tolist()
        boards = list(dict.fromkeys([*lowest, *self.trials[-1].boards]))
        layouts = self.pool.layouts(boards)
        readings = table.play(self._key(_CHOOSE), layouts, settings.games)
        at = int(np.argmin(readings.value))
        (faced,) = table.faced(self._key(_FINAL), layouts[at : at + 1], settings.games)
        names = [name for name, weight in zip(self.tables, weights, strict=True) if weight]
        return Worst(boards[at], faced, names)


def _trimmed(value: np.ndarray, solved: Solution, least: float) -> Weights:
    """The best die without the rules that come up too rarely to pay for their games."""
    kept = np.arange(value.shape[1])
    share = solved.columns
    while share.min() < least and len(kept) > 1:
        kept = kept[share >= min(least, share.max())]
        share = exact(value[:, kept]).columns
    weights = np.zeros(value.shape[1])
    weights[kept] = share
    return weights


def _identity(
    hunters: Mapping[str, Policy], credit: Credit, settings: Settings, pool: Pool
) -> dict[str, Any]:
    """What decides the results, as JSON values."""
    given = {
        "mixture of": list(hunters),
        "game": str(pool.game),
        "credit": hashlib.sha256(credit.tobytes()).hexdigest(),
        "known": hashlib.sha256(pool.layouts().tobytes()).hexdigest(),
        "settings": settings._asdict(),
    }
    return json.loads(json.dumps(given))
