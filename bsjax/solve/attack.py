"""A frozen opponent's hunts on your own fleet: which ship each shot hits, when the fleet falls.

Your shots do not touch what the opponent does to your fleet, so all of that is one lottery over
**courses**, drawn before the game: where your fleet lies (by your hider) and which of the
opponent's hunts is played, turned at random. A course fixes every shot of the opponent and the shot
T at which your fleet falls. What you are told is a function of the course that grows from shot to
shot: a **signal**. Everything that a signal can be worth lies in the joint law of signal and T.

Turning a hunt and turning the layout back come to the same. With a hider who turns his board at
random, each hunt on each layout as it lies is therefore a fair list of courses, until a signal
shows cells of the board; for those `Attack.turned` lists all turned copies.
"""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Float64, Int8, Int16, Int64, UInt16

from bsjax.evaluate.fixed_hunts import FixedHunt
from bsjax.evaluate.front import Children, Front
from bsjax.evaluate.tree import evaluate
from bsjax.game.symmetry import cell_images
from bsjax.posterior.listed import Listing
from bsjax.solve.best_reply import require_weights
from bsjax.solve.tables import MOST_CELLS, layout_images, orbits


class Attack(NamedTuple):
    """All courses of a frozen opponent's hunts on a fleet; N courses, C cells."""

    listing: Listing
    """Layouts of the game."""
    weight: Float64[np.ndarray, " N"]
    """Chance of each course; they add up to 1."""
    layout: Int64[np.ndarray, " N"]
    """Row of the fleet's layout."""
    cell: Int8[np.ndarray, "N C"]
    """Cell of the opponent's shot 1, 2, …; −1 once the fleet has fallen."""
    ship: Int8[np.ndarray, "N C"]
    """Ship it hits, −1 for a miss and once the fleet has fallen."""
    fall: Int16[np.ndarray, " N"]
    """T, the shot at which the fleet falls."""

    @property
    def pace(self) -> Float64[np.ndarray, " T"]:
        """Share of the courses in which the fleet falls at shot 0, 1, … C."""
        return np.bincount(self.fall, self.weight, minlength=self.cell.shape[1] + 1)

    def turned(self) -> "Attack":
        """The same courses with the board turned by every symmetry, each as likely."""
        cells = cell_images(self.listing.game.size).astype(np.int8)
        layouts = layout_images(self.listing)
        number = len(cells)
        return Attack(
            self.listing,
            np.tile(self.weight / number, number),
            layouts[:, self.layout].ravel(),
            np.concatenate(
                [np.where(self.cell < 0, self.cell, image[self.cell]) for image in cells]
            ),
            np.tile(self.ship, (number, 1)),
            np.tile(self.fall, number),
        )


class Signal(NamedTuple):
    """What is told of each course; N courses, C shots."""

    start: Int64[np.ndarray, " N"]
    """What is known before the first shot, as a number."""
    event: UInt16[np.ndarray, "N C"]
    """What each shot of the opponent shows, as a number; 0 for nothing."""


def attack(
    listing: Listing,
    hunts: Iterable[FixedHunt],
    weights: Float64[np.ndarray, " H"],
    hider: Float64[np.ndarray, " M"],
) -> Attack:
    """The courses of some hunts on a fleet.

    Args:
        listing: all layouts of the game.
        hunts: the opponent's hunts, each made for one tree pass.
        weights: weight of each, up to a factor.
        hider: weight of each layout of your own fleet, up to a factor, the same for turned ones.

    Raises:
        ValueError: not one weight each, a negative or no positive one; turned layouts weigh
            differently; more cells than a state graph can have.

    Cost: a tree pass for each hunt; 2·C bytes a course.
    """
    hunts, hider = list(hunts), require_weights(listing, hider)
    if len(hunts) != len(weights):
        raise ValueError(f"{len(weights)} weights for {len(hunts)} hunts")
    if not len(hunts) or not (weights >= 0).all() or not 0 < weights.sum() < np.inf:
        raise ValueError("the weights of hunts must be 0 or more, with a finite positive sum")
    if listing.game.cells > MOST_CELLS:
        raise ValueError(f"{listing.game} has more than {MOST_CELLS} cells; choose a smaller board")
    rows = np.flatnonzero(hider > 0)
    used = np.flatnonzero(weights > 0)
    cell = np.concatenate([cells_fired(listing, hunts[number])[rows] for number in used.tolist()])
    layout = np.tile(rows, len(used))
    ship = np.take_along_axis(listing.boards()[layout], cell.clip(0).astype(np.int64), axis=1)
    ship[cell < 0] = -1
    weight = np.outer(weights[used], hider[rows]).ravel()
    return Attack(
        listing, weight / weight.sum(), layout, cell, ship, (cell >= 0).sum(1, dtype=np.int16)
    )


def cells_fired(listing: Listing, hunt: FixedHunt) -> Int8[np.ndarray, "M C"]:
    """The cells that a hunt fires at on every layout, in order; −1 once the fleet is sunk.

    Args:
        listing: all layouts of a game of at most 127 cells.
        hunt: made for one tree pass, which this is.
    """
    watched = _Watched(listing, hunt)
    evaluate(listing, watched)
    fired, count = watched.fired, (watched.fired >= 0).sum(1)
    # The last layout of a node is known: its cells are fired at in ascending order.
    left: Bool[np.ndarray, "M C"] = listing.boards() >= 0
    row, place = np.nonzero(fired >= 0)
    left[row, fired[row, place]] = False
    row, cell = np.nonzero(left)
    fired[row, count[row] + np.arange(len(row)) - np.searchsorted(row, row)] = cell
    return fired


def nothing(attack: Attack) -> Signal:
    """No signal: only that your fleet is still afloat."""
    return Signal(np.zeros(len(attack.weight), np.int64), np.zeros(attack.cell.shape, np.uint16))


def ships_hit(attack: Attack) -> Signal:
    """Which of your ships are hit: for each length, how many of its ships carry a hit.

    A shot shows the length of the ship that it is the first to hit, or nothing.
    """
    game, signal = attack.listing.game, nothing(attack)
    for ship, length in enumerate(game.fleet):
        hit = attack.ship == ship
        course = np.flatnonzero(hit.any(1))
        signal.event[course, hit[course].argmax(1)] = 1 + game.lengths.index(length)
    return signal


def hits_counted(attack: Attack) -> Signal:
    """Hits counted ship by ship: each hit shows which ship it is.

    Ships of the same length go by the order in which they are first hit. Nothing more could be
    told of them by any other name, unless the name tells where they lie.
    """
    game, signal = attack.listing.game, nothing(attack)
    for ship, length in enumerate(game.fleet):
        alike = [other for other, n in enumerate(game.fleet) if n == length]
        first = np.stack([_first(attack.ship == other) for other in alike])
        before = (first < first[alike.index(ship)]).sum(0)
        code = 1 + sum(n > length for n in game.fleet) + before
        signal.event[:] = np.where(attack.ship == ship, code[:, None], signal.event)
    return signal


def shots_seen(attack: Attack) -> Signal:
    """Every shot of the opponent is seen: its cell, and which of your ships it hits.

    Take the courses of `Attack.turned`. With `placed(..., attack.layout)` nothing is hidden from
    you but the opponent's future shots and his fleet.
    """
    hits = hits_counted(attack).event
    seen = (attack.cell + np.int16(1)) * np.int16(1 + attack.listing.game.ships) + hits
    return nothing(attack)._replace(event=seen.astype(np.uint16))


def placed(signal: Signal, place: Int64[np.ndarray, " N"]) -> Signal:
    """A signal to a player who also plays by where his own fleet lies.

    Args:
        signal: what else is told.
        place: number of the place, for each course. Turned layouts are one place (`own_place`)
            where the signal shows no cells of the board, and must not be where it does.
    """
    return signal._replace(start=signal.start * (int(place.max()) + 1) + place)


def own_place(attack: Attack) -> Int64[np.ndarray, " N"]:
    """Which class of turned layouts the own fleet of each course belongs to."""
    return orbits(attack.listing)[attack.layout]


class _Watched(FixedHunt):
    """A hunt whose shots are taken down layout by layout."""

    def __init__(self, listing: Listing, hunt: FixedHunt):
        self.hunt, self.counts = hunt, hunt.counts
        self.fired = np.full((len(listing), listing.game.cells), -1, np.int8)
        self.shots = 0

    def cells(self, front: Front) -> Int16[np.ndarray, " B"]:
        """See `FixedHunt`."""
        cell = self.hunt.cells(front)
        self.fired[front.left.row, self.shots] = np.repeat(cell, front.size)
        self.shots += 1
        return cell

    def follow(
        self, cell: Int16[np.ndarray, " B"], children: Children, kept: Bool[np.ndarray, " N"]
    ) -> None:
        """See `FixedHunt`."""
        self.hunt.follow(cell, children, kept)


def _first(hit: Bool[np.ndarray, "N C"]) -> Int64[np.ndarray, " N"]:
    """First shot of each course that hits, C if there is none."""
    return np.where(hit.any(1), hit.argmax(1), hit.shape[1])
