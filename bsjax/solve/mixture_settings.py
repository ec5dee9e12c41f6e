"""What the search for a rule mixture may spend."""

from typing import NamedTuple

from bsjax.evaluate.hard_boards.descent import ROUNDS, Round


class Hunted(NamedTuple):
    """What one search for a hard board of a die may spend; games are those of each hunter."""

    starts: tuple[int, int]
    """Confirmed descents from the boards known that hold the die down most, one at least, and from
    random ones; where there are not so many boards, random ones take their place."""
    budget: int
    """Games of each descent."""


class Settings(NamedTuple):
    """What a mixture may spend."""

    matrix: int = 2_000
    """Games of each rule on each board known."""
    rounds: int = 20
    """Most short searches."""
    short: Hunted = Hunted((3, 1), 30_000)
    thorough: Hunted = Hunted((6, 4), 100_000)
    tolerance: float = 0.003
    """What is found counts if it lowers the die by this much, in shares of races."""
    patience: int = 2
    """Short searches in a row that find less, before a thorough one."""
    trials: tuple[Round, ...] = ROUNDS
    """Trials of a step of a descent."""
    confirm: int = 1_024
    """Fresh games of each hunter on which a move must win too."""
    games: int = 8_000
    """Games of each hunter for a measurement."""
    least: float = 0.01
    """Rules that come up more rarely are left out of the die."""
    seed: int = 0

    def require(self) -> None:
        """Refuse what makes no mixture.

        Raises:
            ValueError: a number out of range.
        """
        starts = [*self.short.starts, *self.thorough.starts]
        if min(self.matrix, self.games) < 2 or min(self.rounds, self.confirm, *starts) < 0:
            raise ValueError(
                f"{self.matrix} games an entry, {self.games} a measurement, {self.rounds} rounds, "
                f"starts {starts}: play 2 games or more, and nothing fewer than 0 times"
            )
        if min(self.short.starts[0], self.thorough.starts[0], self.patience) < 1:
            raise ValueError(
                "a search starts from one known board or more; a patience is 1 or more"
            )
        if not 0 <= self.least < 0.5 or not self.tolerance >= 0:
            raise ValueError(
                f"least weight {self.least:g}, tolerance {self.tolerance:g}: take a weight from 0 "
                f"to below a half and a tolerance of 0 or more"
            )
