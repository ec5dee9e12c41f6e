"""Boards and shot logs from files: every format read back, every fault at its place."""

import io
import json
from functools import cache

import numpy as np
import oracles
import pytest

from bsjax.files import read_boards, read_shots, write_board_text
from bsjax.game.game import FEEDBACK, PRESETS, Game
from bsjax.game.history import format_history, parse, play_history
from bsjax.game.notation import Convention

GAMES = {
    "classic": PRESETS["classic"],
    "ten-ship": PRESETS["ten-ship"],
    "rectangle": Game((7, 5), (4, 3, 2, 1)),
    "no-side": Game((6, 6), (3, 3, 2, 2), "no-side"),
    "tall": Game((2, 8), (5, 2, 2, 1)),
    "column": Game((1, 9), (3, 2, 1)),
    "full": Game((3, 3), (3, 3, 3)),
    "widest": Game((16, 16), (8, 7, 6, 5, 5, 4, 4, 3, 3, 2, 2, 1)),
}
LETTERS = "ABCDEFGHIJKLMNOP"
COUNT = 3


@cache
def boards_of(game, seed=4):
    return oracles.random_boards(game, COUNT, seed)


def canonical(game, boards):
    """Boards with ships of equal length numbered by their first cell: what no file tells."""
    out = np.full_like(boards, -1)
    for board, row in zip(boards, out, strict=True):
        ships = sorted(range(game.ships), key=lambda k: np.flatnonzero(board == k)[0])
        for length in game.lengths:
            old = [k for k in ships if game.fleet[k] == length]
            new = [k for k in range(game.ships) if game.fleet[k] == length]
            for before, after in zip(old, new, strict=True):
                row[board == before] = after
    return out


def name(game, cell):
    row, column = divmod(cell, game.width)
    return f"{LETTERS[column]}{row + 1}"


def grid(game, board, water=".", apart=""):
    rows = board.reshape(game.height, game.width).tolist()
    return [apart.join(water if ship < 0 else LETTERS[ship] for ship in row) for row in rows]


def segments(game, board, middle="#", single="o"):
    """The board in segments: `<##>`, `^`, `v`."""
    signs = ["."] * game.cells
    for ship in range(game.ships):
        cells = np.flatnonzero(board == ship).tolist()
        across = len(cells) > 1 and cells[1] - cells[0] == 1 and game.width > 1
        for cell in cells:
            signs[cell] = middle
        if len(cells) == 1:
            signs[cells[0]] = single
        else:
            signs[cells[0]], signs[cells[-1]] = "<>" if across else "^v"
    width = game.width
    return ["".join(signs[start : start + width]) for start in range(0, game.cells, width)]


@pytest.fixture
def save(tmp_path):
    def write(text, suffix=".txt"):
        path = tmp_path / f"file{suffix}"
        path.write_text(text, encoding="utf-8")
        return path

    return write


every_game = pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)

DRAWINGS = {
    "packed": lambda game, board: grid(game, board),
    "apart": lambda game, board: grid(game, board, apart=" "),
    "tabs": lambda game, board: grid(game, board, "~", "\t"),
    "commas": lambda game, board: grid(game, board, "0", ","),
    "dashes": lambda game, board: grid(game, board, "-"),
    "underscores": lambda game, board: grid(game, board, "_", "  "),
    "points": lambda game, board: grid(game, board, "·"),
    "rows 1": lambda game, board: [f"{i} {x}" for i, x in enumerate(grid(game, board), 1)],
    "rows A": lambda game, board: [
        f"{x} {y}" for x, y in zip(LETTERS, grid(game, board, "~"), strict=False)
    ],
    "labels": lambda game, board: [
        "   " + " ".join(LETTERS[: game.width]),
        *(f"{i:2} {x}" for i, x in enumerate(grid(game, board, ".", " "), 1)),
    ],
    "packed labels": lambda game, board: [
        "   " + LETTERS[: game.width],
        *(f"{i}. {x}" for i, x in enumerate(grid(game, board))),
    ],
    "labels below": lambda game, board: [
        *(f"{i} {x}" for i, x in enumerate(grid(game, board), 1)),
        "  " + LETTERS[: game.width],
    ],
    "digits": lambda game, board: [
        "".join(str(i % 10) for i in range(1, game.width + 1)),
        *grid(game, board, "0"),
    ],
    "corner": lambda game, board: [
        "\\ " + " ".join(str(i) for i in range(1, game.width + 1)),
        *(f"{LETTERS[i]}| {x}" for i, x in enumerate(grid(game, board, ".", " "))),
    ],
}


@pytest.mark.parametrize("drawing", DRAWINGS)
@every_game
def test_drawings_with_a_letter_a_ship(save, game, drawing):
    boards = boards_of(game)
    text = "\n\n".join("\n".join(DRAWINGS[drawing](game, board)) for board in boards)
    np.testing.assert_array_equal(read_boards(save(text), game), boards)


@every_game
def test_written_boards_are_read_back(save, game):
    boards = boards_of(game)
    text = "\n".join(write_board_text(game, board) for board in boards)
    read = read_boards(save(text), game)
    assert read.dtype == np.int8
    np.testing.assert_array_equal(read, boards)
    np.testing.assert_array_equal(read_boards(save(text), game, format="text"), boards)


@pytest.mark.parametrize("labels", [False, True])
@every_game
def test_blanks_may_be_water(save, game, labels):
    boards = boards_of(game)
    texts = []
    for board in boards:
        rows = [row.rstrip() for row in grid(game, board, " ")]
        if labels:
            rows = [f"{i:2} {row}" for i, row in enumerate(rows, 1)]
            rows.insert(0, "   " + LETTERS[: game.width])
        texts.append("\n".join(rows))
    np.testing.assert_array_equal(read_boards(save("\n\n".join(texts)), game), boards)
    kept = "\n".join(grid(game, boards[0], " "))
    np.testing.assert_array_equal(read_boards(save(kept), game), boards[:1])


@pytest.mark.parametrize("middle", "#*xXm=|M■▓")
@every_game
def test_segments_tell_ships_apart_that_touch(save, game, middle):
    boards = boards_of(game)
    for single in "oO@":
        text = "\n\n".join("\n".join(segments(game, board, middle, single)) for board in boards)
        text = text.replace("v", "V") if single == "O" else text
        np.testing.assert_array_equal(read_boards(save(text), game), canonical(game, boards))


@pytest.mark.parametrize("sign", "#X1o")
def test_one_sign_for_all_ships_is_enough_where_they_do_not_touch(save, sign):
    for game in (GAMES["ten-ship"], GAMES["no-side"]):
        boards = boards_of(game)
        texts = []
        for board in boards:
            rows = np.where(board < 0, ".", sign).reshape(game.height, game.width).tolist()
            texts.append("\n".join("".join(row) for row in rows))
        read = read_boards(save("\n\n".join(texts)), game)
        np.testing.assert_array_equal(read, canonical(game, boards))


def test_a_letter_may_stand_for_several_ships(save):
    game = Game((5, 3), (3, 2, 2, 1))
    read = read_boards(save("AA.AA\n.....\nBBB.A\n"), game)
    assert read.tolist() == [[1, 1, -1, 2, 2, -1, -1, -1, -1, -1, 0, 0, 0, -1, 3]]
    with pytest.raises(ValueError, match=r"file.txt:1:4: the cells of A around D1 are not one"):
        read_boards(save("AA.AA\n....A\nBBB..\n"), game)


ROW_ONE = Convention(row_one="bottom")


@every_game
def test_row_one_at_the_bottom(save, game):
    boards = boards_of(game)
    flipped = boards.reshape(COUNT, game.height, game.width)[:, ::-1].reshape(boards.shape)
    text = "\n\n".join("\n".join(grid(game, board)) for board in flipped)
    np.testing.assert_array_equal(read_boards(save(text), game, ROW_ONE), boards)
    for order in (1, -1):
        texts = []
        for board in flipped:
            rows = [f"{i} {row}" for i, row in enumerate(grid(game, board), 1)]
            texts.append("\n".join(rows[::order]))
        np.testing.assert_array_equal(read_boards(save("\n\n".join(texts)), game, ROW_ONE), boards)
    if game.height > 1:
        rows = [f"{i} {row}" for i, row in enumerate(grid(game, boards[0]), 1)]
        read = read_boards(save("\n".join(rows[::-1])), game)
        np.testing.assert_array_equal(read, boards[:1])


# --- tables and JSON -----------------------------------------------------------------------------


def ship_cells(board, ship):
    return np.flatnonzero(board == ship).tolist()


def is_across(game, cells):
    return len(cells) == 1 or (game.width > 1 and cells[1] - cells[0] == 1)


def swapped(game, cell):
    """The cell with the row written first, as a letter, rows counted from below."""
    row, column = divmod(cell, game.width)
    return f"{LETTERS[game.height - 1 - row]}{column}"


SWAPPED = Convention("row", "bottom", 0)


@every_game
def test_tables_of_named_cells(save, game):
    boards = boards_of(game)
    rows = ["board,ship,cell"]
    for i, board in enumerate(boards):
        for ship, title in enumerate(game.ship_names):
            rows += [f"b{i},{title.upper()},{name(game, cell)}" for cell in ship_cells(board, ship)]
    expected = boards
    if any(title.isdecimal() and game.fleet.count(int(title)) > 1 for title in game.ship_names):
        expected = canonical(game, boards)
    np.testing.assert_array_equal(read_boards(save("\n".join(rows), ".csv"), game), expected)
    np.testing.assert_array_equal(read_boards(save("\n".join(rows)), game), expected)


@every_game
def test_tables_of_cells_in_any_order(save, game):
    board = boards_of(game)[0]
    rng = np.random.default_rng(0)
    cells = rng.permutation(np.flatnonzero(board >= 0)).tolist()
    lines = []
    for cell in cells:
        row, column = divmod(cell, game.width)
        lines.append(f"ship {board[cell]}\t{row}\t {column} ")
    text = "# seen from above\n\nShip\tY\tX\n" + "\n".join(lines) + "\n"
    read = read_boards(save(text), game, Convention(count_from=0))[0]
    both = (canonical(game, one[None]) for one in (read, board))
    np.testing.assert_array_equal(*both)
    text = "ship;cell\n" + "\n".join(f'{board[c]};"{swapped(game, c)}"' for c in cells)
    read = read_boards(save(text), game, SWAPPED)[0]
    both = (canonical(game, one[None]) for one in (read, board))
    np.testing.assert_array_equal(*both)


@pytest.mark.parametrize("words", [("horizontal", "vertical"), ("across", "down"), ("H", "V")])
@every_game
def test_tables_of_placements(save, game, words):
    boards = boards_of(game)
    rows = ["board,ship,start,direction,length"]
    for i, board in enumerate(boards):
        for ship, title in enumerate(game.ship_names):
            cells = ship_cells(board, ship)
            word = words[0] if is_across(game, cells) else words[1]
            rows.append(f"{i},{title},{name(game, cells[0])},{word},{len(cells)}")
    np.testing.assert_array_equal(read_boards(save("\n".join(rows), ".csv"), game), boards)


def test_placements_need_no_length_where_the_ship_is_named(save):
    game = GAMES["classic"]
    text = (
        "ship,start,orientation\ncarrier,A1,h\nbattleship,A2,h\ncruiser,A3,h\n"
        "submarine,A4,h\nDestroyer,A5,v\n"
    )
    board = read_boards(save(text), game)[0].reshape(10, 10)
    assert board[:6, :5].tolist() == [
        [0, 0, 0, 0, 0],
        [1, 1, 1, 1, -1],
        [2, 2, 2, -1, -1],
        [3, 3, 3, -1, -1],
        [4, -1, -1, -1, -1],
        [4, -1, -1, -1, -1],
    ]


def test_vertical_follows_the_row_numbers_and_down_the_picture(save):
    game = Game((3, 4), (3, 2))
    text = "start,direction,length\nA1,vertical,3\nC4,down,2\n"
    top = read_boards(save(text.replace("C4", "C1")), game)[0].reshape(4, 3)
    bottom = read_boards(save(text), game, Convention(row_one="bottom"))[0].reshape(4, 3)
    assert top[:, 0].tolist() == [0, 0, 0, -1]
    assert bottom[:, 0].tolist() == [-1, 0, 0, 0]
    assert top[:, 2].tolist() == bottom[:, 2].tolist() == [1, 1, -1, -1]


def json_forms(game, board):
    """The same board as every JSON form knows it."""
    ships = [ship_cells(board, ship) for ship in range(game.ships)]
    names = [[name(game, cell) for cell in cells] for cells in ships]
    pairs = [[[c % game.width + 1, c // game.width + 1] for c in cells] for cells in ships]
    titled = list(zip(game.ship_names, names, strict=True))
    ways = ["horizontal" if is_across(game, cells) else "vertical" for cells in ships]
    placed = [
        {"start": cells[0], "direction": way, "length": len(cells)}
        for cells, way in zip(names, ways, strict=True)
    ]
    yield "lists", names
    yield "pairs", pairs
    yield "points", [[{"x": x, "y": y} for x, y in ship] for ship in pairs]
    yield "cells", [{"name": title, "cells": cells} for title, cells in titled]
    yield "ships", {"id": 7, "ships": [{"Ship": t, "Cells": cells} for t, cells in titled]}
    yield "by name", dict(titled)
    yield "ships by name", {"ships": dict(titled)}
    yield "placements", placed
    yield (
        "named placements",
        {
            title: {"start": cells[0], "orientation": way[0], "size": len(cells)}
            for (title, cells), way in zip(titled, ways, strict=True)
        },
    )
    yield "starts as pairs", [{**p, "start": s[0]} for p, s in zip(placed, pairs, strict=True)]


@every_game
def test_json_boards(save, game):
    boards = boards_of(game)
    for form in range(len(list(json_forms(game, boards[0])))):
        written = [list(json_forms(game, board))[form][1] for board in boards]
        for document, expected in [
            (written[0], boards[:1]),
            (written, boards),
            ({"boards": written}, boards),
        ]:
            text = json.dumps(document, indent=form % 3)
            np.testing.assert_array_equal(read_boards(save(text, ".json"), game), expected)
    np.testing.assert_array_equal(read_boards(save(text), game), expected)


def test_one_ship_may_be_a_whole_board(save):
    game = Game((3, 2), (2,))
    for document in (["B2", "C2"], {"start": "B2", "direction": "across", "length": 2}):
        read = read_boards(save(json.dumps(document), ".json"), game)
        assert read.tolist() == [[-1, -1, -1, -1, 0, 0]]


def test_standard_input_and_byte_order_marks(save, monkeypatch):
    game = Game((3, 2), (2,))
    monkeypatch.setattr("sys.stdin", io.StringIO("...\n.AA\n"))
    assert read_boards("-", game).tolist() == [[-1, -1, -1, -1, 0, 0]]
    assert read_boards(save("\ufeff...\r\n.AA\r\n"), game).tolist() == [[-1] * 4 + [0, 0]]
    monkeypatch.setattr("sys.stdin", io.StringIO("A2:miss B2:hit C2:sunk2"))
    assert len(read_shots("-", game)) == 3


# --- faults of boards ----------------------------------------------------------------------------

THREE_TWO = Game((4, 3), (3, 2))
APART = Game((4, 3), (3, 2), "none")

BOARD_FAULTS = [
    # game, suffix, text, place, what
    (THREE_TWO, ".txt", "", "1:1", "no board here"),
    (THREE_TWO, ".txt", "AAA.\nBB..", "2:1", "2 rows in this drawing, the board has 3"),
    (THREE_TWO, ".txt", "AAA.\nBB..\n....\n....", "4:1", "4 rows in this drawing"),
    (THREE_TWO, ".txt", "AAA.\nBB..\n.....", "3:5", "5 cells in this row, the board has 4 col"),
    (THREE_TWO, ".txt", "AAA.\nBB.\n....", "2:4", "3 cells in this row, the board has 4 col"),
    (THREE_TWO, ".txt", "A A A .\nB B .\n. . . .", "2:6", "3 cells in this row"),
    (THREE_TWO, ".txt", "A A A .\nB B . .\n. . . . .", "3:9", "5 cells in this row"),
    (THREE_TWO, ".txt", "A A A .\nB B . .\n. .. . .", "3:3", "'..' is more than one sign"),
    (THREE_TWO, ".txt", "AAA.\nB B.\n....", "2:3", "a blank within a row"),
    (THREE_TWO, ".txt", "AAA.\nBB.?\n....", "2:4", "sign '?' is neither water (.~-0_·) nor"),
    (THREE_TWO, ".txt", "AAA.\nB...\n....", "2:1", "a ship of 1 cell, but the fleet 3,2 has none"),
    (THREE_TWO, ".txt", "AA..\nBB..\n....", "2:1", "a ship of 2 cells, but the fleet 3,2 has only"),
    (THREE_TWO, ".txt", "AAA.\n....\n....", "1:1", "no ship of 2 cells; the fleet is 3,2"),
    (THREE_TWO, ".txt", "\nAAA.\n....\nBB..\n\nBB..\n....\n....", "6:1", "no ship of 3 cells"),
    (THREE_TWO, ".txt", "AAA.\nA.BB\n....", "1:1", "the cells of A around A1 are not one strai"),
    (APART, ".txt", "AAA.\n...B\n...B", "2:4", "D2 touches the ship on C1, and ships may not to"),
    (THREE_TWO, ".txt", "1 AAA.\n3 BB..\n2 ....", "1:1", "the rows are labelled 1, 3, 2; label"),
    (THREE_TWO, ".txt", "<#>.\n<...\n....", "2:1", "a ship starts here with < and does not end"),
    (THREE_TWO, ".txt", "<#>.\n..^.\n....", "2:3", "with ^ and does not end; close it with v"),
    (
        THREE_TWO,
        ".txt",
        "<#>.\n.>..\n....",
        "2:2",
        "a ship ends here with > and has no start; begin it with <",
    ),
    (
        THREE_TWO,
        ".txt",
        "<#>v\n....\n....",
        "1:4",
        "a ship ends here with v and has no start; begin it with ^",
    ),
    (THREE_TWO, ".txt", "<#>.\n##..\n....", "2:1", "# lies between no two ends"),
    (THREE_TWO, ".txt", "<#>.\nAA..\n....", "2:1", "sign 'A' in a board of segments"),
    (THREE_TWO, ".txt", "<#>.\n..<#\n>...", "2:3", "does not end"),
    (THREE_TWO, ".csv", "ship,cell\na,A1\na,B1\na,C1\nb,A2\nb,E2", "6:3", "no column E"),
    (THREE_TWO, ".csv", "ship,cell\na,A1\na,B1\na,C1\nb,C1\nb,C2", "5:3", "C1 is on another ship"),
    (THREE_TWO, ".csv", "ship,cell\na,A1\na,B1\na,D1\nb,A2\nb,B2", "4:3", "D1 does not continue"),
    (THREE_TWO, ".csv", "ship,cell\na,A1\na,B1\na,B2\nb,A3\nb,B3", "4:3", "B2 does not continue"),
    (THREE_TWO, ".csv", "ship,cell\na,A1\na,B1\na,A1\nb,A3\nb,B3", "4:3", "A1 is listed twice"),
    (THREE_TWO, ".csv", "ship,cell\na,C1\na,D1\na,A2\nb,A3\nb,B3", "4:3", "A2 does not continue"),
    (THREE_TWO, ".csv", "ship,cell\n,A1", "2:1", "no ship here"),
    (
        THREE_TWO,
        ".csv",
        "ship,cell\na,",
        "2:1",
        "no cell here; give it as cell, or as a column (x)",
    ),
    (THREE_TWO, ".csv", "ship,cell\na,3,4", "2:5", "3 fields in this row, the header names 2; put"),
    (THREE_TWO, ".csv", "ship,x,y\na,1,4", "2:3", "there is no row 4"),
    (THREE_TWO, ".csv", "cell\nA1", "1:1", "no column ship"),
    (THREE_TWO, ".csv", "vessel,place\na,A1", "1:1", "no column ship"),
    (THREE_TWO, ".csv", "ship,cell,ship\n", "1:11", "column name 'ship' is empty or used before"),
    (THREE_TWO, ".csv", "ship,cell\n", "1:1", "no board here"),
    (
        THREE_TWO,
        ".csv",
        "start,direction,length\nA1,diagonal,3",
        "2:4",
        "direction 'diagonal': write",
    ),
    (THREE_TWO, ".csv", "start,direction,length\nA1,,3", "2:1", "no direction here"),
    (THREE_TWO, ".csv", "start,direction,length\nA1,h,", "2:1", "no length here"),
    (THREE_TWO, ".csv", "start,direction,length\nA1,h,three", "2:6", "length 'three': write the"),
    (THREE_TWO, ".csv", "start,direction,length\nA1,h,0", "2:6", "length '0': write the number"),
    (
        THREE_TWO,
        ".csv",
        "start,direction,length\nC1,h,3",
        "2:1",
        "from C1 h leaves the board, there",
    ),
    (THREE_TWO, ".csv", "start,direction,length\nA2,v,3", "2:1", "there is room for 2"),
    (THREE_TWO, ".csv", "start,direction,length\nA9,v,3", "2:1", "there is no row 9"),
    (THREE_TWO, ".json", '[["A1", "B1", "C1"],\n ["A2", "E2"]]', "2:9", "there is no column E"),
    (
        THREE_TWO,
        ".json",
        '[["A1", "B1", "C1"]\n ["A2", "B2"]]',
        "2:2",
        "not JSON: expecting ',' del",
    ),
    (THREE_TWO, ".json", "", "1:1", "not JSON: expecting value"),
    (THREE_TWO, ".json", "[]", "1:1", "an empty list"),
    (THREE_TWO, ".json", "[[]]", "1:2", "an empty list"),
    (THREE_TWO, ".json", '"A1"', "1:1", "a single cell"),
    (THREE_TWO, ".json", "[1, 2, 3]", "1:2", "expected a cell here"),
    (THREE_TWO, ".json", '[[[["A1"]]]]', "1:1", "lists too deep"),
    (THREE_TWO, ".json", '[["A1", "B1", "C1"], 7]', "1:22", "expected a list here"),
    (THREE_TWO, ".json", '[["A1", "B1", null]]', "1:15", "expected a text or a number here"),
    (THREE_TWO, ".json", '{"ships": [{"cells": []}]}', "1:12", "a ship without cells"),
    (THREE_TWO, ".json", '{"ships": [{"start": "A1", "length": 3}]}', "1:12", "no direction here"),
    (THREE_TWO, ".json", "[" * 100000, "1:1", "far too deep"),
    (THREE_TWO, ".json", "[" * 700 + "]" * 700, "1:1", "far too deep"),
]


@pytest.mark.parametrize(("game", "suffix", "text", "place", "what"), BOARD_FAULTS)
def test_faulty_boards_are_refused_at_their_place(save, game, suffix, text, place, what):
    path = save(text, suffix)
    with pytest.raises(ValueError, match=r"^[^\n]*$") as fault:
        read_boards(path, game)
    assert str(fault.value).startswith(f"{path}:{place}: ")
    assert what in str(fault.value)


def test_named_ships_must_be_those_ships(save):
    game = GAMES["classic"]
    head = "ship,start,direction,length\n"
    with pytest.raises(ValueError, match=r"csv:2:9: the cruiser has 3 cells, this one has 4"):
        read_boards(save(head + "cruiser,A1,h,4\n", ".csv"), game)
    with pytest.raises(ValueError, match=r"csv:3:9: the cruiser is placed twice"):
        read_boards(save(head + "cruiser,A1,h,3\ncruiser,A2,h,3\n", ".csv"), game)


def test_files_that_cannot_be_read(save, tmp_path):
    with pytest.raises(FileNotFoundError):
        read_boards(tmp_path / "none.txt", THREE_TWO)
    path = tmp_path / "latin.txt"
    path.write_bytes(b"AAA.\nBB.\xb7\n....\n")
    with pytest.raises(ValueError, match=r"latin.txt:2:4: not UTF-8 text"):
        read_boards(path, THREE_TWO)
    with pytest.raises(Exception, match="format"):
        read_boards(save("AAA.\nBB..\n....\n"), THREE_TWO, format="xml")
    with pytest.raises(ValueError, match="not JSON"):
        read_boards(save("AAA.\nBB..\n....\n"), THREE_TWO, format="json")


# --- shot logs -----------------------------------------------------------------------------------


def games_played(game, feedback):
    boards, rng = boards_of(game, seed=5), np.random.default_rng(3)
    game = Game(game.size, game.fleet, game.touching, feedback)
    for i, board in enumerate(boards[:1] if game.cells > 50 else boards):
        order = oracles.random_order(game, board, rng, near=(0.0, 0.9)[i % 2])
        yield game, play_history(game, board, order[: oracles.shots_to_sink_all(board, order)])


def in_words(game, shot):
    """The answer, and what it adds, from the token's text."""
    answer = format_history(game, (shot,)).split(":")[1]
    for sign in ("=", "@"):
        word, _, ship = answer.partition(sign)
        if ship:
            return word, ship
    return (answer[:4], answer[4:]) if answer.startswith("sunk") else (answer, "")


LOGS = {
    "tokens": lambda number, cell, answer, ship: f"{cell}:{answer}{ship}",
    "plain": lambda number, cell, answer, ship: f"{cell} {answer} {ship}",
    "commas": lambda number, cell, answer, ship: f"{cell}, {answer.upper()}, {ship}".rstrip(", "),
    "numbered": lambda number, cell, answer, ship: f" {number}. {cell} - {answer} {ship}  # so",
    "bracketed": lambda number, cell, answer, ship: f"{number}) {cell}: {answer} ({ship})",
}


@pytest.mark.parametrize("log", LOGS)
@pytest.mark.parametrize("feedback", FEEDBACK)
@pytest.mark.parametrize("name_of_game", ["classic", "ten-ship", "rectangle"])
def test_logs_in_plain_lines(save, name_of_game, feedback, log):
    for game, history in games_played(GAMES[name_of_game], feedback):
        lines = []
        for number, shot in enumerate(history, 1):
            answer, ship = in_words(game, shot)
            if log == "tokens":
                lines.append(format_history(game, (shot,)))
            elif not ship:
                lines.append(LOGS[log](number, name(game, shot.cell), answer, "").rstrip(" ()"))
            else:
                lines.append(LOGS[log](number, name(game, shot.cell), answer, ship))
        text = "# a log\n\n" + "\n".join(lines) + "\n"
        assert read_shots(save(text), game) == history


@pytest.mark.parametrize("feedback", FEEDBACK)
@pytest.mark.parametrize("name_of_game", ["classic", "rectangle"])
def test_logs_as_tables_and_json(save, name_of_game, feedback):
    for game, history in games_played(GAMES[name_of_game], feedback):
        told = [(shot.cell, *in_words(game, shot)) for shot in history]
        rows = [f'{name(game, cell)},{answer},"{ship}"' for cell, answer, ship in told]
        assert read_shots(save("Cell,Answer,Ship\n" + "\n".join(rows), ".csv"), game) == history
        rows = [
            f"{number};{cell % game.width + 1};{cell // game.width + 1};{answer} {ship}"
            for number, (cell, answer, ship) in enumerate(told)
        ]
        text = "number;x;y;result\n" + "\n".join(rows)
        assert read_shots(save(text), game) == history
        shots = [{"cell": name(game, c), "answer": a, "ship": s or None} for c, a, s in told]
        assert read_shots(save(json.dumps(shots), ".json"), game) == history
        assert read_shots(save(json.dumps({"shots": shots}, indent=1)), game) == history
        pairs = [
            {**s, "cell": [c % game.width + 1, c // game.width + 1]}
            for s, (c, *_) in zip(shots, told, strict=True)
        ]
        assert read_shots(save(json.dumps(pairs), ".json"), game) == history
        tokens = format_history(game, history).split()
        assert read_shots(save(json.dumps(tokens), ".json"), game) == history


@pytest.mark.parametrize(
    ("feedback", "text", "tokens"),
    [
        (
            "size",
            "E5 miss\nE6 water\n3. F5 hit\n4 G5 H\n5: G6 m",
            "E5:miss E6:miss F5:hit G5:hit G6:miss",
        ),
        ("size", "3,4 miss\n(3, 5) hit\n3 6: hit and sunk 2", "C4:miss C5:hit C6:sunk2"),
        ("size", "A1:hit B1:hit\nC1:sunk3 # and on\n\nJ10:miss", "A1:hit B1:hit C1:sunk3 J10:miss"),
        ("name", "A1 hit\nB1 hit, sunk the destroyer", "A1:hit B1:sunk=destroyer"),
        ("cells", "A1 hit\nB1 sunk A1 B1", "A1:hit B1:sunk@A1,B1"),
        ("hit-name", "A1 hit Carrier", "A1:hit=carrier"),
        ("sunk", "A1 hit\nB1 sank", "A1:hit B1:sunk"),
        ("size", "", ""),
        ("size", "  \n# nothing\n", ""),
    ],
)
def test_ways_to_write_a_shot(feedback, text, tokens):
    game = Game(feedback=feedback)
    assert read_shots(text, game) == parse(game, tokens)


def test_a_table_may_tell_the_length_beside_the_name():
    text = "cell,answer,ship,length,cells\nA1,hit\nB1,sunk,destroyer,2,A1 B1\n"
    for feedback, token in {
        "size": "B1:sunk2",
        "name": "B1:sunk=destroyer",
        "cells": "B1:sunk@A1,B1",
    }.items():
        game = Game(feedback=feedback)
        assert read_shots(text, game) == parse(game, f"A1:hit {token}")


def test_logs_under_another_convention():
    game = Game((7, 5), (4, 3, 2, 1))
    for text, convention in [
        ("A2 hit\nA1 sunk 2", Convention(first="row")),
        ("B5:hit A5:sunk2", Convention(row_one="bottom")),
        ("1,0 hit\n0,0 sunk 2", Convention(count_from=0)),
        ("column,row,answer\n1,0,hit\nA,0,sunk 2", Convention(count_from=0)),
    ]:
        assert read_shots(text, game, convention) == parse(game, "B1:hit A1:sunk2"), text


SHOT_FAULTS = [
    (
        ".txt",
        "A1:miss\n\nB1:miss A1:hit",
        "3:9",
        "shot 3 (A1:hit): A1 was fired at before, by shot 1",
    ),
    (".txt", "A1 miss\n  K1 hit", "2:3", "'K1' is off the board"),
    (".txt", "A1 miss\nA2 splash", "2:4", "'splash' is not an answer; under feedback size a shot"),
    (".txt", "A1 miss\nA2 sunk", "2:4", "under feedback size a shot reads like A2:miss, A2:hit or"),
    (".txt", "A1 miss\nA2 sunk cruiser", "2:4", "under feedback size"),
    (".txt", "A1 miss\nA2 sunk 6", "2:4", "the fleet 5,4,3,3,2 has no ship of 6 cells"),
    (".txt", "A1 miss\nmiss A2", "2:1", "'miss A2' is not a shot; write the cell and the answer"),
    (".txt", "A1 miss\nA2", "2:1", "'A2' is not a shot"),
    (".txt", "A1:hit A2:sunk9", "1:8", "the fleet 5,4,3,3,2 has no ship of 9 cells"),
    (
        ".txt",
        "A1 hit\nA2 hit\nJ9 sunk 3",
        "3:1",
        "shot 3 (J9:sunk3): no line of 3 hits goes through",
    ),
    (".csv", "cell,answer\nA1,miss\nA11,hit", "3:1", "there is no row 11"),
    (".csv", "cell,answer\nA1,miss\nA2,bang", "3:4", "'bang' is not an answer"),
    (".csv", "cell,answer\nA1,", "2:1", "no answer here"),
    (".csv", "cell,answer\n,hit", "2:1", "no cell here"),
    (".csv", "cell,answer\nA1,miss\nA1,miss", "3:1", "shot 2 (A1:miss): A1 was fired at before"),
    (
        ".json",
        '[{"cell": "A1", "answer": "miss"},\n {"cell": "Z1", "answer": "hit"}]',
        "2:11",
        "no column Z",
    ),
    (".json", '[{"cell": "A1"}]', "1:2", "no answer here"),
    (".json", '["A1:miss", "A1:miss"]', "1:13", "shot 2 (A1:miss): A1 was fired at before"),
    (".json", '["A1:miss", 7]', "1:13", "no cell here"),
    (".json", '{"shots": 7}', "1:11", "expected a list here"),
]


@pytest.mark.parametrize(("suffix", "text", "place", "what"), SHOT_FAULTS)
def test_faulty_logs_are_refused_at_their_place(save, suffix, text, place, what):
    path = save(text, suffix)
    with pytest.raises(ValueError, match=r"^[^\n]*$") as fault:
        read_shots(path, Game())
    assert str(fault.value).startswith(f"{path}:{place}: ")
    assert what in str(fault.value)


def test_a_log_is_a_file_or_the_text_itself(save, tmp_path):
    game, text = Game(), "A1:miss\nB1:miss # " + "x" * 5000
    for source in (text, save(text), str(save(text, ".log")), str(save(text, ".odd"))):
        assert read_shots(source, game) == parse(game, "A1:miss B1:miss")
    with pytest.raises(ValueError, match=r"^<text>:1:8: 'K1' is off the board"):
        read_shots("A1:hit K1:miss", game)
    for missing in ("none", "my log.txt", str(tmp_path / "none.csv"), tmp_path / "A1:miss"):
        with pytest.raises(FileNotFoundError):
            read_shots(missing, game)
