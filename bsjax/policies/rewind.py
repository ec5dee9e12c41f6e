"""The best strategy of classic-fleet (section 5): hunts of a small fleet inside a larger game.

A written hunt plays its own game, whose fleet is part of the real one: on the classic board two 3s
and a 2. The other ships, the big ones, are water to it. Each game draws a hunt by weight and one of
the symmetries of the board.

    repeat until the fleet is sunk:
        the announcements prove a big ship (`bsjax.policies.explained`):
            the finisher fires until every hit is explained by a sink; then the hunt goes back to
            just before its first shot at that ship, whose cells now read "miss"
        a small ship is afloat:
            fire at the cell the hunt asks for (`bsjax.policies.private_game`); no shot is fired if
            the cell is known, or no ship afloat fits there, which is a miss
        otherwise:
            fire at the cell that most placements of the ships afloat could cover, ties at random

**The finisher** only extends lines: a random cell at the end of a line of two or more hits that are
not proven to be of a sunk ship (`bsjax.policies.hunt`), else a random neighbour of such a hit. It
goes on until *every* hit is explained, those of small ships too. A hit when only big ships are
afloat is proof enough, so the last search is finished in the same way.

**A free miss** needs a cell that no ship afloat, big or small, can cover together with cells not
shot at and hits that no sink explains for sure.

**A hunt that is lost.** The answers of a private game are those of the small ships alone as soon as
all big ships that were hit are known, so the hunt's tree has them. It has not if the lines of two
sunk ships were told apart wrongly, or if a big ship was hit whose discovery takes more than the
hits (room for the ships that were not hit); and the variant that skips cells can lead it astray.
Then open hits are finished, and the heat map of all ships afloat takes over until a rewind puts the
hunt back. `Turn.lost` says so, and `bsjax.evaluate.rewinds` counts the games.
"""

from typing import NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float32, Int8, Int16, Int32, Key, PyTree

from bsjax.game.game import Game
from bsjax.game.observation import (
    UNFIRED,
    Observation,
    afloat,
    impossible,
)
from bsjax.game.symmetry import cell_images
from bsjax.game.touching import SIDES, around
from bsjax.policies.base import Policy
from bsjax.policies.by_trees import added_up, drawn
from bsjax.policies.choose import best_cell
from bsjax.policies.explained import Reading, big_ships, coverable, marks, read
from bsjax.policies.hunt import ranks
from bsjax.policies.orders import fitting
from bsjax.policies.over import over
from bsjax.policies.private_game import (
    Private,
    begin,
    remembered,
    rewound,
    seen_inside,
    walk,
)
from bsjax.policies.trees import Trees

HUNT, FINISHER, FINAL = 0, 1, 2
"""Parts of a game that shots belong to: the small-ship hunt, the finisher, and the final hunt with
only big ships afloat, in which hits are finished too. The final hunt also stands for the heat map
of a hunt that is lost."""


class Variant(NamedTuple):
    """What was tried beside the printed program."""

    rebuild: bool = False
    """The earlier version: no rewind; once a big ship was found the hunt gives way to a rule that
    judges by the layouts of the small ships that agree with the whole game so far. A written hunt
    has no answer for a state of knowledge that its own game does not reach. No free misses."""
    random_end: bool = False
    """At the end fire at random where a ship afloat fits, not by the heat map."""
    hand_over: bool = False
    """The finisher takes over at every hit, until all are explained."""
    skip_beside_sunk_big: bool = False
    """Tell the hunt a free miss on the side neighbours of a sunk big ship."""


PRINTED = Variant()


class Carry(NamedTuple):
    """What the policy keeps between shots."""

    symmetry: Int32[Array, ""]
    private: Private
    owner: Int8[Array, " C"]
    """Ship that explains each hit, −1 elsewhere."""
    latest: Int32[Array, ""]
    """Cell of the hunt's own shot that it has not been told the answer of, −1 if there is none."""
    picture: PyTree
    """State of the rule that takes over from the hunt (`rebuild`)."""


class Look(NamedTuple):
    """What the policy makes of the latest answer."""

    reading: Reading
    on_big: Bool[Array, " C"]
    """Hits that a big ship explains."""
    private: Private
    """The private game, rewound."""
    latest: Int32[Array, ""]
    """The hunt's own shot that it is still to hear of, −1 if there is none."""
    erased: Bool[Array, " C"]
    """Cells whose choice by the hunt is undone: those from which it was taken back, and the latest
    one if it hears of it no more."""


class Turn(NamedTuple):
    """One decision of the policy, and what led to it."""

    cell: Int32[Array, ""]
    carry: Carry
    part: Int8[Array, ""]
    """`HUNT`, `FINISHER` or `FINAL`."""
    erased: Bool[Array, " C"]
    """See `Look`."""
    recalled: Int16[Array, ""]
    """Choices of the hunt answered without a shot."""
    lost: Bool[Array, ""]
    """The hunt is lost, with a small ship afloat."""


class Rewind(Policy):
    """The program of the module docstring; H hunts, G symmetries."""

    trees: Trees
    cumulative: Float32[Array, " H"]
    """Weights of the hunts, added up; the last is 1."""
    images: Int16[Array, "G C"]
    picture: Policy | None
    """Hunter of the private game that takes over after a big ship (`rebuild`)."""
    big: tuple[bool, ...] = eqx.field(static=True)
    """Which ships the private game has not."""
    variant: Variant = eqx.field(static=True)

    @property
    def lanes(self) -> int:
        """Those of the rule that takes over."""
        return 1 if self.picture is None else self.picture.lanes

    @property
    def bytes_per_game(self) -> int:
        """Those of the rule that takes over."""
        return 0 if self.picture is None else self.picture.bytes_per_game

    def init(self, key: Key[Array, ""]) -> Carry:
        """Draw a hunt and a symmetry."""
        root, symmetry = drawn(key, self.trees, self.cumulative, len(self.images))
        return Carry(
            symmetry,
            begin(self.game, root),
            jnp.full(self.game.cells, -1, jnp.int8),
            jnp.int32(-1),
            () if self.picture is None else self.picture.init(key),
        )

    def act(
        self, key: Key[Array, ""], observation: Observation, carry: Carry
    ) -> tuple[Int32[Array, ""], Carry]:
        """The next cell."""
        turn = self.turn(key, observation, carry)
        return turn.cell, turn.carry

    def turn(self, key: Key[Array, ""], observation: Observation, carry: Carry) -> Turn:
        """One decision. The key is consumed."""
        game, variant = self.game, self.variant
        along, last, small = jax.random.split(key, 3)
        reading, on_big, private, latest, erased = self.look(observation, carry)
        is_big = np.array(self.big)
        unfired, sunk = observation.mark == UNFIRED, ~afloat(observation)
        # A slot without a game has nothing to fire at.
        hunting = (~sunk & ~is_big).any() & unfired.any()
        finishing = ~reading.round_over & (reading.proof | jnp.bool_(variant.hand_over))
        rebuilt = on_big.any() & jnp.bool_(variant.rebuild)
        going = hunting & ~finishing & ~rebuilt
        free = self._free(observation, reading, on_big)
        memory = remembered(game, self.trees.game, observation, reading.owner, on_big, free)
        image = self.images[carry.symmetry]
        walked = walk(self.trees, game.fleet, image, private, memory, latest, going)
        lost = going & (walked.cell < 0)
        asked, picture = walked.cell, carry.picture
        if self.picture is not None:
            wanted = hunting & ~finishing & rebuilt
            seen = seen_inside(game, self.trees.game, observation, reading.owner, on_big)
            shown = jax.tree.map(lambda a, b: jnp.where(wanted, a, b), seen, impossible(seen))
            found, after = self.picture.act(small, shown, carry.picture)
            picture = jax.tree.map(lambda a, b: jnp.where(wanted, a, b), after, picture)
            asked = jnp.where(wanted, found, asked)
            lost = lost | (wanted & (found < 0))
        finishing = finishing | (lost & ~reading.round_over)
        by_hunt = hunting & ~finishing & ~lost
        end = jnp.where(
            finishing, self._along(along, observation, reading), self._last(last, observation)
        )
        fired = jnp.where(by_hunt, asked, end)
        other = jnp.where(hunting & finishing, FINISHER, FINAL)
        part = jnp.where(by_hunt, HUNT, other).astype(jnp.int8)
        latest = jnp.where(by_hunt, fired, jnp.where(going, -1, latest))
        after = Carry(carry.symmetry, walked.private, reading.owner, latest, picture)
        return Turn(fired, after, part, erased, walked.recalled, lost)

    def look(self, observation: Observation, carry: Carry) -> Look:
        """What the latest answer tells, and the rewind that it brings about."""
        reading = read(self.game, self.big, observation, carry.owner)
        is_big = jnp.asarray(np.array(self.big))
        on_big = (reading.owner >= 0) & is_big[jnp.maximum(reading.owner, 0)]
        private, latest = carry.private, carry.latest
        if self.variant.rebuild:
            return Look(reading, on_big, private, latest, jnp.zeros(self.game.cells, bool))
        wrong = on_big & (private.asked >= 0) & (private.answer != 0)
        back = rewound(private, wrong)
        undone = (latest >= 0) & (wrong.any() | on_big[jnp.maximum(latest, 0)])
        at = jnp.arange(self.game.cells, dtype=jnp.int32) == latest
        erased = ((private.asked >= 0) & (back.asked < 0)) | (at & undone)
        return Look(reading, on_big, back, jnp.where(undone, -1, latest), erased)

    def _free(
        self, observation: Observation, reading: Reading, on_big: Bool[Array, " C"]
    ) -> Bool[Array, " C"]:
        """Cells not shot at that the hunt is told to be misses."""
        game, variant = self.game, self.variant
        free = jnp.zeros(game.cells, bool)
        if not variant.rebuild:
            free = ~coverable(game, observation, reading)
        if variant.skip_beside_sunk_big:
            free = free | around(game, on_big, SIDES)
        return free

    def _along(
        self, key: Key[Array, ""], observation: Observation, reading: Reading
    ) -> Int32[Array, ""]:
        """The finisher's cell."""
        seen = observation._replace(mark=marks(observation, reading))
        return best_cell(key, [ranks(self.game, seen, parity=False)], observation.mark == UNFIRED)

    def _last(self, key: Key[Array, ""], observation: Observation) -> Int32[Array, ""]:
        """The cell of the search for what is left."""
        heat, unfired = fitting(self.game, observation), observation.mark == UNFIRED
        if self.variant.random_end:
            heat = (heat > 0).astype(jnp.int32)
        return best_cell(key, [heat], unfired)


def rewind(
    game: Game,
    trees: Trees,
    weights: np.ndarray,
    variant: Variant = PRINTED,
    picture: Policy | None = None,
) -> Rewind:
    """The program as a hunter.

    Args:
        game: under feedback `size`, touching allowed; its fleet contains that of the hunts, and its
            other ships are of other lengths.
        trees: the hunts (`bsjax.evaluate.hunt_trees.loaded`).
        weights: of the hunts, up to a factor.
        variant: what to do otherwise than printed.
        picture: hunter of the private game that takes over after the first big ship, for `rebuild`
            only; `probability` over the exact posterior by default.

    Raises:
        ValueError: the games do not go together, or the weights are not one for each hunt.
    """
    private = trees.game
    if game.feedback != "size" or game.touching != "allowed":
        raise ValueError(f"the rewind is for feedback size and touching allowed, not for {game}")
    if private.size != game.size or private.touching != game.touching:
        raise ValueError(f"hunts of {private} cannot be played inside {game}")
    big = big_ships(game, private)
    if picture is not None and (not variant.rebuild or picture.game != private):
        raise ValueError(f"a picture is a hunter of {private}, for the variant rebuild only")
    if variant.rebuild and picture is None:
        picture = over("probability", private)
    return Rewind(
        game,
        trees=trees,
        cumulative=added_up(trees, weights),
        images=jnp.asarray(cell_images(game.size)),
        picture=picture,
        big=big,
        variant=variant,
    )
