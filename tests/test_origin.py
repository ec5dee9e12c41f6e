"""Where a result comes from, as it is written down."""

import sys

import pytest

from bsjax.runtime.origin import command


@pytest.mark.parametrize(
    ("typed", "argv", "told"),
    [
        (
            ["/a/python3", "-m", "experiments.x.run", "--work", "/b/c/.runs", "--only", "p q"],
            ["/d/run.py"],
            "python -m experiments.x.run --work .runs --only 'p q'",
        ),
        (
            ["/a/python3", "/a/bsjax", "race", "--save", "mine/a.json"],
            ["/a/bsjax", "race", "--save", "mine/a.json", "--out", "/tmp/run"],
            "bsjax race --save mine/a.json --out run",
        ),
    ],
)
def test_a_command_tells_no_folder_of_the_machine(typed, argv, told, monkeypatch):
    monkeypatch.setattr(sys, "orig_argv", typed)
    monkeypatch.setattr(sys, "argv", argv)
    assert command() == told
