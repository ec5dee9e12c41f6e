"""The shape of the package: imports point one way, modules stay small, names resolve."""

import ast
from pathlib import Path

import pytest

import bsjax

ROOT = Path(bsjax.__file__).parent
ROOMS = [
    "runtime",
    "game",
    "files",
    "hide",
    "posterior",
    "policies",
    "play",
    "evaluate",
    "solve",
    "learn",
    "draw",
    "cli",
]
"""Each room imports only from itself and those before it (`files` reads for every later one)."""

MODULES = sorted(path for path in ROOT.rglob("*.py") if path.parent != ROOT)


def imported(path):
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


def room(path):
    return path.relative_to(ROOT).parts[0].removesuffix(".py")


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(ROOT)))
def test_imports_point_one_way(path):
    allowed = ROOMS[: ROOMS.index(room(path)) + 1]
    for name in imported(path):
        parts = name.split(".")
        if parts[0] == "bsjax" and len(parts) > 1:
            assert parts[1] in allowed, f"{path} imports {name}"
        if room(path) != "draw":
            assert parts[0] != "matplotlib", f"{path} imports matplotlib"


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(ROOT)))
def test_modules_stay_small_and_say_what_they_are(path):
    text = path.read_text()
    assert text.count("\n") <= 320
    assert len(ast.get_docstring(ast.parse(text)) or "") > 20


def test_the_table_of_contents_resolves():
    for name in dir(bsjax):
        assert getattr(bsjax, name).__name__ if name != "PRESETS" else bsjax.PRESETS
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        bsjax.nothing  # noqa: B018
