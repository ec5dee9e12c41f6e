"""Training: a run goes on with the same bits, keeps its time, ends early, and refuses."""

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

from bsjax.game.game import Game
from bsjax.learn.distill import course_of, learned
from bsjax.learn.network import SIZES, Size
from bsjax.learn.step import Settings
from bsjax.learn.teachers import taught
from bsjax.learn.train import Plan, train

GAME = Game((3, 3), (2, 2))
SIZES["least"] = Size(8, 2)
QUICK = Settings(network="least", games=64, rate=1e-2)


def course():
    return course_of(taught(GAME, "probability"))


def trained(out, steps=48, settings=QUICK, **options):
    plan = Plan(minutes=None, steps=steps, tests=2, boards=32)
    return train(course(), settings, plan, {"teacher": "probability"}, out, **options)


def leaves(result):
    return [np.asarray(leaf) for leaf in jax.tree.leaves(result.network)]


def test_a_killed_run_goes_on_with_the_same_bits(tmp_path):
    code = (
        "import sys; sys.path.insert(0, 'tests')\n"
        "from pathlib import Path\n"
        "import test_train\n"
        f"test_train.trained(Path({str(tmp_path / 'killed')!r}), every=0.0)"
    )
    path = tmp_path / "killed" / "checkpoint.json"
    root = Path(__file__).parents[1]
    process = subprocess.Popen([sys.executable, "-c", code], cwd=root, env={**os.environ})
    try:
        while process.poll() is None and not (path.exists() and _step(path) >= 16):
            time.sleep(0.02)
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
    assert 16 <= _step(path) < 48, "killed in the middle"
    resumed = trained(tmp_path / "killed", resume=True)
    whole = trained(tmp_path / "whole")
    assert resumed.steps == whole.steps == 48
    for one, other in zip(leaves(resumed), leaves(whole), strict=True):
        np.testing.assert_array_equal(one, other)
    assert resumed.shots == whole.shots
    again = trained(tmp_path / "killed", resume=True)
    assert again.positions_per_second is None
    np.testing.assert_array_equal(leaves(again)[0], leaves(whole)[0])


def _step(path):
    return json.loads(path.read_text())["state"]["step"]


def test_other_runs_and_damaged_ones_are_refused(tmp_path):
    out = tmp_path / "run"
    trained(out, steps=8)
    with pytest.raises(ValueError, match="already holds a run"):
        trained(out, steps=8)
    with pytest.raises(ValueError, match=r"holds another run: rate was 0\.01, now 0\.02"):
        trained(out, steps=8, settings=QUICK._replace(rate=0.02), resume=True)
    arrays = next(out.glob("state-*.npz"))
    whole = arrays.read_bytes()
    arrays.write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
    with pytest.raises(ValueError, match=r"state-8.npz is corrupt .*; delete .*checkpoint.json"):
        trained(out, steps=8, resume=True)
    arrays.unlink()
    with pytest.raises(ValueError, match="is missing"):
        trained(out, steps=8, resume=True)


def test_settings_that_make_no_sense_are_refused(tmp_path):
    with pytest.raises(ValueError, match="no network 'huge'"):
        trained(tmp_path / "a", settings=QUICK._replace(network="huge"))
    with pytest.raises(ValueError, match="by minutes or by steps"):
        train(course(), QUICK, Plan(minutes=1.0, steps=1), {}, tmp_path / "b")
    with pytest.raises(ValueError, match="no policy 'nobody'"):
        taught(GAME, "nobody")
    with pytest.raises(ValueError, match="leave out --hunts"):
        taught(GAME, "probability", hunts=3)
    with pytest.raises(ValueError, match="explores new paths"):
        learned(taught(GAME, "probability"), QUICK, Plan(), tmp_path / "c", tried=8)
    assert not (tmp_path / "c").exists()
    with pytest.raises(ValueError, match="teach at least one"):
        taught(GAME, "random", hunts=0)


class Clock:
    """Seconds that pass: so many whenever it is looked at, and other ones later on."""

    def __init__(self, early, late=None, after=1 << 30):
        self.now, self.seen = 0.0, 0
        self.early, self.late, self.after = early, late, after

    def __call__(self):
        self.seen += 1
        self.now += self.early if self.late is None or self.seen < self.after else self.late
        return self.now


def timed(out, clock, minutes=1.0, **options):
    plan = Plan(minutes=minutes, tests=4, boards=16, patience=1000)
    told = {"teacher": "probability"}
    return train(course(), QUICK, plan, told, out, clock=clock, **options)


def test_a_run_of_minutes_takes_as_many_steps_as_fit(tmp_path):
    """A launch of 8 steps looks at the clock before and after: a second here, so 60 launches."""
    assert timed(tmp_path / "run", Clock(1.0)).steps == 480


def test_a_run_on_a_machine_that_is_busy_later_takes_fewer_steps(tmp_path):
    """Five seconds a launch instead of one, soon after the start: a minute holds about a fifth."""
    busy = Clock(1.0, 5.0, after=20)
    found = timed(tmp_path / "run", busy)
    assert found.steps % 8 == 0
    assert found.steps < 300
    again = timed(tmp_path / "run", Clock(1.0), resume=True)
    assert again.steps == found.steps


def test_a_run_that_learns_nothing_more_ends_early(tmp_path):
    plan = Plan(minutes=None, steps=400, tests=50, boards=16, patience=2)
    still = QUICK._replace(rate=0.0)
    found = train(course(), still, plan, {}, tmp_path / "run")
    assert found.steps == 24
    assert len({shots for _, shots in found.shots}) == 1
