"""A strong player without exact replies: the loop sets its own pace and adds hunts found by search.

    q, pace ← the uniform hider, and the quick hunt's pace against him
    repeat:
        add hunts against q and pace, quick ones and ones that try cells out
            (`bsjax.solve.by_trial`), each in its own style and with a belief that is q, blurred
        mixture ← matrix game over the pool, against pace
        q ← a step towards a hider who prefers the layouts on which the mixture does badly
        pace ← halfway to the mixture's finishing times
        drop hunts that the mixture has long not used

Every hunt is scored on all layouts, so what a round says about its mixture is exact. No state of
knowledge is built, so it runs wherever the layouts can be listed.

What hider the hunts reply to decides how soon the loop closes (`bsjax.solve.smooth_hider`). They
believe in a snapshot of him, so that each can be written down as a recipe (`bsjax.solve.recipes`)
and played again bit for bit.
"""

import hashlib
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Bool, Float64, Int32, UInt8

from bsjax.evaluate.credit import race_credit
from bsjax.game.game import Game
from bsjax.runtime.origin import origin
from bsjax.runtime.progress import Progress
from bsjax.runtime.run_folder import RunFolder
from bsjax.solve.by_trial import Style
from bsjax.solve.crew import Crew
from bsjax.solve.mixing import Opponent, lottery
from bsjax.solve.player import Player
from bsjax.solve.pool import Compact, compacted, members
from bsjax.solve.recipes import Hunt, Job, Recipe, Recipes, digest, play
from bsjax.solve.self_play_settings import DEFAULT, Round, Settings, styled
from bsjax.solve.shelf import Shelf
from bsjax.solve.smooth_hider import LATER, averaged, of_round
from bsjax.solve.snapshot import counted, snapshot
from bsjax.solve.tables import classes

_VERSION = 4
"""Of run folders. The first held beliefs of which no recipe can be written, the second a hider
that was averaged over four times as many rounds, the third one that came of matrix games alone."""


class Reduced(NamedTuple):
    """A mixture of fewer hunts, as recipes, and what it comes to; see `Round`."""

    recipes: Recipes
    gap: float
    worst: float
    mean: float
    slowest: float


class SelfPlay:
    """A run of the loop; in memory, or in a folder from which it goes on.

    Attributes:
        pool: hunts and the lottery over them.
        hider: averaged, the share of each class of turned layouts.
        pace: of the loop.
        known: classes that the matrix game holds.
        number: rounds so far.
        log: what each came to.
        seconds: by the clock that the rounds took, on whatever machines they were played.
    """

    def __init__(
        self,
        game: Game,
        settings: Settings = DEFAULT,
        *,
        out: Path | None = None,
        resume: bool = False,
        workers: int = 1,
        known: Bool[np.ndarray, " O"] | None = None,
    ):
        """Begin, or take the run in `out` up where its last round ended.

        Args:
            game: a game whose layouts can be listed.
            settings: how.
            out: run folder; memory alone without one.
            resume: go on with the run in `out`.
            workers: processes that play hunts; they change no result.
            known: classes of turned layouts (`bsjax.solve.tables.classes`) that the matrix game
                holds and the hider may hide in; all of them by default. Hunts are scored on all.

        Raises:
            ValueError: the game cannot be listed, no class is known, the step or the sharpness is
                out of range, or the folder holds something else.
            OSError: the folder cannot be written.
        """
        if not 0 < settings.step <= 1 + LATER:
            raise ValueError(f"step {settings.step:g}: take more than 0, up to {1 + LATER}")
        if not 0 <= settings.sharpness < np.inf:
            raise ValueError(f"sharpness {settings.sharpness:g}: take a number, 0 or more")
        self.game, self.settings = game, settings
        self._of, self._size, _ = classes(game)
        if not len(self._of):
            raise ValueError(f"{game} has no layout")
        self.known = np.ones(len(self._size), bool) if known is None else known.copy()
        if self.known.shape != self._size.shape or not self.known.any():
            raise ValueError(f"known: give a flag for each of {len(self._size)} classes, not all 0")
        self._members = members(self._of, self._size)
        self._crew = Crew(workers)
        told = {"kind": "self-play", "version": _VERSION, "size": list(game.size)}
        told |= {"fleet": list(game.fleet), "touching": game.touching, "feedback": game.feedback}
        told |= settings._asdict()
        if not self.known.all():
            told["known"] = hashlib.sha256(np.packbits(self.known).tobytes()).hexdigest()[:12]
        self._folder = None if out is None else RunFolder(out, told, resume=resume)
        self._shelf = Shelf(None if self._folder is None else self._folder.path)
        try:
            if self._folder is None or self._folder.state is None:
                self._begin()
            else:
                self._restore(self._folder.state)
        except BaseException:
            self.close()
            raise

    def play(
        self,
        rounds: int,
        *,
        quiet: bool = True,
        told: Callable[[Round, float], None] | None = None,
    ) -> None:
        """Go on until this many rounds were played in all, each safe on disk before the next.

        Args:
            rounds: in all.
            quiet: show no progress.
            told: called after every round with what it came to and the seconds it took.

        Cost: the hunts (`ByTrial`), 20 ms for a hunt of a pool on 10×10 {3,3,2}, a matrix game.
        """
        title = f"self-play on {self.game}"
        with Progress(title, rounds, "rounds", done=self.number, quiet=quiet) as progress:
            while self.number < rounds:
                started = time.monotonic()
                self._round()
                took = time.monotonic() - started
                self.seconds += took
                self._save()
                progress.advance(1)
                if told is not None:
                    told(self.log[-1], took)
        if self._folder is not None and self.log:
            self._folder.finish(self.log[-1]._asdict(), origin(self.settings.seed))

    def player(self) -> Player:
        """The averaged hider and the mixture, with the hunts it uses.

        Cost: 8 bytes for every layout and shot.
        """
        used = self.pool.part(np.flatnonzero(self.pool.share > 0))
        rounds = self._by_round(used.number.tolist())
        held = ((self._shelf.hunts(number), at) for number, at in rounds.items())
        hunts = [tried[n].cells for tried, at in held for n in at]
        hider = (self.hider / self._size)[self._of]
        finishing = used.times(self.game.cells)[self._of]
        return Player(self.game, "all", hider, finishing, used.share, hunts)

    def reduced(self, most: int) -> Reduced:
        """The mixture cut down to the hunts of the largest share, and weighed anew.

        Args:
            most: hunts to keep at most, 1 or more.

        Cost: six matrix games.
        """
        pool, gap = self._opponent.reduced(self.pool, most)
        return Reduced(self._recipes_of(pool), gap, *self._opponent.figures(pool))

    @property
    def _opponent(self) -> Opponent:
        return Opponent(self.hider, self.known, self.game.cells)

    def close(self) -> None:
        """Release the folder and the processes."""
        self._crew.close()
        if self._folder is not None:
            self._folder.close()

    def _begin(self) -> None:
        """The uniform hider, and one quick hunt."""
        self.number: int = 0
        self.log: list[Round] = []
        self.seconds: float = 0.0
        even = self._size * self.known
        self.hider: Float64[np.ndarray, " O"] = even / even.sum()
        self._likely: Float64[np.ndarray, " O"] = self.hider
        self._snap()
        credit = np.zeros(self.game.cells + 1, np.int32)
        quick = Recipe(0, 0, Style(self.game.cells // 2, 0.0, 1), 0.0, 0, 0)
        (hunt,) = self._played([quick], credit)
        finishing = compacted(hunt.shots, self._members)[None]
        self.pool = Compact(self._size, finishing, np.zeros(1, np.int64), np.ones(1), np.ones(1))
        self.pace: Float64[np.ndarray, " T"] = self._opponent.pace(self.pool)

    def _round(self) -> None:
        """One round."""
        credit = race_credit(self.pace)
        recipes = styled(self.settings, self.game, self.number)
        first = 1 + self.number * self.settings.hunts
        self.number += 1
        new = self._played(recipes, counted(credit))
        found = np.stack([compacted(hunt.shots, self._members) for hunt in new])
        pool = self.pool.joined(found, first, self.settings.pool)
        payoff = pool.payoff(credit)
        best = float((self.hider.astype(np.float32) @ payoff).max())
        game = self._opponent.matrix_game(payoff, pool.share, self._likely)
        del payoff
        self.pool, self._likely = pool.mixed(lottery(game.columns)), game.rows
        round_ = self.settings, self.number
        rows = of_round(self.pool.won(credit), game.rows, self._size, self.known, *round_)
        self.hider = averaged(self.hider, rows, *round_)
        own = self._opponent.pace(self.pool)
        self.pace = (self.pace + own) / 2
        if self.settings.added and not self.known.all():
            won = np.where(self.known, np.inf, self.pool.won(race_credit(own)))
            self.known[np.argsort(won, kind="stable")[: self.settings.added]] = True
        worst, mean, slowest = self._opponent.figures(self.pool)
        told = self.number, worst, game.low, game.gap, best, mean, slowest
        used = int((self.pool.share > 0).sum())
        self.log.append(Round(*told, len(self.pool.number), used))
        if self.number % self.settings.snapshot == 0:
            self._snap()

    def _played(self, recipes: list[Recipe], credit: Int32[np.ndarray, " T"]) -> list[Hunt]:
        """Play the hunts of a round and put them on the shelf."""
        (levels,) = self._shelf.get("snapshot", recipes[0].snapshot, "levels")
        jobs = [Job(self.game, recipe, levels, credit) for recipe in recipes]
        hunts = list(self._crew.map(play, jobs))
        self._shelf.put_hunts(self.number, hunts, recipes, credit)
        return hunts

    def _snap(self) -> None:
        """A snapshot of the hider."""
        self._shelf.put("snapshot", self.number, levels=snapshot(self.hider, self._size))

    def _recipes_of(self, pool: Compact) -> Recipes:
        """The hunts of a pool as recipes."""
        snapshots: dict[int, UInt8[np.ndarray, " O"]] = {}
        credits: list[Int32[np.ndarray, " T"]] = []
        found, digests = [], []
        for round_, at in self._by_round(pool.number.tolist()).items():
            hunts, (recipes, credit) = self._shelf.hunts(round_), self._shelf.recipes(round_)
            digests += [digest(hunts[n]) for n in at]
            snap = recipes[0].snapshot
            if snap not in snapshots:
                (snapshots[snap],) = self._shelf.get("snapshot", snap, "levels")
            place = list(snapshots).index(snap)
            found += [recipes[n]._replace(snapshot=place, credit=len(credits)) for n in at]
            credits.append(credit)
        held = np.stack(list(snapshots.values())), np.stack(credits)
        return Recipes(self.game, *held, found, pool.share, np.stack(digests))

    def _by_round(self, numbers: list[int]) -> dict[int, list[int]]:
        """For the rounds of hunts, ascending, which of theirs these are."""
        hunts, found = self.settings.hunts, {}
        for number in sorted(numbers):
            round_ = -(-number // hunts)
            found.setdefault(round_, []).append(number - 1 - (round_ - 1) * hunts if round_ else 0)
        return found

    def _save(self) -> None:
        """The round is over: the checkpoint, then what no hunt needs any more goes."""
        rounds = self._by_round(self.pool.number.tolist())
        snaps = {self._shelf.recipes(round_)[0][0].snapshot for round_ in rounds}
        latest = self.number - self.number % self.settings.snapshot
        if self._folder is not None:
            told = {"hider": self.hider, "rows": self._likely, "known": self.known}
            self._shelf.put("hider", self.number, **told, seconds=np.array(self.seconds))
            self._folder.save(
                {
                    "round": self.number,
                    "pace": self.pace.tolist(),
                    "numbers": self.pool.number.tolist(),
                    "share": self.pool.share.tolist(),
                    "used": self.pool.used.tolist(),
                    "log": [list(row) for row in self.log],
                }
            )
        self._shelf.only("hunts", rounds)
        self._shelf.only("snapshot", {*snaps, latest})
        self._shelf.only("hider", [self.number])

    def _restore(self, state: dict[str, Any]) -> None:
        """Where the folder's run is.

        Raises:
            ValueError: files are missing.
        """
        self.number, self.log = state["round"], [Round(*row) for row in state["log"]]
        told = self._shelf.get("hider", self.number, "hider", "rows", "known", "seconds")
        self.hider, self._likely, self.known, seconds = told
        self.seconds = float(seconds)
        self.pace, numbers = np.array(state["pace"]), state["numbers"]
        words = np.empty((len(numbers), len(self._members) // 2, len(self._size)), np.uint16)
        place = 0
        for round_, at in self._by_round(numbers).items():
            (shots,) = self._shelf.get("hunts", round_, "shots")
            for n in at:
                words[place] = compacted(shots[n], self._members)
                place += 1
        share, used = np.array(state["share"]), np.array(state["used"])
        self.pool = Compact(self._size, words, np.array(numbers, np.int64), share, used)
