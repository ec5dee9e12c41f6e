"""Where in a file something stands, and the text of a file."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

STDIN = "-"
"""The path that means standard input."""


class Place(NamedTuple):
    """A position in a file; lines and columns count from 1."""

    file: str
    line: int = 1
    column: int = 1

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"

    def fault(self, what: object) -> ValueError:
        """The error for something wrong here: `FILE:LINE:COLUMN: what`."""
        return ValueError(f"{self}: {what}")

    @contextmanager
    def blamed(self) -> Iterator[None]:
        """Put this place before the message of a ValueError raised inside."""
        try:
            yield
        except ValueError as fault:
            raise self.fault(fault) from None


class Field(NamedTuple):
    """A piece of text and where it stands."""

    text: str
    place: Place


def read_text(path: str | Path) -> tuple[str, str]:
    """The name to show for a file, and its text; `-` is standard input.

    Raises:
        OSError: the file cannot be read.
        ValueError: it is not UTF-8 text.
    """
    if str(path) == STDIN:
        return "<stdin>", sys.stdin.read()
    raw = Path(path).read_bytes()
    try:
        return str(path), raw.decode("utf-8-sig")
    except UnicodeDecodeError as fault:
        line = raw.count(b"\n", 0, fault.start) + 1
        column = fault.start - raw.rfind(b"\n", 0, fault.start)
        raise Place(str(path), line, column).fault("not UTF-8 text; save it as UTF-8") from None
