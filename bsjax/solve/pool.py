"""The hunts that were found so far: when each finishes on every class of layouts, and a lottery.

Counts are whole: of the |o| turned layouts of a class, a hunt that is turned at random finishes
`finishing[h, o, t]` after t shots. What a hunt wins depends on the pace and is computed from them.
"""

import hashlib
from typing import NamedTuple

import numpy as np
from jaxtyping import Float32, Float64, Int64, UInt8

_BLOCK = 256
"""Hunts of one product."""
_FADING = 0.9
"""What a hunt was used counts so much less in every later round."""


class Pool(NamedTuple):
    """H hunts on O classes of layouts; T = cells + 1."""

    size: Int64[np.ndarray, " O"]
    """Layouts of each class."""
    finishing: UInt8[np.ndarray, "H O T"]
    number: Int64[np.ndarray, " H"]
    """Which one each was among all that were found."""
    share: Float64[np.ndarray, " H"]
    """The lottery over them."""
    used: Float64[np.ndarray, " H"]
    """How much each was used lately."""

    def payoff(self, credit: Float64[np.ndarray, " T"]) -> Float32[np.ndarray, "O H"]:
        """What each hunt wins on each class if finishing at shot t is worth so much."""
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

    def most_used(self, number: int) -> "Pool":
        """The hunts that were used most lately."""
        return self.part(np.sort(np.argsort(-self.used, kind="stable")[:number]))

    def part(self, rows: Int64[np.ndarray, " N"]) -> "Pool":
        """Some of the hunts."""
        share = self.share[rows]
        share = share / share.sum() if share.any() else np.full(len(rows), 1 / len(rows))
        fields = self.finishing[rows], self.number[rows], share, self.used[rows]
        return Pool(self.size, *fields)

    def mixed(self, share: Float64[np.ndarray, " H"]) -> "Pool":
        """The same hunts with another lottery, which counts as used."""
        return self._replace(share=share, used=_FADING * self.used + share)

    def joined(self, new: UInt8[np.ndarray, "N O T"], first: int, most: int) -> "Pool":
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
        return Pool(
            self.size,
            np.concatenate([self.finishing, new[fresh]])[kept],
            np.append(self.number, first + np.array(fresh, np.int64))[kept],
            share / share.sum(),
            used[kept],
        )


def _digest(hunt: UInt8[np.ndarray, "O T"]) -> bytes:
    return hashlib.blake2b(hunt.tobytes(), digest_size=12).digest()
