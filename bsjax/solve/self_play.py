"""A strong player without exact replies: the loop sets its own pace and adds hunts found by search.

    q, pace ← the uniform hider, and the quick hunt's pace against him
    repeat:
        add hunts that try cells out against q and pace (`bsjax.solve.by_trial`), each in its own
            style and with a belief that is q, blurred
        mixture, hider of the round ← matrix game over the pool, against pace
        q ← a small step towards the hider of the round
        pace ← halfway to the mixture's finishing times
        drop hunts that the mixture has long not used

Every hunt is scored on all layouts, so what a round says about its mixture is exact. No state of
knowledge is built, so it runs wherever the layouts can be listed.

**The hider is averaged.** The matrix game's own hider jumps from round to round; a step of
2 / (round + 30), never below 0.003, gives the next hunts something that stays to reply to.
"""

import os
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float64, UInt8

from bsjax.evaluate.credit import Credit, race_credit
from bsjax.evaluate.tree import evaluate
from bsjax.game.game import Game
from bsjax.posterior.listed import Listing
from bsjax.runtime.origin import origin
from bsjax.runtime.progress import Progress
from bsjax.runtime.run_folder import RunFolder
from bsjax.solve.by_trial import ByTrial, Style
from bsjax.solve.hunts import Writing
from bsjax.solve.matrix_game import solve
from bsjax.solve.player import Player
from bsjax.solve.pool import Pool
from bsjax.solve.tables import classes

USED = 1e-9
"""Share of a hunt that counts as used."""

_STEP, _LATER, _LEAST_STEP = 2.0, 30, 0.003
"""Step of the averaged hider: `_STEP` / (round + `_LATER`), never below `_LEAST_STEP`."""
_BLURS = (0.0, 0.1, 0.3, 0.6)
"""Spread of the logarithm of the weights of a belief, of which one is drawn for each hunt."""
_EVENS = (0.0, 0.0, 0.1, 0.5)
"""Share of the uniform hider in it."""
_INFORMATION = (0.0, 0.0, 0.25, 0.5)
"""Share of information in the score."""
_TRYING = 0.9
"""Share of hunts that try cells out."""


class Settings(NamedTuple):
    """What decides a run, but for its length."""

    hunts: int = 12
    """Hunts tried in each round."""
    tried: int = 4
    """Cells tried out at a node, of most hunts."""
    pool: int = 800
    """Most hunts that are kept; the least used go first."""
    seed: int = 0


DEFAULT = Settings()


class Round(NamedTuple):
    """What a round came to. Win rates are shares of races."""

    number: int
    """Rounds so far, this one included."""
    worst: float
    """Of the mixture on its worst layout against its own pace."""
    value: float
    """Of the mixture on its worst layout against the pace of the loop: the value of the game."""
    reply: float
    """Of the best hunt of the pool against the averaged hider and the pace of the loop."""
    mean: float
    """Expected shots of the mixture against the averaged hider."""
    slowest: float
    """Expected shots on the slowest layout."""
    pool: int
    """Hunts in the pool."""
    used: int
    """Hunts in the mixture."""


class Hunt(NamedTuple):
    """A hunt that was tried."""

    cells: UInt8[np.ndarray, " _"]
    """For `bsjax.solve.hunts.ByCells`."""
    shots: UInt8[np.ndarray, " M"]
    """On every layout."""


class SelfPlay:
    """A run of the loop; in memory, or in a folder from which it goes on.

    Attributes:
        pool: hunts and the lottery over them.
        hider: averaged, the share of each class of turned layouts.
        pace: of the loop.
        number: rounds so far.
        log: what each came to.
    """

    def __init__(
        self,
        game: Game,
        settings: Settings = DEFAULT,
        *,
        out: Path | None = None,
        resume: bool = False,
    ):
        """Begin, or take the run in `out` up where its last round ended.

        Raises:
            ValueError: the game cannot be listed, or the folder holds something else.
            OSError: the folder cannot be written.
        """
        self.game, self.settings, self.listing = game, settings, Listing(game)
        self._of, self._size, _ = classes(game)
        self._hunts: dict[int, Hunt] = {}
        told = {"kind": "self-play", "size": list(game.size), "fleet": list(game.fleet)}
        told |= {"touching": game.touching, "feedback": game.feedback, **settings._asdict()}
        self._folder = None if out is None else RunFolder(out, told, resume=resume)
        try:
            if self._folder is None or self._folder.state is None:
                self._begin()
            else:
                self._restore(self._folder.path, self._folder.state)
        except BaseException:
            self.close()
            raise

    def play(self, rounds: int, *, quiet: bool = True) -> None:
        """Go on until this many rounds were played in all, each safe on disk before the next.

        Cost: on 5×5 {3,3,2} about 0.35 s of one core for each hunt of a round, and one linear
        program.
        """
        title = f"self-play on {self.game}"
        with Progress(title, rounds, "rounds", done=self.number, quiet=quiet) as progress:
            while self.number < rounds:
                self._round()
                if self._folder is not None:
                    self._save(self._folder)
                progress.advance(1)
        if self._folder is not None and self.log:
            self._folder.finish(self.log[-1]._asdict(), origin(self.settings.seed))

    def player(self) -> Player:
        """The averaged hider and the mixture, with the hunts it uses."""
        used = np.flatnonzero(self.pool.share > 0)
        hunts = [self._hunts[number].cells for number in self.pool.number[used].tolist()]
        hider = (self.hider / self._size)[self._of]
        finishing = self.pool.times()[self._of]
        return Player(self.game, "all", hider, finishing, self.pool.share[used], hunts)

    def close(self) -> None:
        """Release the folder."""
        if self._folder is not None:
            self._folder.close()

    def _begin(self) -> None:
        """The uniform hider, and one quick hunt."""
        self.number: int = 0
        self.log: list[Round] = []
        self.hider: Float64[np.ndarray, " O"] = self._size / self._size.sum()
        quick = Style(self.game.cells // 2, 0.0, 1)
        hunt = self._hunt(np.ones(len(self.listing)), quick, np.zeros(self.game.cells + 1))
        self._hunts[0] = hunt
        self.pool: Pool = self._pool([0], np.ones(1), np.ones(1))
        self.pace: Float64[np.ndarray, " T"] = self.hider @ self.pool.times()
        if self._folder is not None:
            self._write(self._folder.path, [hunt])

    def _round(self) -> None:
        """One round."""
        rng = np.random.default_rng([self.settings.seed, self.number])
        credit = race_credit(self.pace)
        belief = (self.hider / self._size)[self._of]
        styled = [self._styled(rng, belief) for _ in range(self.settings.hunts)]
        new = [self._hunt(*how, credit) for how in styled]
        first = 1 + self.number * self.settings.hunts
        self.number += 1
        self._hunts |= dict(enumerate(new, first))
        found = np.stack([self._finishing(hunt.shots) for hunt in new])
        pool = self.pool.joined(found, first, self.settings.pool)
        payoff = pool.payoff(credit)
        best = float((self.hider @ payoff).max())
        game = solve(payoff)
        share = np.where(game.columns > USED, game.columns, 0)
        self.pool = pool.mixed(share / share.sum())
        self._hunts = {number: self._hunts[number] for number in self.pool.number.tolist()}
        if self._folder is not None:
            self._write(self._folder.path, new)
        step = max(_STEP / (self.number + _LATER), _LEAST_STEP)
        self.hider = (1 - step) * self.hider + step * game.rows
        finishing = self.pool.times()
        own = self.hider @ finishing
        self.pace = (self.pace + own) / 2
        shots = finishing @ np.arange(len(own))
        self.log.append(
            Round(
                self.number,
                float((finishing @ race_credit(own / own.sum())).min()),
                game.low,
                best,
                float(self.hider @ shots),
                float(shots.max()),
                len(share),
                int((share > 0).sum()),
            )
        )

    def _styled(
        self, rng: np.random.Generator, belief: Float64[np.ndarray, " M"]
    ) -> tuple[Float64[np.ndarray, " M"], Style]:
        """A belief near this one, and a style."""
        blur, even = rng.choice(_BLURS), rng.choice(_EVENS)
        blurred = belief * np.exp(blur * rng.standard_normal(len(belief)))
        blurred = (1 - even) * blurred / blurred.sum() + even / len(belief)
        first = int(rng.integers(self.game.cells))
        share = float(rng.choice(_INFORMATION))
        tried = self.settings.tried if rng.random() < _TRYING else 1
        return blurred, Style(first, share, tried)

    def _hunt(self, belief: Float64[np.ndarray, " M"], style: Style, credit: Credit) -> Hunt:
        """Play a hunt on every layout."""
        hunt = Writing(ByTrial(self.listing, belief, credit, style))
        shots = evaluate(self.listing, hunt).shots
        return Hunt(hunt.written(), shots.astype(np.uint8))

    def _finishing(self, shots: UInt8[np.ndarray, " M"]) -> UInt8[np.ndarray, "O T"]:
        """How many layouts of each class are over after 0, 1, … shots."""
        times = self.game.cells + 1
        found = np.bincount(self._of * times + shots, minlength=len(self._size) * times)
        return found.reshape(-1, times).astype(np.uint8)

    def _pool(self, numbers: list[int], share: np.ndarray, used: np.ndarray) -> Pool:
        """The pool of some of the hunts at hand."""
        found = np.stack([self._finishing(self._hunts[number].shots) for number in numbers])
        return Pool(self._size, found, np.array(numbers, np.int64), share, used)

    def _write(self, path: Path, new: list[Hunt]) -> None:
        """The hunts of the last round, in a file of their own."""
        partial = path / "hunts.partial"
        with open(partial, "wb") as stream:
            np.savez(
                stream,
                shots=np.stack([hunt.shots for hunt in new]),
                cells=np.concatenate([hunt.cells for hunt in new]),
                lengths=np.array([len(hunt.cells) for hunt in new]),
            )
            stream.flush()
            os.fsync(stream.fileno())
        os.replace(partial, path / _file(self.number))

    def _save(self, folder: RunFolder) -> None:
        """The round is over: the checkpoint, then the files none of whose hunts are left go."""
        folder.save(
            {
                "round": self.number,
                "hider": self.hider.tolist(),
                "pace": self.pace.tolist(),
                "numbers": self.pool.number.tolist(),
                "share": self.pool.share.tolist(),
                "used": self.pool.used.tolist(),
                "log": [list(row) for row in self.log],
            }
        )
        needed = {_file(self._round_of(number)) for number in self._hunts}
        for path in folder.path.glob("hunts_*.npz"):
            if path.name not in needed:
                path.unlink()

    def _restore(self, path: Path, state: dict[str, Any]) -> None:
        """Where the folder's run is.

        Raises:
            ValueError: hunts of the pool are missing.
        """
        self.number, self.log = state["round"], [Round(*row) for row in state["log"]]
        self.hider, self.pace = np.array(state["hider"]), np.array(state["pace"])
        wanted = set(state["numbers"])
        for number in sorted({self._round_of(number) for number in wanted}):
            if not (path / _file(number)).exists():
                raise ValueError(f"{path / _file(number)} is missing; start in a new folder")
            with np.load(path / _file(number)) as held:
                cells = np.split(held["cells"], np.cumsum(held["lengths"])[:-1])
                hunts = map(Hunt, cells, held["shots"])
                first = 1 + (number - 1) * self.settings.hunts if number else 0
                self._hunts |= {n: h for n, h in enumerate(hunts, first) if n in wanted}
        share, used = np.array(state["share"]), np.array(state["used"])
        self.pool = self._pool(state["numbers"], share, used)

    def _round_of(self, number: int) -> int:
        """The round in which a hunt was tried; 0 for the first of all."""
        return -(-number // self.settings.hunts)


def _file(number: int) -> str:
    """Name of the file of the hunts of a round."""
    return f"hunts_{number:06}.npz"
