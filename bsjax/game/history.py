"""A history is the shots of one game in the order fired, with their answers.

The order matters: the same shots and answers in another order can leave other layouts.
`parse` and `format_history` are its written form (`bsjax.game.tokens`), `check` refuses what cannot
have happened (`bsjax.game.consistency`), and the rest leads to and from observations and boards
(`bsjax.game.replay`).
"""

from bsjax.game.consistency import ImpossibleHistoryError as ImpossibleHistoryError
from bsjax.game.consistency import check as check
from bsjax.game.replay import check_against as check_against
from bsjax.game.replay import history_of as history_of
from bsjax.game.replay import observe_history as observe_history
from bsjax.game.replay import play_history as play_history
from bsjax.game.tokens import History as History
from bsjax.game.tokens import Shot as Shot
from bsjax.game.tokens import format_history as format_history
from bsjax.game.tokens import parse as parse

__all__ = [
    "History",
    "ImpossibleHistoryError",
    "Shot",
    "check",
    "check_against",
    "format_history",
    "history_of",
    "observe_history",
    "parse",
    "play_history",
]
