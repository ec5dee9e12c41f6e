"""A sheet as one file, in the format that the file's name ends with."""

from pathlib import Path

import matplotlib

from bsjax.draw.sheet import DOTS, Sheet

FORMATS = (".png", ".svg", ".pdf")


def require_format(path: Path) -> None:
    """Refuse a file that cannot be written, before anything is computed for it.

    Raises:
        ValueError: the name ends with none of `FORMATS`, or its folder does not exist.
    """
    if path.suffix.lower() not in FORMATS:
        raise ValueError(f"{path}: end the name of a drawing with {' or '.join(FORMATS)}")
    if not path.parent.is_dir():
        raise ValueError(f"{path}: there is no folder {path.parent}; make it first")


def save_as(sheet: Sheet, path: Path, note: str = "") -> None:
    """Write the file, over one of that name; the same drawing gives the same bits.

    Args:
        sheet: the drawing.
        path: name with one of `FORMATS` as its ending, in a folder that exists.
        note: kept in the file as its description.

    Raises:
        ValueError: see `require_format`, or the file cannot be written there.
    """
    require_format(path)
    kind = path.suffix.lower()
    told: dict[str, str | None] = {
        ".png": {"Description": note},
        ".svg": {"Description": note, "Date": None},
        ".pdf": {"Subject": note, "CreationDate": None},
    }[kind]
    try:
        with matplotlib.rc_context({"svg.hashsalt": "bsjax", "svg.fonttype": "path"}):
            sheet.figure.savefig(path, format=kind[1:], dpi=DOTS, metadata=told)
    except OSError as error:
        raise ValueError(f"{path} cannot be written: {error.strerror}") from None
