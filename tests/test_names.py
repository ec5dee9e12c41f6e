"""Names beside their marks: apart from each other and from all that is drawn, and near."""

import numpy as np
import pytest

from bsjax.draw import names
from bsjax.draw.names import placed

ROOM = (3.6, 2.9)


def overlap(one, other):
    """Area that two boxes share: what both cover along each side."""
    sides = [
        max(0.0, min(one[2 + way], other[2 + way]) - max(one[way], other[way])) for way in (0, 1)
    ]
    return sides[0] * sides[1]


def around(x, y, half):
    """A square around a point."""
    return x - half, y - half, x + half, y + half


def crosses(box, start, end):
    """Whether a line runs through a box: by brute force, along the line."""
    line = start + np.linspace(0.02, 0.8, 400)[:, None] * (end - start)
    return ((line > np.array(box[:2]) + 0.02) & (line < np.array(box[2:]) - 0.02)).all(1).any()


def test_names_stand_apart_and_by_their_marks():
    rng = np.random.default_rng(0)
    for _ in range(20):
        marks = rng.uniform(0.1, 2.8, (rng.integers(1, 12), 2))
        widths = rng.uniform(0.3, 0.9, len(marks)).tolist()
        boxes = placed(marks, widths, marks, ROOM)
        assert boxes == placed(marks, widths, marks, ROOM)
        for number, (box, width, mark) in enumerate(zip(boxes, widths, marks, strict=True)):
            assert box[2] - box[0] == pytest.approx(width)
            assert min(box[:2]) > 0
            assert (np.array(box[2:]) < ROOM).all()
            away = names.nearest(box, mark)
            assert 0 < np.hypot(*(away - mark)) <= names.RINGS[-1] + 1e-9
            for place, (other, end) in enumerate(zip(boxes, marks, strict=True)):
                if place != number:
                    assert overlap(box, other) == 0
                    assert not crosses(box, names.nearest(other, end), end)
            assert all(overlap(box, around(x, y, names.MARK)) < 1e-12 for x, y in marks)
            if len(marks) == 1:
                assert np.hypot(*(away - mark)) < names.RINGS[1]


def test_names_keep_off_lines():
    mark = np.array([[1.0, 1.0]])
    (free,) = placed(mark, [0.5], mark, ROOM)
    middle = (free[1] + free[3]) / 2
    line = np.stack([np.linspace(free[0], free[2], 12), np.full(12, middle)], 1)
    (moved,) = placed(mark, [0.5], mark, ROOM, lines=[line])
    assert names.holds(free, line)
    assert not names.holds(moved, line)


def test_a_line_to_a_mark_keeps_clear_of_others_where_it_can():
    """To the left and right of the middle mark, its line would run through another one."""
    marks = np.array([[1.4, 1.5], [1.55, 1.5], [1.7, 1.5]])
    box = placed(marks[1:2], [0.8], marks, ROOM)[0]
    away = names.nearest(box, marks[1])
    assert abs(away[1] - 1.5) > 0.05


def test_no_room_is_told():
    mark = np.array([[1.0, 1.0]])
    with pytest.raises(ValueError, match="names of 1 points"):
        placed(mark, [5.0], mark, ROOM)
