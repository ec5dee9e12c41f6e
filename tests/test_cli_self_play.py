"""`bsjax self-play` and `bsjax hunts` as a user meets them."""

import json
import signal
import subprocess
import sys
import time

import numpy as np

from bsjax.solve.player import load
from bsjax.solve.recipes import load_recipes

SMALL = ("--size", "3x3", "--fleet", "2,2", "--hunts", "3", "--tried", "3", "--pool", "20")


def command(*words):
    return [sys.executable, "-m", "bsjax.cli", *map(str, words)]


def bsjax(*words):
    return subprocess.run(command(*words), capture_output=True, text=True, check=False)


def test_a_run_its_player_and_its_recipes(tmp_path):
    out = tmp_path / "run"
    kept = "--save", tmp_path / "player.npz", "--recipes", tmp_path / "recipes.npz", "--keep", 4
    done = bsjax("self-play", *SMALL, "--rounds", 2, "--out", out)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0].startswith("self-play on 3x3 {2,2}")
    assert [line.split(":")[0] for line in lines[1:]] == ["round 1", "round 2"]
    words = "worst layout", "value", "gap", "shots", "slowest", "pool", "used", " s"
    assert all(word in line for line in lines[1:] for word in words)
    more = bsjax("self-play", *SMALL, "--rounds", 3, "--out", out, "--resume", *kept, "--json")
    assert more.returncode == 0, more.stderr
    told = json.loads(more.stdout)
    assert told["number"] == 3
    assert load(tmp_path / "player.npz").weights.sum() > 0.999
    recipes = load_recipes(tmp_path / "recipes.npz")
    assert told["reduced"]["recipes"] == len(recipes.recipes) <= 4
    made = bsjax("hunts", tmp_path / "recipes.npz", "--out", tmp_path / "hunts", "--json")
    assert json.loads(made.stdout)["hunts"] == len(recipes.recipes)
    assert all(np.load(path).dtype == np.uint8 for path in (tmp_path / "hunts").glob("*.npy"))


def test_an_interrupted_run_goes_on(tmp_path):
    words = "self-play", *SMALL, "--rounds", 100_000, "--out", tmp_path / "run", "--workers", 2
    for number, code in ((signal.SIGINT, 130), (signal.SIGKILL, -9)):
        resume = ("--resume",) if (tmp_path / "run").exists() else ()
        running = subprocess.Popen(
            command(*words, *resume), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        assert running.stdout is not None
        lines = [running.stdout.readline() for _ in range(3)]
        assert lines[2].startswith("round ")
        running.send_signal(number)
        _, said = running.communicate(timeout=60)
        assert running.returncode == code
        if number == signal.SIGINT:
            assert said.strip().splitlines()[-1] == "bsjax: interrupted; go on with --resume"
        time.sleep(0.1)
    rounds = int(lines[2].split()[1].rstrip(":"))
    done = bsjax("self-play", *SMALL, "--rounds", rounds, "--out", tmp_path / "run", "--resume")
    assert done.returncode == 0, done.stderr


def test_faults_are_said_in_one_line(tmp_path):
    (tmp_path / "none.npz").write_bytes(b"none")
    for words, said in (
        (("self-play", *SMALL), "say where to keep the run: --out DIR"),
        (("self-play", "--out", tmp_path / "x"), "layouts"),
        (("hunts", tmp_path / "none.npz", "--out", tmp_path / "y"), "holds no recipes"),
    ):
        done = bsjax(*words)
        assert done.returncode == 2
        assert said in done.stderr
        assert len(done.stderr.splitlines()) == 1
