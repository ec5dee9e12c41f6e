"""`bsjax self-play` and `bsjax hunts` as a user meets them."""

import json
import signal
import subprocess
import sys
import time

import numpy as np
from processes import running

from bsjax.solve.player import load
from bsjax.solve.recipes import load_recipes, play

SMALL = ("--size", "3x3", "--fleet", "2,2", "--hunts", "3", "--tried", "3", "--pool", "20")


def command(*words):
    return [sys.executable, "-m", "bsjax.cli", *map(str, words)]


def bsjax(*words):
    return subprocess.run(command(*words), capture_output=True, text=True, check=False)


def uniform_mean(recipes):
    """Expected shots of a lottery over hunts on a layout at random."""
    shots = [play(recipes.job(n)).shots.mean() for n in range(len(recipes.recipes))]
    return float(np.dot(shots, recipes.weights))


def test_a_run_its_player_and_its_recipes(tmp_path):
    out = tmp_path / "run"
    kept = "--save", tmp_path / "player.npz", "--recipes", tmp_path / "mix.recipes", "--keep", 4
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
    recipes = load_recipes(tmp_path / "mix.recipes")
    assert told["reduced"]["recipes"] == len(recipes.recipes) <= 4
    early = bsjax("simulate", *SMALL[:4], "--policy", tmp_path / "mix.recipes")
    assert early.returncode == 2
    assert "rebuild them with bsjax hunts" in early.stderr
    made = bsjax("hunts", tmp_path / "mix.recipes", "--json")
    assert json.loads(made.stdout)["hunts"] == len(recipes.recipes)
    played = "simulate", "--policy", tmp_path / "mix.recipes", "--games", 4000, "--json"
    alone = json.loads(bsjax(*played, *SMALL[:4]).stdout)
    assert abs(alone["mean"] - uniform_mean(recipes)) < 5 * alone["se"]
    larger = bsjax(*played, "--size", "3x3", "--fleet", "3,2,2")
    assert 7 <= json.loads(larger.stdout)["mean"] <= 9
    other = bsjax(*played, "--size", "3x3", "--fleet", "3,2")
    assert other.returncode == 2
    assert "no part of" in other.stderr


def test_an_interrupted_run_goes_on(tmp_path):
    words = "self-play", *SMALL, "--rounds", 100_000, "--out", tmp_path / "run", "--workers", 2
    for number, code in ((signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGKILL, -9)):
        resume = ("--resume",) if (tmp_path / "run").exists() else ()
        with running(command(*words, *resume)) as process:
            assert process.stdout is not None
            lines = [process.stdout.readline() for _ in range(3)]
            assert lines[2].startswith("round ")
            process.send_signal(number)
            _, said = process.communicate(timeout=60)
        assert process.returncode == code
        if number != signal.SIGKILL:
            assert said.strip().splitlines() == ["bsjax: interrupted; go on with --resume"]
        time.sleep(0.1)
    rounds = int(lines[2].split()[1].rstrip(":"))
    done = bsjax("self-play", *SMALL, "--rounds", rounds, "--out", tmp_path / "run", "--resume")
    assert done.returncode == 0, done.stderr


def test_faults_are_said_in_one_line(tmp_path):
    (tmp_path / "none.npz").write_bytes(b"none")
    for words, said in (
        (("self-play", *SMALL), "say where to keep the run: --out DIR"),
        (("self-play", "--out", tmp_path / "x"), "layouts"),
        (("hunts", tmp_path / "none.npz"), "holds no recipes"),
        (("self-play", *SMALL, "--out", tmp_path / "z", "--recipes", "a.npz"), "ends in .recipes"),
    ):
        done = bsjax(*words)
        assert done.returncode == 2
        assert said in done.stderr
        assert len(done.stderr.splitlines()) == 1
