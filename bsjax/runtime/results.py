"""Result files of experiments: small JSON files that carry where they come from."""

import json
from pathlib import Path
from typing import Any

from bsjax.runtime.origin import origin

FORMAT = 1


def write(path: Path, data: dict[str, Any], *, seed: int | None, overwrite: bool = False) -> None:
    """Write `data` with its format and origin.

    Raises:
        ValueError: the file exists and `overwrite` is not set.
    """
    if path.exists() and not overwrite:
        raise ValueError(f"{path} exists; add --overwrite to replace this result")
    path.parent.mkdir(parents=True, exist_ok=True)
    told = {"format": FORMAT, "origin": origin(seed), **data}
    partial = path.with_name(path.name + ".partial")
    partial.write_text(json.dumps(told, indent=1) + "\n")
    partial.replace(path)


def read(path: Path) -> dict[str, Any]:
    """Read a result.

    Raises:
        ValueError: it is missing, unreadable or of another format.
    """
    if not path.exists():
        raise ValueError(f"{path} is missing; run the experiment that writes it")
    try:
        told = json.loads(path.read_text())
    except ValueError as error:
        raise ValueError(f"{path} is corrupt ({error}); run its experiment again") from None
    if told.get("format") != FORMAT:
        raise ValueError(f"{path} has format {told.get('format')}, this version reads {FORMAT}")
    return told
