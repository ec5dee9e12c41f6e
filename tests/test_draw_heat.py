"""Heat maps: tints on a scale of their own or a shared one, signs of shots, rings, the files."""

import numpy as np
import pytest
from matplotlib.colors import to_rgba
from PIL import Image

from bsjax.draw import style
from bsjax.draw.heat import MEANINGS, HeatMap, heat_maps, percent
from bsjax.draw.one_file import FORMATS, save_as
from bsjax.game.game import Game
from bsjax.game.history import parse

GAME = Game((7, 5), (4, 3, 2), feedback="name")


def maps(history="", game=GAME, **told):
    p = np.linspace(0.02, 0.36, game.cells)
    return HeatMap(p, parse(game, history), title="A title", **told)


def axes_of(sheet):
    """The boards, the colour bars and the key, in the order drawn."""
    boards = [axes for axes in sheet.figure.axes if axes.get_ylim() == (4.5, -0.5)]
    bars = [axes for axes in sheet.figure.axes if len(axes.patches) == 64]
    rest = [axes for axes in sheet.figure.axes if axes not in boards and axes not in bars]
    return boards, bars, rest


def tints(board):
    return [tuple(color) for color in board.collections[0].get_facecolor()]


def texts(axes):
    return [text.get_text() for text in axes.texts]


def test_a_map_is_tinted_and_numbered():
    (board,), (bar,), rest = axes_of(heat_maps(GAME, [maps()]))
    assert rest == []
    assert texts(board)[12:] == [percent(p) for p in np.linspace(0.02, 0.36, 35)]
    assert tints(board)[34] == pytest.approx(style.HEAT(1.0))
    assert tints(board)[0] == pytest.approx(style.HEAT(0.02 / 0.36))
    assert bar.get_xlim() == pytest.approx((0, 0.36))


@pytest.mark.parametrize(
    ("share", "text"),
    [(0.0, "0"), (0.0004, "0.0"), (0.0925, "9.2"), (0.0994, "9.9"), (0.09951, "10"), (1.0, "100")],
)
def test_percent_in_two_figures(share, text):
    assert percent(share) == text


def test_scales_of_their_own_and_shared():
    light = HeatMap(np.full(35, 0.1))
    boards, bars, _ = axes_of(heat_maps(GAME, [maps(), light]))
    assert tints(boards[1])[0] == pytest.approx(style.HEAT(1.0))
    assert [bar.get_xlim()[1] for bar in bars] == pytest.approx([0.36, 0.1])
    boards, bars, _ = axes_of(heat_maps(GAME, [maps(), light], shared=True))
    assert tints(boards[1])[0] == pytest.approx(style.HEAT(0.1 / 0.36))
    assert [bar.get_xlim()[1] for bar in bars] == pytest.approx([0.36])


def test_the_scale_leaves_out_cells_fired_at():
    """A hit holds a ship for certain, which says nothing about the scale."""
    one = maps("G5:hit")
    one.p_ship[34] = 1.0
    assert one.high() == pytest.approx(0.35)
    (board,), _, _ = axes_of(heat_maps(GAME, [one]))
    assert tints(board)[34] == pytest.approx(to_rgba(style.WATER))
    assert len(texts(board)) == 12 + 34


def test_signs_of_shots_and_rings():
    name = GAME.ship_names[2]
    one = maps(f"A1:miss B2:hit C2:sunk={name}", likeliest=[4, 5], telling=[5, 6])
    cells = one.signs(GAME)
    assert cells == {"miss": [0], "hit": [8], "sunk": [9], "latest": [4, 5], "best": [6]}
    (board,), _, (key,) = axes_of(heat_maps(GAME, [one]))
    kinds = sorted(type(patch).__name__ for patch in board.patches)
    # A miss, a hit with its dot, two solid rings; the dashed ring is drawn on a white one.
    assert kinds == ["Circle"] * 5 + ["FancyBboxPatch"] + ["Rectangle"] * 2
    assert texts(key) == list(MEANINGS.values())


def test_a_ship_shown_as_sunk_covers_its_hits():
    game = Game((7, 5), (4, 3, 2), feedback="cells")
    one = maps("B2:hit C2:sunk@B2,C2", game)
    assert one.signs(game) == {"miss": [], "hit": [], "sunk": [9], "latest": [], "best": []}
    (board,), _, (key,) = axes_of(heat_maps(game, [one]))
    assert [type(patch).__name__ for patch in board.patches] == ["FancyBboxPatch"]
    assert texts(key) == ["Sunk"]


@pytest.mark.parametrize(("feedback", "answer"), [("hit-name", "hit=3"), ("sunk", "hit")])
def test_a_hit_is_a_hit_under_every_rule(feedback, answer):
    game = Game((7, 5), (4, 3, 2), feedback=feedback)
    answer = answer.replace("3", game.ship_names[1])
    assert maps(f"B2:{answer}", game).signs(game)["hit"] == [8]
    assert maps("B2:sunk", game).signs(game)["sunk"] == [8] if feedback == "sunk" else True


def test_bars_lie_between_board_and_key_and_nothing_overlaps():
    notes = ["one line", "two\nlines"]
    drawn = [maps("A1:miss", note=note, likeliest=[3]) for note in notes]
    sheet = heat_maps(GAME, drawn)
    boards, bars, (key,) = axes_of(sheet)
    for board, bar in zip(boards, bars, strict=True):
        above, between, below = (axes.get_position() for axes in (board, bar, key))
        # Two lines of notes fit between the board and its bar.
        assert (above.y0 - between.y1) * sheet.height > 2 * style.SMALL / 72
        assert between.y0 > below.y1 > 0
        assert between.x1 < 1


def test_a_finished_game_has_no_scale():
    shots = " ".join(f"{'ABCDEFG'[c % 7]}{c // 7 + 1}:miss" for c in range(35))
    boards, bars, _ = axes_of(heat_maps(GAME, [maps(shots)]))
    assert len(boards) == 1
    assert bars == []


def test_maps_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match="needs 35 chances; given: no map"):
        heat_maps(GAME, [])
    with pytest.raises(ValueError, match="needs 35 chances; given: 35, 4"):
        heat_maps(GAME, [maps(), HeatMap(np.zeros(4))])


@pytest.mark.parametrize("ending", FORMATS)
def test_a_file_is_the_same_twice(ending, tmp_path):
    written = []
    for name in ("one", "two"):
        path = tmp_path / f"{name}{ending}"
        save_as(heat_maps(GAME, [maps("A1:miss", likeliest=[3])]), path, "what it shows")
        written.append(path.read_bytes())
    assert written[0] == written[1]
    start = {".png": b"\x89PNG", ".svg": b"<?xml", ".pdf": b"%PDF"}[ending]
    assert written[0].startswith(start)
    if ending == ".png":
        with Image.open(tmp_path / "one.png") as image:
            assert image.info["Description"] == "what it shows"
    elif ending == ".svg":
        assert b"what it shows" in written[0]


def test_files_that_cannot_be_written_are_refused(tmp_path):
    sheet = heat_maps(GAME, [maps()])
    (tmp_path / "folder.png").mkdir()
    for name, reason in [
        ("map.jpg", r"end the name of a drawing with \.png or \.svg or \.pdf"),
        ("map", "end the name"),
        ("nowhere/map.png", "there is no folder"),
        ("folder.png", "cannot be written"),
    ]:
        with pytest.raises(ValueError, match=reason):
            save_as(sheet, tmp_path / name)
    assert [path.name for path in tmp_path.iterdir()] == ["folder.png"]
