"""The command line: `bsjax COMMAND [--json]`.

One module per command. Commands import JAX only when they run, so that `--help` is instant; a
fault in what the user gave ends with one line on standard error and exit code 2.
"""

import importlib
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import typer

COMMANDS = (
    "simulate",
    "replay",
    "count",
    "check",
    "posterior",
    "tree",
    "race",
    "hard-board",
    "solve",
    "reply",
    "self-play",
    "distill",
    "list",
    "bench",
    "figures",
)

app = typer.Typer(
    name="bsjax",
    help="Battleship on a GPU: fleets hunted by the million.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


@app.callback()
def _bsjax() -> None:
    """Battleship on a GPU: fleets hunted by the million."""


def load() -> None:
    """Import the module of every command."""
    for command in COMMANDS:
        importlib.import_module(f"bsjax.cli.{command.replace('-', '_')}")


def main() -> None:
    """Entry point of the `bsjax` command."""
    load()
    try:
        app()
    except (ValueError, OSError) as error:
        print(f"bsjax: {_line(error)}", file=sys.stderr)
        sys.exit(2)


@contextmanager
def interruptible(advice: str) -> Iterator[None]:
    """Around long work: Ctrl-C or `kill` ends it with one line that says how to go on, and the
    code of the signal, 130 or 143. Worker processes are ended first."""
    before = signal.signal(signal.SIGTERM, _terminated)
    try:
        yield
    except KeyboardInterrupt as stop:
        number = stop.args[0] if stop.args else signal.SIGINT
        print(f"bsjax: interrupted; {advice}", file=sys.stderr)
        sys.exit(128 + number)
    finally:
        signal.signal(signal.SIGTERM, before)


def _terminated(number: int, frame: object) -> None:
    """As Ctrl-C does, so that everything open is closed."""
    del frame
    raise KeyboardInterrupt(number)


def _line(error: ValueError | OSError) -> str:
    if isinstance(error, OSError) and error.strerror:
        where = f" {error.filename}" if error.filename else ""
        return (
            f"cannot read or write{where}: {error.strerror}; what was checkpointed is kept, "
            f"go on with --resume"
        )
    return " ".join(str(error).split())
