"""Cells as people write them: every cell of several boards under every convention."""

from itertools import product

import pytest

from bsjax.game.game import Game
from bsjax.game.notation import OWN, Convention, cell_at, format_cell, parse_cell, split_cells

GAMES = [
    Game(),
    Game((7, 5), (4, 3, 2)),
    Game((16, 16), (8, 2)),
    Game((1, 9), (3, 2)),
    Game((12, 3), (5,)),
]
CONVENTIONS = [
    Convention(*fields) for fields in product(("column", "row"), ("top", "bottom"), (1, 0))
]
LETTERS = "ABCDEFGHIJKLMNOP"


def ways(game, cell, convention):
    """Every accepted way to write a cell."""
    row, column = divmod(cell, game.width)
    if convention.row_one == "bottom":
        row = game.height - 1 - row
    first, second = (column, row) if convention.first == "column" else (row, column)
    low = convention.count_from
    number, other = first + low, second + low
    return [
        f"{LETTERS[first]}{other}",
        f"{LETTERS[first].lower()}{other}",
        f"({LETTERS[first]}, {other})",
        f" {LETTERS[first]} {other} ",
        f"{number}{LETTERS[second]}",
        f"{number}{LETTERS[second].lower()}",
        f"{number},{other}",
        f"({number}, {other})",
        f"{number} {other}",
        f"[{number},{other}]",
        f"{number};{other}",
    ]


@pytest.mark.parametrize("convention", CONVENTIONS, ids=str)
@pytest.mark.parametrize("game", GAMES, ids=str)
def test_every_cell_in_every_form(game, convention):
    for cell in range(game.cells):
        for text in ways(game, cell, convention):
            assert parse_cell(game, text, convention) == cell, text


@pytest.mark.parametrize("game", GAMES, ids=str)
def test_own_form_round_trips_and_is_distinct(game):
    names = [format_cell(game, cell) for cell in range(game.cells)]
    assert len(set(names)) == game.cells
    assert [parse_cell(game, name) for name in names] == list(range(game.cells))
    assert [parse_cell(game, name, OWN) for name in names] == list(range(game.cells))


def test_the_readme_cell():
    game = Game()
    assert format_cell(game, 44) == "E5"
    assert format_cell(game, 0) == "A1"
    assert format_cell(game, 99) == "J10"
    assert parse_cell(game, "B1") == 1
    assert parse_cell(game, "B1", Convention(first="row")) == 10
    assert parse_cell(game, "A1", Convention(row_one="bottom")) == 90
    assert parse_cell(game, "0,1", Convention(count_from=0)) == 10
    assert cell_at(game, "2", "1") == 1


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("K1", "'K1' is off the board: there is no column K; columns run from A to G or from 1 "),
        ("A6", "there is no row 6; rows run from A to E or from 1 to 5"),
        ("A0", "there is no row 0"),
        ("0,1", "there is no column 0"),
        ("-1,1", "there is no column -1"),
        ("8A", "there is no column 8"),
        ("1F", "there is no row F"),
        ("A999999999", "there is no row 999999999"),
        ("", "'' is not a cell; write a letter and a number, for example G5, or two numbers"),
        ("E", "is not a cell"),
        ("5", "is not a cell"),
        ("55", "is not a cell"),
        ("AA1", "is not a cell"),
        ("E5x", "is not a cell"),
        ("1,2,3", "is not a cell"),
        ("A1234567890", "is not a cell"),
        ("A٣", "is not a cell"),
    ],
)
def test_what_is_no_cell_is_refused_in_one_line(text, said):
    with pytest.raises(ValueError, match=r"^[^\n]*$") as fault:
        parse_cell(Game((7, 5), (4, 3, 2)), text)
    assert said in str(fault.value)


def test_a_convention_counts_its_own_way_in_errors():
    game = Game((7, 5), (4, 3, 2))
    with pytest.raises(ValueError, match="no row 5; rows run from A to E or from 0 to 4"):
        parse_cell(game, "A5", Convention(count_from=0))
    with pytest.raises(ValueError, match="no row F"):
        parse_cell(game, "F1", Convention(first="row"))
    with pytest.raises(ValueError, match="column '' is neither a letter nor a number"):
        cell_at(game, "", "1")


@pytest.mark.parametrize("cell", [-1, 35])
def test_cells_off_the_board_are_not_written(cell):
    with pytest.raises(ValueError, match="it has cells 0 to 34"):
        format_cell(Game((7, 5), (4, 3, 2)), cell)


@pytest.mark.parametrize(
    "fields", [{"first": "diagonal"}, {"row_one": "middle"}, {"count_from": 2}]
)
def test_unknown_conventions_are_refused(fields):
    # Under the type checker of the tests the refusal is the checker's own error.
    with pytest.raises(Exception, match=next(iter(fields))):
        Convention(**fields)


def test_lists_of_cells():
    assert split_cells("E5,F5,G5") == ["E5", "F5", "G5"]
    assert split_cells("E5 F5; 7G") == ["E5", "F5", "7G"]
    assert split_cells("(3,4),(3, 5)") == ["(3,4)", "(3, 5)"]
    assert split_cells("3,4,3,5") == ["3,4", "3,5"]
    assert split_cells("") == []
