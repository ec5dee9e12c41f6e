"""Boards, keys, strips, films and charts: what is drawn, and that it is drawn the same twice."""

import subprocess
import sys

import numpy as np
import pytest
from matplotlib.colors import to_rgba
from PIL import Image

from bsjax import draw
from bsjax.draw import glyphs, key, palette, style
from bsjax.draw.sheet import text_width
from bsjax.game.game import Game
from bsjax.game.history import parse

GAME = Game((7, 5), (4, 3, 2), feedback="cells")


@pytest.fixture
def board():
    _, (board,) = draw.strip((7, 5), [draw.Panel("Title", "a note\nof two lines")])
    return board


def ground(board, cell):
    return tuple(board.axes.collections[0].get_facecolor()[cell])


def texts(board):
    return [text.get_text() for text in board.axes.texts]


def test_importing_the_package_does_not_import_matplotlib():
    script = (
        "import sys, bsjax.cli, bsjax.evaluate.massive, bsjax.posterior.density, bsjax.files\n"
        "sys.exit('matplotlib' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", script]).returncode == 0


def test_a_board_has_its_labels(board):
    assert texts(board) == [*"ABCDEFG", "1", "2", "3", "4", "5"]


def test_heat_runs_from_light_to_dark(board):
    plane = np.arange(35)
    board.heat(plane, numbers="d")
    assert ground(board, 0) == pytest.approx(style.HEAT(0.0))
    assert ground(board, 34) == pytest.approx(style.HEAT(1.0))
    light = [sum(ground(board, cell)[:3]) for cell in range(35)]
    assert light == sorted(light, reverse=True)
    assert texts(board)[12:] == [str(n) for n in range(35)]


def test_heat_of_a_flat_plane_and_of_some_cells(board):
    where = np.arange(35) < 7
    board.heat(np.zeros(35), numbers=".1f", where=where)
    assert ground(board, 0) == pytest.approx(style.HEAT(0.0))
    assert ground(board, 7) == pytest.approx(to_rgba(style.WATER))
    assert texts(board)[12:] == ["0.0"] * 7


def test_heat_by_logarithm(board):
    plane = np.array([1.0, 10.0, 100.0] + [0.0] * 32)
    board.heat(plane, log=True, high=100.0)
    expected = style.HEAT(np.log1p(10) / np.log1p(100))
    assert ground(board, 1) == pytest.approx(expected)


def test_numbers_read_on_their_ground(board):
    board.heat(np.arange(35), numbers="d")
    colors = [text.get_color() for text in board.axes.texts[12:]]
    assert (colors[0], colors[-1]) == (style.INK, style.PAPER)


def test_shots_of_a_game(board):
    history = parse(GAME, "B2:hit B1:miss C2:sunk@B2,C2 E4:hit")
    board.shots(history, fleet={0: [0, 7, 14, 21], 2: [8, 9], 1: [25, 26, 27]}).latest(25)
    assert texts(board)[12:] == ["1", "2", "3", "4"]
    kinds = [type(patch).__name__ for patch in board.axes.patches]
    # Sunk ship, two ships afloat; then the miss, the hit and the ring.
    assert kinds == ["FancyBboxPatch"] * 3 + ["Circle"] * 3
    assert board.axes.patches[0].get_facecolor() == to_rgba(style.SUNK)
    assert board.axes.patches[1].get_linestyle() != "solid"


def test_misses_hits_and_rings(board):
    board.misses([0, 1]).hits([2], [12]).best([3]).shade([4]).write(5, "x")
    assert texts(board)[12:] == ["12", "x"]
    assert ground(board, 4) == pytest.approx(to_rgba(style.PATTERN))
    with pytest.raises(ValueError, match="shorter"):
        board.misses([0, 1], [1])


def test_an_unknown_kind_of_ship_is_refused(board):
    with pytest.raises(ValueError, match="afloat"):
        glyphs.ship(board.axes, 10.0, 0, 0, 1, 0, kind="lost")


def test_a_strip_keeps_its_boards_apart():
    panels = [draw.Panel("A long title over a small board", "note")] * 5
    sheet, boards = draw.strip((4, 4), panels, columns=3, key=[("miss", "Miss")], room=0.5)
    boxes = [board.axes.get_position() for board in boards]
    for one, box in enumerate(boxes):
        width, height = box.width * sheet.width, box.height * sheet.height
        assert (width, height) == pytest.approx((4 * 0.27, 4 * 0.27))
        assert not any(box.overlaps(other) for other in boxes[one + 1 :])
    wide = text_width(panels[0].title, style.TITLE, weight="bold")
    assert (boxes[1].x0 - boxes[0].x0) * sheet.width > wide
    assert min(box.y0 for box in boxes) * sheet.height > 0.5


def test_a_key_wraps_and_knows_its_signs():
    entries = [(sign, "Low to High") for sign in key.SIGNS]
    sheet = draw.Sheet(3.0, 3.0)
    height = draw.draw_key(sheet, 0.1, 0.1, 2.8, entries)
    lines = key.rows(entries, 2.8)
    assert height == pytest.approx(len(lines) * key.ROW)
    assert [entry for line in lines for entry in line] == entries
    assert len(lines) > 1
    with pytest.raises(ValueError, match="no sign 'splash'"):
        draw.draw_key(sheet, 0.1, 0.1, 2.8, [("splash", "?")])


def test_a_sheet_is_saved_the_same_twice(tmp_path):
    def save(name):
        sheet, (board,) = draw.strip((5, 5), [draw.Panel("T")], key=[("heat", "0 to 1")])
        board.heat(np.arange(25), numbers="d").best([24]).hits([3]).ship([0, 1])
        return [path.read_bytes() for path in sheet.save(tmp_path / name, "of these numbers")]

    assert save("one") == save("two")
    assert b"of these numbers" in (tmp_path / "one.svg").read_bytes()
    with Image.open(tmp_path / "one.png") as image:
        assert image.info["Description"] == "of these numbers"


def test_few_colours_keep_flat_areas_to_the_bit():
    rng = np.random.default_rng(0)
    noise = rng.integers(0, 256, (40, 40, 3), dtype=np.uint8)
    flat = np.full((40, 40, 3), 255, np.uint8)
    flat[:10] = (240, 165, 0)
    flat[10, 10] = (241, 165, 0)
    first, second = palette.reduced([flat, noise])
    assert first.getpalette() == second.getpalette()
    back = np.asarray(first.convert("RGB"))
    assert (back[:10] == (240, 165, 0)).all()
    assert (back[20:] == 255).all()
    few = np.asarray(palette.reduced([flat])[0].convert("RGB"))
    np.testing.assert_array_equal(few, flat)


def test_a_film(tmp_path):
    film = draw.Film(dots=50)
    with pytest.raises(ValueError, match="at least one frame"):
        film.save(tmp_path / "empty")
    for shots in range(4):
        sheet, (board,) = draw.strip((7, 5), [draw.Panel(f"{shots} shots")])
        board.misses(range(shots))
        film.add(sheet, 0.5 + shots)
    with pytest.raises(ValueError, match="a frame of"):
        film.add(draw.Sheet(1.0, 1.0), 1.0)
    (path,) = film.save(tmp_path / "film", "four frames")
    with Image.open(path) as image:
        assert image.n_frames == len(film) == 4
        durations = []
        for frame in range(4):
            image.seek(frame)
            durations.append(image.info["duration"])
        assert durations == [500, 1500, 2500, 3500]


def test_charts(tmp_path):
    sheet = draw.Sheet(4.0, 3.0)
    chart = draw.Chart(sheet, (0.6, 0.2, 3.2, 1.4), x=(0, 3), y=(0, 1), across="x", percent=True)
    chart.curve([0, 1, 2], [0, 0.5, 1], "one").curve([0, 1, 2], [0, 0, 1], "two", steps=True)
    chart.bars([0, 1], [0.2, 0.4], "three").rule(1.5, "here").name_lines("lower right")
    draw.stacks(sheet, (1.0, 2.3, 2.8, 0.6), [("a", [1, 2]), ("b", [1.5, 2.25])], ["p", "q"])
    svg, png = sheet.save(tmp_path / "chart")
    assert svg.stat().st_size
    assert png.stat().st_size
    written = [text.get_text() for text in sheet.figure.axes[1].texts]
    assert written == ["a", "1", "p", "2", "q", "3", "b", "1.5", "2.2", "3.8"]
