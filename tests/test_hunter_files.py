"""Trained hunters as files: what is kept, how large they are, and what is refused."""

import json
import os
import subprocess
import sys

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import bsjax
from bsjax.cli.hunters import hunter_of
from bsjax.game.game import Game
from bsjax.learn import files
from bsjax.learn.files import load_hunter, load_stored, names, save_hunter
from bsjax.learn.hunter import Hunter
from bsjax.learn.network import SIZES, Network, Size

GAME = Game((4, 4), (3, 2))


SMALL = Size(8, 2)


def hunter(game=GAME, size=SMALL, **options):
    return Hunter(game, Network(jax.random.key(1), size), **options)


def test_a_hunter_comes_back_as_it_was(tmp_path):
    shares, paths = jnp.asarray([0.5, 1.0]), jnp.arange(32, dtype=jnp.int16).reshape(2, 16)
    before = hunter(shares=shares, paths=paths, temperature=1.0, by="heat")
    save_hunter(before, tmp_path / "a.hunter", {"seed": 3})
    after = bsjax.load_hunter(tmp_path / "a.hunter")
    kept = load_stored(tmp_path / "a.hunter").card
    assert kept == {"seed": 3}
    assert jax.tree.structure(before) == jax.tree.structure(after)
    np.testing.assert_array_equal(after.shares, before.shares)
    np.testing.assert_array_equal(after.paths, before.paths)
    assert after.paths.dtype == jnp.int16
    with pytest.raises(ValueError, match="its hunts are paths on 4x4"):
        bsjax.load_hunter(tmp_path / "a.hunter", Game((5, 3), (2, 2)))
    for one, other in zip(*map(jax.tree.leaves, (before.network, after.network)), strict=True):
        assert other.dtype == jnp.float32
        np.testing.assert_array_equal(other, np.asarray(one, np.float16))
    save_hunter(after, tmp_path / "b.hunter", {"seed": 3})
    assert (tmp_path / "a.hunter").read_bytes() == (tmp_path / "b.hunter").read_bytes()


def test_every_size_is_a_file_below_two_megabytes(tmp_path):
    for name, size in SIZES.items():
        path = tmp_path / f"{name}.hunter"
        save_hunter(hunter(size=size), path)
        assert path.stat().st_size < 2_000_000
    too_large = hunter(size=Size(320, 8))
    with pytest.raises(ValueError, match="take a smaller network"):
        save_hunter(too_large, tmp_path / "large.hunter")


def test_it_can_play_another_board(tmp_path):
    save_hunter(hunter(), tmp_path / "a.hunter")
    other = Game((5, 3), (2, 2))
    result = bsjax.simulate(
        bsjax.Run("it", 40, other), policy=load_hunter(tmp_path / "a.hunter", other)
    )
    assert sum(result["histogram"]) == 40


def test_what_is_no_hunter_is_refused(tmp_path):
    path = tmp_path / "a.hunter"
    with pytest.raises(ValueError, match=r"call the file of a hunter NAME\.hunter"):
        save_hunter(hunter(), tmp_path / "a.npz")
    with pytest.raises(ValueError, match=r"a\.hunter is missing"):
        load_hunter(path)
    path.write_bytes(b"nothing")
    with pytest.raises(ValueError, match="holds no hunter"):
        load_hunter(path)
    save_hunter(hunter(), path)
    whole = path.read_bytes()
    for at in np.linspace(0, len(whole) - 1, 40).astype(int):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 8]) + whole[at + 1 :])
        with pytest.raises(ValueError, match="holds no hunter"):
            load_hunter(path)


def test_names_are_those_of_the_folder(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "SHIPPED", tmp_path)
    assert names() == []
    with pytest.raises(ValueError, match="come with the package: none so far"):
        load_hunter("classic")
    save_hunter(hunter(Game()), tmp_path / "classic.hunter")
    assert names() == ["classic"]
    assert load_hunter("classic").game == Game()
    with pytest.raises(ValueError, match=r"no hunter 'clasic'; those .*: classic;"):
        load_hunter("clasic")
    found, name = hunter_of("network", Game())
    assert found is not None
    assert name.startswith("network classic.hunter ")
    with pytest.raises(ValueError, match="plays 10x10"):
        hunter_of("network", GAME)
    with pytest.raises(ValueError, match="leave out --posterior"):
        hunter_of("network", Game(), "exact")


@pytest.mark.parametrize(
    ("name", "game"),
    [("classic", Game()), ("rewind", Game()), ("5x5", Game((5, 5), (3, 3, 2)))],
)
def test_hunters_come_with_the_package(name, game):
    assert name in names()
    path = files.SHIPPED / f"{name}.hunter"
    assert path.stat().st_size < 2_000_000
    assert path.with_suffix(".md").exists()
    stored = load_stored(name)
    assert stored.hunter.game == game
    assert bsjax.load_hunter(name).game == game
    assert {"taught", "settings", "measures", "origin"} <= stored.card.keys()
    result = bsjax.simulate(bsjax.Run(name, 512, game), policy=stored.hunter)
    # The heat map needs 44.6 shots on the classic board, the rewind 47.7; the best hunters 14.07 on
    # 5×5.
    most = {"classic": 45.5, "rewind": 49.0, "5x5": 15.0}[name]
    assert result["mean"] < most + 5 * result["se"]


def bsjax_command(*words):
    return subprocess.run(
        [sys.executable, "-m", "bsjax.cli", *map(str, words)],
        env={**os.environ},
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_commands(tmp_path):
    """Distil, refuse, go on, and play the file."""
    run = tmp_path / "run"
    words = ["distill", "--size", "3x3", "--fleet", "2,2", "--teacher", "probability"]
    words += ["--lockstep", 64, "--games", 50, "--latents", 16, "--out", run]
    done = bsjax_command(*words, "--steps", 16, "--json")
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["teacher"]["joint"] >= 0.5
    assert told["student"]["joint"] >= told["student"]["hunt"]
    assert told["bytes"] < 2_000_000
    again = bsjax_command(*words, "--steps", 16)
    assert again.returncode == 2
    assert "already holds a run" in again.stderr
    other = bsjax_command(*words, "--steps", 24, "--resume")
    assert other.returncode == 2
    assert "steps was 16, now 24" in other.stderr
    next(run.glob("state-*.npz")).write_bytes(b"broken")
    broken = bsjax_command(*words, "--steps", 16, "--resume")
    assert broken.returncode == 2
    assert "is corrupt" in broken.stderr
    assert broken.stderr.count("\n") == 1
    board = ["--size", "3x3", "--fleet", "2,2", "--games", 64, "--json"]
    played = bsjax_command(
        "simulate", "--policy", "network", "--network", run / "hunter.hunter", *board
    )
    assert played.returncode == 0, played.stderr
    assert json.loads(played.stdout)["policy"].startswith("network hunter.hunter")
    wrong = bsjax_command("simulate", "--network", run / "hunter.hunter", *board)
    assert wrong.returncode == 2
    assert "--policy network" in wrong.stderr
