"""What is played, and how often, as data."""

from typing import NamedTuple

from bsjax.game.game import Feedback, Game

ROLLOUT: dict[str, float | int] = {
    "draws": 2048,
    "worlds": 1024,
    "candidates": 4,
    "share": 0.5,
    "margin": 1.0,
}
"""Draws of the posterior, and settings of `bsjax.policies.rollout.Rollout`."""


class Settings(NamedTuple):
    """Sizes of the experiment; all but `size` and `fleet` change its precision only."""

    seed: int = 0
    size: tuple[int, int] = (10, 10)
    fleet: tuple[int, ...] = (5, 4, 3, 3, 2)
    draws: int = 1_500
    """Draws of a decision over a sampled posterior, as in the write-up."""

    exact_games: int = 20_000
    """Boards of the exact rules and of the density hunters: is the information rule worse?"""
    sample_games: int = 20_000
    """Boards of the rules over draws."""
    name_games: int = 4_000
    """Boards of the information rule where a sink names the ship, as in the write-up."""

    hits_games: int = 2_000
    """Boards of the hits lookahead over draws."""
    left_games: int = 150
    """Boards of the information lookahead over draws."""
    many: int = 5_000
    """Draws of a decision of the hits lookahead that is to have less noise."""
    many_games: int = 64
    """Boards of it."""

    edges: tuple[float, ...] = (0.1, 0.2, 0.5, 1.0)
    """Edge bias a of the opponents, without spacing."""
    edge_games: int = 8_000
    """Boards of each of them."""
    spaced: tuple[tuple[float, float], ...] = ((0.2, 2.0), (0.5, 2.0))
    """Edge bias a and spacing b of the opponents met with draws."""
    spaced_games: int = 4_000
    """Boards of each of them."""
    checked: int = 20_000
    """Boards of every opponent that are held against the exact prior."""
    effective_at: tuple[int, ...] = (0, 5, 10, 15, 20, 25, 30, 40)
    """Shots after which the effective number of draws is looked at."""
    effective_games: int = 100
    """Games in which it is."""

    truths: tuple[float, ...] = (0.2, 0.5)
    """Edge bias of the opponents that are to be learned."""
    assumed: tuple[float, ...] = (-0.5, 0.0, 0.2, 0.5, 1.0)
    """Edge bias that a player takes them to have."""
    assumed_games: int = 5_000
    """Boards that each of these players meets."""
    earlier: tuple[int, ...] = (0, 1, 2, 3, 5, 10, 20, 50)
    """Earlier games that an estimate is made from."""
    replicates: int = 4_000
    """Estimates from each number of games."""
    spread: float = 0.5
    """Standard deviation of the normal prior on a, mean 0, of the estimate that has one."""

    numbers: tuple[tuple[int, int], ...] = (
        (100, 10_000),
        (300, 10_000),
        (1_500, 20_000),
        (5_000, 4_000),
    )
    """Draws a decision that are compared with the exact posterior, and the boards of each."""
    ties_games: int = 5_000
    """Boards of the exact rule with its ties at random."""

    rollout: dict[str, float | int] = ROLLOUT
    judged_games: int = 128
    """Boards on which it is played, and each of its choices judged."""
    judged_worlds: int = 512
    """Layouts that judge a choice."""
    judged_batch: int = 64
    """Games of one launch of these."""
    judged_slots: int = 16
    """Games advanced together in it; changes the speed, not the result."""

    def game(self, feedback: Feedback = "size") -> Game:
        """The game with this feedback rule."""
        return Game(self.size, self.fleet, feedback=feedback)


FULL = Settings()
QUICK = Settings(
    size=(5, 5),
    fleet=(3, 2, 2),
    draws=64,
    exact_games=60,
    sample_games=60,
    name_games=40,
    hits_games=40,
    left_games=40,
    many=128,
    many_games=40,
    edges=(0.5,),
    edge_games=60,
    spaced=((0.5, 2.0),),
    spaced_games=60,
    checked=400,
    effective_at=(0, 5, 10),
    effective_games=20,
    truths=(0.5,),
    assumed=(0.0, 0.5),
    assumed_games=60,
    earlier=(0, 1, 5),
    replicates=50,
    numbers=((16, 60), (64, 40)),
    ties_games=60,
    rollout={"draws": 64, "worlds": 16, "candidates": 3, "share": 0.5, "margin": 1.0},
    judged_games=16,
    judged_worlds=32,
    judged_batch=8,
    judged_slots=8,
)
