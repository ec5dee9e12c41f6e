"""How far are 1,500 draws from the exact posterior, in shots?

The probability rule over different numbers of draws against the same rule over exact counts.
Draws blur two things: how likely cells are, and which of equally likely cells is fired at. The
exact rule takes the lowest of these; with a random one of them it differs from many draws by
nothing but their number.
"""

from typing import Any

from experiments.open_questions.compare import told
from experiments.open_questions.hunters import Hunter
from experiments.open_questions.play import Runs
from experiments.open_questions.settings import Settings


def run(runs: Runs, settings: Settings) -> dict[str, Any]:
    """Every number of draws against the exact rule, with both ways to break its ties."""
    most = max(settings.ties_games, *(games for _, games in settings.numbers))
    hunters = {
        "exact": (Hunter("probability", "exact"), most),
        "random ties": (Hunter("probability", "exact", ties="random"), settings.ties_games),
    }
    sampled = {
        str(draws): (Hunter("probability", "sample", draws), games)
        for draws, games in settings.numbers
    }
    hunters |= sampled
    played = {name: runs.play(hunter, games) for name, (hunter, games) in hunters.items()}
    pairs = {f"{name} - exact": (name, "exact") for name in hunters if name != "exact"}
    pairs |= {f"{name} - random ties": (name, "random ties") for name in sampled}
    return {
        "game": str(settings.game()),
        "numbers": [draws for draws, _ in settings.numbers],
        **told(played, pairs),
    }
