"""A search that has ended, as JSON values.

`boards` holds all boards found, in the form that `bsjax.files.read_boards` reads: a result is a
file of hard boards for the next search.
"""

import math
from typing import Any

import numpy as np

from bsjax.evaluate.hard_boards.descent import Descent
from bsjax.evaluate.hard_boards.layouts import Layout, boards_of, ships_written, written
from bsjax.evaluate.hard_boards.pool import Entry, Pool
from bsjax.evaluate.hard_boards.settings import Settings
from bsjax.evaluate.hard_boards.stages import STAGES, TOURNEY, Hunt, Measured, final_key
from bsjax.evaluate.hard_boards.trial import Readings, sums
from bsjax.evaluate.summary import as_json, summarize
from bsjax.game.game import Game
from bsjax.game.notation import format_cell
from bsjax.game.placements import placement_cells

KNOWN, LEAST = "known", 1e-9


def told(hunts: list[Hunt], pool: Pool, settings: Settings) -> dict[str, Any]:
    """Result of a search; plays the last measurement of every hunter.

    `hunters` holds for each, by name: `win_rate`, `se`, `worst_case` (the win rate in per cent,
    rounded up to a tenth), `mean_shots`, `games`, `histogram`, and the figures of these games;
    `board` (ship on each cell, −1 for water), `ships`, `number` (in `boards`), `found_by`; `stages`
    with what each put forward and how its descents went; `values`, the win rate and games of the
    tournament on each of the first boards.
    """
    return {
        "settings": settings._asdict(),
        "hunters": {hunt.name: _hunter(hunt, pool, settings) for hunt in hunts},
        "boards": [_entry(pool.game, entry) for entry in pool.entries],
    }


def rounded_up(win_rate: float) -> float:
    """A bound in per cent, to a tenth above."""
    return math.ceil(1000 * win_rate - LEAST) / 10


def _hunter(hunt: Hunt, pool: Pool, settings: Settings) -> dict[str, Any]:
    (number,) = hunt.lowest(1)
    entry, game = pool.entries[number], pool.game
    with hunt.table.watched(f"{hunt.name}, final", settings.games, True):
        found = hunt.table.histogram(final_key(hunt), entry.layout[None], settings.games)
    reading = Readings(sums(found, hunt.table.credit))
    figures = as_json(summarize(found[0]))
    return {
        "win_rate": float(reading.value[0]),
        "se": float(reading.se[0]),
        "worst_case": rounded_up(float(reading.value[0])),
        "mean_shots": figures["mean"],
        "games": settings.games,
        "number": number,
        "board": boards_of(game, entry.layout[None])[0].tolist(),
        "ships": ships_written(game, entry.layout),
        "found_by": entry.found_by,
        "found_in": entry.stage,
        "shots": figures,
        "histogram": found[0].tolist(),
        "stages": [_stage(hunt, stage, pool) for stage in range(len(STAGES) - 1)],
        "values": _values(hunt),
    }


def _stage(hunt: Hunt, stage: int, pool: Pool) -> dict[str, Any]:
    measured = [_measured(one, pool) for one in hunt.measured if one.stage == stage]
    told: dict[str, Any] = {"stage": STAGES[stage], "measured": measured}
    told["lowest"] = min(one["win_rate"] for one in measured)
    if stage in hunt.descents:
        found = hunt.descents[stage]
        told["games"] = sum(one.games for one in found)
        told["descents"] = [_descent(one, pool.game) for one in found]
    else:
        told["games"] = int(hunt.scores[stage].readings.games.sum())
        told["boards"] = len(hunt.scores[stage].order)
    return told


def _measured(one: Measured, pool: Pool) -> dict[str, Any]:
    return {
        "number": one.board,
        "board": written(pool.game, pool.entries[one.board].layout),
        "win_rate": float(one.reading.value[0]),
        "se": float(one.reading.se[0]),
        "mean_shots": float(one.reading.shots[0]),
    }


def _descent(one: Descent, game: Game) -> dict[str, Any]:
    return one._asdict() | {"start": written(game, one.start), "end": written(game, one.end)}


def _values(hunt: Hunt) -> dict[str, list[float] | list[int]]:
    readings = hunt.scores[TOURNEY].readings
    return {
        "win_rate": np.round(readings.value, 5).tolist(),
        "games": readings.games.tolist(),
    }


def _entry(game: Game, entry: Entry) -> dict[str, Any]:
    ships = _cells(game, entry.layout)
    return {"ships": ships, "found_by": entry.found_by, "found_in": entry.stage}


def _cells(game: Game, layout: Layout) -> dict[str, list[str]]:
    """Cells of each ship by its name."""
    cells = {}
    for name, length, place in zip(game.ship_names, game.fleet, layout.tolist(), strict=True):
        line = placement_cells(game.size, length)[place].tolist()
        cells[name] = [format_cell(game, cell) for cell in line]
    return cells
