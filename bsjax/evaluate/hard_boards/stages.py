"""The five stages of a search, for one hunter or several that share the boards they find.

1. **Own search**: descents without confirmation from eight boards: four common hard ones, the two
   hardest others known before, two random.
2. **Cross-play**: every hunter on every board any of them started from or ended on.
3. **Confirmed descents** from the two lowest boards so far.
4. **Tournament**: cross-play once more over all boards, with more games.
5. **Confirmed descents** from the tournament's two lowest.

Boards that a stage puts forward are measured on games of their own, and the lowest of all
measurements names the worst board.
"""

from typing import NamedTuple

import jax
import numpy as np
from jaxtyping import Array, Key

from bsjax.evaluate.hard_boards.crossplay import Heat, Scores, crossplay
from bsjax.evaluate.hard_boards.descent import Descent, descend
from bsjax.evaluate.hard_boards.layouts import Layouts, drawn
from bsjax.evaluate.hard_boards.pool import Pool
from bsjax.evaluate.hard_boards.settings import Settings
from bsjax.evaluate.hard_boards.trial import Readings, Table

STAGES = ("own search", "cross-play", "first confirmed", "tournament", "second confirmed", "final")
OWN, CROSS, FIRST, TOURNEY, SECOND, FINAL = range(len(STAGES))
_KNOWN_GAMES = 256
"""Games on each board known before, to find the hardest of them."""
_DRAW, _KNOWN, _SEARCH, _MEASURE = range(4)
"""Keys of a stage."""


class Measured(NamedTuple):
    """A board that a stage put forward, on games of its own."""

    stage: int
    board: int
    """Number in the pool."""
    reading: Readings


class Hunt(NamedTuple):
    """The search for the worst boards of one hunter, so far."""

    name: str
    key: Key[Array, ""]
    table: Table
    measured: list[Measured]
    descents: dict[int, list[Descent]]
    """By stage."""
    scores: dict[int, Scores]
    """By stage: of the boards that the pool then had."""

    def lowest(self, count: int) -> list[int]:
        """Boards of the lowest measurements; those of one board are added up."""
        total: dict[int, np.ndarray] = {}
        for one in self.measured:
            total[one.board] = total.get(one.board, 0) + one.reading.sums
        value = {board: Readings(sums).value[0] for board, sums in total.items()}
        return sorted(value, key=lambda board: (value[board], board))[:count]


class Shared(NamedTuple):
    """What all hunters of a search share."""

    pool: Pool
    settings: Settings
    quiet: bool
    """Show no progress."""


def run(hunts: list[Hunt], known: Layouts, shared: Shared) -> None:
    """All stages; every stage of all hunters before the next.

    Args:
        hunts: the hunters, nothing found yet.
        known: boards known before, the common ones first.
        shared: an empty pool, and what may be spent.
    """
    settings, pool = shared.settings, shared.pool
    pool.add(known, "known", "known")
    for hunt in hunts:
        _own(hunt, known, shared)
    for stage, heats in ((CROSS, settings.cross), (TOURNEY, settings.tournament)):
        boards = pool.layouts()
        for hunt in hunts:
            _crossplay(hunt, stage, boards, settings.scaled(heats), shared)
        for hunt in hunts:
            # From the lowest boards so far, then from those of the tournament.
            lowest = hunt.scores[stage].order[: settings.forward].tolist()
            starts = hunt.lowest(settings.forward) if stage == CROSS else lowest
            _descend(hunt, stage + 1, pool.layouts(starts), shared)


def _key(hunt: Hunt, stage: int, which: int) -> Key[Array, ""]:
    return jax.random.fold_in(jax.random.fold_in(hunt.key, stage), which)


def _own(hunt: Hunt, known: Layouts, shared: Shared) -> None:
    """Stage 1."""
    common, found, random = shared.settings.starts
    first, rest = known[:common], known[common:]
    if 0 < found < len(rest):
        heats = shared.settings.scaled((Heat(_KNOWN_GAMES, 0.0),))
        with hunt.table.watched(_title(hunt, OWN), heats[0].games * len(rest), shared.quiet):
            rest = rest[crossplay(_key(hunt, OWN, _KNOWN), hunt.table, rest, heats).order]
    first = np.concatenate([first, rest[:found]])
    missing = common + found + random - len(first)
    others = drawn(_key(hunt, OWN, _DRAW), hunt.table.game, missing)
    _descend(hunt, OWN, np.concatenate([first, others]), shared)


def _crossplay(
    hunt: Hunt, stage: int, boards: Layouts, heats: tuple[Heat, ...], shared: Shared
) -> None:
    """Stages 2 and 4."""
    share, games = 1.0, 0
    for heat in heats:
        games += int(np.ceil(share * len(boards))) * heat.games
        share *= heat.keep
    with hunt.table.watched(_title(hunt, stage), games, shared.quiet):
        scores = crossplay(_key(hunt, stage, _SEARCH), hunt.table, boards, heats)
    hunt.scores[stage] = scores
    _measure(hunt, stage, scores.order[: shared.settings.forward].tolist(), shared)


def _descend(hunt: Hunt, stage: int, starts: Layouts, shared: Shared) -> None:
    """Descents from these boards (stages 1, 3 and 5); where they end is put forward."""
    effort = shared.settings.descents(len(starts), confirmed=stage != OWN)
    with hunt.table.watched(_title(hunt, stage), effort.budget * len(starts), shared.quiet):
        found = descend(_key(hunt, stage, _SEARCH), hunt.table, starts, effort)
    hunt.descents[stage] = found
    shared.pool.add(starts, hunt.name, STAGES[stage])
    ends = shared.pool.add(np.stack([one.end for one in found]), hunt.name, STAGES[stage])
    _measure(hunt, stage, list(dict.fromkeys(ends)), shared)


def _measure(hunt: Hunt, stage: int, boards: list[int], shared: Shared) -> None:
    """What a stage puts forward, on fresh games."""
    games, key = shared.settings.games, _key(hunt, stage, _MEASURE)
    with hunt.table.watched(_title(hunt, stage), games * len(boards), shared.quiet):
        found = hunt.table.play(key, shared.pool.layouts(boards), games)
    for row, board in enumerate(boards):
        hunt.measured.append(Measured(stage, board, found.take(np.array([row]))))


def final_key(hunt: Hunt) -> Key[Array, ""]:
    """Key of the games that measure the worst board, which choose nothing."""
    return _key(hunt, FINAL, _MEASURE)


def _title(hunt: Hunt, stage: int) -> str:
    return f"{hunt.name}, {STAGES[stage]}"
