"""Hunters that judge by layouts: the shots of the exact trees, dice, names, and the command."""

import json
import sys
from functools import cache, partial

import jax
import jax.numpy as jnp
import numpy as np
import oracles
import pytest
from test_worklist import quickly

from bsjax import cli, policies
from bsjax.evaluate.tree import evaluate
from bsjax.game.game import Game
from bsjax.game.history import play_history
from bsjax.game.observation import UNFIRED, Observation
from bsjax.play.games import play
from bsjax.policies.bayes import Greedy, information, probability
from bsjax.policies.lookahead import Lookahead
from bsjax.policies.over import POSTERIORS, RULES, over
from bsjax.posterior.beliefs import counted, enumerated
from bsjax.posterior.listed import Listing
from bsjax.runtime import streams

SMALL = {
    "three": ((4, 4), (3, 3, 2)),
    "two": ((5, 4), (3, 2)),
    "twins": ((4, 4), (2, 2)),
    "few": ((4, 3), (3, 2)),
}
TOLD = ("size", "name", "hit", "sunk")


def game_of(name, feedback):
    return Game(*SMALL[name], feedback=feedback)


# --- trees -------------------------------------------------------------------------------------


def check_tree(rule, hunter, every=29):
    """Shots on all layouts, and the cells of some games one after the other."""
    listing = Listing(hunter.game)
    expected = evaluate(listing, rule, keep_tree=True)
    found = evaluate(listing, hunter, keep_tree=True)
    np.testing.assert_array_equal(found.shots, expected.shots)
    boards = listing.boards()
    for layout in range(0, len(listing), every):
        cells, history = [], ()
        while (cell := expected.tree.next_cell(history)) is not None:
            assert found.tree.next_cell(history) == cell
            cells.append(cell)
            history = play_history(hunter.game, boards[layout], cells)
        assert found.tree.next_cell(history) is None
        assert len(cells) == expected.shots[layout]


FAST = [
    ("probability", "three", "size"),
    ("information", "few", "name"),
    ("lookahead-hits", "twins", "size"),
    ("lookahead-information", "few", "hit"),
]


LONG = {"three": ("size",), "two": ("hit", "sunk")}
"""Two shots ahead among many layouts take a minute."""


@pytest.mark.parametrize(("rule", "name", "feedback"), FAST)
def test_enumerated_hunters_play_the_exact_tree(rule, name, feedback):
    check_tree(rule, over(rule, game_of(name, feedback), posterior="enumerate"))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("rule", "name", "feedback"),
    [
        (rule, name, feedback)
        for rule in RULES
        for name in SMALL
        for feedback in TOLD
        if not rule.startswith("lookahead") or feedback in LONG.get(name, TOLD)
    ],
)
def test_every_enumerated_hunter_plays_the_exact_tree(rule, name, feedback):
    check_tree(rule, over(rule, game_of(name, feedback), posterior="enumerate"))


@pytest.mark.slow
@pytest.mark.parametrize("feedback", ["cells", "hit-name"])
@pytest.mark.parametrize("rule", ["probability", "information"])
def test_shown_cells_and_named_hits(rule, feedback):
    for posterior in ("enumerate", "exact"):
        check_tree(rule, over(rule, game_of("three", feedback), posterior=posterior))


@pytest.mark.parametrize(
    ("rule", "name", "feedback"),
    [
        ("information", "twins", "size"),
        *(
            pytest.param(rule, name, feedback, marks=pytest.mark.slow)
            for rule in ("probability", "information")
            for name in SMALL
            for feedback in TOLD
            if (rule, name, feedback) != ("information", "twins", "size")
        ),
    ],
)
def test_counting_hunters_play_the_exact_tree(rule, name, feedback):
    check_tree(rule, over(rule, game_of(name, feedback), posterior="exact"))


@pytest.mark.parametrize(
    ("fleet", "rule"),
    [
        ((2,), "lookahead-information"),
        *(
            pytest.param((2, 2), rule, marks=pytest.mark.slow)
            for rule in ("lookahead-hits", "lookahead-information")
        ),
    ],
)
def test_lookahead_may_count(fleet, rule):
    """Every posterior after every answer to every first shot, counted by leaves."""
    game = Game((3, 2), fleet)
    hunter = Greedy(game, counted(game), Lookahead(game, rule == "lookahead-hits"))
    check_tree(rule, hunter, every=3)


@pytest.mark.parametrize("hits", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_few_candidates_are_the_best_ones(hits):
    """The cells that one shot ahead likes best, judged as if all were looked at."""
    game, few = game_of("few", "size"), 4
    belief = enumerated(game)
    one_shot = probability if hits else information

    @quickly
    @jax.vmap
    def scores(seen):
        rules = Lookahead(game, hits), Lookahead(game, hits, few), one_shot
        return [[*rule(belief, seen, seen)[0]] for rule in rules]

    planes = oracles.random_positions(game, 24, seed=8)
    found = scores(Observation(**jax.tree.map(jnp.asarray, planes)))
    full, part, alone = (np.stack(words, -1) for words in found)
    for row, mark in enumerate(planes["mark"]):
        unfired = np.flatnonzero(mark == UNFIRED).tolist()
        best = sorted(unfired, key=lambda c, row=row: (*(-alone[row, c]).tolist(), c))[:few]
        looked_at = set(np.flatnonzero(part[row, :, 0]).tolist()) & set(unfired)
        assert looked_at == set(best)
        np.testing.assert_array_equal(part[row, best], full[row, best])


# --- dice --------------------------------------------------------------------------------------


@cache
def player(slots):
    return quickly(partial(play, slots=slots, record=True))


def played(policy, boards, *, slots, seed=0, first=0):
    words = jnp.uint32(0), jnp.uint32(first)
    keys = streams.game_keys(jax.random.key(seed), *words, len(boards))
    found = player(slots)(policy, jnp.asarray(boards), keys, jnp.int32(len(boards)))
    return jax.device_get(found)


def test_sampled_games_depend_on_seed_and_number_alone():
    game = Game((5, 4), (3, 2, 2))
    hunter = over("probability", game, posterior="sample", draws=24)
    assert hunter.prepared(1000) is hunter
    boards = oracles.random_boards(game, 24, seed=6)
    few, many = (played(hunter, boards, slots=slots) for slots in (5, 24))
    assert few.legal.all()
    np.testing.assert_array_equal(few.shot_at, many.shot_at)
    # Game 7 of the run is game 7 wherever the run starts.
    turned = np.roll(boards, -7, axis=0)
    later = played(hunter, turned, slots=24, first=7)
    np.testing.assert_array_equal(later.shot_at[:-7], many.shot_at[7:])
    other = played(hunter, boards, slots=24, seed=1)
    assert (other.shot_at != many.shot_at).any()


@pytest.mark.slow
def test_a_tree_takes_no_sampled_hunter():
    game = Game((4, 3), (3, 2))
    with pytest.raises(ValueError, match="rolls dice"):
        evaluate(Listing(game), over("probability", game, posterior="sample", draws=3))


# --- names -------------------------------------------------------------------------------------


def test_lookahead_does_not_play_shown_cells():
    game = Game((4, 3), (3, 2), feedback="cells")
    for rule in ("lookahead-hits", "lookahead-information"):
        with pytest.raises(ValueError, match="does not play feedback 'cells'; choose another"):
            over(rule, game, posterior="enumerate")


def test_unknown_names_are_refused_in_one_line():
    game = Game((4, 3), (3, 2))
    for words, given in {
        "no rule 'density' over a posterior; choose one of probability, information": {
            "rule": "density"
        },
        "no posterior 'guess'; choose one of exact, sample, enumerate": {"posterior": "guess"},
        "0 draws: take at least one": {"posterior": "sample", "draws": 0},
    }.items():
        with pytest.raises(ValueError, match=words) as fault:
            over(**{"rule": "probability", "game": game} | given)
        assert "\n" not in str(fault.value)
    assert set(RULES) <= set(policies.names())
    assert POSTERIORS == ("exact", "sample", "enumerate")


def test_lookahead_looks_at_few_cells_where_it_counts():
    game = Game((4, 3), (3, 2))
    assert over("lookahead-hits", game).rule.candidates == 6
    assert over("lookahead-hits", game, posterior="enumerate").rule.candidates is None


# --- the command -------------------------------------------------------------------------------


@pytest.fixture
def bsjax(monkeypatch, capsys):
    """The command in this process: its exit code, and what it prints."""
    monkeypatch.setenv("XLA_FLAGS", "--xla_force_host_platform_device_count=1")

    def run(*words):
        monkeypatch.setattr(sys, "argv", ["bsjax", *map(str, words)])
        with pytest.raises(SystemExit) as end:
            cli.main()
        return end.value.code, *capsys.readouterr()

    return run


BOARD = "--size", "5x4", "--fleet", "3,2,2"


def test_simulate_over_a_sample(bsjax):
    words = "simulate", "--policy", "probability", "--posterior", "sample", "--draws", 64
    code, out, _ = bsjax(*words, "--games", 40, *BOARD, "--json")
    assert code == 0
    told = json.loads(out)
    assert told["policy"] == "probability sample 64 draws"
    assert told["games"] == sum(told["histogram"]) == 40
    # 64 draws are plenty on a board of 20 cells: random fire needs 18.4 shots.
    assert 8 < told["mean"] < 14


@pytest.mark.slow
def test_simulate_over_the_list(bsjax):
    words = "simulate", "--policy", "information", "--posterior", "enumerate"
    code, out, _ = bsjax(*words, "--games", 20, *BOARD)
    assert code == 0
    assert out.startswith("information enumerate on 5x4 {3,2,2} touching allowed, feedback size: ")
    assert out.count("\n") == 1


@pytest.mark.parametrize(
    ("words", "fault"),
    [
        (("--posterior", "guess", *BOARD), "no posterior 'guess'; choose one of"),
        (("--posterior", "enumerate", "--policy", "density", *BOARD), "no rule 'density' over"),
        (("--posterior", "enumerate", "--policy", "probability"), "layouts"),
        (("--posterior", "exact", "--policy", "probability", "--game", "ten-ship"), "leaves here"),
        (("--posterior", "sample", "--policy", "probability", "--draws", 0, *BOARD), "0 draws"),
    ],
)
def test_faults_are_one_line(bsjax, words, fault):
    words = words if "--policy" in words else (*words, "--policy", "probability")
    code, out, err = bsjax("simulate", "--games", 5, *words)
    assert code == 2
    assert out == ""
    assert err.startswith("bsjax: ")
    assert fault in err
    assert err.count("\n") == 1
