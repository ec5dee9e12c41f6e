"""Composed rules: every shot against a referee in plain Python, and the dice before the game."""

from collections import Counter
from itertools import combinations, permutations
from math import exp, sqrt
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import oracles
import pytest

from bsjax.game.game import FEEDBACK, Game
from bsjax.game.observation import Observation
from bsjax.policies.halves import SmartThreeParity
from bsjax.policies.hottest import Hottest, layouts_of
from bsjax.policies.orders import late_cell
from bsjax.policies.patterns import rule
from bsjax.policies.playing import finished, shoot, start
from bsjax.policies.searches import Diagonals
from bsjax.posterior.beliefs import enumerated
from bsjax.posterior.tables import tables
from bsjax.runtime import streams

FIVE = Game((5, 5), (3, 3, 2))
FLAT = Game((6, 4), (3, 2, 3))
TINY = Game((4, 3), (3, 2))
GAMES = 160


def keys(seed, count):
    return jax.random.split(jax.random.key(seed), count)


@jax.jit
def to_the_end(policy, boards, dice):
    """Games side by side, and the plan drawn before each."""
    opening = jax.vmap(lambda key: policy.init(streams.stream(key, streams.OPENING)))(dice)
    state = jax.vmap(lambda board, key: start(policy, board, key))(boards, dice)
    state = jax.lax.while_loop(
        lambda state: ~jax.vmap(finished)(state).all(),
        jax.vmap(lambda one: shoot(policy, one)),
        state,
    )
    return opening, state.legal, state.observation.shots, state.observation.shot_at


# --- the referee -------------------------------------------------------------------------------


class Referee:
    """What a rule may fire at, from the rules in words; sets of cells throughout."""

    def __init__(self, game, plan, *, search, finish="hand", densest=False, **smart):
        self.game, self.plan, self.search, self.finish = game, plan, search, finish
        self.densest, self.smart = densest, smart
        self.answers, self.order = {}, []
        self.readings = {(frozenset(), None)}
        """What the hand may take to be explained, as a line can be one of several, and the colour
        of its final."""

    @property
    def unshot(self):
        return set(range(self.game.cells)) - set(self.order)

    @property
    def hits(self):
        return {cell for cell in self.order if self.answers[cell].hit}

    @property
    def misses(self):
        return set(self.order) - self.hits

    def sunk(self):
        """Lengths announced sunk."""
        return Counter(self.game.fleet[t.ship] for t in self.answers.values() if t.sunk)

    def afloat(self):
        return Counter(self.game.fleet) - self.sunk()

    def fired(self, cell, truth):
        """Take a shot in; only readings that allowed it go on."""
        moves = [
            (explained, *self._moves(explained, colour)) for explained, colour in self.readings
        ]
        self.readings = {(e, colour) for e, cells, colour in moves if cell in cells}
        assert self.readings
        self.order.append(cell)
        self.answers[cell] = truth
        if truth.sunk and self.finish == "hand":
            self.readings = {
                (after, colour)
                for explained, colour in self.readings
                for after in self._read(explained, cell, truth)
            }

    def _read(self, explained, cell, truth):
        game = self.game
        if game.feedback == "cells":
            return [explained | truth.shown]
        lines = [
            ship
            for ship in oracles.positions_through(game.size, game.fleet[truth.ship], cell)
            if ship <= self.hits
        ]
        most = max(len(ship - explained) for ship in lines)
        return {explained | ship for ship in lines if len(ship - explained) == most}

    def allowed(self):
        return set().union(*(self._moves(*reading)[0] for reading in self.readings))

    def _moves(self, explained, colour):
        """Cells that may be fired at, and the colour of the final afterwards."""
        after_hit = self._by_hand(explained) if self.finish == "hand" else self._by_heat()
        if after_hit:
            return after_hit, colour
        if self.search == "none":
            return self._heat()[0], colour
        if self.search == "smart-three-parity":
            if colour is None and not self.afloat()[3]:
                colour = self._final_colour()
            cells = self._smart(colour)
        else:
            cells = self._diagonals()
        return (self._densest(cells) if self.densest else cells), colour

    def _by_hand(self, explained):
        near, opened = self.near, self.hits - explained
        ends = set()
        for a in opened:
            for b in near(a) & opened:
                beyond = 2 * b - a
                if beyond in near(b) and beyond in self.unshot:
                    ends.add(beyond)
        return ends or {b for a in opened for b in near(a)} & self.unshot

    def _by_heat(self):
        heat, wounded = self._heat()
        return heat if wounded else set()

    def near(self, a):
        return oracles.beside(self.game.size, a)

    def _heat(self):
        """The hottest cells, and whether a ship is hit and not sunk."""
        heat, wounded = Counter(), False
        for layout in all_layouts(self.game):
            if not self._agrees(layout):
                continue
            for ship in layout:
                heat.update(ship & self.unshot)
                wounded |= bool(ship & self.hits) and not ship <= self.hits
        return {a for a, n in heat.items() if n == max(heat.values())}, wounded

    def _agrees(self, layout):
        left = {ship: len(ship) for ship in layout}
        for cell in self.order:
            truth = self.answers[cell]
            ship = next((ship for ship in layout if cell in ship), None)
            if (ship is not None) != truth.hit:
                return False
            if ship is not None:
                left[ship] -= 1
                if (left[ship] == 0) != truth.sunk:
                    return False
                if truth.sunk and len(ship) != self.game.fleet[truth.ship]:
                    return False
        return True

    def _densest(self, cells):
        fits = Counter({cell: 0 for cell in cells})
        for length, number in self.afloat().items():
            for ship in oracles.positions(self.game.size, length):
                if ship <= self.unshot:
                    fits.update({cell: number for cell in ship & cells})
        return {cell for cell in cells if fits[cell] == max(fits.values())}

    def _diagonals(self):
        place = np.asarray(self.plan)
        first = min(place[sorted(self.unshot)])
        return {cell for cell in self.unshot if place[cell] == first}

    def _smart(self, colour):
        half = np.asarray(self.plan.half)
        a, b = ({cell for cell in self.unshot if half[cell] == h} for h in (1, 2))
        if self.afloat()[3]:
            if self.plan.jump and self.sunk()[3] and b:
                return b
            return a or b or self.unshot
        fits = {c for c in self.unshot if self._colour(c) == colour and self.near(c) & self.unshot}
        if self.smart.get("final") == "anywhere":
            return fits or self.unshot
        own = next(h for h in (1, 2) if self._half_colour(h) in (colour, None))
        mine = {c for c in fits if half[c] == own}
        other = {c for c in self.unshot if half[c] == 3 - own}
        outside = {c for c in fits - mine if self.near(c) & other}
        return outside or mine or fits or self.unshot

    def _final_colour(self):
        counted = self.unshot if self.smart.get("fewer_unshot") else set(self.order)
        number = [sum(self._colour(c) == k for c in counted) for k in (0, 1)]
        if number[0] == number[1]:
            return int(self.plan.coin)
        wanted = min(number) if self.smart.get("fewer_unshot") else max(number)
        return number.index(wanted)

    def _colour(self, cell):
        return sum(divmod(cell, self.game.width)) % 2

    def _half_colour(self, which):
        colours = {self._colour(c) for c in np.flatnonzero(np.asarray(self.plan.half) == which)}
        assert len(colours) <= 1, "a half has one colour"
        return next(iter(colours), None)


def all_layouts(game):
    """Every layout as a list of ships, equal ships once."""
    places = [oracles.positions(game.size, length) for length in sorted(set(game.fleet))]
    number = [game.fleet.count(length) for length in sorted(set(game.fleet))]

    def grow(depth, layout):
        if depth == len(places):
            yield layout
            return
        for ships in combinations(places[depth], number[depth]):
            together = [*layout, *ships]
            if len(frozenset().union(*together)) == sum(map(len, together)):
                yield from grow(depth + 1, together)

    return list(grow(0, []))


PLAYED = [
    (FIVE, {"search": "checkerboard"}, GAMES),
    (FIVE, {"search": "three-parity", "late": 1.5}, GAMES),
    (FIVE, {"search": "smart-three-parity", "jump": 0.5}, GAMES),
    (FIVE, {"search": "smart-three-parity", "final": "anywhere", "fewer_unshot": True}, GAMES),
    (FLAT, {"search": "smart-three-parity", "jump": 1.0, "fewer_unshot": True}, GAMES),
    (Game((4, 7), (4, 3, 2), feedback="cells"), {"search": "smart-three-parity"}, GAMES),
    (Game((4, 6), (3, 3, 2), feedback="name"), {"search": "three-parity"}, GAMES),
    (TINY, {"search": "three-parity", "finish": "layouts", "densest": True}, 40),
    (TINY, {"search": "smart-three-parity", "finish": "layouts"}, 40),
]


@pytest.mark.parametrize(("game", "parts", "games"), PLAYED)
def test_every_shot_is_one_that_the_rule_allows(game, parts, games):
    policy = rule(game, **parts)
    boards = oracles.random_boards(game, games, seed=1)
    plans, legal, shots, orders = jax.device_get(to_the_end(policy, boards, keys(2, games)))
    assert legal.all()
    told = {k: v for k, v in parts.items() if k not in ("late", "jump")}
    chosen = 0
    for i, board in enumerate(boards):
        plan = jax.tree.map(lambda leaf, i=i: leaf[i], plans.plan)
        referee = Referee(game, plan, **told)
        order = np.argsort(orders[i])[-int(shots[i]) :].tolist()
        assert oracles.shots_to_sink_all(board, order) == shots[i]
        for cell, truth in zip(order, oracles.truths(game, board, order), strict=True):
            allowed = referee.allowed()
            assert cell in allowed, (order, cell, sorted(allowed))
            chosen += len(allowed) > 1
            referee.fired(cell, truth)
    assert chosen > games, "the dice decide something"


def test_a_hunter_of_the_heat_map_fires_at_the_hottest_cell():
    games = 40
    policy = Hottest(TINY, layouts_of(TINY))
    boards = oracles.random_boards(TINY, games, seed=3)
    _, legal, shots, orders = jax.device_get(to_the_end(policy, boards, keys(4, games)))
    assert legal.all()
    for i, board in enumerate(boards):
        referee = Referee(TINY, None, search="none", finish="layouts")
        order = np.argsort(orders[i])[-int(shots[i]) :].tolist()
        for cell, truth in zip(order, oracles.truths(TINY, board, order), strict=True):
            assert cell in referee.allowed()
            referee.fired(cell, truth)


@pytest.mark.parametrize("feedback", FEEDBACK)
@pytest.mark.parametrize("size", [(5, 4), (7, 6)])
def test_heat_is_the_number_of_layouts_left(size, feedback):
    game = Game(size, (3, 2, 3) if size == (5, 4) else (3, 2), feedback=feedback)
    planes = oracles.random_positions(game, 40, seed=2)
    seen = Observation(**{name: jnp.asarray(plane) for name, plane in planes.items()})
    table = tables(game)

    @jax.jit
    @jax.vmap
    def counted(one):
        low, high = enumerated(game).masses(one).placement
        mass = (low + (high << 14))[:-1]
        return mass @ jnp.asarray(table.masks[:-1, :-1], jnp.int32)

    heat, wounded = jax.jit(jax.vmap(layouts_of(game).look))(seen)
    np.testing.assert_array_equal(heat, counted(seen))
    if feedback not in ("hit", "sunk"):
        # Hits outnumber the cells of the ships sunk exactly if a ship is hit and not sunk.
        sinks = (planes["answer"] > 0) & (planes["answer"] <= game.ships)
        lengths = np.append(np.array(game.fleet), 0)
        sunk = np.where(sinks, lengths[np.where(sinks, planes["answer"] - 1, -1)], 0).sum(1)
        np.testing.assert_array_equal(wounded, (planes["answer"] >= 0).sum(1) > sunk)


# --- dice before the game ----------------------------------------------------------------------


def assert_shares(counts, shares):
    """Counts are those of these shares, each within five standard errors."""
    games = sum(counts.values())
    assert set(counts) == set(shares)
    for what, share in shares.items():
        assert abs(counts[what] / games - share) < 5 * sqrt(share * (1 - share) / games), what


def test_sets_of_diagonals_come_in_any_order_and_direction():
    plans = np.asarray(jax.vmap(Diagonals(FIVE, 3).init)(keys(5, 6_000)))
    row, column = np.divmod(np.arange(25), 5)
    expected = Counter()
    for number in (row + column, row - column + 4):
        for order in permutations(range(3)):
            expected[tuple(np.array(order)[number % 3].tolist())] += 1
    assert len(expected) == 12
    found = Counter(map(tuple, plans.tolist()))
    assert_shares(found, {plan: n / 12 for plan, n in expected.items()})


def test_smart_halves_and_coins():
    policy, games = SmartThreeParity(FIVE), 12_000
    plans = jax.device_get(jax.vmap(policy.init)(keys(6, games)))
    assert_shares(Counter(plans.jump.tolist()), {True: 0.35, False: 0.65})
    assert_shares(Counter(plans.coin.tolist()), {0: 0.5, 1: 0.5})
    row, column = np.divmod(np.arange(25), 5)
    expected = Counter()
    for number in (row + column, row - column + 4):
        for a in range(6):
            half = np.where(number % 6 == a, 1, np.where(number % 6 == (a + 3) % 6, 2, 0))
            expected[tuple(half.tolist())] += 1
    assert_shares(
        Counter(map(tuple, plans.half.tolist())), {h: n / 12 for h, n in expected.items()}
    )
    for half, colour in zip(plans.half, plans.colour_of_a, strict=True):
        assert set((row + column)[half == 1] % 2) == {colour}
    never, always = (jax.vmap(SmartThreeParity(FIVE, j).init)(keys(7, 99)).jump for j in (0.0, 1.0))
    assert not never.any()
    assert always.all()


@pytest.mark.parametrize("alpha", [0.5, 1.5])
def test_late_cells_are_drawn_by_their_weight(alpha):
    misses = oracles.cells("B1 A2 C3 D3", 5)
    known = oracles.marked(FIVE)
    known["mark"][sorted(misses)] = 1
    known["answer"][sorted(misses)] = -1
    seen = Observation(**{name: jnp.asarray(plane) for name, plane in known.items()})
    cells = oracles.cells("A1 C1 B2 C2 D2 E5 E3 D4", 5)
    allowed = jnp.asarray([cell in cells for cell in range(25)])
    weight = {}
    for cell in cells:
        near = oracles.beside(FIVE.size, cell)
        weight[cell] = exp(-alpha * len(near & misses) / len(near))
    draw = jax.jit(jax.vmap(lambda key: late_cell(key, FIVE, seen, allowed, alpha)))
    total = sum(weight.values())
    found = Counter(np.asarray(draw(keys(8, 40_000))).tolist())
    assert_shares(found, {cell: w / total for cell, w in weight.items()})


def test_a_rule_says_what_is_wrong():
    wrong: list[tuple[str, dict[str, Any]]] = [
        ("no rule 'spiral'", {"search": "spiral"}),
        ("no rule 'checkerboard'", {"search": "checkerboard", "finish": "guess"}),
        ("choose one order", {"search": "checkerboard", "late": 0.5, "densest": True}),
        ("choose one order", {"search": "checkerboard", "late": -1.0}),
        ("with it only", {"search": "checkerboard", "jump": 0.5}),
        ("jump 2", {"search": "smart-three-parity", "jump": 2.0}),
        ("final 'here'", {"search": "smart-three-parity", "final": "here"}),
        ("sweep 'up'", {"search": "smart-three-parity", "sweep": "up"}),
        ("share 0", {"search": "smart-three-parity", "share": 0.0}),
        ("no endgame 'late'", {"search": "three-parity", "endgame": "late"}),
    ]
    for fault, parts in wrong:
        with pytest.raises(ValueError, match=fault) as found:
            rule(FIVE, **parts)
        assert "\n" not in str(found.value)
    with pytest.raises(ValueError, match="layouts listed"):
        rule(Game(), "checkerboard", finish="layouts")
