"""One move-by-move strategy trained by regrets: CFR+ over states of knowledge (Tammelin 2014).

The hunter rolls dice at every state of the graph, the hider over classes of turned layouts, and
both race a copy of themselves. In every round each state's moves are valued against the hider and
the pace of the average so far, the regrets of not having made them are added up and kept at 0 or
more, and the next strategy rolls in proportion to them.

**Values do not depend on the past.** With V(end) = Σ q(layout) · credit over its layouts, nothing
divided and no state weighed (`bsjax.solve.best_reply`), a state is worth the same whatever shots
led to it. In the tree of all pasts every copy of a state therefore has the same regrets in every
round and rolls the same dice: the states learn exactly what a player with perfect recall learns.

**What the rounds come to.** Finishing times are linear in how often each move is made
(`bsjax.solve.dice`). The lottery over the strategies of all rounds therefore finishes as the mean
of their finishing times says: that is all that a race depends on, and all that is kept. Dice in
proportion to the mean visits of the moves, summed over **all** pasts of their state, finish the
same; summed over one past alone they do not (`bsjax.solve.pasts`).
"""

import os
import shutil
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Float64

from bsjax.evaluate.credit import race_credit
from bsjax.runtime.origin import origin
from bsjax.runtime.progress import Progress
from bsjax.runtime.run_folder import RunFolder
from bsjax.solve.dice import learn, visits
from bsjax.solve.knowledge import Graph
from bsjax.solve.player import Player
from bsjax.solve.tables import classes

_KEPT = ("hider", "hider_regret", "hidden", "finished", "last")
"""Arrays of a checkpoint."""


class Learner:
    """CFR+ for the race of a hider and a hunter against a copy of themselves.

    Round t weighs t²: on 4×4 that leaves half as much to a hunting reply as t does, after as many
    rounds. It lives in memory, or in a folder from which it goes on.

    Attributes:
        graph: states of knowledge.
        number: rounds so far.
        regret: of every move; they are the weights of the next strategy.
        hider: share of each class of turned layouts in the next round.
    """

    def __init__(
        self,
        graph: Graph,
        *,
        out: Path | None = None,
        resume: bool = False,
        workers: int | None = None,
    ):
        """Start from even dice and a uniform hider, or where the folder is.

        Args:
            graph: states of knowledge.
            out: run folder.
            resume: go on with the rounds in `out`.
            workers: threads; all cores by default. They change no result.

        Raises:
            ValueError: the folder holds something else.
            OSError: it cannot be written.

        Cost: 4 bytes a move, and 16 a state of the two largest layers.
        """
        self.graph, self.workers = graph, workers
        self._of, self._size, _ = classes(graph.game)
        self._folder = None if out is None else RunFolder(out, _settings(graph), resume=resume)
        self.number = 0
        self.regret = [np.zeros(layer.counts.moves, np.float32) for layer in graph.layers]
        self.hider: Float64[np.ndarray, " O"] = self._size / self._size.sum()
        self._hider_regret = np.zeros(len(self._size))
        self._hidden = np.zeros(len(self._size))
        self._finished = np.zeros((len(self._size), graph.game.cells + 1))
        if self._folder is not None and self._folder.state is not None:
            self._restore(self._folder.path, self._folder.state)
        else:
            self._last: Float64[np.ndarray, "O T"] = visits(graph, self.regret).finishing

    def play(self, rounds: int, *, every: int = 10, quiet: bool = True) -> None:
        """Go on until this many rounds were played in all.

        Args:
            rounds: number of rounds.
            every: rounds between two checkpoints; each writes 4 bytes a move.
            quiet: show no progress.
        """
        title = f"regrets on {self.graph.game}"
        with Progress(title, rounds, "rounds", done=self.number, quiet=quiet) as progress:
            while self.number < rounds:
                self.step()
                if self._folder is not None and (self.number % every == 0 or self.number == rounds):
                    self._save(self._folder)
                progress.advance(1)
        if self._folder is not None:
            self._folder.finish({"round": self.number}, origin(None))

    def step(self) -> float:
        """One round: the hunter learns, then the hider.

        Returns:
            Share of races that the hunter won before he learned.

        Cost: a backward pass and a forward pass over the edges, 40 ns an edge of 4×4 and 20 ns of
        5×5 (30 s) on one core. Most of it runs on all.
        """
        self.number += 1
        credit = race_credit(self._average().pace)
        weight = (self.hider / self._size)[self._of]
        value = learn(self.graph, self.regret, weight, credit, self.workers)
        self._last = visits(self.graph, self.regret).finishing
        lost = self._last @ credit
        self._hider_regret = np.maximum(self._hider_regret + self.hider @ lost - lost, 0)
        if (total := self._hider_regret.sum()) > 0:
            self.hider = self._hider_regret / total
        self._hidden += self.weight * self.hider
        self._finished += self.weight * self._last
        return value

    @property
    def weight(self) -> float:
        """Weight of the last round in the average."""
        return float(self.number**2)

    def average(self) -> Player:
        """The lottery over the strategies of all rounds; none of its hunts is kept."""
        return self._average()

    def last(self) -> Player:
        """The strategies of the last round."""
        return self._player(self.hider, self._last)

    def close(self) -> None:
        """Release the folder."""
        if self._folder is not None:
            self._folder.close()

    def _average(self) -> Player:
        if self.number < 2:
            return self.last()
        return self._player(self._hidden, self._finished)

    def _player(self, hidden: np.ndarray, finished: np.ndarray) -> Player:
        """A player from shares up to a factor."""
        hider = (hidden / hidden.sum() / self._size)[self._of]
        finishing = (finished / finished.sum(1, keepdims=True))[self._of]
        return Player(self.graph.game, self.graph.rule, hider, finishing, np.zeros(0), [])

    def _save(self, folder: RunFolder) -> None:
        """Regrets in a folder of their own, then the checkpoint that names it."""
        name = f"round_{self.number:06}"
        partial = folder.path / f"{name}.partial"
        shutil.rmtree(partial, ignore_errors=True)
        partial.mkdir()
        for shots, regret in enumerate(self.regret):
            with open(partial / _file(shots), "wb") as stream:
                np.save(stream, regret)
                stream.flush()
                os.fsync(stream.fileno())
        os.replace(partial, folder.path / name)
        arrays = self.hider, self._hider_regret, self._hidden, self._finished, self._last
        state = {"round": self.number, "regret": name}
        folder.save(state | dict(zip(_KEPT, (a.tolist() for a in arrays), strict=True)))
        for other in folder.path.glob("round_*"):
            if other.name != name:
                shutil.rmtree(other)

    def _restore(self, path: Path, state: dict[str, Any]) -> None:
        """Where the folder is."""
        self.number = state["round"]
        for shots, regret in enumerate(self.regret):
            regret[:] = np.load(path / state["regret"] / _file(shots))
        kept = [np.array(state[name]) for name in _KEPT]
        self.hider, self._hider_regret, self._hidden, self._finished, self._last = kept


def _settings(graph: Graph) -> dict[str, Any]:
    game = graph.game
    told = {"kind": "regrets", "size": list(game.size), "fleet": list(game.fleet)}
    return told | {"touching": game.touching, "rule": graph.rule}


def _file(shots: int) -> str:
    return f"layer_{shots:02}.npy"
