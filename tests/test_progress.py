"""Progress of long work: a bar on a terminal, plain lines elsewhere, nothing when quiet."""

import os
import sys

import pytest

from bsjax.runtime import progress
from bsjax.runtime.progress import Progress


def test_plain_lines_elsewhere(capsys, monkeypatch):
    monkeypatch.setattr(progress, "_EVERY", 0.0)
    with Progress("density", 1000, "games", done=200) as bar:
        bar.advance(300)
    line = capsys.readouterr().err
    assert line.startswith("density: 500 of 1,000 games, ")
    assert line.endswith(" s left\n")


def test_nothing_when_quiet(capsys, monkeypatch):
    monkeypatch.setattr(progress, "_EVERY", 0.0)
    with Progress("density", 1000, "games", quiet=True) as bar:
        bar.advance(300)
    assert capsys.readouterr().err == ""


def test_a_bar_on_a_terminal(monkeypatch):
    pty = pytest.importorskip("pty")
    reader, writer = pty.openpty()
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "120")
    with os.fdopen(writer, "w") as terminal:
        monkeypatch.setattr(sys, "stderr", terminal)
        with Progress("density", 1000, "games") as bar:
            bar.advance(400)
    shown = ""
    while True:
        try:
            shown += os.read(reader, 1 << 16).decode()
        except OSError:
            # The other end is closed and everything was read.
            break
    os.close(reader)
    assert "density" in shown
    assert "400/1000" in shown
    assert "games/s" in shown
