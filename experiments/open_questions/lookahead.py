"""Does looking two shots ahead help on the standard fleet?

Over draws every cell is a first shot, and both lookaheads are compared with both one-shot rules
over as many draws, on the same boards. Over the exact posterior the hits lookahead looks at the
few first shots that are likeliest to hit (`bsjax.policies.over.CANDIDATES`).
"""

from typing import Any

from bsjax.policies.over import CANDIDATES
from experiments.open_questions.compare import told
from experiments.open_questions.hunters import Hunter
from experiments.open_questions.play import Runs
from experiments.open_questions.settings import Settings


def run(runs: Runs, settings: Settings) -> dict[str, Any]:
    """Both lookaheads over draws, and the hits lookahead over exact counts."""
    hits, left, counted = settings.hits_games, settings.left_games, settings.counted_games
    hunters = {
        "probability": (Hunter("probability", "exact"), counted),
        "lookahead-hits": (Hunter("lookahead-hits", "exact"), counted),
        **{
            f"{rule} sampled": (Hunter(rule, "sample", settings.draws), games)
            for rule, games in (
                ("probability", max(hits, left)),
                ("information", max(hits, left)),
                ("lookahead-hits", hits),
                ("lookahead-information", left),
            )
        },
    }
    played = {name: runs.play(hunter, games) for name, (hunter, games) in hunters.items()}
    pairs = {
        "hits": ("lookahead-hits sampled", "probability sampled"),
        "information": ("lookahead-information sampled", "information sampled"),
        "information - probability": ("lookahead-information sampled", "probability sampled"),
        "hits exact": ("lookahead-hits", "probability"),
    }
    return {"game": str(settings.game()), "candidates": CANDIDATES, **told(played, pairs)}
