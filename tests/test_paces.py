"""Pace files: what is shipped, what is refused, and the published pace from its figures."""

import json
from pathlib import Path

import numpy as np
import pytest

from bsjax.evaluate import paces
from bsjax.evaluate.race import conversion, race
from bsjax.game.game import Game
from experiments.classic_fleet import paces as part
from experiments.classic_fleet.reconstruction import Published, smoothest

SMALL = Game((4, 4), (3, 2))
COUNTS = np.zeros(17, np.int64)
COUNTS[[5, 8, 9, 16]] = 10, 50, 30, 10


def written(folder: Path, **changes) -> Path:
    """The file of a small pace with some of its values changed, or left out if None."""
    path = folder / "small.json"
    paces.save(path, "small", SMALL, COUNTS, note="a note", seed=3, overwrite=True)
    told = json.loads(path.read_text()) | changes
    path.write_text(json.dumps({key: x for key, x in told.items() if x is not None}))
    return path


# --- files -------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["counts", "shares"])
def test_what_is_saved_is_loaded(tmp_path, kind):
    path = tmp_path / "folder" / "mine.json"
    shares = COUNTS / 100
    times = COUNTS if kind == "counts" else shares
    paces.save(path, "mine", SMALL, times, note="a note", seed=3)
    pace = paces.load(path, SMALL)
    assert (pace.name, pace.game) == ("mine", SMALL)
    np.testing.assert_array_equal(pace.times, shares)
    assert pace.origin["games"] == (100 if kind == "counts" else None)
    assert pace.origin["note"] == "a note"
    assert pace.origin["seed"] == 3
    assert set(pace.origin) >= {"command", "commit", "versions", "device", "time"}
    np.testing.assert_array_equal(pace.credit, conversion(shares).win)
    assert pace.mean == pytest.approx((5 * 10 + 8 * 50 + 9 * 30 + 16 * 10) / 100)
    assert paces.load(str(path), SMALL).origin == pace.origin


def test_a_file_is_replaced_only_if_asked(tmp_path):
    path = written(tmp_path)
    with pytest.raises(ValueError, match="add --overwrite"):
        paces.save(path, "other", SMALL, COUNTS, note="", seed=0)
    paces.save(path, "other", SMALL, COUNTS, note="", seed=0, overwrite=True)
    assert paces.load(path, SMALL).name == "other"


CHANGES = [
    ({"format": 2}, "format 2, this version reads 1"),
    ({"name": None}, "no 'name'"),
    ({"game": None}, "no 'game'"),
    ({"counts": None}, "no 'shares'"),
    ({"origin": None}, "no 'origin'"),
    ({"counts": COUNTS.tolist()[:-1]}, "16 finishing times, the game has 17"),
    ({"counts": [*COUNTS.tolist()[:-1], 1.5]}, "counts games"),
    ({"counts": [*COUNTS.tolist()[:-1], -1]}, "counts games"),
    ({"counts": [*COUNTS.tolist()[:-1], "1"]}, "counts games"),
    ({"counts": [*COUNTS.tolist()[:-1], True]}, "counts games"),
    ({"counts": [0] * 17, "games": 0}, "add up to 0"),
    ({"counts": 5}, "is no pace"),
    ({"counts": np.roll(COUNTS, -1).tolist()}, "fewer than 5 shots"),
    ({"games": 101}, "100 games at all shots, 101 in all"),
    ({"counts": None, "shares": (COUNTS / 99).tolist()}, "add up to 1.0101"),
    ({"counts": None, "shares": [float("nan")] * 17}, "is a share of them"),
    ({"game": {"size": [4, 4]}}, "no 'fleet'"),
    ({"game": {"size": [0, 4], "fleet": [2], "touching": "allowed", "feedback": "hit"}}, "size 0x"),
]


@pytest.mark.parametrize(("changes", "told"), CHANGES, ids=[told for _, told in CHANGES])
def test_a_corrupt_file_is_refused_in_one_line(tmp_path, changes, told):
    path = written(tmp_path, **changes)
    with pytest.raises(ValueError, match=r"small\.json is no pace") as error:
        paces.load(path, SMALL)
    assert told in str(error.value)
    assert "\n" not in str(error.value)
    assert "bsjax race POLICY --save FILE" in str(error.value)


@pytest.mark.parametrize("text", ["", "{", "[]", "7", '{"format": 1'])
def test_a_file_that_is_no_json_of_a_pace_is_refused(tmp_path, text):
    path = tmp_path / "cut.json"
    path.write_text(text)
    with pytest.raises(ValueError, match="is no pace"):
        paces.load(path, SMALL)


def test_another_game_is_refused(tmp_path):
    path = written(tmp_path)
    with pytest.raises(ValueError, match=r"is a pace of 4x4 .* not of 10x10"):
        paces.load(path, Game())
    with pytest.raises(ValueError, match=r"feedback size, not of .* feedback cells"):
        paces.load("reconstruction", Game(feedback="cells"))


def test_an_unknown_name_is_refused():
    with pytest.raises(ValueError, match="did you mean 'reconstruction'"):
        paces.load("reconstrution", Game())
    with pytest.raises(
        ValueError, match=r"no pace 'nobody\.json'; choose one of density-lowest, reconstruction"
    ):
        paces.load("nobody.json", Game())


def test_times_that_are_none_are_not_written(tmp_path):
    for times in (np.zeros(17, np.int64), np.ones(17) / 17, np.ones(16) / 16):
        with pytest.raises(ValueError, match=r"finishing times|fewer than 5 shots"):
            paces.save(tmp_path / "bad.json", "bad", SMALL, times, note="", seed=0)
    assert not list(tmp_path.iterdir())


# --- what is shipped ---------------------------------------------------------------------------


def rounded(times):
    """The published figures of these finishing times, as the write-up rounds them."""
    over, win = np.cumsum(times), conversion(times).win

    def within(share):
        return int(np.searchsorted(over, share - 1e-9))

    return {
        "mean": round(float(times @ np.arange(101)), 1),
        "median": within(0.5),
        "90%": (within(0.05), within(0.95)),
        "win": [round(100 * float(win[at]), 1) for at in (40, 46, 50, 60)],
    }


PUBLISHED = {"mean": 47.3, "median": 46, "90%": (33, 65), "win": [77.7, 51.2, 33.5, 11.8]}


def test_every_shipped_pace_loads_by_name_and_says_what_it_is():
    assert set(paces.names()) >= {"reconstruction", "density-lowest"}
    for name in paces.names():
        pace = paces.load(name, Game())
        assert pace.name == name
        assert pace.times.sum() == pytest.approx(1, abs=1e-12)
        assert pace.origin["note"]
        experiment = "strongest" if name == "strongest" else "classic_fleet"
        assert pace.origin["command"].startswith(f"python -m experiments.{experiment}.run")


def test_the_shipped_reconstruction_has_the_published_figures_and_says_it_was_not_played():
    pace = paces.load("reconstruction", Game())
    assert rounded(pace.times) == PUBLISHED
    assert pace.origin["games"] is None
    assert "reconstruction from published figures" in pace.origin["note"]
    assert "not played" in pace.origin["note"]


def test_the_shipped_pace_of_the_best_hunter():
    pace = paces.load("density-lowest", Game())
    assert pace.origin["games"] >= 1_000_000
    # On the first 20,000 of its boards it needs 44.39095 shots (`experiments/open_questions`).
    deviation = np.sqrt(pace.times @ np.arange(101) ** 2 - pace.mean**2)
    assert abs(pace.mean - 44.39095) < 5 * deviation / np.sqrt(20_000)
    counts = np.rint(pace.times * pace.origin["games"]).astype(np.int64)
    assert race(counts, pace.times).win.value == pytest.approx(0.5, abs=1e-12)


# --- the reconstruction ------------------------------------------------------------------------


@pytest.fixture(scope="module")
def made():
    return smoothest(Game(), part.PUBLISHED)


def test_the_reconstruction_is_made_again(made):
    shipped = paces.load("reconstruction", Game()).times
    np.testing.assert_allclose(made, shipped, atol=1e-8)


def test_it_meets_every_published_figure(made):
    assert rounded(made) == PUBLISHED
    assert made.sum() == pytest.approx(1, abs=1e-12)
    assert (made[17:] > 0).all()
    assert not made[:17].any()


def test_it_foretells_what_it_was_not_made_from(made):
    """Median and 5% are no part of `part.PUBLISHED`, nor the 4.4 to 4.9 points a shot."""
    assert set(part.PUBLISHED.within) == {65}
    steps = conversion(made).step[list(part.MIDDLE)]
    assert (round(100 * steps.min(), 1), round(100 * steps.max(), 1)) == (4.4, 4.9)


def test_no_other_distribution_with_these_figures_is_smoother(made):
    """Slow oracle: any small change that keeps all figures bends the logarithm more."""
    shots, share = np.arange(17, 101), made[17:]
    rows = [np.ones(84), shots, *((shots > t) + (shots == t) / 2 for t in part.PUBLISHED.win)]
    rows = np.array([*rows, *(shots <= t for t in part.PUBLISHED.within)], dtype=float)
    # Changes of the shares, relative to them, that keep every figure.
    _, _, basis = np.linalg.svd(rows * share)
    free = basis[len(rows) :]

    def bend(log):
        return (np.diff(log, 3) ** 2).sum()

    least, rng = bend(np.log(share)), np.random.default_rng(0)
    for _ in range(500):
        change = rng.normal(size=len(free)) @ free
        change *= 1e-3 / abs(change).max()
        other = share * (1 + change)
        np.testing.assert_allclose(rows @ other, rows @ share, atol=1e-12)
        assert bend(np.log(other)) > least


def test_a_discrete_bell_is_found_again():
    """Its logarithm has no third difference, so it is the smoothest with its own figures."""
    game, shots = Game(), np.arange(101)
    bell = np.where(shots >= 17, np.exp(-(((shots - 50) / 9.0) ** 2) / 2), 0)
    bell /= bell.sum()
    win = conversion(bell).win
    known = Published(
        mean=float(bell @ shots),
        win={at: float(win[at]) for at in (41, 55)},
        within={62: float(bell[:63].sum())},
    )
    np.testing.assert_allclose(smoothest(game, known), bell, atol=1e-9)


def test_figures_that_cannot_be_are_refused():
    with pytest.raises(ValueError, match="no smooth distribution"):
        smoothest(Game(), Published(mean=47.3, win={46: 0.2}, within={40: 0.9}))


def test_a_quick_part_leaves_the_shipped_paces_alone(tmp_path):
    before = {path: path.read_bytes() for path in paces.FOLDER.iterdir()}
    settings = part.QUICK._replace(hunter="random", games=300)
    told = part.run(settings, tmp_path)
    assert {path: path.read_bytes() for path in paces.FOLDER.iterdir()} == before
    played = paces.load(tmp_path / "paces" / "random.json", Game())
    assert played.origin["games"] == 300
    np.testing.assert_allclose(told["paces"]["random"]["mean"], played.mean)
    guess = told["paces"]["reconstruction"]
    assert {key: guess[key] for key in ("median", "p05", "p95")} == {
        key: told["published"][key] for key in ("median", "p05", "p95")
    }
    at = guess["conversion"]["shots"].index(46)
    assert round(guess["conversion"]["win"][at], 3) == 0.512
    # What was played goes on: nothing is played again, and the same is told.
    assert part.run(settings, tmp_path)["race"] == told["race"]
