"""`bsjax race` as a user meets it, in processes of its own."""

import json

import numpy as np
import pytest
from test_cli import bsjax

from bsjax.evaluate import paces
from bsjax.evaluate.race import other_boards, race, same_boards
from bsjax.game.game import Game

GAME = Game((4, 4), (3, 2))
SMALL = ("--size", "4x4", "--fleet", "3,2", "--games", 600)
RATES = [f"win_rate{turn}{error}" for turn in ("", "_first", "_second") for error in ("", "_se")]


def close(rates, told):
    """The rates are those of the JSON fields."""
    given = [told[name] for name in RATES]
    assert given == pytest.approx([x for estimate in rates for x in estimate], rel=1e-12)


def test_a_pace_is_saved_and_raced_against(tmp_path):
    own = tmp_path / "hunt.json"
    done = bsjax("race", "hunt-target", *SMALL, "--seed", 1, "--save", own)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("hunt-target on 4x4 {3,2}")
    assert "against" not in done.stdout
    pace = paces.load(own, GAME)
    assert pace.origin["games"] == 600
    assert pace.origin["note"] == "hunt-target on boards of the hider uniform"
    assert pace.origin["seed"] == 1
    again = bsjax("race", "hunt-target", *SMALL, "--save", own)
    assert again.returncode == 2
    assert "add --overwrite" in again.stderr

    out = tmp_path / "run"
    words = ("race", "random", *SMALL, "--pace", own, "--conversion", "--out", out)
    told = json.loads(bsjax(*words, "--json").stdout)
    assert told["pace"] == {
        "name": "hunt",
        "mean": pytest.approx(pace.mean),
        "games": 600,
        "note": pace.origin["note"],
    }
    histogram = np.array(told["histogram"])
    close(race(histogram, pace.times), told)
    assert [row["win_rate"] for row in told["conversion"]] == pytest.approx(pace.credit.tolist())
    # The run folder is that of simulate, and nothing is played again.
    lines = bsjax(*words, "--resume").stdout.splitlines()
    assert lines[1].startswith(f"against the pace hunt ({pace.mean:.2f} shots): wins ")
    assert f"wins {100 * told['win_rate']:.2f}% ± {100 * told['win_rate_se']:.2f} of" in lines[1]
    assert lines[2].split()[:2] == ["shots", "wins"]
    assert all(line.split()[1].endswith("%") for line in lines[3:])
    same = ("simulate", "--policy", "random", *SMALL, "--out", out, "--resume", "--json")
    assert json.loads(bsjax(*same).stdout)["histogram"] == told["histogram"]


def test_two_hunters_race_on_the_same_boards_and_on_others(tmp_path):
    words = ("race", "hunt-target", "--against", "random", *SMALL)
    told = json.loads(bsjax(*words, "--out", tmp_path / "kept", "--json").stdout)
    own, other = (np.load(tmp_path / "kept" / who / "shots.npy") for who in ("hunter", "opponent"))
    assert np.bincount(own, minlength=17).tolist() == told["histogram"]
    assert np.bincount(other, minlength=17).tolist() == told["against"]["histogram"]
    met, against = same_boards(own, other), told["against"]
    close(met.rates, against["same_boards"])
    close(other_boards(own, other), against["other_boards"])
    assert against["same_boards"]["more_shots"] == pytest.approx(met.more.value)
    assert (against["policy"], told["policy"]) == ("random", "hunt-target")
    assert "win_rate" not in told
    # Without a folder of its own the same games, told to people.
    lines = bsjax(*words).stdout.splitlines()
    assert [line.split(":")[0] for line in lines[2:]] == [
        "against random, on the same boards",
        "against random, each on a board of its own",
    ]
    assert f"{met.more.value:+.3f} ± {met.more.se:.3f} shots" in lines[2]


def test_the_pace_of_the_strongest_strategy_is_the_default():
    told = json.loads(bsjax("race", "random", "--games", 2000, "--json").stdout)
    assert told["pace"]["name"] == "strongest"
    assert told["pace"]["games"] >= 32_000
    assert "rewind" in told["pace"]["note"]
    assert told["win_rate"] < 0.01


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--pace", "reconstrution"], "did you mean 'reconstruction'"),
        (["--size", "4x4", "--fleet", "3,2"], "is a pace of 10x10"),
        (["--against", "density", "--conversion"], "add --pace NAME"),
        (["--draws", "5"], "needs --posterior sample"),
        (["--against", "densty"], "did you mean 'density'"),
        (["--resume"], "add --out DIR"),
    ],
    ids=lambda x: " ".join(x) if isinstance(x, list) else "",
)
def test_faults_end_with_one_line_and_code_2(words, told):
    done = bsjax("race", "random", "--games", 10, *words)
    assert done.returncode == 2
    assert done.stdout == ""
    assert len(done.stderr.strip().splitlines()) == 1
    assert told in done.stderr
