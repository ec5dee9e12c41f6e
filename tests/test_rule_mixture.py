"""The die over rules and the hider's lottery: against the exact matrix game over all boards."""

import json
import os
from itertools import count

import jax
import numpy as np
import pytest

from bsjax.evaluate.credit import race_credit
from bsjax.evaluate.hard_boards import folder as journals
from bsjax.evaluate.hard_boards.descent import Round
from bsjax.evaluate.hard_boards.layouts import canonical, distinct, drawn, read
from bsjax.evaluate.hard_boards.trial import Table
from bsjax.evaluate.massive import Limits, Run, simulate
from bsjax.evaluate.ties import with_ties
from bsjax.game.game import Game
from bsjax.policies.hottest import Hottest, layouts_of
from bsjax.policies.patterns import rule
from bsjax.policies.scores import probability
from bsjax.posterior.listed import Listing
from bsjax.solve.die_table import DieTable, Faced
from bsjax.solve.matrix_game import exact
from bsjax.solve.mixture_player import die_of, hider_of, turned
from bsjax.solve.mixture_settings import Hunted, Settings
from bsjax.solve.rule_mixture import mix

FOUR = Game((4, 4), (3, 3, 2))
GAMES = 2_000
SMALL = Settings(
    matrix=GAMES,
    rounds=6,
    short=Hunted((2, 1), 6_000),
    thorough=Hunted((3, 2), 12_000),
    tolerance=0.002,
    trials=(Round(16, 0.5), Round(128, 0.0)),
    confirm=256,
    games=4_000,
)
TINY = Settings(
    matrix=50,
    rounds=2,
    short=Hunted((1, 1), 200),
    thorough=Hunted((1, 1), 400),
    patience=1,
    trials=(Round(4, 0.25), Round(8, 0.0)),
    confirm=16,
    games=100,
    least=0.05,
)


@pytest.fixture(scope="module")
def rules():
    """Three rules, and what each wins on every board."""
    listing = Listing(FOUR)
    rows = distinct(FOUR, listing.layouts)
    credit = race_credit(with_ties(listing, probability).mean(0))
    hunters = {
        "heat": Hottest(FOUR, layouts_of(FOUR)),
        "two": rule(FOUR, "checkerboard"),
        "three": rule(FOUR, "three-parity", finish="density"),
    }
    layouts = listing.layouts[rows]
    value = np.stack(
        [
            Table(hunter, credit).play(jax.random.key(number), layouts, GAMES).value
            for number, hunter in enumerate(hunters.values())
        ],
        axis=1,
    )
    numbers = dict(zip(map(bytes, canonical(FOUR, layouts)), count(), strict=False))
    return hunters, credit, value, numbers


def test_the_double_oracle_is_the_matrix_game_over_all_boards(rules):
    hunters, credit, value, numbers = rules
    assert len(value) == len(numbers) == 103
    whole = exact(value)
    found = mix(hunters, credit, SMALL, boards=drawn(jax.random.key(1), FOUR, 2))
    # One game spreads by about a quarter of a race.
    noise = 0.3 / np.sqrt(GAMES)
    die = np.array([found["die"].get(name, 0) for name in hunters])
    assert die.sum() == pytest.approx(1)
    assert abs((value @ die).min() - whole.low) < SMALL.tolerance + 5 * noise
    assert found["low"] > whole.low - 5 * noise
    rows = [numbers[bytes(kind(one["board"]))] for one in found["boards"]]
    assert len(set(rows)) == len(rows) < 103, "not all boards were needed"
    np.testing.assert_allclose(found["payoff"], value[rows], atol=5 * noise)
    # Where to hide: no rule does better against it than the game is worth.
    hiding = found["hiding"]["boards"]
    weights = np.array([one["weight"] for one in hiding])
    assert weights.sum() == pytest.approx(1)
    against = weights @ value[[rows[one["number"]] for one in hiding]]
    assert abs(against.max() - whole.high) < SMALL.tolerance + 5 * noise
    assert found["hiding"]["high"] >= found["low"]
    # The worst board, measured on games of its own.
    worst = found["worst"]
    on = value[rows[worst["board"]]]
    assert abs(worst["win_rate"] - on @ die) < 5 * np.hypot(worst["se"], noise)
    assert abs(worst["win_rate"] - (value @ die).min()) < SMALL.tolerance + 5 * noise
    assert 0 <= worst["worst_case"] / 100 - worst["win_rate"] < 0.001
    assert sum(worst["shares"]) == pytest.approx(1)
    assert credit @ worst["shares"] == pytest.approx(worst["win_rate"])
    assert worst["games"] == SMALL.games
    for name, one in worst["rules"].items():
        assert abs(one["value"] - on[list(hunters).index(name)]) < 5 * np.hypot(one["se"], noise)
    last = found["rounds"][-1]
    assert last["thorough"]
    assert last["held"] - last["lowest"] < SMALL.tolerance + 5 * noise
    assert all(abs(one["held"] - one["low"]) < 5 * noise for one in found["rounds"])
    assert [one["known"] for one in found["rounds"]] == sorted(
        one["known"] for one in found["rounds"]
    )


def kind(text):
    return canonical(FOUR, read(FOUR, text)[None])[0]


def test_a_die_is_read_hunter_by_hunter(rules):
    hunters, credit, value, _ = rules
    listing = Listing(FOUR)
    layouts = listing.layouts[distinct(FOUR, listing.layouts)][:6]
    weights = np.array([1.0, 2.0, 5.0])
    die = DieTable([Table(hunter, credit) for hunter in hunters.values()], weights)
    readings = die.play(jax.random.key(3), layouts, 2_000)
    share = weights / 8
    noise = 0.3 * np.sqrt((share**2).sum() * (1 / 2_000 + 1 / GAMES))
    np.testing.assert_allclose(readings.value, value[:6] @ share, atol=5 * noise)
    np.testing.assert_array_equal(readings.games, 2_000)
    faced = die.faced(jax.random.key(3), layouts, 2_000)
    for row, one in enumerate(faced):
        mean = one.mean(credit)
        assert mean.value == pytest.approx(readings.value[row])
        assert 0 < mean.se < readings.se[row], "nothing of the luck of the die"
        shots = np.arange(FOUR.cells + 1)
        assert one.shares @ shots == pytest.approx(readings.shots[row])
        assert one.shares.sum() == pytest.approx(1)
    # Played as one hunter it does the same.
    played = die.histogram(jax.random.key(9), layouts, 2_000)
    alone = [Faced(np.ones(1), row[None]).mean(credit) for row in played]
    for one, own in zip(faced, alone, strict=True):
        assert abs(one.mean(credit).value - own.value) < 5 * np.hypot(one.mean(credit).se, own.se)
    with pytest.raises(ValueError, match="one pace"):
        DieTable([Table(hunters["two"], credit), Table(hunters["two"], credit / 2)], np.ones(2))


def test_the_player_that_a_mixture_makes(rules):
    hunters, credit, _, _ = rules
    found = mix(hunters, credit, TINY, boards=drawn(jax.random.key(1), FOUR, 3))
    die, hider = die_of(found, hunters), hider_of(FOUR, found)
    told = simulate(Run("die", 4_000, FOUR), policy=die, hider=hider)
    rows = {one["number"]: one["weight"] for one in found["hiding"]["boards"]}
    assert told["games"] == 4_000
    names = list(found["die"])
    columns = [found["rules"].index(name) for name in names]
    payoff = np.array(found["payoff"])[list(rows)][:, columns]
    mean = np.array(list(rows.values())) @ payoff @ np.array(list(found["die"].values()))
    win = np.array(told["histogram"]) @ credit / 4_000
    assert abs(win - mean) < 5 * 0.3 * np.sqrt(1 / 4_000 + 1 / TINY.matrix)
    with pytest.raises(ValueError, match="give these hunters too"):
        die_of(found, {})


def test_boards_are_turned_at_random():
    layout = drawn(jax.random.key(0), FOUR, 2)
    hider = turned(FOUR, layout, np.array([3.0, 1.0]))
    keys = jax.random.split(jax.random.key(1), 8_000)
    placed = np.asarray(hider.place(keys, jax.numpy.int32(8_000), 64).placements)
    kinds = canonical(FOUR, placed)
    first = (kinds == canonical(FOUR, layout[:1])).all(1)
    assert abs(first.mean() - 0.75) < 5 * np.sqrt(0.75 * 0.25 / 8_000)
    seen, often = np.unique(placed[first], axis=0, return_counts=True)
    assert len(seen) in (4, 8)
    assert often.min() > 0.8 * often.mean()


class Killed(Exception):
    pass


def test_killed_it_ends_with_the_same_bits(rules, tmp_path, monkeypatch):
    hunters, credit, _, _ = rules
    boards = drawn(jax.random.key(2), FOUR, 3)
    whole = mix(hunters, credit, TINY, boards=boards, out=tmp_path / "whole")
    assert whole["speed"]["games_played"] > 0
    plain, counted = journals.Kept.add, [0]

    def dying(self, readings):
        counted[0] += 1
        if counted[0] % 11 == 0:
            raise Killed
        plain(self, readings)

    monkeypatch.setattr(journals.Kept, "add", dying)
    limits, kills = Limits(checkpoint=0.0, slots=16), 0
    for attempt in range(100):
        try:
            mix(
                hunters,
                credit,
                TINY,
                boards=boards,
                out=tmp_path / "b",
                resume=attempt > 0,
                limits=limits,
            )
            break
        except Killed:
            kills += 1
    assert kills > 2
    again = (tmp_path / "b" / "result.json").read_bytes()
    assert (tmp_path / "whole" / "result.json").read_bytes() == again
    assert json.loads(again) == json.loads(
        json.dumps({name: one for name, one in whole.items() if name != "speed"})
    )
    monkeypatch.undo()
    mix(hunters, credit, TINY, boards=boards, out=tmp_path / "b", resume=True)
    assert (tmp_path / "b" / "result.json").read_bytes() == again
    with pytest.raises(ValueError, match="another run"):
        mix(hunters, credit, TINY, out=tmp_path / "b", resume=True, boards=boards[:1])
    with pytest.raises(ValueError, match="already holds a run"):
        mix(hunters, credit, TINY, boards=boards, out=tmp_path / "b")
    os.truncate(tmp_path / "b" / journals.NAME, 32)
    with pytest.raises(ValueError, match="holds 1 of"):
        mix(hunters, credit, TINY, boards=boards, out=tmp_path / "b", resume=True)


def test_what_is_wrong_is_said(rules):
    hunters, credit, _, _ = rules
    boards = drawn(jax.random.key(2), FOUR, 1)
    other = rule(Game((4, 3), (3, 2)), "checkerboard")
    for given in ({}, {**hunters, "other": other}):
        with pytest.raises(ValueError, match="same game"):
            mix(given, credit, boards=boards)
    with pytest.raises(ValueError, match="no hard board of"):
        mix(hunters, credit)
    with pytest.raises(ValueError, match="ships that meet"):
        mix(hunters, credit, boards=np.zeros((1, 3), np.int16))
    with pytest.raises(ValueError, match="add --out"):
        mix(hunters, credit, boards=boards, resume=True)
    with pytest.raises(ValueError, match="credits for a board"):
        mix(hunters, credit[:-1], boards=boards)
    for wrong, what in (
        (TINY._replace(matrix=1), "play 2 games"),
        (TINY._replace(games=1), "play 2 games"),
        (TINY._replace(rounds=-1), "fewer than 0"),
        (TINY._replace(short=Hunted((-1, 2), 10)), "fewer than 0"),
        (TINY._replace(thorough=Hunted((0, 0), 10)), "one known board"),
        (TINY._replace(patience=0), "patience is 1"),
        (TINY._replace(least=0.5), "below a half"),
        (TINY._replace(tolerance=-0.1), "tolerance of 0"),
    ):
        with pytest.raises(ValueError, match=what):
            mix(hunters, credit, wrong, boards=boards)
