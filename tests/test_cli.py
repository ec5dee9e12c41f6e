"""The command line as a user meets it, in processes of its own."""

import json
import os
import subprocess
import sys
import time

import pytest
from processes import running

from bsjax.cli import COMMANDS


def bsjax(*words, **environment):
    return subprocess.run(
        [sys.executable, "-m", "bsjax.cli", *map(str, words)],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )


def python(code):
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)


def test_help_imports_nothing_heavy():
    heavy = "{'jax', 'numpy', 'matplotlib', 'scipy', 'equinox'}"
    code = (
        "import sys\n"
        "from bsjax import cli\n"
        "sys.argv = ['bsjax', '--help']\n"
        "try: cli.main()\n"
        "except SystemExit: pass\n"
        f"print(sorted({heavy} & set(sys.modules)), file=sys.stderr)"
    )
    done = python(code)
    assert done.stderr.strip() == "[]"
    for command in COMMANDS:
        assert command in done.stdout


def test_help_of_every_command():
    for command in COMMANDS:
        done = bsjax(command, "--help")
        assert done.returncode == 0
        assert "--help" in done.stdout


def test_importing_everything_starts_no_backend():
    code = (
        "import pkgutil, importlib, bsjax\n"
        "names = [m.name for m in pkgutil.walk_packages(bsjax.__path__, 'bsjax.')]\n"
        "[importlib.import_module(n) for n in names if not n.endswith('__main__')]\n"
        "from jax._src import xla_bridge\n"
        "print(xla_bridge.backends_are_initialized())"
    )
    assert python(code).stdout.strip() == "False"


def test_simulate_prints_json_alone():
    done = bsjax("simulate", "--policy", "random", "--games", 2000, "--json")
    told = json.loads(done.stdout)
    assert done.returncode == 0
    assert set(told) >= {
        *("policy", "games", "mean", "se", "median", "p95", "best", "worst", "histogram"),
        *("games_per_second", "compile_seconds"),
    }
    assert told["games"] == sum(told["histogram"]) == 2000
    assert len(told["histogram"]) == 101


def test_simulate_says_it_in_one_line():
    done = bsjax(
        "simulate", "--policy", "hunt-target", "--games", 500, "--size", "6x6", "--fleet", "3,2"
    )
    assert done.returncode == 0
    assert len(done.stdout.strip().splitlines()) == 1
    assert done.stdout.startswith("hunt-target on 6x6 {3,2} touching allowed, feedback size: ")


def test_count():
    done = bsjax("count", "--size", "5x5", "--fleet", "3,3,2", "--json")
    assert json.loads(done.stdout) == {"layouts_told_apart": 16000, "layouts_alike": 8000}
    assert "8,000 with equal ships alike" in bsjax("count", "--size=5x5", "--fleet=3,3,2").stdout


def test_replay_then_check(tmp_path):
    told = json.loads(bsjax("replay", 743, "--policy", "hunt-target", "--json").stdout)
    assert len(told["cells"]) == len(told["shots"].split())
    text = bsjax("replay", 743, "--policy", "hunt-target").stdout
    *grid, shots = text.rstrip().splitlines()
    board, log = tmp_path / "board.txt", tmp_path / "log.txt"
    board.write_text("\n".join(grid) + "\n")
    log.write_text(shots.split(": ", 1)[1] + "\n")
    agreed = json.loads(bsjax("check", "--board", board, "--shots", log, "--json").stdout)
    assert agreed["boards"] == [told["board"]]
    assert agreed["shots"] == told["shots"]
    swapped = bsjax("check", "--board", board, "--shots", log, "--first", "row")
    assert swapped.returncode == 2
    assert "row written first" in swapped.stderr


def test_simulate_on_boards_from_a_file(tmp_path):
    board = tmp_path / "board.csv"
    board.write_text("ship,start,direction,length\na,A1,across,3\nb,A3,down,2\n")
    rules = ["--size", "4x4", "--fleet", "3,2"]
    done = bsjax(
        "simulate", "--policy", "random", "--games", 300, "--boards", board, *rules, "--json"
    )
    told = json.loads(done.stdout)
    assert told["hider"].startswith("listed 1 boards ")
    # Five ship cells of 16 fired at random: 5·17/6 shots on average.
    assert abs(told["mean"] - 5 * 17 / 6) < 5 * told["se"]


def test_count_of_a_large_board():
    told = json.loads(bsjax("count", "--json").stdout)
    assert told == {"layouts_told_apart": 30_093_975_536, "layouts_alike": 15_046_987_768}


def test_posterior():
    told = json.loads(bsjax("posterior", "--shots", "E5:hit", "--json").stdout)
    assert told["layouts_told_apart"] == 6_428_054_040
    assert told["p_ship"][44] == 1
    assert abs(sum(told["p_ship"]) - 17) < 1e-9
    assert set(told["best"]) == {"probability", "information"}
    text = bsjax("posterior", "--size", "3x3", "--fleet", "2,2", "--shots", "A1:miss").stdout
    assert text.startswith("56 layouts left, 28 with equal ships alike")
    assert "[.]" in text


def test_posterior_names_the_shot_that_cannot_be_true():
    # Without its corners a 3×3 board has room for one ship of two cells, not for two.
    shots = "A1:miss C1:miss A3:miss C3:miss"
    done = bsjax("posterior", "--size", "3x3", "--fleet", "2,2", "--shots", shots)
    assert done.returncode == 2
    assert "shot 4 (C3:miss) cannot be true: it leaves no layout" in done.stderr


def test_tree():
    words = ["tree", "--size", "4x4", "--fleet", "3,3,2", "--json"]
    told = json.loads(bsjax(*words).stdout)
    assert told["layouts"] == sum(told["histogram"]) == 804
    assert round(told["mean"], 3) == 11.245


def test_list():
    told = json.loads(bsjax("list", "--json").stdout)
    assert {"random", "hunt-target", "hunt-target-no-parity", "density"} <= set(told["policies"])
    assert {"uniform", "ship-by-ship", "habit-mild", "habit-strong"} <= set(told["hiders"])
    assert set(told["games"]) == {"classic", "ten-ship"}
    assert all(line for kind in told.values() for line in kind.values())


def test_bench_measures():
    done = bsjax("bench", "--policy", "random", "--seconds", 0.05, "--games", 500, "--json")
    (row,) = json.loads(done.stdout)["rows"]
    assert row["games_per_second"] > 0
    assert row["decisions_per_second"] > 90 * row["games_per_second"]
    assert row["program_bytes"] > 0


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["simulate", "--policy", "densty"], "did you mean 'density'"),
        (["simulate", "--size", "10"], "write it as WIDTHxHEIGHT"),
        (["simulate", "--size", "17x3"], "each side must be 1 to 16"),
        (["simulate", "--fleet", "5,x"], "write the ship lengths with commas"),
        (["simulate", "--feedback", "loud"], "choose one of hit, sunk, size"),
        (["simulate", "--touching", "maybe"], "choose one of allowed, no-side, none"),
        (["simulate", "--memory", "lots"], "memory size 'lots'"),
        (["simulate", "--game", "chess"], "choose one of classic, ten-ship"),
        (["simulate", "--fleet", "3,3,3,3", "--size", "3x3"], "take a larger board"),
        (["count", "--game", "ten-ship"], "the limit is 2,000,000"),
        (["posterior", "--shots", "A1:hit A1:miss"], "shot 2 (A1:miss)"),
        (["tree"], "take a smaller board or fleet"),
        (["check"], "nothing to check"),
        (["check", "--shots", "E5:hit E5:miss"], "shot 2 (E5:miss)"),
        (["check", "--board", "no-such-file"], "no-such-file: No such file"),
        (["bench", "--devices", "99"], "this machine has"),
        (["bench", "--slots", "few"], "write whole numbers with commas"),
        (["replay", "18446744073709551616"], "not between 0 and"),
    ],
    ids=lambda x: " ".join(x) if isinstance(x, list) else "",
)
def test_faults_end_with_one_line_and_code_2(words, told):
    done = bsjax(*words)
    assert done.returncode == 2
    assert done.stdout == ""
    assert len(done.stderr.strip().splitlines()) == 1
    assert done.stderr.startswith("bsjax: ")
    assert told in done.stderr


def test_the_compilation_cache_is_on_and_has_a_switch(tmp_path):
    words = ["simulate", "--policy", "random", "--games", 100, "--size", "5x4", "--fleet", "2,1"]
    bsjax(*words, XDG_CACHE_HOME=str(tmp_path / "on"))
    assert list((tmp_path / "on" / "bsjax" / "compiled").iterdir())
    bsjax(*words, XDG_CACHE_HOME=str(tmp_path / "off"), BSJAX_CACHE="off")
    assert not (tmp_path / "off").exists()
    bsjax(*words, BSJAX_CACHE=str(tmp_path / "moved"))
    assert list((tmp_path / "moved").iterdir())


def test_interrupting_keeps_the_run_folder(tmp_path):
    import signal

    words = ["simulate", "--policy", "random", "--games", "100000000", "--out", tmp_path / "run"]
    command = [sys.executable, "-m", "bsjax.cli", *map(str, words)]
    with running([*command, "--checkpoint", "0", "--slots", "64"]) as process:
        deadline = time.monotonic() + 120
        while not (tmp_path / "run" / "checkpoint.json").exists() and time.monotonic() < deadline:
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "go on with --resume" in errors
    assert "--resume" in errors
