"""What a search for hard boards may spend."""

from typing import NamedTuple

from bsjax.evaluate.hard_boards.crossplay import TOURNAMENT, Heat
from bsjax.evaluate.hard_boards.descent import ROUNDS, Effort, Round

_LEAST_GAMES = 16


class Settings(NamedTuple):
    """Games of a search; the defaults are the published ones where those are known."""

    budget: float = 1.0
    """Factor on the games of descents and cross-play; measurements and confirmations stay."""
    starts: tuple[int, int, int] = (4, 2, 2)
    """Own descents from common boards, from others known before, from random ones. Where there
    are not so many boards, random ones take their place."""
    own: int = 730_000
    """Games of all own descents of a hunter."""
    confirmed: int = 400_000
    """Games of all confirmed descents of a stage."""
    rounds: tuple[Round, ...] = ROUNDS
    """Trials of a step of a descent."""
    confirm: int = 1_024
    """Fresh games on which a confirmed move must win."""
    cross: tuple[Heat, ...] = (Heat(256, 0.25), Heat(768, 0.0))
    """Cross-play before the first confirmed descents."""
    tournament: tuple[Heat, ...] = TOURNAMENT
    """Cross-play before the second ones."""
    forward: int = 2
    """Boards that cross-play puts forward, and from which confirmed descents start."""
    games: int = 8_000
    """Games of a measurement."""
    common: bool = True
    """Play the same games on all boards that are compared."""
    seed: int = 0

    def require(self) -> None:
        """Refuse what cannot be searched with.

        Raises:
            ValueError: a number out of range.
        """
        if not 0 < self.budget < float("inf"):
            raise ValueError(f"budget {self.budget:g}: take a factor above 0, 1 as published")
        if self.games < 2 or self.forward < 1 or sum(self.starts) < 1 or min(self.starts) < 0:
            raise ValueError(
                f"{self.games} games, {self.forward} boards put forward, starts {self.starts}: "
                f"measure on 2 games or more, put one forward, start from one"
            )
        until = [one.games for one in self.rounds]
        if not until or until[0] < 1 or sorted(set(until)) != until:
            raise ValueError(f"rounds of {until} games: each must have more than the one before")

    def descents(self, count: int, *, confirmed: bool) -> Effort:
        """What each of `count` descents may spend."""
        total = self.confirmed if confirmed else self.own
        games = max(round(total * self.budget / count), 1)
        return Effort(games, self.rounds, self.confirm if confirmed else 0)

    def scaled(self, heats: tuple[Heat, ...]) -> tuple[Heat, ...]:
        """Heats within the budget."""
        least = _LEAST_GAMES
        return tuple(h._replace(games=max(round(h.games * self.budget), least)) for h in heats)
