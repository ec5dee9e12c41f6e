"""Does looking two shots ahead help on the standard fleet?

Every cell is a first shot, and layouts are drawn: over the exact posterior a game takes about five
seconds of two cores, too long for the thousands of boards that are needed. Both lookaheads are
compared with both one-shot rules over as many draws, on the same boards. A lookahead takes the
best of many estimated next shots for every answer, so noise could spoil it more than it spoils a
one-shot rule; hence the hits lookahead once more with more draws.
"""

from typing import Any

from experiments.open_questions.compare import told
from experiments.open_questions.hunters import Hunter
from experiments.open_questions.play import Runs
from experiments.open_questions.settings import Settings


def run(runs: Runs, settings: Settings) -> dict[str, Any]:
    """Both lookaheads against both one-shot rules."""
    hits, left, more = settings.hits_games, settings.left_games, settings.many_games
    hunters = {
        "probability": (settings.draws, max(hits, left)),
        "information": (settings.draws, left),
        "lookahead-hits": (settings.draws, hits),
        "lookahead-information": (settings.draws, left),
        "probability, more draws": (settings.many, more),
        "lookahead-hits, more draws": (settings.many, more),
    }
    played = {
        name: runs.play(Hunter(name.split(",")[0], "sample", draws), games)
        for name, (draws, games) in hunters.items()
    }
    pairs = {
        "hits": ("lookahead-hits", "probability"),
        "hits, more draws": ("lookahead-hits, more draws", "probability, more draws"),
        "information": ("lookahead-information", "information"),
        "information - probability": ("lookahead-information", "probability"),
    }
    return {"game": str(settings.game()), "many": settings.many, **told(played, pairs)}
