"""Histories: written and read, checked, replayed, and compared with boards.

What truth answers and what a hunter then knows comes from `oracles`; whether a history is possible
at all comes from listing every layout of small games.
"""

from functools import cache

import jax.numpy as jnp
import numpy as np
import oracles
import pytest

from bsjax.game.game import FEEDBACK, PRESETS, Game
from bsjax.game.history import (
    ImpossibleHistoryError,
    Shot,
    check,
    check_against,
    format_history,
    history_of,
    observe_history,
    parse,
    play_history,
)
from bsjax.game.notation import Convention
from bsjax.game.observation import Observation
from bsjax.game.tokens import announced_in_order, answer_codes

GAMES = {
    "classic": (PRESETS["classic"], 6),
    "ten-ship": (PRESETS["ten-ship"], 3),
    "rectangle": (Game((7, 5), (4, 3, 2, 1)), 12),
    "crowded": (Game((5, 5), (3, 3, 2)), 24),
    "no-side": (Game((6, 6), (3, 3, 2, 2), "no-side"), 12),
    "narrow": (Game((2, 8), (5, 2, 2, 1)), 12),
    "line": (Game((1, 9), (3, 2, 1)), 9),
    "full": (Game((3, 3), (3, 3, 3)), 6),
}
REPLAYED = ("ten-ship", "crowded")


def with_feedback(game, feedback):
    return Game(game.size, game.fleet, game.touching, feedback)


@cache
def played(name, feedback):
    """Random boards and the shots that sank them: at random, half beside hits, mostly so."""
    game, count = GAMES[name]
    game, rng = with_feedback(game, feedback), np.random.default_rng(2)
    games = []
    for i, board in enumerate(oracles.random_boards(game, count, seed=1)):
        order = oracles.random_order(game, board, rng, near=(0.0, 0.5, 0.95)[i % 3])
        games.append((board, order[: oracles.shots_to_sink_all(board, order)]))
    return game, games


def listened(game, board, shots):
    """The oracle's hunter after each shot, with the answer codes and the cells shown."""
    known, answers = oracles.Known(game), []
    for shot, truth in zip(shots, oracles.truths(game, board, shots), strict=True):
        shown = tuple(sorted(truth.shown)) if game.feedback == "cells" else ()
        answers.append((shot, known.tell(truth), shown))
        known.fire(shot, truth)
    return known, answers


every_rule = pytest.mark.parametrize("feedback", FEEDBACK)
every_game = pytest.mark.parametrize("name", GAMES)


@every_rule
@every_game
def test_truth_is_told_as_the_referee_tells_it(name, feedback):
    game, games = played(name, feedback)
    for board, shots in games:
        _, answers = listened(game, board, shots)
        assert play_history(game, board, shots) == tuple(Shot(*answer) for answer in answers)


@every_rule
@every_game
def test_written_histories_are_read_back(name, feedback):
    game, games = played(name, feedback)
    for board, shots in games:
        history = play_history(game, board, shots)
        text = format_history(game, history)
        assert len(text.split()) == len(shots)
        assert parse(game, text) == history
        lines = "# a game\n\n" + text.upper().replace(" ", "  # next\n\t") + "# end"
        assert parse(game, lines) == history


@every_rule
@every_game
def test_a_true_history_is_never_refused(name, feedback):
    game, games = played(name, feedback)
    for board, shots in games:
        history = play_history(game, board, shots)
        check(game, history)
        check_against(game, board, history)


@every_rule
@pytest.mark.parametrize("name", REPLAYED)
def test_replay_is_what_the_hunter_knows_and_leads_back(name, feedback):
    game, games = played(name, feedback)
    for i, (board, shots) in enumerate(games[:6]):
        shots = shots[: len(shots) * (i + 1) // 6]
        known, _ = listened(game, board, shots)
        history = play_history(game, board, shots)
        seen = observe_history(game, history)
        for field, plane in known.planes().items():
            np.testing.assert_array_equal(getattr(seen, field), plane, err_msg=field)
        planes = {field: jnp.asarray(plane) for field, plane in known.planes().items()}
        assert history_of(game, Observation(**planes)) == history


def test_an_empty_history_is_a_blank_observation():
    game = Game((7, 5), (4, 3, 2, 1))
    assert parse(game, "") == parse(game, " # nothing yet\n") == ()
    check(game, ())
    assert history_of(game, observe_history(game, ())) == ()


def test_too_long_a_history_is_not_replayed():
    game = Game((2, 2), (2,))
    with pytest.raises(ValueError, match="5 shots on a board of 4 cells"):
        observe_history(game, (Shot(0, -1),) * 5)


def test_ships_told_by_length_are_numbered_in_order():
    game = Game()
    history = parse(game, "A1:hit A2:hit A3:sunk3 J1:hit J2:hit J3:sunk3 E5:hit E6:sunk2")
    assert [shot.answer for shot in history] == [0, 0, 3, 0, 0, 4, 0, 5]
    swapped = tuple(
        shot._replace(answer={3: 4, 4: 3}.get(shot.answer, shot.answer)) for shot in history
    )
    assert np.asarray(observe_history(game, swapped).sunk_at).tolist() == [-1, -1, 2, 5, 7]


def test_another_convention():
    game = Game(feedback="cells")
    own = parse(game, "B1:hit C1:sunk@B1,C1")
    for text, convention in [
        ("1B:hit 1C:sunk@1B,1C", Convention(first="row")),
        ("B10:hit C10:sunk@B10,C10", Convention(row_one="bottom")),
        ("2,1:hit 3,1:sunk@2,1,3,1", Convention()),
        ("(1,0):hit (2,0):sunk@(1,0),(2,0)", Convention(count_from=0)),
    ]:
        assert parse(game, text, convention) == own


@pytest.mark.parametrize(
    ("feedback", "token", "said"),
    [
        ("hit", "G5:sunk", "under feedback hit a shot reads like G5:miss or G5:hit, also where"),
        ("sunk", "G5:sunk3", "reads like G5:miss, G5:hit or G5:sunk"),
        ("size", "G5:sunk", "reads like G5:miss, G5:hit or G5:sunk5"),
        ("size", "G5:sunk=cruiser", "reads like G5:miss, G5:hit or G5:sunk5"),
        ("name", "G5:sunk3", "reads like G5:miss, G5:hit or G5:sunk=carrier"),
        ("name", "G5:hit=cruiser", "reads like G5:miss, G5:hit or G5:sunk=carrier"),
        ("cells", "G5:sunk3", "reads like G5:miss, G5:hit or G5:sunk@C5,D5,E5,F5,G5"),
        ("hit-name", "G5:hit", "reads like G5:miss, G5:hit=carrier or G5:sunk=carrier"),
        ("hit-name", "G5:miss=cruiser", "reads like G5:miss, G5:hit=carrier"),
        ("size", "G5", "not a shot; write CELL:ANSWER without blanks, for example E5:miss"),
        ("size", "G5:splash", "'splash' is not an answer; under feedback size"),
        ("size", "G5:", "'' is not an answer"),
        ("size", "Z5:hit", "'Z5' is off the board"),
        ("size", "G5:sunk6", "the fleet 5,4,3,3,2 has no ship of 6 cells"),
        ("name", "G5:sunk=yacht", "no ship is called 'yacht'; the ships are carrier, "),
        ("cells", "G5:sunk@G5", "the fleet 5,4,3,3,2 has no ship of 1 cells"),
        ("cells", "G5:sunk@F5,G5,G5", "a cell of the sunk ship is shown twice"),
        ("cells", "G5:sunk@F5,G", "'G' is not a cell"),
    ],
)
def test_a_token_that_does_not_fit_is_refused_with_the_form_that_does(feedback, token, said):
    game = Game(feedback=feedback)
    with pytest.raises(ValueError, match=r"^[^\n]*$") as fault:
        parse(game, f"A1:miss {token}")
    assert str(fault.value).startswith(f"shot 2 ({token}): ")
    assert said in str(fault.value)


def test_answers_that_do_not_occur_are_not_written():
    with pytest.raises(ValueError, match="answer 6 does not occur under feedback size"):
        format_history(Game(), (Shot(0, 6),))


ROW = "A1:hit B1:hit C1:hit"
IMPOSSIBLE = [
    # feedback, touching, size and fleet (None = classic), history, the shot refused, why
    ("size", "allowed", None, "E5:miss F5:hit E5:miss", 3, "E5 was fired at before, by shot 1"),
    ("hit", "allowed", ((3, 2), (2,)), "A1:hit B1:hit C1:miss", 3, "the game was over"),
    ("sunk", "allowed", ((3, 2), (2,)), "A1:hit B1:sunk C1:miss", 3, "sunk since shot 2"),
    ("hit", "allowed", ((3, 2), (3,)), "A1:miss B2:miss", 2, "no place is left for a ship of 3"),
    ("hit", "allowed", ((2, 2), (2,)), "A1:miss B2:miss", 2, "no place is left"),
    ("hit", "allowed", ((2, 2), (2, 1)), "A1:miss B1:miss", 2, "miss 2, but only 1 cells hold no"),
    ("sunk", "allowed", ((4, 2), (2, 2)), "A1:hit B1:hit A2:hit", 3, "hit 3 of 4 leaves too few"),
    ("sunk", "allowed", ((4, 4), (3, 2)), "A1:sunk", 1, "no line of 2 or 3 hits goes through A1"),
    # Sinks: no such ship, away from the hits, or on hits that are another ship's.
    (
        "size",
        "allowed",
        None,
        "A1:hit A2:hit A3:sunk3 J1:hit J2:hit J3:sunk3 E1:hit E2:hit E3:sunk3",
        9,
        "no ship of 3 cells is afloat: the fleet 5,4,3,3,2 has 2, sunk by shots 3 and 6",
    ),
    (
        "name",
        "allowed",
        None,
        "A1:hit A2:hit A3:sunk=cruiser J1:hit J2:hit J3:sunk=cruiser",
        6,
        "the cruiser is sunk already, by shot 3",
    ),
    ("size", "allowed", None, "A1:hit A2:hit C5:sunk3", 3, "no line of 3 hits goes through C5"),
    ("size", "allowed", None, "A1:hit A2:hit A4:sunk3", 3, "no line of 3 hits goes through A4"),
    ("size", "allowed", None, "J1:hit A2:hit B2:sunk3", 3, "no line of 3 hits"),
    ("name", "allowed", None, "A1:hit A2:sunk=submarine", 2, "no line of 3 hits goes through"),
    ("sunk", "allowed", None, "A1:hit J2:hit A5:sunk", 3, "no line of 2 or 3 or 4 or 5 hits goes"),
    (
        "size",
        "allowed",
        None,
        "A1:hit A2:sunk2 C1:hit C2:hit A3:sunk3",
        5,
        "overlaps another sunk ship",
    ),
    ("size", "allowed", None, "E5:hit D5:miss F5:miss E4:miss E6:miss", 5, "lie on the hit E5"),
    (
        "size",
        "allowed",
        None,
        "E5:hit F5:hit G5:hit H5:hit I5:sunk5 I6:hit I7:sunk3",
        7,
        "at least 8 cells, but 7",
    ),
    # The cells of a sunk ship are shown.
    ("cells", "allowed", None, f"{ROW} D1:sunk@A1,B1,D1", 4, "no straight line of 3 cells"),
    ("cells", "allowed", None, f"{ROW} B2:sunk@A1,B1,B2", 4, "no straight line of 3 cells"),
    ("cells", "allowed", None, f"{ROW} D1:sunk@A1,B1,C1", 4, "leave out D1 itself"),
    ("cells", "allowed", None, f"{ROW} D1:sunk@D1,E1", 4, "E1 is shown as sunk but was not hit"),
    (
        "cells",
        "allowed",
        None,
        f"{ROW} D1:sunk@C1,D1 C2:hit C3:sunk@C1,C2,C3",
        6,
        "C1 belongs to the ship sunk by shot 4",
    ),
    (
        "cells",
        "allowed",
        None,
        "A1:hit A2:sunk@A1,A2 C1:hit C2:sunk@C1,C2",
        4,
        "no ship of 2 cells is afloat: the fleet 5,4,3,3,2 has 1, sunk by shot 2",
    ),
    # Every hit names its ship.
    (
        "hit-name",
        "allowed",
        None,
        "E5:hit=cruiser F6:hit=cruiser",
        2,
        "no place is left for the cruiser of 3 cells, hit at E5, F6",
    ),
    ("hit-name", "allowed", None, "E5:hit=cruiser H5:hit=cruiser", 2, "hit at E5, H5"),
    (
        "hit-name",
        "allowed",
        None,
        "E5:hit=destroyer F5:hit=destroyer",
        2,
        "its last cell, so the answer must be sunk=destroyer",
    ),
    (
        "hit-name",
        "allowed",
        None,
        "E5:hit=cruiser F5:sunk=cruiser",
        2,
        "3 cells in line, it was hit at E5, F5",
    ),
    (
        "hit-name",
        "allowed",
        None,
        "A1:hit=carrier E5:hit=cruiser F5:sunk=cruiser",
        3,
        "the cruiser has 3 cells in line, it was hit at E5, F5",
    ),
    (
        "hit-name",
        "allowed",
        None,
        "E5:hit=destroyer F5:sunk=destroyer G5:hit=destroyer",
        3,
        "the destroyer is sunk already, by shot 2",
    ),
    ("hit-name", "allowed", None, "D5:hit=carrier E5:hit=cruiser F5:hit=carrier", 3, "carrier"),
    # Ships may not touch.
    ("size", "no-side", None, "A1:hit A2:sunk2 A3:hit", 3, "A3 touches A2 of the ship sunk by"),
    ("size", "none", None, "A1:hit A2:sunk2 B3:hit", 3, "B3 touches A2 of the ship sunk by shot 2"),
    ("size", "none", None, "E5:hit F6:hit", 2, "the hits E5 and F6 meet at a corner"),
    ("hit", "none", None, "E5:hit D6:hit", 2, "the hits E5 and D6 meet at a corner"),
    ("size", "no-side", None, "E5:hit F5:hit F6:hit", 3, "no ship can lie on the hits E5, F5, F6"),
    ("size", "no-side", None, "E5:hit F5:hit G5:sunk2", 3, "touches another hit, and ships may"),
    ("sunk", "no-side", None, "A1:sunk", 1, "no line of 2 or 3 or 4 or 5 hits goes"),
]


@pytest.mark.parametrize(("feedback", "touching", "board", "text", "number", "why"), IMPOSSIBLE)
def test_an_impossible_history_is_refused_at_its_shot(feedback, touching, board, text, number, why):
    size, fleet = board or ((10, 10), (5, 4, 3, 3, 2))
    game = Game(size, fleet, touching, feedback)
    history = parse(game, text)
    check(game, history[: number - 1])
    with pytest.raises(ImpossibleHistoryError, match=r"^[^\n]*$") as fault:
        check(game, history)
    token = format_history(game, history[number - 1 : number])
    assert str(fault.value).startswith(f"shot {number} ({token}): ")
    assert fault.value.number == number
    assert why in str(fault.value)


@pytest.mark.parametrize(
    ("shot", "why"),
    [
        (Shot(100, -1), "cell 100, answer -1): cell 100 is off the board"),
        (Shot(5, 6), "cell 5, answer 6): this answer does not occur under feedback size"),
        (Shot(5, 99), "does not occur"),
        (Shot(5, -2), "does not occur"),
    ],
)
def test_histories_made_by_hand_are_checked_too(shot, why):
    with pytest.raises(ImpossibleHistoryError) as fault:
        check(Game(), (shot,))
    assert why in str(fault.value)


@cache
def layouts(game):
    """Every layout of a small game: int8[n, C]."""
    boards = []

    def place(ship, board, denied):
        if ship == game.ships:
            boards.append(board)
            return
        for cells in oracles.positions(game.size, game.fleet[ship]):
            if not cells & denied:
                more = board.copy()
                more[list(cells)] = ship
                near = set().union(*(oracles.halo(game.size, game.touching, a) for a in cells))
                place(ship + 1, more, denied | cells | near)

    place(0, np.full(game.cells, -1, np.int8), set())
    return np.stack(boards)


def spoiled(game, history, rng):
    """The history with up to two answers changed, exchanged or told in another order."""
    shots, codes = list(history), answer_codes(game)
    for _ in range(rng.integers(3)):
        i, j = rng.integers(len(shots), size=2)
        one, other = shots[i], shots[j]
        change = rng.integers(3)
        if change == 0:
            shots[i] = one._replace(answer=codes[rng.integers(len(codes))])
        elif change == 1:
            shots[i], shots[j] = other._replace(cell=one.cell), one._replace(cell=other.cell)
        else:
            shots[i], shots[j] = other, one
    for i, shot in enumerate(shots):
        sink = game.feedback == "cells" and shot.answer > 0
        if sink and not shot.shown:
            ways = oracles.positions_through(game.size, game.fleet[shot.answer - 1], shot.cell)
            shots[i] = shot._replace(shown=tuple(sorted(ways[rng.integers(len(ways))])))
        elif not sink:
            shots[i] = shot._replace(shown=())
    return announced_in_order(game, shots)


def first_impossible(game, history):
    """The number of the first shot after which no layout is left, or None."""
    boards, ships = layouts(game), game.ships
    alive, each = np.ones(len(boards), bool), np.arange(len(boards))
    left, fleet = np.tile(game.fleet, (len(boards), 1)), np.array(game.fleet)
    fired, hits, sinks = set(), 0, 0
    for number, (cell, code, shown) in enumerate(history, 1):
        over = hits == game.ship_cells if game.feedback == "hit" else sinks == ships
        if over or cell in fired:
            return number
        fired.add(cell)
        hits += code >= 0
        sinks += 0 < code <= ships + 1
        ship = boards[:, cell]
        hit = ship >= 0
        left[each[hit], ship[hit]] -= 1
        sunk = hit & (left[each, ship] == 0) & (game.feedback != "hit")
        if code == -1:
            alive &= ~hit
        elif code == 0:
            alive &= hit & ~sunk
        elif code == ships + 1:
            alive &= sunk
        elif code > ships + 1:
            alive &= hit & ~sunk & (ship == code - ships - 2)
        elif game.feedback in ("name", "hit-name"):
            alive &= sunk & (ship == code - 1)
        else:
            alive &= sunk & (fleet[ship] == game.fleet[code - 1])
        if shown:
            alive &= ((boards == ship[:, None]) == np.isin(np.arange(game.cells), shown)).all(1)
        if not alive.any():
            return number
    return None


SMALL = [
    Game((4, 4), (3, 2)),
    Game((4, 3), (2, 2, 1)),
    Game((4, 4), (3, 2, 2), "none"),
    Game((4, 4), (2, 2, 3), "no-side"),
    Game((3, 4), (3, 3, 2)),
]


@every_rule
@pytest.mark.parametrize("game", SMALL, ids=str)
def test_only_what_no_layout_answers_is_refused(game, feedback):
    game, rng = with_feedback(game, feedback), np.random.default_rng(7)
    boards = layouts(game)
    refused = late = 0
    for trial in range(50):
        board = boards[rng.integers(len(boards))]
        order = oracles.random_order(game, board, rng, near=(0.0, 0.5, 0.95)[trial % 3])
        history = play_history(game, board, order[: rng.integers(1, game.cells + 1)])
        history = spoiled(game, history, rng)
        truth = first_impossible(game, history)
        try:
            check(game, history)
            number = None
        except ImpossibleHistoryError as fault:
            number = fault.number
        if truth is None:
            assert number is None, format_history(game, history)
            continue
        refused += 1
        late += number is None or number > truth
        assert number is None or number >= truth, format_history(game, history)
    # What is missed are ships that fit one by one and not together.
    assert refused >= 3
    assert late <= refused / 2


def moved(game, history, move):
    """The history with its cells moved; None where one leaves the board."""
    shots = []
    for shot in history:
        places = [move(*divmod(cell, game.width)) for cell in (shot.cell, *shot.shown)]
        if any(not (0 <= r < game.height and 0 <= c < game.width) for r, c in places):
            return None
        cell, *shown = (row * game.width + column for row, column in places)
        shots.append(Shot(cell, shot.answer, tuple(sorted(shown))))
    return tuple(shots)


MISREAD = {
    "the row written first": lambda row, column: (column, row),
    "row 1 at the bottom": lambda row, column: (9 - row, column),
}


@every_rule
@pytest.mark.parametrize("how", MISREAD)
def test_a_log_read_the_wrong_way_is_caught(feedback, how):
    game, games = played("classic", feedback)
    for board, shots in games:
        true = play_history(game, board, shots)
        log = moved(game, true, MISREAD[how])
        assert log is not None
        answers = play_history(game, board, [shot.cell for shot in log])
        wrong = [i for i, (said, fact) in enumerate(zip(log, answers, strict=True)) if said != fact]
        with pytest.raises(ImpossibleHistoryError) as fault:
            check_against(game, board, log)
        assert fault.value.number == wrong[0] + 1
        assert f"the whole log agrees with {how}" in str(fault.value)


def test_a_log_may_be_shifted():
    game = Game((7, 5), (4, 3, 2))
    board = np.full(35, -1, np.int8)
    board[[7, 8, 9, 10]], board[[15, 16, 17]], board[[13, 20]] = 0, 1, 2
    true = play_history(game, board, [8, 16, 9, 10, 20, 17, 27])
    for how, move in {
        "rows counted from 0": lambda row, column: (row - 1, column),
        "rows and columns counted from 0": lambda row, column: (row - 1, column - 1),
    }.items():
        with pytest.raises(ValueError, match=f"the whole log agrees with {how}$"):
            check_against(game, board, moved(game, true, move))
    turned = moved(game, true[:4], lambda row, column: (column, 4 - row))
    with pytest.raises(ValueError, match="the row written first and row 1 at the bottom"):
        check_against(game, board, turned)


@pytest.mark.parametrize("feedback", ["name", "hit-name"])
def test_a_board_may_name_ships_of_equal_length_otherwise(feedback):
    game, games = played("classic", feedback)
    for board, shots in games:
        log = play_history(game, np.array([0, 1, 3, 2, 4, -1], np.int8)[board], shots)
        with pytest.raises(ValueError, match="agrees with ships of equal length exchanged"):
            check_against(game, board, log)


def test_a_log_that_agrees_in_no_way_is_refused_plainly():
    game, games = played("classic", "size")
    board, shots = games[0]
    log = list(play_history(game, board, shots))
    log[5] = log[5]._replace(answer=-1 if log[5].answer >= 0 else 0)
    with pytest.raises(ImpossibleHistoryError, match=r"^shot 6 \(.*\): the board answers \S+$"):
        check_against(game, board, tuple(log))


def test_shots_after_the_end_are_answered_and_refused():
    game = Game((3, 2), (2,))
    board = np.array([0, 0, -1, -1, -1, -1], np.int8)
    history = play_history(game, board, np.array([0, 1, 2], np.int16))
    assert format_history(game, history) == "A1:hit B1:sunk2 C1:miss"
    with pytest.raises(ImpossibleHistoryError, match="shot 3"):
        check(game, history)
    for cells, said in [([0, 0], r"shot 2 \(A1\): fired at before"), ([6], "off the board")]:
        with pytest.raises(ValueError, match=said):
            play_history(game, board, cells)
