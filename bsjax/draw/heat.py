"""Maps of the chance of a ship on each cell: tints and percent, shots, and the best next cells.

    sheet = heat_maps(game, [HeatMap(posterior.p_ship, history, likeliest=[45])])
    save_as(sheet, Path("map.svg"))

Cells fired at carry the sign of their answer and no tint. A solid round ring marks the cell most
likely to hold a ship, a dashed square one the cell that is expected to leave the fewest layouts;
they differ in shape, so they stay apart without colour.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from jaxtyping import Float64
from matplotlib.ticker import FuncFormatter, MaxNLocator

from bsjax.draw import style
from bsjax.draw.board import Board
from bsjax.draw.sheet import LEADING, Sheet, text_width
from bsjax.draw.strip import Panel, strip
from bsjax.draw.style import Number
from bsjax.game.game import Game
from bsjax.game.observation import HIT, MISS
from bsjax.game.tokens import History

CELL = 0.3
"""Size of a cell in inches."""

MEANINGS = {
    "miss": "Miss",
    "hit": "Hit",
    "sunk": "Sunk",
    # The sign that elsewhere marks the latest shot: here all shots are past.
    "latest": "Most likely to hold a ship",
    "best": "Fewest layouts expected left",
}
"""Signs of a map and what they mean, in the order of the key."""

_LINE = style.SMALL * LEADING / 72
_BAR = 0.09
"""Height of a colour bar in inches."""
_BAR_LINES = 3
"""Lines of text that a colour bar takes with its numbers."""
_STEPS = 64


class HeatMap(NamedTuple):
    """What one map shows; C cells."""

    p_ship: Float64[np.ndarray, " C"]
    """Chance of a ship on each cell; cells fired at are not read."""
    history: History = ()
    """Shots so far with their answers."""
    likeliest: Sequence[int] = ()
    """Cells with a solid ring: most likely to hold a ship."""
    telling: Sequence[int] = ()
    """Cells with a dashed ring: fewest layouts expected left. Not drawn over a solid ring."""
    title: str = ""
    note: str = ""
    """Written under the board; a line break starts a new line."""

    def high(self) -> float:
        """The largest chance on a cell not fired at; 0 if there is none."""
        return float(self.p_ship[self.unfired()].max(initial=0.0))

    def unfired(self) -> np.ndarray:
        """Cells not fired at, bool[C]."""
        unfired = np.ones(len(self.p_ship), bool)
        unfired[[shot.cell for shot in self.history]] = False
        return unfired

    def signs(self, game: Game) -> dict[str, list[int]]:
        """Cells of each sign of `MEANINGS`; hits on a ship shown as sunk have none of their own."""
        shown = {cell for shot in self.history for cell in shot.shown}
        cells: dict[str, list[int]] = {sign: [] for sign in MEANINGS}
        for shot in self.history:
            if shot.answer == MISS:
                cells["miss"].append(shot.cell)
            elif HIT < shot.answer <= game.ships + 1:
                cells["sunk"].append(shot.cell)
            elif shot.cell not in shown:
                cells["hit"].append(shot.cell)
        cells["latest"] = list(self.likeliest)
        cells["best"] = [cell for cell in self.telling if cell not in set(self.likeliest)]
        return cells


def heat_maps(
    game: Game, maps: Sequence[HeatMap], *, shared: bool = False, cell: Number = CELL
) -> Sheet:
    """Maps in a row over their colour bars, with one key for all.

    Args:
        game: the rules, for the board and the meaning of the answers.
        maps: at least one.
        shared: tint all maps by one scale, from 0 to the largest chance of all, with one colour
            bar; else each by its own, with a bar under each.
        cell: size of a cell in inches.

    Raises:
        ValueError: no map, or one with another number of cells.
    """
    if not maps or any(len(one.p_ship) != game.cells for one in maps):
        counts = ", ".join(str(len(one.p_ship)) for one in maps) or "no map"
        raise ValueError(f"a map of {game} needs {game.cells} chances; given: {counts}")
    notes = [one.note.split("\n") if one.note else [] for one in maps]
    lines = max(map(len, notes))
    # Blank lines under the notes keep the room of the colour bars.
    panels = [
        Panel(one.title, "\n".join([*note, *[" "] * (lines + _BAR_LINES - len(note))]))
        for one, note in zip(maps, notes, strict=True)
    ]
    signs = {sign for one in maps for sign, cells in one.signs(game).items() if cells}
    key = [(sign, meaning) for sign, meaning in MEANINGS.items() if sign in signs]
    sheet, boards = strip(game.size, panels, cell=cell, key=key)
    highs = [one.high() for one in maps]
    if shared:
        highs = [max(highs)] * len(maps)
    for board, one, high in zip(boards, maps, highs, strict=True):
        draw_map(board, game, one, high)
    for place, high in enumerate(highs[:1] if shared else highs):
        left, right, bottom = _edges(sheet, boards[place], boards[-1 if shared else place])
        color_bar(sheet, left, bottom + 0.12 + lines * _LINE, right - left, high)
    return sheet


def draw_map(board: Board, game: Game, one: HeatMap, high: Number) -> Board:
    """Draw a map on a board; `high` is the chance with the darkest tint."""
    unfired, signs = one.unfired(), one.signs(game)
    board.heat(one.p_ship, high=high, where=unfired)
    for cell in np.flatnonzero(unfired).tolist():
        board.write(cell, percent(float(one.p_ship[cell])))
    shown = {shot.cell: shot.shown for shot in one.history if shot.shown}
    for cell in signs["sunk"]:
        board.ship(shown.get(cell, (cell,)), "sunk")
    for cell in signs["latest"]:
        board.latest(cell)
    return board.misses(signs["miss"]).hits(signs["hit"]).best(signs["best"])


def color_bar(
    sheet: Sheet, left: Number, top: Number, width: Number, high: Number, label: str = "P(ship)"
) -> None:
    """A bar of the tints from 0 to `high` with percent below and a label to its right, in inches.

    A scale without width (`high` is 0) has no bar.
    """
    if not high > 0:
        return
    room = text_width(label, style.SMALL) + 0.22
    long = max(width - room, 0.6)
    axes = sheet.axes(left, top, long, _BAR)
    edges = np.linspace(0, float(high), _STEPS + 1)
    # A hair wider than its share: renderers leave seams between shapes that only touch.
    wide = 1.1 * edges[1]
    tints = [tuple(tint) for tint in style.HEAT(np.linspace(0, 1, _STEPS)).tolist()]
    axes.bar(edges[:-1], 1, wide, align="edge", color=tints, linewidth=0)
    axes.set_xlim(0, high)
    axes.set_ylim(0, 1)
    axes.set_yticks([])
    axes.xaxis.set_major_locator(MaxNLocator(max(int(long / 0.45), 1), steps=[1, 2, 5, 10]))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda share, _: f"{100 * share:.4g}%"))
    axes.tick_params(length=2.5, width=0.8, color=style.RULE, pad=1.5)
    for spine in axes.spines.values():
        spine.set_color(style.RULE)
        spine.set_linewidth(0.6)
    for text in axes.get_xticklabels():
        text.set(**style.type_of(style.SMALL, style.MUTED))
    sheet.text(left + long + 0.14, top - 0.02, label, style.SMALL, style.MUTED)


def percent(share: float) -> str:
    """A share in percent without the sign, in two figures: `0.4`, `9.2`, `44`; exactly 0 is `0`."""
    value = 100 * share
    if value == 0:
        return "0"
    return f"{value:.1f}" if value < 9.95 else f"{value:.0f}"


def _edges(sheet: Sheet, first: Board, last: Board) -> tuple[float, float, float]:
    """Left edge of one board, right edge and bottom of another, in inches from the upper left."""
    start, end = first.axes.get_position(), last.axes.get_position()
    return start.x0 * sheet.width, end.x1 * sheet.width, (1 - end.y0) * sheet.height
