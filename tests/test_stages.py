"""Stages of a search and weighted heat maps, against the printed card read with plain sets."""

from collections import Counter
from itertools import pairwise
from math import sqrt
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import oracles
import pytest

from bsjax.game.game import Game
from bsjax.game.observation import Observation
from bsjax.policies.endgames import Counted, Full, Lazy, Staged, diagonal_sets, live_cells
from bsjax.policies.halves import SmartThreeParity
from bsjax.policies.lines import order
from bsjax.policies.searches import Diagonals
from bsjax.policies.sets import plane
from bsjax.policies.weighted_map import WeightedMap, of_cells, of_layouts
from bsjax.posterior.density import digits
from bsjax.posterior.listed import Listing
from bsjax.posterior.tables import tables

CLASSIC = Game()
NO_SIDE = Game((7, 6), (4, 3, 2, 6), touching="no-side")
TALL = Game((5, 12), (5, 4, 7, 2, 1))
POSITIONS = 60


def keys(seed, count):
    return jax.random.split(jax.random.key(seed), count)


def positions(game, count, seed):
    """Marks of a game somewhere in its middle, ships sunk or not at random.

    The marks are not those of a game: a stage looks at nothing else.
    """
    rng = np.random.default_rng(seed)
    planes = oracles.random_positions(game, count, seed)
    shot = rng.random((count, game.cells)) < rng.uniform(0.05, 0.7, (count, 1))
    water = shot & (planes["mark"] == 0)
    planes["mark"][water], planes["answer"][water] = 1, -1
    planes["sunk_at"] = rng.integers(-1, 1, (count, game.ships)).astype(np.int16)
    planes["sunk_cell"] = rng.integers(0, game.cells, (count, game.ships)).astype(np.int16)
    return planes


def seen(planes):
    return Observation(**{name: jnp.asarray(plane) for name, plane in planes.items()})


def each(planes, count):
    for i in range(count):
        yield i, {name: plane[i] for name, plane in planes.items()}


def of(mask):
    return set(np.flatnonzero(np.asarray(mask)).tolist())


def water(game, one):
    unfired = set(np.flatnonzero(one["mark"] == 0).tolist())
    return unfired - oracles.proven_water(game, one["mark"])


def lengths(game, one):
    """Lengths of the ships afloat."""
    return [n for k, n in enumerate(game.fleet) if one["sunk_at"][k] < 0]


def live(game, one):
    big = [n for n in lengths(game, one) if n >= 4]
    runs = oracles.positions(game.size, min(big)) if big else ()
    return set().union(*(run for run in runs if run <= water(game, one)))


def set_of(game, number):
    """The sets of every-third, every-fourth and every-fifth diagonals, in words."""
    for every in (3, 4, 5):
        for sign in (1, -1):
            for rest in range(every):
                if number == 0:
                    shift = 0 if sign == 1 else game.width - 1
                    return {
                        c
                        for c in range(game.cells)
                        if (c // game.width + sign * (c % game.width) + shift) % every == rest
                    }
                number -= 1
    raise AssertionError


def asked(search, plan, planes):
    """Cells and next plan of a search with one plan on many positions."""
    count = len(planes["mark"])

    @jax.jit
    @jax.vmap
    def act(key, one, plan):
        return search.cells(key, one, plan)

    return jax.device_get(act(keys(9, count), seen(planes), plan))


def plans(search, count, seed=3):
    return jax.vmap(search.init)(keys(seed, count))


# --- endgames ----------------------------------------------------------------------------------


@pytest.mark.parametrize("game", [CLASSIC, NO_SIDE, TALL])
def test_live_cells_lie_on_a_run_for_the_smallest_big_ship(game):
    planes = positions(game, POSITIONS, 1)
    words = jax.jit(jax.vmap(lambda one: plane(game, live_cells(game, one))))
    for i, one in each(planes, POSITIONS):
        assert of(np.asarray(words(seen(planes)))[i]) == live(game, one)


@pytest.mark.parametrize("game", [CLASSIC, TALL])
def test_sets_are_those_of_the_card(game):
    assert [of(row) for row in diagonal_sets(game)] == [set_of(game, n) for n in range(24)]


@pytest.mark.parametrize("game", [CLASSIC, NO_SIDE])
def test_the_lazy_endgame(game):
    planes, search = positions(game, POSITIONS, 2), Lazy(game)
    plan = plans(search, POSITIONS)
    cells, _ = asked(search, plan, planes)
    assert set(np.asarray(plan).tolist()) <= set(range(6, 14))
    for i, one in each(planes, POSITIONS):
        found = live(game, one)
        assert of(cells[i]) == (found & set_of(game, int(plan[i])) or found or water(game, one))


@pytest.mark.parametrize("game", [CLASSIC, TALL])
def test_the_full_endgame(game):
    count = 3 * POSITIONS
    planes, search = positions(game, count, 3), Full(game)
    rng = np.random.default_rng(4)
    before = np.where(rng.random(count) < 0.5, -1, rng.integers(0, 24, count)).astype(np.int32)
    plan = plans(search, count)._replace(chosen=jnp.asarray(before))
    cells, after = asked(search, plan, planes)
    kept = changed = fifths = 0
    for i, one in each(planes, count):
        found, chosen = live(game, one), int(after.chosen[i])
        if not found:
            assert of(cells[i]) == water(game, one)
            continue
        if before[i] >= 0 and found & set_of(game, int(before[i])):
            assert chosen == before[i]
            kept += 1
        else:
            names = [*range(6), *(range(10, 14) if plan.fourths[i] else range(6, 10))]
            if 4 not in lengths(game, one):
                names += range(14, 24)
            number = {n: len(found & set_of(game, n)) for n in names}
            assert number.get(chosen, 0) == min(k for k in number.values() if k)
            changed, fifths = changed + 1, fifths + (chosen >= 14)
        assert of(cells[i]) == found & set_of(game, chosen)
    assert min(kept, changed, fifths) > 5


def test_sets_with_equally_few_live_cells_are_drawn_alike():
    one = {name: row[None] for name, row in oracles.marked(CLASSIC, sunk=[2, 3, 4]).items()}
    one["mark"][:] = 1
    one["mark"][0, 42:48] = 0  # C5 to H5, all live
    games, search = 4_000, Full(CLASSIC)
    planes = {name: np.repeat(row, games, 0) for name, row in one.items()}
    plan = plans(search, games)
    _, after = asked(search, plan, planes)
    run = set(range(42, 48))
    for down in (False, True):
        mine = np.asarray(after.chosen)[np.asarray(plan.fourths) == down]
        # Two cells of each every-third set; one of two and two of two every-fourth sets.
        fourths = range(10, 14) if down else range(6, 10)
        fewest = [n for n in fourths if len(run & set_of(CLASSIC, n)) == 1]
        assert len(fewest) == 2
        assert_shares(Counter(mine.tolist()), dict.fromkeys(fewest, 1 / 2))


def test_counting_where_the_big_ships_fit():
    planes, search = positions(CLASSIC, POSITIONS, 5), Counted(CLASSIC)
    cells, _ = asked(search, plans(search, POSITIONS), planes)
    for i, one in each(planes, POSITIONS):
        unshot, fits = water(CLASSIC, one), Counter()
        for length in lengths(CLASSIC, one):
            for ship in oracles.positions(CLASSIC.size, length):
                fits.update(ship if ship <= unshot else ())
        best = max(fits[c] for c in unshot)
        assert of(cells[i]) == {c for c in unshot if fits[c] == best}


def test_the_endgame_begins_when_no_small_ship_is_afloat():
    search = Staged(CLASSIC, Diagonals(CLASSIC, 3), Lazy(CLASSIC))
    planes = positions(CLASSIC, POSITIONS, 6)
    planes["sunk_at"][::2, 2:] = 0
    plan = plans(search, POSITIONS)
    cells, _ = asked(search, plan, planes)
    early, _ = asked(search.small, plan.small, planes)
    late, _ = asked(search.big, plan.big, planes)
    for i, one in each(planes, POSITIONS):
        small = min(lengths(CLASSIC, one), default=9) < 4
        np.testing.assert_array_equal(cells[i], early[i] if small else late[i])


# --- smart 3-parity ----------------------------------------------------------------------------

SMART: list[dict[str, Any]] = [
    {},
    {"final": "anywhere", "jump": 1.0},
    {"final": "fewest", "sweep": "diagonals"},
    {"sweep": "cells", "fewer_unshot": True},
    {"sweep": "runs", "jump": 1.0},
    {"share": 0.4, "jump": 1.0},
    {"reading": True},
]


def halves(game, one, plan, parts):
    """Cells of the halves, while a 3 is afloat."""
    unshot = water(game, one)
    a, b = (unshot & of(plan.half == h) for h in (1, 2))
    crossed = False
    for k, length in enumerate(game.fleet):
        if length < 4 or one["sunk_at"][k] < 0:
            continue
        hits = of(one["answer"] >= 0)
        for ship in oracles.positions_through(game.size, length, int(one["sunk_cell"][k])):
            sides = {int(plan.half[c]) for c in ship}
            crossed |= ship <= hits and {1, 2} <= sides
    if parts.get("reading") and crossed:
        wanted = a if plan.last == 2 or not plan.last else b
        if wanted:
            return wanted
    part = b & of(plan.part)
    sunk = any(n == 3 and one["sunk_at"][k] >= 0 for k, n in enumerate(game.fleet))
    half = part if plan.jump and sunk and part else a or b or unshot
    if half is unshot:
        return half
    least = min(plan.place[c] for c in half)
    return {c for c in half if plan.place[c] == least}


def final(game, one, plan, colour, parts):
    unshot = water(game, one)
    near = {c: oracles.beside(game.size, c) for c in range(game.cells)}
    fits = {c for c in unshot if sum(divmod(c, game.width)) % 2 == colour and near[c] & unshot}
    if parts.get("final") == "anywhere":
        return fits or unshot
    if parts.get("final") == "fewest":
        shot = of(one["mark"] != 0)
        few = min((len(near[c] & shot) for c in fits), default=0)
        return {c for c in fits if len(near[c] & shot) == few} or unshot
    a, b = (of(plan.half == h) for h in (1, 2))
    own, other = (a, b) if plan.colour_of_a == colour else (b, a)
    zones = [{c for c in fits - own if near[c] & unshot & other}, fits & own, fits, unshot]
    return next(zone for zone in zones if zone)


@pytest.mark.parametrize("parts", SMART)
@pytest.mark.parametrize("game", [CLASSIC, NO_SIDE])
def test_smart_three_parity_reads_the_card(game, parts):
    search, count = SmartThreeParity(game, **parts), 2 * POSITIONS
    threes = [k for k, n in enumerate(game.fleet) if n == 3]
    planes = positions(game, count, 7)
    planes["sunk_at"][: POSITIONS // 2, threes[:1]] = -1
    plan = jax.device_get(plans(search, count))
    plan = plan._replace(last=np.arange(count, dtype=np.int32) % 3)
    cells, after = asked(search, jax.tree.map(jnp.asarray, plan), planes)
    for i, one in each(planes, count):
        own = jax.tree.map(lambda leaf, i=i: leaf[i], plan)
        if not water(game, one):
            continue
        if 3 in lengths(game, one):
            assert of(cells[i]) == halves(game, one, own, parts)
            assert after.colour[i] == -1
            continue
        cells_of = [0, 0]
        for c in range(game.cells):
            if (one["mark"][c] == 0) == bool(parts.get("fewer_unshot")):
                cells_of[sum(divmod(c, game.width)) % 2] += 1
        wanted = min(cells_of) if parts.get("fewer_unshot") else max(cells_of)
        alike = cells_of[0] == cells_of[1]
        colour = int(own.coin) if alike else cells_of.index(wanted)
        assert after.colour[i] == colour
        assert of(cells[i]) == final(game, one, own, colour, parts)


def test_the_colour_is_kept():
    search = SmartThreeParity(CLASSIC)
    planes = positions(CLASSIC, POSITIONS, 8)
    planes["sunk_at"][:, 2:4] = 0
    for colour in (0, 1):
        plan = plans(search, POSITIONS)
        plan = plan._replace(colour=jnp.full(POSITIONS, colour, jnp.int32))
        cells, after = asked(search, plan, planes)
        assert (after.colour == colour).all()
        for i, one in each(planes, POSITIONS):
            own = jax.tree.map(lambda leaf, i=i: np.asarray(leaf)[i], plan)
            assert of(cells[i]) == final(CLASSIC, one, own, colour, {})


@pytest.mark.parametrize("sweep", ["diagonals", "cells", "runs"])
def test_sweeps_go_along_diagonals_from_an_end(sweep):
    plan = jax.device_get(plans(SmartThreeParity(CLASSIC, sweep=sweep), 64))
    row, column = np.divmod(np.arange(100), 10)
    corners = Counter()
    for half, place in zip(plan.half, plan.place, strict=True):
        whole = [c for c in np.argsort(place, kind="stable") if half[c]]
        assert [half[c] for c in whole] == sorted(half[half > 0]), "all of A before B"
        for which in (1, 2) if sweep != "runs" else (2,):
            cells = [c for c in whole if half[c] == which]
            number = row + column if len(set(place[half == which])) else row
            if len({(row[c] + column[c]) % 6 for c in cells}) > 1:
                number = row - column
            runs = [number[c] for c in cells]
            visited = list(dict.fromkeys(runs))
            assert runs == sorted(runs, key=visited.index), "one diagonal after the other"
            if sweep == "runs":
                long = [runs.count(d) for d in visited]
                assert long == sorted(long, reverse=True)
            else:
                assert visited in (sorted(visited), sorted(visited, reverse=True))
            if sweep != "diagonals":
                assert len(set(place[cells])) == len(cells)
                steps = {abs(row[b] - row[a]) for a, b in pairwise(cells) if number[a] == number[b]}
                assert steps == {1}
            else:
                assert len(set(place[cells])) == len(visited)
            corners[bool(cells[0] < cells[-1])] += 1
    assert len(corners) == 2


def test_a_jump_takes_in_a_part_of_b():
    games = 500
    plan = jax.device_get(plans(SmartThreeParity(CLASSIC, share=0.35, jump=1.0), games))
    in_b, taken = (plan.half == 2).sum(), (plan.part & (plan.half == 2)).sum()
    assert (plan.part <= (plan.half == 2)).all()
    assert abs(taken / in_b - 0.35) < 5 * sqrt(0.35 * 0.65 / in_b)


def assert_shares(counts, shares):
    games = sum(counts.values())
    assert set(counts) == set(shares)
    for what, share in shares.items():
        assert abs(counts[what] / games - share) < 5 * sqrt(share * (1 - share) / games), what


# --- lines through a cell ----------------------------------------------------------------------


@pytest.mark.parametrize("game", [CLASSIC, TALL, Game((1, 6), (4, 1, 1)), Game((6, 1), (3, 1))])
def test_windows_are_the_placements_through_a_cell(game):
    table, found = tables(game), order(game)
    for cell in range(game.cells):
        for k, length in enumerate(game.fleet):
            for down, stride in enumerate((1, game.width)):
                for before in range(max(game.fleet)):
                    place = found[cell, k, down, before]
                    start = cell - before * stride
                    ship = frozenset(range(start, start + length * stride, stride))
                    there = before < length and ship in oracles.positions(game.size, length)
                    if length == 1 or game.width == 1:
                        there = there and (game.width == 1 and length > 1) == bool(down)
                    assert (place >= 0) == there
                    if there:
                        number = table.through[cell, place]
                        assert table.ship[number] == k
                        assert of(table.masks[number, :-1]) == ship


# --- weighted heat maps ------------------------------------------------------------------------


def heat_of(policy, planes):
    return np.asarray(jax.jit(jax.vmap(policy.heat))(seen(planes)))


@pytest.mark.parametrize("small_first", [False, True])
@pytest.mark.parametrize("game", [CLASSIC, TALL])
def test_heat_is_the_weight_of_placements_over_most_hits(game, small_first):
    rng = np.random.default_rng(11)
    weights = of_cells(game, rng.uniform(0.5, 2.0, game.cells))
    policy = WeightedMap(game, jnp.asarray(weights), small_first=small_first)
    planes = oracles.random_positions(game, POSITIONS, 12)
    heat = heat_of(policy, planes)
    for i, one in each(planes, POSITIONS):
        opened, blocked = of(one["mark"] == 2), of((one["mark"] == 1) | (one["mark"] == 3))
        wanted = np.zeros(game.cells)
        afloat = lengths(game, one)
        for k, length in enumerate(game.fleet):
            skipped = small_first and length >= 4 and min(afloat) < 4
            if one["sunk_at"][k] >= 0 or skipped:
                continue
            for ship in oracles.positions(game.size, length):
                if ship & blocked:
                    continue
                down = int(length > 1 and max(ship) - min(ship) >= game.width)
                weight = weights[k, down, min(ship)] * 4096.0 ** len(ship & opened)
                wanted[sorted(ship)] += weight
        unfired = one["mark"] == 0
        np.testing.assert_allclose(heat[i][unfired], wanted[unfired], rtol=1e-5)


def test_equal_weights_are_placement_density():
    policy = WeightedMap(CLASSIC, jnp.asarray(of_cells(CLASSIC, np.ones(100))))
    planes = oracles.random_positions(CLASSIC, POSITIONS, 13)
    heat = heat_of(policy, planes).astype(np.float64)
    found = np.asarray(jax.jit(jax.vmap(lambda one: digits(CLASSIC, one)))(seen(planes)))
    wanted = (found * 4096.0 ** np.arange(5)[:, None]).sum(1)
    unfired = planes["mark"] == 0
    np.testing.assert_allclose(heat[unfired], wanted[unfired], rtol=1e-5)


def test_weights_of_a_hider_are_where_he_lays_his_ships():
    small, game = Game((5, 4), (3, 2)), Game((5, 4), (4, 3, 2))
    listing = Listing(small)
    share = np.random.default_rng(14).random(len(listing.layouts))
    weights = of_layouts(game, small.fleet, listing.layouts, share)
    table = tables(small)
    for k, length in ((1, 3), (2, 2)):
        number = np.zeros((2, 20))
        for layout, one in zip(listing.layouts, share, strict=True):
            mask = of(table.masks[table.start[k - 1] + layout[k - 1], :-1])
            number[int(max(mask) - min(mask) >= 5), min(mask)] += one
        count = len(oracles.positions(game.size, length))
        np.testing.assert_allclose(weights[k], number / number.sum() * count, rtol=1e-5)
    four = oracles.positions(game.size, 4)
    assert weights[0].sum() == len(four)
    assert set(np.unique(weights[0]).tolist()) == {0.0, 1.0}


def test_weights_say_what_is_wrong():
    listing = Listing(Game((5, 4), (3, 2)))
    share = np.ones(len(listing.layouts))
    with pytest.raises(ValueError, match="he needs ships of"):
        of_layouts(Game((5, 4), (4, 2)), (3, 2), listing.layouts, share)
    with pytest.raises(ValueError, match="one share for each layout"):
        of_layouts(Game((5, 4), (3, 2)), (3,), listing.layouts, share)
    with pytest.raises(ValueError, match="0 or more"):
        of_cells(Game((5, 4), (3, 2)), np.full(20, -1.0))
    with pytest.raises(ValueError, match="not all 0"):
        of_cells(Game((5, 4), (3, 2)), np.zeros(20))
