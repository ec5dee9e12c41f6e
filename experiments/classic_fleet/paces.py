"""The paces that races are run against: the published one, reconstructed, and one that was played.

The published pace is that of the write-up's best strategy, of which only figures are known; its
reconstruction meets them all (`reconstruction`). The other is the pace of the best hunter at hand,
on so many random boards that its own error is not seen. A full run writes both into the package
(`bsjax/evaluate/pace_files`), a quick one into the folder of games.
"""

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float64

from bsjax.evaluate import paces
from bsjax.evaluate.massive import Run, simulate
from bsjax.evaluate.race import conversion, race
from bsjax.game.game import Game
from experiments.classic_fleet.reconstruction import Published, smoothest

GAME = Game()
PUBLISHED = Published(
    mean=47.3, win={40: 0.777, 46: 0.512, 50: 0.335, 60: 0.118}, within={65: 0.95}
)
"""Figures of the write-up that the reconstruction is made from."""
CHECKED = {"median": 46, "p05": 33, "p95": 65, "least_step": 0.044, "most_step": 0.049}
"""Figures of the write-up that it is held against: the median, between which shots 90% of the games
end, and what a shot more costs near the middle."""
MIDDLE = range(42, 48)
"""Shots near the middle: one shot more than each of these."""
RECONSTRUCTION = "reconstruction"
_SEEN = 1e-6
"""Shares of games below this are left out of the conversion table."""
_NOTE = (
    "a reconstruction from published figures (mean, four win shares, 95% within 65 shots), not "
    "played: the smoothest finishing times that have them"
)


class Settings(NamedTuple):
    """Who is played."""

    seed: int = 0
    hunter: str = "density-lowest"
    """The best hunter at hand. The exact rule (`probability`), a thousand times slower, needs
    0.07 ± 0.06 shots more on the same 20,000 boards (`experiments/open_questions`)."""
    games: int = 1_000_000
    """Uniform boards: their luck moves a win rate against this pace by 0.03 points."""
    kept: bool = True
    """Write the paces into the package, not into the folder of games."""


FULL = Settings()
QUICK = Settings(hunter="density", games=2_000, kept=False)


def run(settings: Settings, work: Path) -> dict[str, Any]:
    """Both paces, their figures beside the published ones, and what shots win against each."""
    work = work / "paces"
    into = paces.FOLDER if settings.kept else work
    guess = smoothest(GAME, PUBLISHED)
    paces.save(
        into / f"{RECONSTRUCTION}.json",
        RECONSTRUCTION,
        GAME,
        guess,
        note=_NOTE,
        seed=None,
        overwrite=True,
    )
    name, games = settings.hunter, settings.games
    folder = work / f"{name}-seed{settings.seed}"
    played = simulate(
        Run(name, games, GAME, seed=settings.seed),
        out=folder,
        resume=folder.exists(),
        quiet=False,
    )
    counts = np.array(played["histogram"])
    paces.save(
        into / f"{name}.json",
        name,
        GAME,
        counts,
        note=f"{name} on uniform boards",
        seed=settings.seed,
        overwrite=True,
    )
    told = {key: played[key] for key in ("games", "mean", "se", "median", "best", "worst")}
    return {
        "game": str(GAME),
        "published": {
            "mean": PUBLISHED.mean,
            "win": [{"shots": shots, "win": win} for shots, win in PUBLISHED.win.items()],
            **CHECKED,
        },
        "paces": {
            RECONSTRUCTION: as_figures(guess),
            name: as_figures(counts / games) | {"played": told},
        },
        "race": {
            "hunter": name,
            "pace": RECONSTRUCTION,
            **{key: rate._asdict() for key, rate in race(counts, guess)._asdict().items()},
        },
    }


def as_figures(times: Float64[np.ndarray, " T"]) -> dict[str, Any]:
    """What was published of a pace, and what every number of shots wins against it."""
    over, found = np.cumsum(times), conversion(times)
    middle = found.step[list(MIDDLE)]
    seen = np.flatnonzero(times > _SEEN)
    told = slice(seen[0], seen[-1] + 1)
    return {
        "mean": float(times @ np.arange(len(times))),
        "win": [{"shots": at, "win": float(found.win[at])} for at in PUBLISHED.win],
        "median": _within(over, 0.5),
        "p05": _within(over, 0.05),
        "p95": _within(over, 0.95),
        "least_step": float(middle.min()),
        "most_step": float(middle.max()),
        "conversion": {
            "shots": np.arange(len(times))[told].tolist(),
            "win": found.win[told].tolist(),
            "step": found.step[told].tolist(),
        },
    }


def _within(over: Float64[np.ndarray, " T"], share: float) -> int:
    """Fewest shots within which this share of the games is over, but for rounding."""
    return int(np.searchsorted(over, share - 1e-9))
