"""Drawings of boards, games and distributions, the only part of the package that uses matplotlib.

Import it where it is needed (`from bsjax import draw`); nothing else in the package does. Figures
are measured in inches from their upper left corner, with cells of a fixed size, so a board looks
the same in every figure:

    sheet, (board,) = draw.strip((10, 10), [draw.Panel("Heat map")], key=[("heat", "low to high")])
    board.heat(plane, numbers=".0%").best(cells)
    sheet.save(Path("figures/out/heat_map"))

Nothing here computes: planes, histories and curves come in, shapes come out.
"""

from bsjax.draw.board import Board as Board
from bsjax.draw.chart import Chart as Chart
from bsjax.draw.chart import stacks as stacks
from bsjax.draw.film import Film as Film
from bsjax.draw.key import Entry as Entry
from bsjax.draw.key import draw_key as draw_key
from bsjax.draw.sheet import Sheet as Sheet
from bsjax.draw.strip import Panel as Panel
from bsjax.draw.strip import strip as strip

__all__ = ["Board", "Chart", "Entry", "Film", "Panel", "Sheet", "draw_key", "stacks", "strip"]
