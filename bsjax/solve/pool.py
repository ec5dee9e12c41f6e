"""The hunts that were found so far: when each finishes on every class of layouts, and a lottery.

What a hunt wins depends on the pace and is computed from its finishing times. There are two ways
to keep them, with the same methods: `Pool` counts, for each class and shot, the layouts that are
over; `Compact` keeps one byte for each layout, which on a large board is a tenth of that.
"""

import hashlib
from abc import abstractmethod
from collections.abc import Iterator
from typing import NamedTuple, TypeVar

import numpy as np
from jaxtyping import Float32, Float64, Int32, Int64, UInt8, UInt16

_BLOCK = 256
"""Hunts of one product."""
_CLASSES = 1 << 12
"""Classes of one table of finishing times."""
_BYTE = 256
_FADING = 0.9
"""What a hunt was used counts so much less in every later round."""

Finishing = UInt8[np.ndarray, "N O T"] | UInt16[np.ndarray, "N K O"]


Hunts = TypeVar("Hunts", bound="_Hunts")


class _Fields(NamedTuple):
    size: Int64[np.ndarray, " O"]
    """Layouts of each class."""
    finishing: Finishing
    """When each hunt finishes on every class."""
    number: Int64[np.ndarray, " H"]
    """Which one each was among all that were found."""
    share: Float64[np.ndarray, " H"]
    """The lottery over them."""
    used: Float64[np.ndarray, " H"]
    """How much each was used lately."""


class _Hunts(_Fields):
    """H hunts on O classes of layouts, and a lottery; T = cells + 1."""

    __slots__ = ()

    @abstractmethod
    def payoff(self, credit: Float64[np.ndarray, " T"]) -> Float32[np.ndarray, "O H"]:
        """What each hunt wins on each class if finishing at shot t is worth so much."""

    def most_used(self: Hunts, number: int) -> Hunts:
        """The hunts that were used most lately."""
        return self.part(np.sort(np.argsort(-self.used, kind="stable")[:number]))

    def part(self: Hunts, rows: Int64[np.ndarray, " N"]) -> Hunts:
        """Some of the hunts."""
        share = self.share[rows]
        share = share / share.sum() if share.any() else np.full(len(rows), 1 / len(rows))
        fields = self.finishing[rows], self.number[rows], share, self.used[rows]
        return type(self)(self.size, *fields)

    def mixed(self: Hunts, share: Float64[np.ndarray, " H"]) -> Hunts:
        """The same hunts with another lottery, which counts as used."""
        return self._replace(share=share, used=_FADING * self.used + share)

    def joined(self: Hunts, new: Finishing, first: int, most: int) -> Hunts:
        """With more hunts, of which those it has are left out, and the least used if too many.

        Args:
            new: hunts.
            first: number of the first of them.
            most: hunts to keep.
        """
        known = {_digest(hunt) for hunt in self.finishing}
        fresh = []
        for row, hunt in enumerate(new):
            if (digest := _digest(hunt)) not in known:
                known.add(digest)
                fresh.append(row)
        # A new hunt is kept for some rounds, used or not.
        used = np.append(self.used, np.full(len(fresh), 1 / max(len(new), 1)))
        kept = np.sort(np.argsort(-used, kind="stable")[:most])
        share = np.append(self.share, np.zeros(len(fresh)))[kept]
        old = int(np.searchsorted(kept, len(self.number)))
        # Joined row by row: a pool may be most of what the memory holds.
        finishing = np.empty((len(kept), *self.finishing.shape[1:]), self.finishing.dtype)
        for place, row in enumerate(kept[:old].tolist()):
            finishing[place] = self.finishing[row]
        finishing[old:] = new[np.array(fresh, np.int64)[kept[old:] - len(self.number)]]
        return type(self)(
            self.size,
            finishing,
            np.append(self.number, first + np.array(fresh, np.int64))[kept],
            share / share.sum(),
            used[kept],
        )


class Pool(_Hunts):
    """Counts are whole: of the |o| turned layouts of a class, a hunt that is turned at random
    finishes `finishing[h, o, t]` after t shots."""

    __slots__ = ()

    def payoff(self, credit: Float64[np.ndarray, " T"]) -> Float32[np.ndarray, "O H"]:
        """See `_Hunts`."""
        single = credit.astype(np.float32)
        won = np.empty(self.finishing.shape[:2], np.float32)
        for start in range(0, len(won), _BLOCK):
            won[start : start + _BLOCK] = self.finishing[start : start + _BLOCK] @ single
        return np.ascontiguousarray((won / self.size.astype(np.float32)).T)

    def times(self, share: Float64[np.ndarray, " H"] | None = None) -> Float64[np.ndarray, "O T"]:
        """Share of games over at each shot, by its own lottery or another."""
        share = self.share if share is None else share
        used = np.flatnonzero(share > 0)
        total = np.zeros(self.finishing.shape[1:])
        for start in range(0, len(used), _BLOCK):
            part = used[start : start + _BLOCK]
            total += np.tensordot(share[part], self.finishing[part].astype(np.float64), 1)
        return total / self.size[:, None]


class Compact(_Hunts):
    """One byte for each layout: the shots of its game, two layouts to a 16-bit word.

    Every class has as many bytes as the largest one; the layouts of a smaller class are repeated.
    The sizes are powers of two, so a mean over the bytes is the mean over the class.
    """

    __slots__ = ()

    def payoff(self, credit: Float64[np.ndarray, " T"]) -> Float32[np.ndarray, "O H"]:
        """See `_Hunts`. Cost: 20 ns a class and hunt."""
        pairs = (_pairs(credit) / (2 * self.finishing.shape[1])).astype(np.float32)
        won = np.empty((len(self.size), len(self.number)), np.float32)
        for first in range(0, len(won), _CLASSES):
            rows = slice(first, first + _CLASSES)
            won[rows] = pairs.take(self.finishing[:, :, rows]).sum(1).T
        return won

    def won(self, credit: Float64[np.ndarray, " T"]) -> Float64[np.ndarray, " O"]:
        """What the lottery wins on each class if finishing at shot t is worth so much."""
        pairs, total = _pairs(credit), np.zeros(len(self.size))
        for share, hunt in self._used(self.share):
            for words in hunt:
                total += share * pairs.take(words)
        return total / (2 * self.finishing.shape[1])

    def pace(self, hider: Float64[np.ndarray, " O"], cells: int) -> Float64[np.ndarray, " T"]:
        """Share of the lottery's games over at each shot, on layouts whose class this hider draws.

        Args:
            hider: share of each class.
            cells: of the board.
        """
        total = np.zeros((_BYTE, _BYTE))
        for share, hunt in self._used(self.share):
            for words in hunt:
                counted = np.bincount(words, hider, minlength=total.size)
                total += share * counted.reshape(total.shape)
        pace = total.sum(0) + total.sum(1)
        return pace[: cells + 1] / (2 * self.finishing.shape[1])

    def times(
        self, cells: int, share: Float64[np.ndarray, " H"] | None = None
    ) -> Float64[np.ndarray, "O T"]:
        """Share of games over at each shot, by its own lottery or another.

        Args:
            cells: of the board.
            share: a lottery.
        """
        share, wide = self.share if share is None else share, cells + 1
        total = np.zeros((len(self.size), wide))
        for first in range(0, len(total), _CLASSES):
            part = total[first : first + _CLASSES].reshape(-1)
            row = wide * np.arange(len(part) // wide)
            for weight, hunt in self._used(share):
                for words in hunt[:, first : first + _CLASSES]:
                    for byte in (words % _BYTE, words // _BYTE):
                        part[row + byte] += weight
        return total / (2 * self.finishing.shape[1])

    def _used(
        self, share: Float64[np.ndarray, " H"]
    ) -> Iterator[tuple[float, UInt16[np.ndarray, "K O"]]]:
        """The hunts that have a share, with it."""
        for hunt in np.flatnonzero(share > 0).tolist():
            yield float(share[hunt]), self.finishing[hunt]


def members(of: Int64[np.ndarray, " M"], size: Int64[np.ndarray, " O"]) -> Int32[np.ndarray, "N O"]:
    """Layouts of each class, repeated until all classes have as many; an even number.

    Args:
        of: class of each layout.
        size: layouts of each class: powers of two.
    """
    order = np.argsort(of, kind="stable").astype(np.int32)
    start = np.cumsum(size) - size
    wide = max(int(size.max()), 2)
    return np.stack([order[start + place % size] for place in range(wide)])


def compacted(
    shots: UInt8[np.ndarray, " M"], members: Int32[np.ndarray, "N O"]
) -> UInt16[np.ndarray, "K O"]:
    """Shots on every layout as words of two bytes, for `Compact`; K = N / 2."""
    found = shots[members].astype(np.uint16)
    return found[::2] + (found[1::2] << np.uint16(8))


def _pairs(credit: Float64[np.ndarray, " T"]) -> Float64[np.ndarray, " W"]:
    """What the two bytes of every word are worth together."""
    single = np.zeros(_BYTE)
    single[: len(credit)] = credit
    return (single[:, None] + single).ravel()


def _digest(hunt: np.ndarray) -> bytes:
    return hashlib.blake2b(hunt.tobytes(), digest_size=12).digest()
