"""What context is worth: plain recursion over explicit courses, and orders that must hold."""

from functools import cache

import numpy as np
import pytest
from oracles import turns
from test_knowledge import PlainStates

from bsjax.evaluate.credit import race_credit
from bsjax.evaluate.fixed_hunts import ByScore
from bsjax.evaluate.tree import evaluate
from bsjax.game.game import Game
from bsjax.game.replay import play_history
from bsjax.policies.scores import SCORES
from bsjax.solve import context, histories
from bsjax.solve.attack import (
    attack,
    cells_fired,
    hits_counted,
    nothing,
    own_place,
    placed,
    ships_hit,
    shots_seen,
)
from bsjax.solve.best_reply import best_reply, folded
from bsjax.solve.context import (
    ceiling,
    deadlines,
    informed,
    memoryless,
    seated,
    seated_ceiling,
)
from bsjax.solve.hunts import ByChoice
from bsjax.solve.knowledge import build

HUNTS = ("probability", "information", "lookahead-hits")
WEIGHTS = np.array([0.5, 0.3, 0.2])
GAMES = [Game((3, 3), (2, 2)), Game((3, 2), (2, 1)), Game((3, 3), (3, 2)), Game((3, 3), (2,))]
ORDERS = ("together", "seats", "turns")


class Case:
    """A game, a hider who is no friend of the middle, and three hunts."""

    def __init__(self, game, rule="finish"):
        self.game, self.graph = game, build(game, rule)
        self.listing = self.graph.tables.listing
        rng = np.random.default_rng(3)
        hider = folded(self.listing, rng.random(len(self.listing)) ** 2)
        self.hider = hider / hider.sum()
        self.attack = attack(self.listing, self.hunts(), WEIGHTS, self.hider)

    def hunts(self):
        return [ByScore(self.listing, SCORES[name]) for name in HUNTS]


@cache
def case(number):
    return Case(GAMES[number])


# --- plain Python ------------------------------------------------------------------------------


class PlainCourse:
    """One course: an own layout and the cells fired at it."""

    def __init__(self, weight, layout, cells):
        self.weight, self.layout, self.cells = weight, layout, cells
        self.fall = len(cells)

    def hit(self, shot):
        """The ship that a shot hits."""
        return next((ship for ship in self.layout if self.cells[shot] in ship), None)

    def ships_hit(self, shots):
        struck = [ship for ship in self.layout if ship & set(self.cells[:shots])]
        return tuple(sorted(map(len, struck)))

    def hits_counted(self, shots):
        order, told = {}, None
        for shot in range(shots):
            told, ship = None, self.hit(shot)
            if ship is not None:
                alike = order.setdefault(len(ship), [])
                if ship not in alike:
                    alike.append(ship)
                told = len(ship), alike.index(ship)
        return told

    def shots_seen(self, shots):
        return shots and (self.cells[shots - 1], self.hits_counted(shots))

    def nothing(self, shots):
        del shots


@cache
def plain_courses(number):
    """Every hunt, turned every way, on every layout."""
    one = case(number)
    game, listing = one.game, one.listing
    trees = [evaluate(listing, hunt, keep_tree=True).tree for hunt in one.hunts()]
    plain = PlainStates(game, one.graph.rule)
    plain.moves = cache(plain.moves)
    found, every = [], plain.turns
    rows = [
        frozenset(frozenset(np.flatnonzero(board == k).tolist()) for k in range(game.ships))
        for board in listing.boards()
    ]
    fired = []
    for tree in trees:
        assert tree is not None
        on_layout = {}
        for board, layout in zip(listing.boards(), rows, strict=True):
            cells = []
            while (cell := tree.next_cell(play_history(game, board, cells))) is not None:
                cells.append(cell)
            on_layout[layout] = cells
        fired.append(on_layout)
    for weight, on_layout in zip(WEIGHTS, fired, strict=True):
        for layout, cells in on_layout.items():
            q = one.hider[rows.index(layout)]
            for turn in every:
                image = frozenset(frozenset(turn[c] for c in ship) for ship in layout)
                share = weight * q / len(every)
                found.append(PlainCourse(share, image, [turn[c] for c in cells]))
    return plain, [one.hider[rows.index(layout)] for layout in plain.layouts], found


EARNED = {
    "unknown": lambda fall, shot: 1.0 if fall > shot else 0.5 if fall == shot else 0.0,
    "first": lambda fall, shot: float(fall >= shot),
    "second": lambda fall, shot: float(fall > shot),
}


def plain_value(number, signal, place, seat, ahead):
    """The best reply by recursion over states and all that was shown."""
    plain, q, courses = plain_courses(number)

    @cache
    def where(layout):
        if place == "turned":
            return min(
                str(sorted(sorted(turn[c] for c in ship) for ship in layout))
                for turn in plain.turns
            )
        return layout if place == "layout" else None

    def shown(course, shots):
        told = (getattr(course, signal)(u) for u in range(1, shots + 1))
        return (where(course.layout), *told)

    groups = {}
    for course in courses:
        for shots in range(course.fall):
            if course.fall > shots + ahead:
                groups.setdefault(shown(course, shots + ahead), []).append(course)
    following = {}
    for told in groups:
        following.setdefault(told[:-1], []).append(told)

    @cache
    def best(state, shots, told):
        def child(after):
            layouts, hits = after
            if len(hits) == plain.game.ship_cells:
                earned = sum(c.weight * EARNED[seat](c.fall, shots + 1) for c in groups[told])
                return earned * sum(q[i] for i in layouts)
            return sum(best(after, shots + 1, then) for then in following.get(told, []))

        return max(sum(map(child, move)) for move in plain.moves(state))

    start = [told for told in groups if len(told) == 1 + ahead]
    return sum(best(plain.root(), 0, told) for told in start)


SIGNALS = {
    "nothing": nothing,
    "ships_hit": ships_hit,
    "hits_counted": hits_counted,
    "shots_seen": shots_seen,
}


@pytest.mark.parametrize(
    ("place", "order"),
    [*((None, order) for order in ORDERS), ("turned", "together"), ("turned", "turns")],
)
@pytest.mark.parametrize("signal", ["nothing", "ships_hit", "hits_counted"])
@pytest.mark.parametrize("number", range(len(GAMES)), ids=lambda n: str(GAMES[n]))
def test_informed_replies_equal_plain_recursion(number, signal, place, order):
    one = case(number)
    told = SIGNALS[signal](one.attack)
    if place:
        told = placed(told, own_place(one.attack))
    found = informed(one.graph, one.hider, one.attack, told, order=order)
    seats = context.ORDERS[order]
    expected = sum(plain_value(number, signal, place, *seat) for seat in seats) / len(seats)
    assert found.value == pytest.approx(expected, rel=1e-11)
    assert len(found.each) == (len(np.unique(own_place(one.attack))) if place else 1)


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("place", [None, "layout"])
@pytest.mark.parametrize("number", [1, 3], ids=lambda n: str(GAMES[n]))
def test_seen_shots_equal_plain_recursion(number, place, order):
    one = case(number)
    turned = one.attack.turned()
    told = shots_seen(turned)
    if place:
        told = placed(told, turned.layout)
    found = informed(one.graph, one.hider, turned, told, order=order)
    seats = context.ORDERS[order]
    expected = sum(plain_value(number, "shots_seen", place, *seat) for seat in seats) / len(seats)
    assert found.value == pytest.approx(expected, rel=1e-11)


@pytest.mark.parametrize(
    ("number", "place", "order"),
    [(0, False, "together"), (0, True, "turns"), (2, False, "seats"), (2, True, "together")],
)
def test_a_memoryless_hunt_played_out_wins_what_it_is_said_to_win(number, place, order):
    one = case(number)
    told = ships_hit(one.attack)
    told = placed(told, own_place(one.attack)) if place else told
    found = memoryless(one.graph, one.hider, one.attack, told, order=order)
    layers = one.graph.layers
    won = 0.0
    for (seat, ahead), choice in zip(context.ORDERS[order], found.choice, strict=True):
        labels = histories.values_now(one.attack, told, ahead)
        path = np.stack(labels, axis=1)
        for values in np.unique(path, axis=0):
            # What the hunt fires where these are the values of the signal, whatever its luck.
            moves = [
                choice[t][:, max(values[t], 0)]
                if t < len(labels)
                else np.zeros(layer.counts.states, np.uint8)
                for t, layer in enumerate(layers)
            ]
            shots = evaluate(one.listing, ByChoice(one.graph, moves)).shots
            courses = np.flatnonzero((path == values).all(1))
            for fall in np.unique(one.attack.fall[courses]):
                weight = one.attack.weight[courses][one.attack.fall[courses] == fall].sum()
                earned = [EARNED[seat](fall, shot) for shot in shots]
                won += weight * (one.hider @ earned) / len(found.choice)
    assert found.value == pytest.approx(won, rel=1e-11)
    best = informed(one.graph, one.hider, one.attack, told, order=order).value
    assert found.value <= best + 1e-12


@pytest.mark.parametrize("number", range(len(GAMES)), ids=lambda n: str(GAMES[n]))
def test_more_to_go_by_is_worth_no_less(number):
    one = case(number)
    graph, hider, own, pace = one.graph, one.hider, one.attack, one.attack.pace
    most = {
        "together": ceiling(graph, hider, pace),
        "seats": seated_ceiling(deadlines(graph, hider), pace),
    }
    most["turns"] = most["seats"]
    place = own_place(own)
    values = {}
    for order in ORDERS:
        base, hit, counted, hid, hid_hit, hid_counted = (
            informed(graph, hider, own, told, order=order).value
            for told in (
                nothing(own),
                ships_hit(own),
                hits_counted(own),
                placed(nothing(own), place),
                placed(ships_hit(own), place),
                placed(hits_counted(own), place),
            )
        )
        values[order] = np.array([base, hit, counted, hid, hid_hit, hid_counted])
        now = memoryless(graph, hider, own, ships_hit(own), order=order).value
        chain = np.array([base, now, hit, counted, hid_counted, most[order]])
        assert (np.diff(chain) >= -1e-12).all()
        chain = np.array([base, hid, hid_hit, hid_counted, most[order]])
        assert (np.diff(chain) >= -1e-12).all()
    assert (values["seats"] >= values["together"] - 1e-12).all()
    assert (values["turns"] >= values["seats"] - 1e-12).all()
    if number == 0:
        # None of it is idle.
        assert values["together"][1] > values["together"][0] + 1e-4
        assert values["turns"][4] > values["seats"][4] + 1e-4


def test_no_signal_is_the_plain_best_reply_and_the_fall_foretold_is_the_ceiling():
    one = case(0)
    graph, hider, own, pace = one.graph, one.hider, one.attack, one.attack.pace
    plain = best_reply(graph, race_credit(pace), hider).value
    assert informed(graph, hider, own, nothing(own)).value == pytest.approx(plain, rel=1e-12)
    seats = informed(graph, hider, own, nothing(own), order="seats").value
    assert seats == pytest.approx(seated(graph, hider, pace), rel=1e-12)
    foretold = placed(nothing(own), own.fall.astype(np.int64))
    known = informed(graph, hider, own, foretold)
    assert known.value == pytest.approx(ceiling(graph, hider, pace), rel=1e-12)
    assert len(known.each) == np.count_nonzero(pace)
    best = deadlines(graph, hider)
    for order in ("seats", "turns"):
        known = informed(graph, hider, own, foretold, order=order).value
        assert known == pytest.approx(seated_ceiling(best, pace), rel=1e-12)
    assert (np.diff(best) >= -1e-12).all()
    assert best[graph.game.ship_cells - 1] == 0
    assert best[-1] == 1
    # The player himself is one of those who race the deadline.
    assert (best >= np.cumsum(pace) - 1e-12).all()


def test_blocks_and_pages_change_no_result(monkeypatch):
    one = case(0)
    told = hits_counted(one.attack)
    args = one.graph, one.hider, one.attack, placed(ships_hit(one.attack), own_place(one.attack))
    whole = informed(*args[:3], told)
    now = memoryless(*args)
    monkeypatch.setattr("bsjax.solve.histories._COLUMNS", 3)
    assert informed(*args[:3], told, workers=1).value == pytest.approx(whole.value, rel=1e-13)
    assert memoryless(*args).value == pytest.approx(now.value, rel=1e-13)
    few = informed(*args[:3], told, memory=1)
    assert few.value == pytest.approx(whole.value, rel=1e-13)
    monkeypatch.setattr("bsjax.solve.pages.MOST", 60)
    small = build(one.game)
    assert informed(small, *args[1:3], told).value == pytest.approx(whole.value, rel=1e-13)


def test_shots_of_a_hunt_are_those_of_its_tree():
    one = case(0)
    for hunt, again in zip(one.hunts(), one.hunts(), strict=True):
        result = evaluate(one.listing, hunt, keep_tree=True)
        fired = cells_fired(one.listing, again)
        assert ((fired >= 0).sum(1) == result.shots).all()
        for board, cells in zip(one.listing.boards(), fired, strict=True):
            shots = cells[cells >= 0].tolist()
            assert result.tree is not None
            for number, cell in enumerate(shots):
                assert result.tree.next_cell(play_history(one.game, board, shots[:number])) == cell
            assert set(np.flatnonzero(board >= 0)) <= set(shots)
    images = len(turns(one.game.size))
    turned = one.attack.turned()
    assert len(turned.weight) == images * len(one.attack.weight)
    assert turned.pace == pytest.approx(one.attack.pace)
    boards = one.listing.boards()[turned.layout] >= 0
    course, shot = np.nonzero(turned.ship >= 0)
    assert boards[course, turned.cell[course, shot]].all()


def test_faults_are_said_in_one_line():
    one = case(0)
    with pytest.raises(ValueError, match="2 weights for 3 hunts"):
        attack(one.listing, one.hunts(), WEIGHTS[:2], one.hider)
    with pytest.raises(ValueError, match="weights of hunts must be 0 or more"):
        attack(one.listing, one.hunts(), -WEIGHTS, one.hider)
    with pytest.raises(ValueError, match="average them first"):
        attack(one.listing, one.hunts(), WEIGHTS, np.arange(1.0, 45))
    with pytest.raises(ValueError, match="the attack is of"):
        informed(case(1).graph, case(1).hider, one.attack, nothing(one.attack))
    turned = one.attack.turned()
    with pytest.raises(ValueError, match="no memoryless hunt"):
        memoryless(one.graph, one.hider, turned, shots_seen(turned))
