"""The best joint reply to a player: where it hides, and how it hunts knowing that.

A reply that hides on a layout races the player's finishing times there: they are a credit, and the
best hunt with it is a backward pass over all states. Few layouts need one. The value of a credit
c is V(c) = max over hunts of E[c(time)], so V is convex, grows with c, and V(λ c + r) = λ V(c) + r.
For credits a whose values are known and any λ ≥ 0 and r,

    c ≤ Σ λ_a a + r    ⟹    V(c) ≤ Σ λ_a V(a) + r,

and a small linear program finds the lowest such bound. The credits with the highest bounds are
tried next, until none that is left can beat the best.
"""

import hashlib
from pathlib import Path
from typing import NamedTuple

import numpy as np
from jaxtyping import Float64, Int64

from bsjax.evaluate.credit import race_credit
from bsjax.runtime.progress import Progress
from bsjax.runtime.run_folder import RunFolder
from bsjax.solve.best_reply import MEMORY, at_once, best_values
from bsjax.solve.knowledge import Graph
from bsjax.solve.player import Player, hiding
from bsjax.solve.tables import classes

BEATS = 1e-6
"""A bound that is higher by less does not beat the best."""


class Joint(NamedTuple):
    """The best joint reply among those tried."""

    value: float
    """What it wins."""
    on: int
    """Class of layouts it hides on."""
    at_most: float
    """No joint reply wins more; the value itself, up to `BEATS`, unless the trials ran out."""
    tried: int
    """Classes that it was tried from."""
    hunt: float
    """What the best reply wins that hides as the player does."""


def best_joint(
    graph: Graph,
    player: Player,
    *,
    most: int | None = None,
    out: Path | None = None,
    memory: int = MEMORY,
    workers: int | None = None,
    quiet: bool = True,
) -> Joint:
    """The best joint reply, and the best hunting reply, which costs one credit more.

    Args:
        graph: states of knowledge of his game.
        player: the player.
        most: classes of layouts to try at most, those where hiding alone wins most first; as many
            as it takes by default.
        out: keeps what was tried, in a folder for each player; a search that was killed goes on
            from there.
        memory: bytes of a pass, about. They decide how many classes are tried at once.
        workers: threads; all cores by default. They change no result.
        quiet: show no progress.

    Raises:
        ValueError: no layout is to be tried, or `out` holds something else.

    Cost: a column of a backward pass for each class that is tried
        (`bsjax.solve.best_reply.best_values`), a linear program for each that is not.
    """
    row = classes(player.game).row
    order: Int64[np.ndarray, " O"] = np.argsort(-hiding(player)[row], kind="stable")
    paces = np.stack([player.pace, *player.finishing[row]])
    credits = np.stack([race_credit(pace / pace.sum()) for pace in paces])
    trials = _Trials(order, credits[1:], most)
    folder = None if out is None else _folder(out, graph, player)
    try:
        if folder is not None and folder.state is not None:
            trials.restore(**folder.state)
        with Progress("joint replies", trials.limit, "layouts", done=0, quiet=quiet) as bar:
            bar.advance(len(trials.on))
            while len(on := trials.next(at_once(graph, memory) - 1)):
                # Column 0 of the credits is the hunting reply.
                asked = on + 1 if trials.on else np.append(0, on + 1)
                won = best_values(
                    graph, player.hider, credits[asked], memory=memory, workers=workers
                )
                trials.add(on, won)
                if folder is not None:
                    folder.save({"on": trials.on, "won": trials.won, "hunt": trials.hunt})
                bar.advance(len(on))
    finally:
        if folder is not None:
            folder.close()
    best = int(np.argmax(trials.won))
    value = trials.won[best]
    at_most = max(value, float(trials.bound.max(initial=0)))
    return Joint(value, trials.on[best], at_most, len(trials.on), trials.hunt)


class _Trials:
    """Classes tried so far, in the order of the trials, and bounds of the rest."""

    def __init__(
        self,
        order: Int64[np.ndarray, " O"],
        credits: Float64[np.ndarray, "O T"],
        most: int | None,
    ):
        self.order, self.credits = order, credits
        self.limit = len(order) if most is None else min(most, len(order))
        self.on: list[int] = []
        self.won: list[float] = []
        self.hunt = 0.0
        self.bound: Float64[np.ndarray, " O"] = np.ones(len(order))
        """No joint reply that hides on a class wins more; 0 once it was tried."""

    def restore(self, on: list[int], won: list[float], hunt: float) -> None:
        """Go on after these trials."""
        self.on, self.won, self.hunt = on, won, hunt
        self._tighten()

    def add(self, on: Int64[np.ndarray, " N"], won: Float64[np.ndarray, " K"]) -> None:
        """Trials of some classes, after that of the hunting reply if they are the first."""
        if not self.on:
            self.hunt, won = float(won[0]), won[1:]
        self.on += on.tolist()
        self.won += won.tolist()
        self._tighten()

    def next(self, number: int) -> Int64[np.ndarray, " N"]:
        """Classes to try next, at most so many; none if none can beat the best."""
        number = min(max(number, 1), self.limit - len(self.on))
        if not self.on:
            return self.order[:number]
        open_ = self.order[self.bound[self.order] > max(self.won) + BEATS]
        return open_[np.argsort(-self.bound[open_], kind="stable")][:number]

    def _tighten(self) -> None:
        """Bounds from all trials, for the classes that may still beat the best."""
        from scipy.optimize import linprog

        self.bound[self.on] = 0
        known, values = self.credits[self.on].T, np.array(self.won)
        ones = np.ones((len(known), 1))
        for at in np.flatnonzero(self.bound > max(self.won) + BEATS).tolist():
            found = linprog(
                np.concatenate([values, [1, -1]]),
                A_ub=-np.hstack([known, ones, -ones]),
                b_ub=-self.credits[at],
                method="highs",
            )
            if found.success:
                self.bound[at] = min(self.bound[at], found.fun)


def _folder(out: Path, graph: Graph, player: Player) -> RunFolder:
    """The folder of the trials against a player."""
    told = np.concatenate([player.hider[:, None], player.finishing], axis=1)
    digest = hashlib.sha256(told.tobytes()).hexdigest()
    identity = {"kind": "joint replies", "game": str(player.game), "moves": graph.rule}
    path = out / digest[:12]
    return RunFolder(path, identity | {"player": digest}, resume=path.exists())
