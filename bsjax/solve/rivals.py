"""Joint replies: opponents who hunt otherwise for every layout they hide on.

Against a player who hides by q, a rival is known by the hunt he uses: when it finishes on every
class of layouts, and so, with q, by his pace. He may use it wherever he hides, so the opponent of
the loop draws a pair of a layout and a rival. Rival 0 is the player himself.
"""

from typing import NamedTuple

import numpy as np
from jaxtyping import Float64, Int64, UInt8

from bsjax.solve.best_reply import race_credit
from bsjax.solve.knowledge import Graph
from bsjax.solve.pool import Pool
from bsjax.solve.tables import classes
from bsjax.solve.walk import Hunts, valued, walk

_NEW = 0.02
"""Share of the centre that new rivals get together."""


class Replies(NamedTuple):
    """Joint replies of one round; N of them."""

    finishing: UInt8[np.ndarray, "N O T"]
    on: Int64[np.ndarray, " N"]
    """Class of layouts that each hides on."""
    told: dict[str, float]
    """The most that one of them wins."""


class Rivals(NamedTuple):
    """J − 1 rivals besides the player himself, on O classes of layouts."""

    size: Int64[np.ndarray, " O"]
    finishing: UInt8[np.ndarray, "J1 O T"]
    """When their hunts finish (`bsjax.solve.pool`)."""
    number: Int64[np.ndarray, " J1"]
    """Which one each was among all hunts that were found."""
    asked: Int64[np.ndarray, " O"]
    """How often a reply from each class was asked for."""

    @classmethod
    def none(cls, pool: Pool) -> "Rivals":
        """The player himself alone."""
        nobody = np.zeros(0, np.int64)
        return cls(pool.size, pool.finishing[:0], nobody, np.zeros(len(pool.size), np.int64))

    def credits(
        self, pace: Float64[np.ndarray, " T"], hider: Float64[np.ndarray, " O"]
    ) -> Float64[np.ndarray, "J T"]:
        """What finishing at shot t is worth against the player's pace and every rival's."""
        paces = np.einsum("o,jot->jt", hider / self.size, self.finishing.astype(np.float64))
        return np.stack([race_credit(p / p.sum()) for p in [pace, *paces]])

    def joined(
        self, new: Replies, first: int, center: Float64[np.ndarray, "O J"], most: int
    ) -> tuple["Rivals", Float64[np.ndarray, "O J"]]:
        """With new rivals, without the least likely if they are too many, and the centre then.

        Args:
            new: replies.
            first: number of the first of them among all hunts.
            center: share of each class and rival.
            most: rivals to keep.
        """
        asked = self.asked.copy()
        np.add.at(asked, new.on, 1)
        count = len(new.on)
        if not count:
            return self, center
        more = np.zeros((len(center), count))
        more[new.on, np.arange(count)] = 0.5
        more += 0.5 * center.sum(1, keepdims=True) / count
        more *= _NEW / more.sum()
        center = np.concatenate([(1 - _NEW) * center, more], axis=1)
        share = center[:, 1:].sum(0)
        share[-count:] = np.inf
        kept = np.sort(np.argsort(-share, kind="stable")[:most])
        center = center[:, [0, *(1 + kept)]]
        finishing = np.concatenate([self.finishing, new.finishing])[kept]
        number = np.append(self.number, first + np.arange(count))[kept]
        return Rivals(self.size, finishing, number, asked), center / center.sum()


def replies(
    graph: Graph,
    hider: Float64[np.ndarray, " O"],
    times: Float64[np.ndarray, "O T"],
    rivals: Rivals,
    number: int,
) -> Replies:
    """Best hunts against a player, for those who hide where he is weakest.

    Args:
        graph: states of knowledge.
        hider: how the player hides.
        times: when his hunts finish on each class.
        rivals: those he knows.
        number: how many replies to find: on the classes from which a rival he knows wins most,
            those asked for least often before.

    Cost: a backward pass for each.
    """
    game = graph.game
    of, size, _ = classes(game)
    pace = hider @ times
    beaten = 1 - np.cumsum(times, axis=1) + times / 2
    known = np.einsum("o,jot->jt", hider / size, rivals.finishing.astype(np.float64))
    wins = (beaten @ np.stack([pace, *known]).T).max(1)
    # A class is worth another look when it wins more, and when it was not looked at for long.
    order = np.argsort(-(wins - 1e-3 * rivals.asked), kind="stable")[:number]
    found, most = [], 0.0
    for on in order:
        credit = race_credit(times[on] / times[on].sum())
        reply = valued(graph, (hider / size)[of][:, None] * credit)
        most = max(most, reply.value)
        found.append(walk(reply, Hunts(np.full(1, -1), np.zeros(1), np.zeros(1, np.uint64))))
    finishing = np.concatenate([rivals.finishing[:0], *found])
    return Replies(finishing, order, {"joint": most} if number else {})
