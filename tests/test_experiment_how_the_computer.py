"""The experiment's claims, on a quick run and on the stored results, and what a run refuses."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from bsjax.game.game import Game
from bsjax.game.history import observe_history, parse
from bsjax.game.observation import OPEN
from bsjax.runtime import results

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "experiments" / "how_the_computer" / "results"
GAME = Game(feedback="cells")
PARTS = ("placements", "patterns", "finishing", "states", "density", "game", "strategies")


@pytest.fixture
def run():
    """The module that runs the experiment."""
    from experiments.how_the_computer import run

    return run


def check_origins(folder):
    assert set(PARTS) <= {path.stem for path in folder.glob("*.json")}
    for name in PARTS:
        told = results.read(folder / f"{name}.json")
        assert {"command", "commit", "seed", "versions", "device", "time"} <= set(told["origin"])
        assert told["game"] == str(GAME)


def check_placements(folder):
    told = results.read(folder / "placements.json")
    assert [ship["placements"] for ship in told["ships"]] == [120, 140, 160, 160, 180]
    assert told["fleet"] == {"cells": 17, "placements": 760}
    assert told["product"] == 77_414_400_000
    assert told["row"]["covers"] == [1, 2, 3, 3, 3, 3, 3, 3, 2, 1]
    assert told["row"]["names"][2] == ["C1", "D1", "E1"]
    assert told["layouts_told_apart"] == (None if told["settings"]["quick"] else 30_093_975_536)


def check_patterns(folder):
    told = results.read(folder / "patterns.json")
    assert {m: found["count"] for m, found in told["patterns"].items()} == {"2": 50, "3": 34}
    assert told["ships"]["destroyer"]["covers_names"] == ["H2"]
    assert told["ships"]["cruiser"]["covers_names"] == ["D7"]
    assert told["ships"]["slips"]["covers"] == []
    # Of the destroyers, those whose first sum leaves remainder 1: a third.
    assert told["destroyers_that_slip_through_3"] == 60
    assert told["check"]["missed"] == 0
    assert told["check"]["boards"] == told["settings"]["largest"] ** 2


def check_finishing(folder):
    shots = results.read(folder / "finishing.json")["shots"]
    assert [shot["before"] for shot in shots] == [
        "Hunt", "Target", "Target", "Target", "Line", "Line",
    ]  # fmt: skip
    assert [shot["then"] for shot in shots] == [shot["published_then"] for shot in shots]
    assert all(shot["is_allowed"] and shot["cell"] in shot["allowed"] for shot in shots)
    assert [sorted(shot["allowed"]) for shot in shots[1:]] == [
        ["D5", "E4", "E6", "F5"], ["D5", "E6", "F5"], ["D5", "F5"], ["D5", "G5"], ["D5"],
    ]  # fmt: skip


def check_density(folder):
    told = results.read(folder / "density.json")
    opening, misses = told["opening"], told["misses"]
    assert (opening["density"][0], opening["peak"]) == (10, 34)
    # Each position of a ship of L cells is counted L times.
    assert sum(opening["density"]) == sum(
        n * length for n, length in zip((120, 140, 160, 160, 180), GAME.fleet, strict=True)
    )
    assert told["one_hit"]["peak_digits"][:2] == [22, 12]
    assert told["two_hits"]["peak_digits"][:3] == [21, 5, 7]
    assert (told["one_hit"]["peak"], told["two_hits"]["peak"]) == (442, 8771)
    assert misses["best_names"] == misses["published_next"]
    assert misses["sets_with_published_next"] == 1
    assert misses["games_none_adjacent"] == misses["games"]
    assert [misses["density"][cell] for cell in misses["shots"]] == [0] * 12


def check_states(folder):
    told = results.read(folder / "states.json")
    steps = {(s["state"], s["answer"], s["next"]): s["count"] for s in told["steps"]}
    over = sum(count for (_, answer, then), count in steps.items() if then == "Over")
    assert over == told["games"]
    sunk = sum(count for (_, answer, _), count in steps.items() if answer == "sunk")
    assert sunk == GAME.ships * told["games"]
    hits = sum(count for (_, answer, _), count in steps.items() if answer != "miss")
    assert hits == GAME.ship_cells * told["games"]


def check_the_typical_game(folder):
    told = results.read(folder / "game.json")
    for hunter, played in told["played"].items():
        history = parse(GAME, played["history"])
        assert len(history) == played["shots"] == played["hunt"] + played["target"]
        for number, is_hunt in enumerate(played["is_hunt"]):
            mark = np.asarray(observe_history(GAME, history[:number]).mark)
            assert is_hunt == (not (mark == OPEN).any())
        assert (played["hunt_shots_off_pattern"] == []) == (hunter == "hunt-target")
        covered = sorted(cell for cells in told["ships"].values() for cell in cells)
        assert sorted(cell for shot in history for cell in shot.shown) == covered
        assert abs(played["shots"] - told["averages"][hunter]["total"]) < 1


def check_strategies(folder):
    told = results.read(folder / "strategies.json")
    law = told["random_law"]
    assert law["mean"] == pytest.approx(100 - 83 / 18)
    assert (law["median"], round(law["within_85"], 3)) == (97, 0.048)
    for block in told["hiders"].values():
        means = [found["mean"] for found in block["strategies"].values()]
        assert means == sorted(means, reverse=True)
        for found in block["strategies"].values():
            assert sum(found["histogram"]) == block["games"]
            assert all(found["agrees"].values())
            assert found["best"] <= found["first_thousand"]["best"]
            assert found["worst"] >= found["first_thousand"]["worst"]
        pairs = block["savings"].values()
        assert [round(means[k] - means[k + 1] - saved["mean"], 9) for k, saved in
                enumerate(pairs, 1)] == [0, 0]  # fmt: skip


CHECKS = (
    check_origins,
    check_placements,
    check_patterns,
    check_finishing,
    check_density,
    check_states,
    check_the_typical_game,
    check_strategies,
)


@pytest.mark.parametrize("check", CHECKS)
def test_the_stored_results(check):
    check(FOLDER)


def test_the_stored_results_are_of_the_full_run():
    for name in PARTS:
        assert results.read(FOLDER / f"{name}.json")["settings"]["quick"] is False


def test_the_quick_run(tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "experiments.how_the_computer.run", "--quick", "--out", tmp_path],
        cwd=ROOT,
        env=os.environ | {"JAX_PLATFORMS": "cpu"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    for check in CHECKS:
        check(tmp_path)


def test_results_are_not_overwritten(run, tmp_path):
    there = tmp_path / "finishing.json"
    there.write_text("before")
    with pytest.raises(ValueError, match="--overwrite"):
        run.main(["--quick", "--only", "finishing", "--out", str(tmp_path)])
    assert there.read_text() == "before"


def test_a_quick_run_stays_out_of_the_results(run):
    with pytest.raises(ValueError, match="quick"):
        run.main(["--quick", "--overwrite", "--out", str(FOLDER)])
