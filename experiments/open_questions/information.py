"""Is the information rule worse than the probability rule on the standard fleet, and why?

Both count the posterior exactly; the density hunters stand beside them. All meet the same boards.
Where the difference comes from is told by the phases of the games. The write-up's guess, that
1,500 draws are too few for sums of squares, is tested by the same comparison over draws: noise is
the cause if the rules differ there and not over exact counts. The last hunter is told the ship
that sinks, as in the write-up, and not only its length.
"""

from typing import Any

from experiments.open_questions.compare import difference, every_pair, told
from experiments.open_questions.hunters import UNIFORM, Hunter
from experiments.open_questions.phases import compared, phases
from experiments.open_questions.play import Runs
from experiments.open_questions.settings import Settings


def run(runs: Runs, settings: Settings) -> dict[str, Any]:
    """All pairs, the phases, and the same over draws."""
    exact = {
        "probability": Hunter("probability", "exact"),
        "information": Hunter("information", "exact"),
        "density": Hunter("density"),
        "density-lowest": Hunter("density-lowest"),
    }
    sampled = {
        f"{rule} sampled": Hunter(rule, "sample", settings.draws)
        for rule in ("probability", "information")
    }
    named = {"information named": Hunter("information", "exact", feedback="name")}
    played = {
        name: runs.play(hunter, games)
        for hunters, games in (
            (exact, settings.exact_games),
            (sampled, settings.sample_games),
            (named, settings.name_games),
        )
        for name, hunter in hunters.items()
    }
    pairs = every_pair(list(exact)) | {
        "sampled": ("information sampled", "probability sampled"),
        "named": ("information named", "probability"),
        "named - size": ("information named", "information"),
    }
    shots = {name: games.shots for name, games in played.items()}
    both = min(settings.exact_games, settings.sample_games)
    gap = {
        how: (shots[f"information{how}"] - shots[f"probability{how}"])[:both]
        for how in ("", " sampled")
    }
    boards = runs.boards(UNIFORM, max(settings.exact_games, settings.sample_games))
    split = {
        name: phases(boards[: len(shots[name])], played[name].shot_at)
        for name in [*exact, *sampled]
    }
    return {
        "game": str(settings.game()),
        **told(played, pairs),
        "gap_over_draws_less_gap_exact": difference(gap[" sampled"] - gap[""]),
        "phases": {
            name: compared(split[hunter], split[base])
            for name, (hunter, base) in pairs.items()
            if (hunter in split and base == "probability") or name == "sampled"
        },
    }
