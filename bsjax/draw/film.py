"""An animated GIF: sheets of one size, one after the other."""

from pathlib import Path

from bsjax.draw.palette import Pixels, reduced
from bsjax.draw.sheet import Sheet
from bsjax.draw.style import Number

DOTS = 130
"""Dots per inch of a frame."""


class Film:
    """Frames of one size, each shown for its own time, repeated without end."""

    def __init__(self, dots: int = DOTS):
        self.dots = dots
        self._frames: list[Pixels] = []
        self._seconds: list[float] = []

    def __len__(self) -> int:
        return len(self._frames)

    def add(self, sheet: Sheet, seconds: Number) -> None:
        """Add a frame.

        Raises:
            ValueError: it is not as large as the first one.
        """
        frame = sheet.pixels(self.dots)
        if self._frames and frame.shape != self._frames[0].shape:
            raise ValueError(f"a frame of {frame.shape} in a film of {self._frames[0].shape}")
        self._frames.append(frame)
        self._seconds.append(seconds)

    def save(self, stem: Path, note: str = "") -> list[Path]:
        """Write `stem`.gif; its comment is `note`.

        Raises:
            ValueError: no frames.
        """
        if not self._frames:
            raise ValueError("a film needs at least one frame")
        stem.parent.mkdir(parents=True, exist_ok=True)
        path = stem.with_name(stem.name + ".gif")
        first, *rest = reduced(self._frames)
        first.save(
            path,
            save_all=True,
            append_images=rest,
            duration=[round(1000 * seconds) for seconds in self._seconds],
            loop=0,
            comment=note.encode(),
        )
        return [path]
