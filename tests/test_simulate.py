"""Whole runs: the same figures however they are split, interrupted or sharded."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import jax
import numpy as np
import pytest

from bsjax import hide, policies
from bsjax.evaluate import massive, random_fire
from bsjax.evaluate.massive import Limits, Run, simulate, size_of
from bsjax.game.game import Game
from bsjax.play.replay import boards_of, replay
from bsjax.play.simulate import Simulator
from bsjax.runtime import memory
from bsjax.runtime.memory import Bucket, bucket, parse_size

SMALL = Game((6, 6), (3, 2, 2))
RUN = Run("hunt-target", games=700, game=SMALL, seed=3)


def command(*words, cores=2, **environment):
    """Arguments and environment of `bsjax` in a process of its own."""
    flags = f"--xla_force_host_platform_device_count={cores}"
    return [sys.executable, "-m", "bsjax.cli", *map(str, words)], {
        **os.environ,
        "XLA_FLAGS": flags,
        **environment,
    }


def bsjax(*words, **options):
    arguments, environment = command(*words, **options)
    return subprocess.run(arguments, env=environment, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def whole():
    return simulate(RUN)


def test_histogram_holds_every_game(whole):
    assert sum(whole["histogram"]) == 700
    shots = np.repeat(np.arange(37), whole["histogram"])
    assert whole["mean"] == pytest.approx(shots.mean())
    assert whole["best"] >= SMALL.ship_cells


@pytest.mark.parametrize("slots", [1, 64, 512])
def test_slots_change_nothing(whole, slots):
    assert simulate(RUN, limits=Limits(slots=slots))["histogram"] == whole["histogram"]


def test_ranges_add_up(whole):
    parts = [(0, 300), (300, 1), (301, 399)]
    histograms = [
        simulate(RUN._replace(first=first, games=games))["histogram"] for first, games in parts
    ]
    assert np.sum(histograms, axis=0).tolist() == whole["histogram"]


def test_many_launches_equal_one(whole):
    simulator = Simulator(
        policies.make("hunt-target", SMALL),
        hide.make("uniform", SMALL),
        3,
        Bucket(64, 16),
        shots=True,
        record=True,
    )
    batches = list(simulator.play(0, 700))
    ends = np.cumsum([batch.games for batch in batches])
    assert [batch.first for batch in batches] == [0, *ends[:-1]]
    assert len(batches) > 5
    assert max(batch.games for batch in batches) == simulator.most
    assert sum(batch.histogram for batch in batches).tolist() == whole["histogram"]
    shots = np.concatenate([batch.shots for batch in batches])
    order = np.concatenate([batch.shot_at for batch in batches])
    np.testing.assert_array_equal(order.max(1) + 1, shots)
    np.testing.assert_array_equal(np.bincount(shots, minlength=37), whole["histogram"])


def test_any_game_can_be_replayed():
    hunter, hider = policies.make("hunt-target", SMALL), hide.make("uniform", SMALL)
    simulator = Simulator(hunter, hider, 3, Bucket(64, 16), record=True)
    order = np.concatenate([batch.shot_at for batch in simulator.play(0, 200)])
    fleets = boards_of(hider, 3, 0, 200)
    for number in (0, 63, 64, 199):
        board, cells = replay(hunter, hider, 3, number)
        np.testing.assert_array_equal(board, fleets[number])
        assert [order[number][c] for c in cells] == list(range(len(cells)))
        assert (board[cells] >= 0).sum() == SMALL.ship_cells


def test_boards_are_the_same_for_every_hunter():
    hider = hide.make("uniform", SMALL)
    first = replay(policies.make("random", SMALL), hider, 5, 17)[0]
    second = replay(policies.make("density", SMALL), hider, 5, 17)[0]
    np.testing.assert_array_equal(first, second)


def test_random_fire_follows_its_law():
    games = 20_000
    result = simulate(Run("random", games))
    curve = random_fire.curve(Game())
    seen = np.cumsum(result["histogram"]) / games
    # Kolmogorov's 1 − 10⁻⁶ quantile.
    assert abs(seen - curve).max() < 2.7 / np.sqrt(games)
    assert abs(result["mean"] - float(random_fire.mean(Game()))) < 5 * result["se"]


def test_sharded_over_eight_devices(whole):
    done = bsjax(*words(RUN), "--json", cores=8)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["histogram"] == whole["histogram"]


def words(run):
    fleet = ",".join(map(str, run.game.fleet))
    return [
        *("simulate", "--policy", run.policy, "--games", run.games, "--seed", run.seed),
        *("--size", f"{run.game.width}x{run.game.height}", "--fleet", fleet),
    ]


# --- run folders -------------------------------------------------------------------------------


def files(folder: Path) -> dict[str, bytes]:
    return {name: (folder / name).read_bytes() for name in ("result.json", "shots.npy")}


def test_run_folder_holds_what_was_played(tmp_path, whole):
    run = RUN._replace(shots=True, record=True)
    result = simulate(run, out=tmp_path / "run")
    assert json.loads((tmp_path / "run" / "result.json").read_text())["mean"] == whole["mean"]
    shots = np.load(tmp_path / "run" / "shots.npy")
    order = np.load(tmp_path / "run" / "shot_at.npy", mmap_mode="r")
    assert np.bincount(shots, minlength=37).tolist() == result["histogram"]
    np.testing.assert_array_equal(order.max(1) + 1, shots)
    assert set(json.loads((tmp_path / "run" / "origin.json").read_text())) >= {
        *("command", "commit", "seed", "versions", "device", "time", "games_per_second"),
    }


def test_a_run_can_grow(tmp_path, whole):
    run = RUN._replace(shots=True)
    simulate(run._replace(games=250), out=tmp_path)
    grown = simulate(run, out=tmp_path, resume=True)
    assert grown["histogram"] == whole["histogram"]
    simulate(run, out=tmp_path / "once")
    assert files(tmp_path) == files(tmp_path / "once")
    with pytest.raises(ValueError, match="already holds 700 games"):
        simulate(run._replace(games=10), out=tmp_path, resume=True)


def test_interrupted_anywhere_it_resumes_to_the_same_bits(tmp_path, monkeypatch):
    run = RUN._replace(shots=True, games=3000)
    limits = Limits(slots=8, checkpoint=0)
    simulate(run, out=tmp_path / "once", limits=limits)
    real, calls = Simulator._collect, []

    def failing(self, *arguments):
        calls.append(arguments[0])
        if len(calls) in (2, 5):
            raise KeyboardInterrupt
        return real(self, *arguments)

    monkeypatch.setattr(Simulator, "_collect", failing)
    for _ in range(2):
        with pytest.raises(KeyboardInterrupt):
            simulate(run, out=tmp_path / "parts", limits=limits, resume=bool(calls))
    simulate(run, out=tmp_path / "parts", limits=limits, resume=True)
    # The launches of the second and third start begin where the first stopped, not at 0.
    assert calls.count(0) == 1
    assert files(tmp_path / "once") == files(tmp_path / "parts")


def test_killed_it_resumes_to_the_same_bits(tmp_path):
    """kill −9 in the middle of a run in a process of its own."""
    run = RUN._replace(games=60_000)
    limits = ["--shots", "--slots", 64, "--seed", 3]
    once = bsjax(*words(run), *limits, "--out", tmp_path / "once")
    assert once.returncode == 0, once.stderr
    arguments, environment = command(
        *words(run), *limits, "--out", tmp_path / "killed", "--checkpoint", 0
    )
    victim = subprocess.Popen(arguments, env=environment, stderr=subprocess.DEVNULL)
    checkpoint = tmp_path / "killed" / "checkpoint.json"
    deadline = time.monotonic() + 120
    while not checkpoint.exists() and time.monotonic() < deadline:
        time.sleep(0.01)
    victim.send_signal(signal.SIGKILL)
    victim.wait()
    done = json.loads(checkpoint.read_text())["state"]["done"]
    assert 0 < done < 60_000
    resumed = bsjax(*words(run), *limits, "--out", tmp_path / "killed", "--resume")
    assert resumed.returncode == 0, resumed.stderr
    assert files(tmp_path / "once") == files(tmp_path / "killed")


def test_another_run_is_never_overwritten(tmp_path):
    simulate(RUN, out=tmp_path)
    before = (tmp_path / "result.json").read_bytes()
    with pytest.raises(ValueError, match="already holds a run; add --resume"):
        simulate(RUN, out=tmp_path)
    with pytest.raises(ValueError, match=r"holds another run: seed was 3, now 4"):
        simulate(RUN._replace(seed=4), out=tmp_path, resume=True)
    with pytest.raises(ValueError, match=r"policy was 'hunt-target', now 'random'"):
        simulate(RUN._replace(policy="random"), out=tmp_path, resume=True)
    assert (tmp_path / "result.json").read_bytes() == before
    (tmp_path / "letters").mkdir()
    (tmp_path / "letters" / "a.txt").write_text("mine")
    with pytest.raises(ValueError, match="is not empty and holds no run"):
        simulate(RUN, out=tmp_path / "letters")
    with pytest.raises(ValueError, match="is a file"):
        simulate(RUN, out=tmp_path / "letters" / "a.txt")


def test_a_corrupt_checkpoint_is_refused(tmp_path):
    simulate(RUN, out=tmp_path)
    path = tmp_path / "checkpoint.json"
    stored = json.loads(path.read_text())
    stored["state"]["histogram"][20] += 1
    path.write_text(json.dumps(stored))
    with pytest.raises(ValueError, match=r"checkpoint.json is corrupt .*checksum"):
        simulate(RUN, out=tmp_path, resume=True)
    path.write_text('{"state": {"done"')
    with pytest.raises(ValueError, match=r"checkpoint.json is corrupt"):
        simulate(RUN, out=tmp_path, resume=True)


def test_missing_rows_are_noticed(tmp_path):
    run = RUN._replace(shots=True)
    simulate(run, out=tmp_path)
    with open(tmp_path / "shots.npy", "r+b") as stream:
        stream.truncate(500)
    with pytest.raises(ValueError, match=r"shots.npy holds 186 of 700 games"):
        simulate(run, out=tmp_path, resume=True)


def test_a_folder_in_use_is_refused(tmp_path):
    from bsjax.runtime.run_folder import RunFolder

    held = RunFolder(tmp_path / "run", massive._settings(RUN), resume=False)
    with pytest.raises(ValueError, match="in use by another run"):
        simulate(RUN, out=tmp_path / "run", resume=True)
    held.close()
    simulate(RUN, out=tmp_path / "run", resume=True)


def test_a_full_disk_ends_with_one_line_and_keeps_what_was_done(tmp_path):
    """A limit on file size stands in for the full disk: writes fail the same way."""
    run = RUN._replace(games=40_000)
    options = ["--shots", "--slots", 64, "--out", tmp_path / "run"]
    arguments, environment = command(*words(run), *options, "--checkpoint", 0)

    limited = (
        "import os, resource, sys;"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, 50_000));"
        "os.execv(sys.executable, sys.argv[1:])"
    )
    full = subprocess.run(
        [sys.executable, "-c", limited, *arguments],
        env={**environment, "BSJAX_CACHE": "off"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert full.returncode == 2
    assert len(full.stderr.strip().splitlines()) == 1
    assert "File too large" in full.stderr
    assert "--resume" in full.stderr
    done = json.loads((tmp_path / "run" / "checkpoint.json").read_text())["state"]["done"]
    assert 0 < done < 40_000
    assert bsjax(*words(run), *options, "--resume").returncode == 0
    simulate(run._replace(shots=True), out=tmp_path / "once")
    assert files(tmp_path / "run") == files(tmp_path / "once")


def test_an_unwritable_folder_ends_with_one_line():
    done = bsjax(*words(RUN), "--out", "/proc/nowhere/run")
    assert done.returncode == 2
    assert done.stderr.startswith("bsjax: cannot read or write")
    assert len(done.stderr.strip().splitlines()) == 1


# --- settings ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"games": 0}, "play at least one"),
        ({"policy": "densty"}, "did you mean 'density'"),
        ({"hider": "nobody"}, "no hider 'nobody'"),
        ({"first": 2**64 - 5}, "not between 0 and"),
        ({"shots": True}, "need a run folder"),
    ],
)
def test_wrong_settings_are_named(change, told):
    with pytest.raises(ValueError, match=told):
        simulate(RUN._replace(**change))


def test_hunter_and_hider_must_play_the_same_game():
    with pytest.raises(ValueError, match="the hunter plays"):
        Simulator(policies.make("random", SMALL), hide.make("uniform", Game()), 0, Bucket(8, 8))


def test_bucket_keeps_to_the_budget():
    for budget in (10**6, 10**7, 10**9):
        sizes = bucket(
            10**9,
            devices=2,
            platform="gpu",
            bytes_per_slot=5000,
            bytes_per_game=130,
            budget=budget,
        )
        assert sizes.slots * 5000 + sizes.games * 130 <= budget
        assert sizes.games >= sizes.slots
    with pytest.raises(ValueError, match="raise --memory"):
        bucket(1, devices=1, platform="cpu", bytes_per_slot=5000, bytes_per_game=130, budget=1000)


@pytest.mark.parametrize("policy", ["density", "hunt-target"])
def test_the_estimate_covers_what_the_compiler_needs(policy):
    game = Game()
    run, hunter = Run(policy, 10**6, game), policies.make(policy, game)
    budget = 64 << 20
    sizes = size_of(hunter, run, Limits(memory=budget), devices=1)
    simulator = Simulator(
        hunter, hide.make("uniform", game), 0, sizes, on=(jax.local_devices()[0],)
    )
    used = simulator.program.memory_analysis()
    assert used.temp_size_in_bytes + used.output_size_in_bytes <= budget


def test_sizes_are_read():
    assert parse_size("512M") == 512 << 20
    assert parse_size("4GiB") == 4 << 30
    assert parse_size("1000000") == 10**6
    for text in ("", "G", "-1G", "many"):
        with pytest.raises(ValueError, match="memory size"):
            parse_size(text)
    assert parse_size("1G") == memory.BUDGET
