"""Whether a history can have happened: each shot is tested against all that was told before it.

Beside the rules of single shots, every ship announced sunk must have a line of hits that can be
it (`bsjax.game.sunk_ships`), every ship afloat a place left, and every hit a ship that can lie on
it. All of this is necessary, so a true history is never refused. It is not sufficient: ships that
fit one by one may not fit together, which shows as a count of 0 layouts in the posterior.
"""

from collections.abc import Iterator

from bsjax.game.bitsets import Line, denied, lines, members, written
from bsjax.game.game import Game
from bsjax.game.notation import format_cell
from bsjax.game.observation import HIT, MISS
from bsjax.game.sunk_ships import SunkShips
from bsjax.game.tokens import History, Shot, answer_codes, format_shot


class ImpossibleHistoryError(ValueError):
    """A shot that cannot have been answered like this.

    Attributes:
        number: number of the shot, from 1.
    """

    def __init__(self, number: int, token: str, reason: str):
        super().__init__(f"shot {number} ({token}): {reason}")
        self.number = number


def check(game: Game, history: History) -> None:
    """Refuse a history that no legal layout can have answered.

    Args:
        game: the rules; feedback and touching decide what is possible.
        history: shots in the order fired.

    Raises:
        ImpossibleHistoryError: a ValueError that names the first shot that cannot be, by number
            and token, and says why.

    Cost: about 0.1 ms a shot on 10×10.
    """
    record = _Record(game)
    for number, shot in enumerate(history, 1):
        try:
            record.add(number, shot)
        except ValueError as fault:
            raise ImpossibleHistoryError(number, token(game, shot), str(fault)) from None


def token(game: Game, shot: Shot) -> str:
    """The shot as written, or its numbers where it cannot be written."""
    try:
        return format_shot(game, shot)
    except ValueError:
        return f"cell {shot.cell}, answer {shot.answer}"


class _Record:
    """What the shots so far have told."""

    def __init__(self, game: Game):
        self.game = game
        self.fired: dict[int, int] = {}  # cell -> number of the shot
        self.misses = 0
        self.hits = 0
        self.own = [0] * game.ships  # hits told to be on each ship, under `hit-name`
        self.sunk = SunkShips(game)

    def add(self, number: int, shot: Shot) -> None:
        """Take in one shot; raises ValueError with the reason if it cannot be."""
        game, ships = self.game, self.game.ships
        self._require_admissible(shot)
        self.fired[shot.cell] = number
        if shot.answer == MISS:
            self._miss(shot.cell)
        else:
            self._hit(shot.cell)
            if shot.answer > ships + 1:
                self._named_hit(shot.cell, shot.answer - ships - 2)
            elif shot.answer > HIT:
                own = 0
                if game.feedback == "hit-name":
                    self.own[shot.answer - 1] |= 1 << shot.cell
                    own = self.own[shot.answer - 1]
                self.sunk.announce(number, shot, self.hits, own)
            self._require_balance()
            self.sunk.settle(self.hits)
        self._require_room()

    def _require_admissible(self, shot: Shot) -> None:
        """The shot may be fired at all, and its answer occurs under the rule."""
        game = self.game
        if shot.answer not in answer_codes(game):
            raise ValueError(f"this answer does not occur under feedback {game.feedback}")
        where = format_cell(game, shot.cell)
        if shot.cell in self.fired:
            raise ValueError(f"{where} was fired at before, by shot {self.fired[shot.cell]}")
        all_hit = game.feedback == "hit" and self.hits.bit_count() == game.ship_cells
        if all_hit or len(self.sunk.ships) == game.ships:
            raise ValueError(
                f"the whole fleet is sunk since shot {len(self.fired)}, so the game was over"
            )

    def _miss(self, cell: int) -> None:
        """A miss on a cell that can be water."""
        self.misses |= 1 << cell
        water = self.game.cells - self.game.ship_cells
        if self.misses.bit_count() > water:
            raise ValueError(f"miss {water + 1}, but only {water} cells hold no ship")

    def _hit(self, cell: int) -> None:
        """A hit that keeps the distance the touching rule asks for."""
        game, bit, near = self.game, 1 << cell, denied(self.game)[cell]
        where, rule = format_cell(game, cell), f"ships may not touch (touching {game.touching})"
        for sunk in self.sunk.ships:
            met = sunk.proven & near & ~bit
            if met:
                raise ValueError(
                    f"{where} touches {written(game, met)} of the ship sunk by shot "
                    f"{sunk.number}, and {rule}"
                )
        # Only `none` denies corners. Two hits there are two ships, or one that is not straight.
        for other in members(near & self.hits):
            if other // game.width != cell // game.width and (other - cell) % game.width:
                corner = f"the hits {format_cell(game, other)} and {where} meet at a corner"
                raise ValueError(f"{corner}, and {rule}")
        self.hits |= bit

    def _named_hit(self, cell: int, ship: int) -> None:
        """A hit that names its ship, which stays afloat."""
        game, name = self.game, self.game.ship_names[ship]
        self.sunk.require_afloat(ship)
        self.own[ship] |= 1 << cell
        if self.own[ship].bit_count() == game.fleet[ship]:
            raise ValueError(
                f"this is hit {game.fleet[ship]} on the {name}, its last cell, so the answer "
                f"must be sunk={name}"
            )

    def _require_balance(self) -> None:
        """The number of hits fits the number of ships announced sunk."""
        game, hits, sinks = self.game, self.hits.bit_count(), self.sunk.ships
        if hits > game.ship_cells:
            raise ValueError(f"hit {hits}, but the fleet covers only {game.ship_cells} cells")
        if game.feedback == "hit":
            return
        told = [game.fleet[sunk.ship] for sunk in sinks if sunk.ship >= 0]
        least = sum(told or sorted(game.fleet)[: len(sinks)])
        if hits < least:
            raise ValueError(f"the ships sunk cover at least {least} cells, but {hits} are hit")
        left = game.ships - len(sinks)
        if hits + left > game.ship_cells:
            raise ValueError(
                f"hit {hits} of {game.ship_cells} leaves too few cells for the {left} "
                f"ship{'s' if left > 1 else ''} not announced sunk"
            )

    def _require_room(self) -> None:
        """Every ship afloat has a place left, and every hit a ship that can lie on it."""
        covered = 0
        for sunk in self.sunk.ships:
            covered |= sunk.possible
        for what, certain, places in self._afloat():
            if certain and not places:
                raise ValueError(f"no place is left for {what}")
            for line in places:
                covered |= line.mask
        bare = self.hits & ~covered
        if bare:
            raise ValueError(f"no ship can lie on the hit{_s(bare)} {written(self.game, bare)}")

    def _afloat(self) -> Iterator[tuple[str, bool, list[Line]]]:
        """Ships that may be afloat: in words, whether one surely is, and where it can lie."""
        game, hits, taken = self.game, self.hits, self.misses | self.sunk.proven()
        if game.feedback == "hit-name":
            sunk = {one.ship for one in self.sunk.ships}
            for ship in sorted(set(range(game.ships)) - sunk):
                own, what = self.own[ship], f"the {game.ship_names[ship]}"
                if own:
                    what += f" of {game.fleet[ship]} cells, hit at {written(game, own)}"
                free = self._free(game.fleet[ship], taken)
                yield what, True, [x for x in free if x.mask & hits == own and x.mask != own]
            return
        if len(self.sunk.ships) == game.ships:
            return
        certain, possible = self.sunk.certain(), self.sunk.possible()
        for length in game.lengths:
            count = game.fleet.count(length)
            if certain[length] < count:
                places = self._free(length, taken)
                if game.feedback != "hit":  # all cells hit would have been a sink
                    places = [line for line in places if line.mask & ~hits]
                yield f"a ship of {length} cells", possible[length] < count, places

    def _free(self, length: int, taken: int) -> list[Line]:
        """Placements off the cells taken and clear of the hits beside them."""
        return [
            line
            for line in lines(self.game)[length]
            if not line.mask & taken and not line.near & self.hits
        ]


def _s(mask: int) -> str:
    """Plural ending for a set of cells."""
    return "s" if mask.bit_count() > 1 else ""
