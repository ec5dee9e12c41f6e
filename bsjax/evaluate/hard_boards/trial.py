"""Readings: what a hunter wins on boards, from games on all of them at once.

A reading of a board is four sums over its games (games, shots, credit, squared credit), so readings
add up and a journal of them is small. Games are the same on every board of a comparison (`common`,
see `bsjax.evaluate.by_board`): neighbours differ in one ship, and much of their noise is shared.
`noise` measures how much.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import jax
import numpy as np
from jaxtyping import Array, Float64, Int64, Key

from bsjax.evaluate.by_board import by_board
from bsjax.evaluate.credit import Credit
from bsjax.evaluate.hard_boards.folder import Journal
from bsjax.evaluate.hard_boards.layouts import Layouts, boards_of
from bsjax.evaluate.massive import Limits
from bsjax.policies.base import Policy
from bsjax.runtime.progress import Progress

ROWS = 1 << 10
"""Boards that one launch has room for."""
PART_SECONDS = 10.0
"""Length of what is played between two entries of the journal."""
_FIRST_PART = 1 << 11
_LAUNCH, _CPU_LAUNCH, _CPU_SLOTS = 1 << 17, 1 << 14, 1 << 9
"""A comparison is thousands of games, not millions: fewer slots a core idle less at its end."""

_SUMS = 4


class Readings(NamedTuple):
    """What was won on B boards."""

    sums: Float64[np.ndarray, "B 4"]
    """Games, shots, credit, squared credit."""

    @property
    def games(self) -> Int64[np.ndarray, " B"]:
        """Games on each board."""
        return self.sums[:, 0].astype(np.int64)

    @property
    def value(self) -> Float64[np.ndarray, " B"]:
        """Share of races won on each board."""
        return self.sums[:, 2] / self.sums[:, 0]

    @property
    def se(self) -> Float64[np.ndarray, " B"]:
        """Standard error of the value."""
        games = self.sums[:, 0]
        spread = np.maximum(self.sums[:, 3] / games - self.value**2, 0)
        return np.sqrt(spread / np.maximum(games - 1, 1))

    @property
    def shots(self) -> Float64[np.ndarray, " B"]:
        """Mean shots on each board."""
        return self.sums[:, 1] / self.sums[:, 0]

    def take(self, rows: np.ndarray) -> "Readings":
        """Some of the boards, in the order of `rows`."""
        return Readings(self.sums[rows])


class Table:
    """Where one hunter plays one pace's races on boards.

    Attributes:
        played: games played here, without those found in the journal.
        seconds: time they took, compiling left out.
        compile_seconds: time for compiling, or for loading from the compilation cache.
    """

    def __init__(
        self,
        policy: Policy,
        credit: Credit,
        *,
        common: bool = True,
        limits: Limits | None = None,
        journal: Journal | None = None,
    ):
        if len(credit) != policy.game.cells + 1:
            raise ValueError(f"{len(credit)} credits for a board of {policy.game.cells} cells")
        self.policy, self.game, self.credit, self.common = policy, policy.game, credit, common
        limits = limits or Limits()
        cpu = jax.local_devices()[0].platform == "cpu"
        if cpu and limits.slots is None:
            limits = limits._replace(slots=max(_CPU_SLOTS // policy.lanes, 1))
        self._limits, self._sized = limits, _CPU_LAUNCH if cpu else _LAUNCH
        self._journal = journal or Journal()
        self.played, self.seconds, self.compile_seconds = 0, 0.0, 0.0
        self._progress: Progress | None = None
        self._part = _FIRST_PART

    def play(
        self, key: Key[Array, ""], layouts: Layouts, games: int, *, first: int = 0
    ) -> Readings:
        """Games first … first + games − 1 on each board, each in a random turn of the board.

        Args:
            key: consumed by these games; the same key and numbers are the same games.
            layouts: the boards.
            games: games on each.
            first: number of the first.

        Raises:
            ValueError: no games, or the hunter fired at a cell twice.
        """
        known = self._journal.next(len(layouts))
        self._tell(len(known) * games)
        parts, at = [known], len(known)
        while at < len(layouts):
            rows = min(max(self._part // games, 1), ROWS) if self.common else len(layouts)
            part = self._play(key, layouts[at : at + rows], games, first)
            self._journal.add(part)
            self._tell(len(part) * games)
            parts.append(part)
            at += len(part)
        return Readings(np.concatenate(parts))

    def histogram(
        self, key: Key[Array, ""], layouts: Layouts, games: int, *, first: int = 0
    ) -> Int64[np.ndarray, "B T"]:
        """The same games by their shots; these are played again, not found in the journal."""
        return by_board(
            key,
            self.policy,
            boards_of(self.game, layouts),
            games,
            first=first,
            common=self.common,
            room=ROWS,
            sized=self._sized,
            limits=self._limits,
        )

    def _play(
        self, key: Key[Array, ""], layouts: Layouts, games: int, first: int
    ) -> Float64[np.ndarray, "B 4"]:
        started = time.perf_counter()
        if not self.played:
            self.histogram(key, layouts[:1], 1, first=first)
            self.compile_seconds = time.perf_counter() - started
            started = time.perf_counter()
        found = self.histogram(key, layouts, games, first=first)
        seconds, played = time.perf_counter() - started, len(layouts) * games
        self.played, self.seconds = self.played + played, self.seconds + seconds
        fitting = int(played / max(seconds, 1e-3) * PART_SECONDS)
        self._part = max(min(fitting, 4 * self._part), 1)
        return sums(found, self.credit)

    @property
    def speed(self) -> dict[str, Any]:
        """Games played here, games a second, and seconds for compiling."""
        return {
            "games_played": self.played,
            "games_per_second": self.played / self.seconds if self.played else None,
            "compile_seconds": self.compile_seconds,
        }

    @contextmanager
    def watched(self, title: str, games: int, quiet: bool) -> Iterator[None]:
        """Show progress meanwhile, of games played and of games found in the journal."""
        with Progress(title, games, "games", quiet=quiet) as self._progress:
            yield
        self._progress = None

    def _tell(self, games: int) -> None:
        if self._progress is not None and games:
            # A descent ends with the step in which its budget ends, a little after it.
            self._progress.advance(min(games, self._progress.total - self._progress.done))


def sums(histogram: Int64[np.ndarray, "B T"], credit: Credit) -> Float64[np.ndarray, "B 4"]:
    """Games, shots, credit and squared credit, added up shot by shot."""
    by_shot = np.stack([np.ones_like(credit), np.arange(len(credit)), credit, credit**2])
    # Row by row in a fixed order, which a matrix product does not promise.
    return np.stack([(histogram * one).sum(1) for one in by_shot], axis=1)


class Noise(NamedTuple):
    """Variance of what one game on two boards differs by, in (share of a race)²."""

    common: float
    """The same games on both."""
    independent: float
    """A game of its own on each."""


def noise(
    key: Key[Array, ""],
    policy: Policy,
    credit: Credit,
    layouts: Layouts,
    *,
    games: int = 8,
    batches: int = 64,
) -> Noise:
    """How noisy differences between the first board and each other one are, both ways.

    Args:
        key: consumed.
        policy: the hunter.
        credit: what finishing at each shot is worth.
        layouts: the boards of one comparison, such as a board and its neighbours.
        games: games of a batch; the variance is that of the batches, times the games.
        batches: batches played both ways.
    """
    found = []
    for way, common in enumerate((True, False)):
        table, own = Table(policy, credit, common=common), jax.random.fold_in(key, way)
        values = np.stack(
            [table.play(own, layouts, games, first=b * games).value for b in range(batches)]
        )
        differences = values[:, 1:] - values[:, :1]
        found.append(games * float(differences.var(axis=0, ddof=1).mean()))
    return Noise(*found)
