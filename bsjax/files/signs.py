"""What the signs of a drawn board mean: letters, or the segments of puzzles.

Every letter or digit that is not water is a ship. One sign may stand for several ships, as long
as their cells fall into separate straight pieces.

A drawing with one of `< > ^ # * = | @` or a square is drawn in segments: `<` `>` are the left and
right end of a ship, `^` `v` its upper and lower end, `o` or `@` a ship of one cell, and one of
`# * x m = |` or a square what lies between. The ends say where ships start and stop, so that ships
which touch are told apart; without any end, pieces are read as with letters.
"""

from bsjax.files.fleets import FoundShip
from bsjax.files.places import Field
from bsjax.game.game import Game
from bsjax.game.notation import format_cell

Drawing = dict[int, Field]
"""The sign on each cell that is not water, and where it stands."""

WATER = ".~-0_· "
_SQUARES = "■□▪▫◼◻◾◽█▓▒░"
_MIDDLES = "#*xm=|" + _SQUARES
_SINGLES = "o@"
_CLOSE = {"<": ">", "^": "v"}
_STRONG = frozenset("<>^#*=|@" + _SQUARES)


def ships_of_drawing(game: Game, drawing: Drawing) -> list[FoundShip]:
    """The ships drawn: by sign, then by first cell.

    Raises:
        ValueError: an unknown sign, or cells that make no straight ship, at their place.
    """
    if any(sign.text in _STRONG for sign in drawing.values()):
        return _segments(game, drawing)
    groups: dict[str, Drawing] = {}
    for cell, sign in drawing.items():
        if not sign.text.isalnum():
            raise sign.place.fault(
                f"sign {sign.text!r} is neither water ({WATER.strip()}) nor the letter of a ship"
            )
        groups.setdefault(sign.text, {})[cell] = sign
    return [ship for _, group in sorted(groups.items()) for ship in _pieces(game, group)]


def _pieces(game: Game, drawing: Drawing) -> list[FoundShip]:
    """The connected pieces of a drawing, each of which must be straight."""
    ships, left = [], set(drawing)
    while left:
        piece, front = list[int](), [min(left)]
        left.discard(front[0])
        while front:
            cell = front.pop()
            piece.append(cell)
            beside = _beside(game, cell) & left
            left -= beside
            front.extend(beside)
        rows = {cell // game.width for cell in piece}
        columns = {cell % game.width for cell in piece}
        if len(rows) > 1 and len(columns) > 1:
            sign = drawing[min(piece)]
            raise sign.place.fault(
                f"the cells of {sign.text} around {format_cell(game, min(piece))} are not one "
                "straight ship; give ships that touch letters of their own, or draw their ends "
                "with < > ^ v"
            )
        ships.append(_found(drawing, sorted(piece)))
    return ships


def _beside(game: Game, cell: int) -> set[int]:
    """The cells that share a side with a cell."""
    row, column = divmod(cell, game.width)
    near = set[int]()
    for down, right in ((-1, 0), (1, 0), (0, -1), (0, 1)):
        if 0 <= row + down < game.height and 0 <= column + right < game.width:
            near.add(cell + down * game.width + right)
    return near


def _found(drawing: Drawing, cells: list[int]) -> FoundShip:
    """The ship on these cells."""
    return FoundShip(tuple(cells), tuple(drawing[cell].place for cell in cells))


def _segments(game: Game, drawing: Drawing) -> list[FoundShip]:
    """The ships of a drawing in segments, by first cell."""
    signs = {cell: sign.text.lower() for cell, sign in drawing.items()}
    ends = any(sign in "<>^v" for sign in signs.values())
    for cell, sign in signs.items():
        if sign not in "<>^v" + _SINGLES + _MIDDLES:
            raise drawing[cell].place.fault(
                f"sign {drawing[cell].text!r} in a board of segments; use < > ^ v for ends, o for "
                f"a ship of one cell, # between the ends and one of {WATER.strip()} for water"
            )
    if not ends:
        singles = {cell: drawing[cell] for cell, sign in signs.items() if sign in _SINGLES}
        middles = {cell: sign for cell, sign in drawing.items() if cell not in singles}
        return [_found(drawing, [cell]) for cell in singles] + _pieces(game, middles)
    ships, used = [], set[int]()
    for cell in sorted(signs):
        if cell in used:
            continue
        sign, place = signs[cell], drawing[cell].place
        if sign in _SINGLES:
            ship = [cell]
        elif sign in _CLOSE:
            ship = _closed(game, signs, used, cell)
            if not ship:
                raise place.fault(
                    f"a ship starts here with {sign} and does not end; close it with {_CLOSE[sign]}"
                )
        elif sign in _CLOSE.values():
            start = "<" if sign == ">" else "^"
            raise place.fault(
                f"a ship ends here with {sign} and has no start; begin it with {start}"
            )
        else:
            raise place.fault(
                f"{drawing[cell].text} lies between no two ends; a ship starts with < or ^ and "
                "ends with > or v, a ship of one cell is o"
            )
        used.update(ship)
        ships.append(_found(drawing, ship))
    return ships


def _closed(game: Game, signs: dict[int, str], used: set[int], start: int) -> list[int]:
    """The cells from a start sign to the end that closes it; none if nothing does."""
    across = signs[start] == "<"
    step = 1 if across else game.width
    ship, cell = [start], start + step
    while cell in signs and cell not in used and (not across or cell % game.width):
        ship.append(cell)
        if signs[cell] == _CLOSE[signs[start]]:
            return ship
        if signs[cell] not in _MIDDLES:
            break
        cell += step
    return []
