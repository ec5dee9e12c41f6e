"""`bsjax figures`: redraw figures and tables from committed results."""

import subprocess
import sys
from pathlib import Path
from typing import Annotated

import typer

from bsjax.cli import app

_ROOT = Path(__file__).parents[2]
_COMMON = "script"
"""The module that all figure scripts share."""


@app.command()
def figures(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[NAME]...", help="Figures; all by default.")
    ] = None,
) -> None:
    """Redraw the figures NAME …, or all, into figures/out/."""
    folder = _ROOT / "figures"
    known = sorted(path.stem for path in folder.glob("*.py") if path.stem != _COMMON)
    if not known:
        raise ValueError("figures are drawn in a checkout of the project, and this is none")
    for name in names or known:
        if name not in known:
            raise ValueError(f"no figure {name!r}; choose from {', '.join(known)}")
    failed = [
        name
        for name in names or known
        if subprocess.run(
            [sys.executable, "-m", f"figures.{name}"], cwd=_ROOT, check=False
        ).returncode
    ]
    if failed:
        raise ValueError(f"{len(failed)} figures were not drawn: {', '.join(failed)}")
