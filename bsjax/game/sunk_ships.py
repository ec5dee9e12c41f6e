"""The ships announced sunk, and the placements that can be each of them.

A sunk ship is a line of hits through the cell just shot. The cells common to all its lines surely
belong to it, so no other sunk ship can lie there; this is repeated until nothing changes.
"""

from collections import Counter

from bsjax.game.bitsets import Line, lines, written
from bsjax.game.game import Game
from bsjax.game.notation import format_cell
from bsjax.game.tokens import Shot, fleet_text


class Sunk:
    """A ship announced sunk."""

    def __init__(self, number: int, ship: int, lines: list[Line]):
        self.number = number
        """Shot that sank it, from 1."""
        self.ship = ship
        """Ship as told, −1 where the rule does not tell."""
        self.keep(lines)

    def keep(self, lines: list[Line]) -> None:
        """Go on with these placements, at least one."""
        self.lines = lines
        """Placements that can be it."""
        self.proven = self.possible = lines[0].mask
        """Cells that all of them cover, which surely are its own; cells that some cover."""
        for line in lines:
            self.proven &= line.mask
            self.possible |= line.mask
        self.lengths = {line.length for line in lines}
        """Lengths it can have."""


class SunkShips:
    """All ships announced sunk so far."""

    def __init__(self, game: Game):
        self.game = game
        self.ships: list[Sunk] = []

    def proven(self, but: Sunk | None = None) -> int:
        """Cells that surely belong to a sunk ship, other than `but`."""
        mask = 0
        for sunk in self.ships:
            if sunk is not but:
                mask |= sunk.proven
        return mask

    def certain(self, but: Sunk | None = None) -> Counter[int]:
        """How many ships, other than `but`, surely have each length."""
        known = [sunk.lengths for sunk in self.ships if sunk is not but and len(sunk.lengths) == 1]
        return Counter(length for lengths in known for length in lengths)

    def possible(self) -> Counter[int]:
        """How many ships can have each length."""
        return Counter(length for sunk in self.ships for length in sunk.lengths)

    def require_afloat(self, ship: int) -> None:
        """A ship that the rule names can be hit or sunk only while it is afloat.

        Raises:
            ValueError: it was announced sunk.
        """
        for sunk in self.ships:
            if sunk.ship == ship:
                name = self.game.ship_names[ship]
                raise ValueError(f"the {name} is sunk already, by shot {sunk.number}")

    def announce(self, number: int, shot: Shot, hits: int, own: int) -> None:
        """A ship is announced sunk: find the lines of hits that can be it.

        Args:
            number: number of the shot, from 1.
            shot: the shot.
            hits: all cells hit, this one among them.
            own: under `hit-name`, the cells hit of this ship, this one among them.

        Raises:
            ValueError: there is no such ship afloat, or no such line.
        """
        game, where = self.game, format_cell(self.game, shot.cell)
        ship = shot.answer - 1 if shot.answer <= game.ships else -1
        lengths = game.lengths if ship < 0 else (game.fleet[ship],)
        if game.feedback in ("name", "hit-name"):
            self.require_afloat(ship)
        elif ship >= 0:
            self._require_length(game.fleet[ship])
        if game.feedback == "cells":
            hits = self._shown(shot, hits)
        if game.feedback == "hit-name":
            hits = own
        found = [
            line
            for length in lengths
            for line in lines(game)[length]
            if line.mask >> shot.cell & 1 and not line.mask & ~hits
        ]
        if game.feedback == "hit-name" and (not found or found[0].mask != own):
            raise ValueError(
                f"the {game.ship_names[ship]} has {lengths[0]} cells in line, it was hit at "
                f"{written(game, own)}"
            )
        if not found:
            some = " or ".join(map(str, lengths))
            raise ValueError(f"no line of {some} hits goes through {where}")
        self.ships.append(Sunk(number, ship, found))

    def settle(self, hits: int) -> None:
        """Drop the lines that another sunk ship, or a hit beside them, rules out.

        Raises:
            ValueError: a sunk ship has no line left.
        """
        changed = True
        while changed:
            changed = False
            for sunk in self.ships:
                taken, certain = self.proven(sunk), self.certain(sunk)
                kept = [
                    line
                    for line in sunk.lines
                    if not line.mask & taken
                    and not line.near & hits
                    and certain[line.length] < self.game.fleet.count(line.length)
                ]
                if not kept:
                    self._no_line(sunk, taken, hits)
                if len(kept) < len(sunk.lines):
                    changed = True
                    sunk.keep(kept)

    def _no_line(self, sunk: Sunk, taken: int, hits: int) -> None:
        """Say why no line is left for this ship."""
        ship = f"the ship sunk by shot {sunk.number}"
        if all(line.mask & taken for line in sunk.lines):
            raise ValueError(f"every line of hits that can be {ship} overlaps another sunk ship")
        if all(line.near & hits for line in sunk.lines):
            raise ValueError(
                f"every line of hits that can be {ship} touches another hit, and ships may not "
                f"touch (touching {self.game.touching})"
            )
        raise ValueError(f"no line of hits that fits the ships afloat is left for {ship}")

    def _require_length(self, length: int) -> None:
        """A ship of that length must still be afloat."""
        game = self.game
        numbers = [sunk.number for sunk in self.ships if game.fleet[sunk.ship] == length]
        if len(numbers) == game.fleet.count(length):
            raise ValueError(
                f"no ship of {length} cells is afloat: the fleet {fleet_text(game)} has "
                f"{len(numbers)}, sunk by shot{'s' if len(numbers) > 1 else ''} "
                f"{' and '.join(map(str, numbers))}"
            )

    def _shown(self, shot: Shot, hits: int) -> int:
        """Under `cells`: the cells shown, which are a line of hits of a ship sunk just now."""
        game, shown = self.game, sum(1 << cell for cell in set(shot.shown))
        length = game.fleet[shot.answer - 1]
        if shown not in [line.mask for line in lines(game)[length]]:
            raise ValueError(f"the cells shown are no straight line of {length} cells")
        if not shown >> shot.cell & 1:
            raise ValueError(f"the cells shown leave out {format_cell(game, shot.cell)} itself")
        if shown & ~hits:
            raise ValueError(f"{written(game, shown & ~hits)} is shown as sunk but was not hit")
        for sunk in self.ships:
            shared = shown & sunk.proven
            if shared:
                raise ValueError(
                    f"{written(game, shared)} belongs to the ship sunk by shot {sunk.number}"
                )
        return shown
