"""Histories, observations and boards turned into one another.

`observe_history` replays what was told; `history_of` reads it back; `play_history` answers shots
from a board by the rules, in plain Python; `check_against` compares a log with a board.
"""

from collections.abc import Iterator, Sequence
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Int8, Int32, Integer

from bsjax.game.consistency import ImpossibleHistoryError, token
from bsjax.game.game import Game
from bsjax.game.notation import format_cell
from bsjax.game.observation import HIT, MISS, Observation, blank, observe
from bsjax.game.tokens import History, Shot, announced_in_order


def observe_history(game: Game, history: History) -> Observation:
    """What a hunter knows after these shots and answers.

    Nothing is checked: see `check`. Under `size` and `cells` the ships are numbered as the game
    does, the first of its length not yet announced.

    Raises:
        ValueError: more shots than cells.

    Cost: one compilation per game, then one pass over C shots.
    """
    if len(history) > game.cells:
        raise ValueError(f"{len(history)} shots on a board of {game.cells} cells")
    cells = np.full(game.cells, -1, np.int32)  # −1 fires no shot
    answers = np.full(game.cells, MISS, np.int8)
    shown = np.zeros((game.cells, game.cells if game.feedback == "cells" else 0), bool)
    for number, shot in enumerate(announced_in_order(game, history)):
        cells[number], answers[number] = shot.cell, shot.answer
        if game.feedback == "cells":
            shown[number, list(shot.shown)] = True
    return _replay(game, jnp.asarray(cells), jnp.asarray(answers), jnp.asarray(shown))


@partial(jax.jit, static_argnames="game")
def _replay(
    game: Game, cells: Int32[Array, " C"], answers: Int8[Array, " C"], shown: Bool[Array, "C S"]
) -> Observation:
    """Feed the shots to `observe` one after another."""

    def step(observation, told):
        cell, answer, ship = told
        seen = ship if game.feedback == "cells" else None
        return observe(game, observation, cell, answer, seen), None

    return jax.lax.scan(step, blank(game), (cells, answers, shown))[0]


def history_of(game: Game, observation: Observation) -> History:
    """The history that leads to an observation: the inverse of `observe_history`.

    Args:
        game: the rules.
        observation: of one game; take a single one out of a batch first.
    """
    order, answer = np.asarray(observation.shot_at), np.asarray(observation.answer)
    named = np.asarray(observation.ship_at)
    history = []
    for cell in np.argsort(order, kind="stable")[(order < 0).sum() :].tolist():
        code, shown = int(answer[cell]), ()
        if game.feedback == "cells" and code > HIT:
            shown = tuple((named == code - 1).nonzero()[0].tolist())
        history.append(Shot(cell, code, shown))
    return tuple(history)


def play_history(
    game: Game, board: Int8[np.ndarray, " C"], cells: Sequence[int] | Integer[np.ndarray, " n"]
) -> History:
    """The answers that truth gives when these cells are fired at in order.

    Args:
        game: the rules; the feedback rule decides what is told.
        board: ship on each cell, −1 for water.
        cells: cells fired at. Shots after the fleet is sunk are answered too: they miss.

    Raises:
        ValueError: a cell is off the board or is fired at twice.
    """
    ships, left, shots, fired = game.ships, list(game.fleet), [], set[int]()
    for cell in map(int, cells):
        if cell in fired:
            raise ValueError(f"shot {len(shots) + 1} ({format_cell(game, cell)}): fired at before")
        if not 0 <= cell < game.cells:
            raise ValueError(f"shot {len(shots) + 1}: cell {cell} is off the board")
        fired.add(cell)
        ship = int(board[cell])
        if ship < 0:
            shots.append(Shot(cell, MISS))
            continue
        left[ship] -= 1
        sunk, shown = left[ship] == 0, ()
        if game.feedback == "hit-name":
            answer = ship + 1 if sunk else ships + 2 + ship
        elif not sunk or game.feedback == "hit":
            answer = HIT
        else:
            answer = ships + 1 if game.feedback == "sunk" else ship + 1
            if game.feedback == "cells":
                shown = tuple((board == ship).nonzero()[0].tolist())
        shots.append(Shot(cell, answer, shown))
    return announced_in_order(game, shots)


def check_against(game: Game, board: Int8[np.ndarray, " C"], history: History) -> None:
    """Refuse a history that this board does not answer.

    Args:
        game: the rules.
        board: ship on each cell, −1 for water.
        history: shots in the order fired.

    Raises:
        ImpossibleHistoryError: a ValueError that names the first shot whose answer the board
            contradicts. If the log agrees under another convention, the line says which.
    """
    told = announced_in_order(game, history)
    true = play_history(game, board, [shot.cell for shot in told])
    for number, (said, fact) in enumerate(zip(told, true, strict=True), 1):
        if said != fact:
            reason = f"the board answers {token(game, fact)}"
            for how, other_board, other in _readings(game, board, told):
                if other == play_history(game, other_board, [shot.cell for shot in other]):
                    reason += f"; the whole log agrees with {how}"
                    break
            raise ImpossibleHistoryError(number, token(game, said), reason)


def _readings(
    game: Game, board: Int8[np.ndarray, " C"], history: History
) -> Iterator[tuple[str, Int8[np.ndarray, " C"], History]]:
    """The history under other conventions, and the board with ships of equal length exchanged."""
    height = game.height
    moves = {
        "the row written first": lambda row, column: (column, row),
        "row 1 at the bottom": lambda row, column: (height - 1 - row, column),
        "the row written first and row 1 at the bottom": lambda row, column: (
            height - 1 - column,
            row,
        ),
        "rows counted from 0": lambda row, column: (row + 1, column),
        "rows and columns counted from 0": lambda row, column: (row + 1, column + 1),
    }
    for how, move in moves.items():
        places = [
            [move(*divmod(cell, game.width)) for cell in (shot.cell, *shot.shown)]
            for shot in history
        ]
        flat = [place for some in places for place in some]
        if all(0 <= row < height and 0 <= column < game.width for row, column in flat):
            cells = [[row * game.width + column for row, column in some] for some in places]
            yield (
                how,
                board,
                tuple(
                    Shot(first, shot.answer, tuple(sorted(rest)))
                    for (first, *rest), shot in zip(cells, history, strict=True)
                ),
            )
    renamed = _renamed(game, board, history)
    if renamed is not None:
        yield "ships of equal length exchanged", renamed, history


def _renamed(
    game: Game, board: Int8[np.ndarray, " C"], history: History
) -> Int8[np.ndarray, " C"] | None:
    """The board with its ships renamed as the history names them; None where they cannot be."""
    if game.feedback not in ("name", "hit-name"):
        return None
    name: dict[int, int] = {}
    for shot in history:
        if shot.answer > HIT and board[shot.cell] >= 0:
            said = shot.answer - 1 if shot.answer <= game.ships else shot.answer - game.ships - 2
            name.setdefault(int(board[shot.cell]), said)
    for ship, length in enumerate(game.fleet):
        if ship not in name:
            free = set(range(game.ships)) - set(name.values())
            name[ship] = min((one for one in free if game.fleet[one] == length), default=-1)
    if sorted(name.values()) != list(range(game.ships)):
        return None
    if any(game.fleet[ship] != game.fleet[said] for ship, said in name.items()):
        return None
    table = np.array([name[ship] for ship in range(game.ships)] + [-1], np.int8)
    return table[board]
