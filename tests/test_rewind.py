"""The rewind policy, shot by shot against the printed program in plain Python."""

from functools import cache, partial
from itertools import combinations, product

import jax
import jax.numpy as jnp
import numpy as np
import oracles
import pytest

from bsjax.evaluate.hunt_trees import grown, stack
from bsjax.evaluate.rewinds import account, steps
from bsjax.evaluate.tree import evaluate
from bsjax.game.game import Game
from bsjax.game.history import parse
from bsjax.game.observation import blank, observe
from bsjax.game.tokens import announced_in_order
from bsjax.play.games import play
from bsjax.play.replay import shot_order
from bsjax.policies import make
from bsjax.policies.explained import read
from bsjax.policies.rewind import FINAL, FINISHER, HUNT, PRINTED, Variant, rewind
from bsjax.posterior.listed import Listing
from bsjax.runtime import streams
from bsjax.solve.by_trial import ByTrial, Style
from bsjax.solve.hunts import ByCells, Writing

GAMES = {
    "5x5": (Game((5, 5), (4, 3, 2)), Game((5, 5), (3, 2))),
    "6x4-twos": (Game((6, 4), (2, 5, 2, 4)), Game((6, 4), (2, 2))),
    "6x6": (Game((6, 6), (4, 3, 3, 2)), Game((6, 6), (3, 3, 2))),
    "6x4": (Game((6, 4), (2, 5, 3, 4)), Game((6, 4), (3, 2))),
}
HUNTS = 3
MISS, HIT = "miss", "hit"


# --- the printed program ------------------------------------------------------------------------


def lines(size, length, through):
    """Placements through a cell: across, then down, those that reach furthest ahead first."""
    width, _ = size
    ships = oracles.positions_through(size, length, through)
    flat = [ship for ship in ships if length > 1 and max(ship) - min(ship) < width]
    flat = flat if width > 1 else []
    tall = [ship for ship in ships if ship not in flat]
    return sorted(flat, key=min, reverse=True) + sorted(tall, key=min, reverse=True)


class Hunt:
    """A written hunt unfolded over sets of layouts, which are sets of ships."""

    def __init__(self, game, cells):
        self.game, given = game, iter(cells.tolist())
        lengths = [n for n in game.lengths for _ in range(game.fleet.count(n))]
        choices = [
            list(combinations(oracles.positions(game.size, n), lengths.count(n)))
            for n in game.lengths
        ]
        layouts = []
        for parts in product(*choices):
            ships = [ship for part in parts for ship in part]
            if len(frozenset().union(*ships)) == game.ship_cells:
                layouts.append(tuple(ships))
        self.root = {"left": layouts, "fired": frozenset()}
        front = [self.root] if len(layouts) > 1 else []
        while front:
            after = []
            for node in front:
                node["cell"], node["to"] = next(given), {}
                fired = node["fired"] | {node["cell"]}
                for layout in node["left"]:
                    told = self.answer(layout, fired, node["cell"])
                    child = node["to"].setdefault(told, {"left": [], "fired": fired})
                    child["left"].append(layout)
                for told in sorted(node["to"], key=lambda told: self.rank(told)):
                    child = node["to"][told]
                    if len(child["left"]) > 1 and not self.all_sunk(child):
                        after.append(child)
            front = after
        assert next(given, None) is None

    @staticmethod
    def rank(told):
        return {MISS: 0, HIT: 1}.get(told, told)

    @staticmethod
    def answer(layout, fired, cell):
        for ship in layout:
            if cell in ship:
                return 1 + len(ship) if ship <= fired else HIT
        return MISS

    def all_sunk(self, node):
        return frozenset().union(*node["left"][0]) <= node["fired"]

    def asks(self, path):
        """The cell it asks for after these answers; None if it has none."""
        node = self.root
        for number, (_, told) in enumerate(path):
            if "cell" in node:
                node = node["to"].get(told)
                if node is None:
                    return None
            elif told == MISS:
                return None
            del number
        if "cell" in node:
            return node["cell"]
        rest = frozenset().union(*node["left"][0]) - {cell for cell, _ in path}
        return min(rest, default=None)


class Program:
    """The printed program on one board; it says which cells may be fired at next."""

    def __init__(self, game, private, hunt, image, board, variant):
        self.game, self.private, self.hunt = game, private, hunt
        self.image, self.board, self.variant = image, board, variant
        self.told, self.order = {}, []
        self.path = []  # cells of the board as the hunt asked for them, with what it was told
        self.ships = {}  # ship number → cells, for ships that explain hits
        self.sinks = {}  # ship number → cell
        self.closed = set()
        self.count = dict(kept=0, erased=0, finisher=0, final=0, recalled=0)
        self.mine, self.unheard, self.lost = set(), None, False

    def big(self, ship):
        return self.game.fleet[ship] not in self.private.fleet

    def cells(self, want_big):
        found = [cells for ship, cells in self.ships.items() if self.big(ship) == want_big]
        return set().union(*found)

    def fire(self, cell):
        ship = self.board[cell]
        self.order.append(cell)
        if ship < 0:
            self.told[cell] = MISS
            return
        own = {c for c in range(self.game.cells) if self.board[c] == ship}
        if not own <= set(self.order):
            self.told[cell] = HIT
            return
        length = len(own)
        self.told[cell] = 1 + length
        alike = [k for k, n in enumerate(self.game.fleet) if n == length and k not in self.sinks]
        self.sinks[alike[0]] = cell
        hits = {c for c, told in self.told.items() if told != MISS} - self.closed
        possible = [line for line in lines(self.game.size, length, cell) if line <= hits]
        if len(possible) == 1:
            self.closed |= possible[0]

    def shared_out(self, sunk, hits):
        """The first way to share all hits out among the ships sunk."""
        if not sunk:
            return {} if not hits else None
        ship, rest = sunk[0], sunk[1:]
        cell = self.sinks[ship]
        by_then = set(self.order[: self.order.index(cell) + 1])
        for line in lines(self.game.size, self.game.fleet[ship], cell):
            if line <= hits & by_then:
                found = self.shared_out(rest, hits - line)
                if found is not None:
                    return {ship: line, **found}
        return None

    def explained(self, ships, hits, used):
        """Whether these small ships can explain all the hits left."""
        if not ships:
            return not hits
        ship, rest = ships[0], ships[1:]
        length, size = self.game.fleet[ship], self.game.size
        if ship in self.sinks:
            cell = self.sinks[ship]
            by_then = set(self.order[: self.order.index(cell) + 1])
            ways = [line for line in lines(size, length, cell) if line <= hits & by_then]
        else:
            if self.explained(rest, hits, used):
                return True
            unshot = set(range(self.game.cells)) - set(self.order)
            ways = [
                line
                for line in oracles.positions(size, length)
                if line & hits and line & unshot and line <= (hits | unshot)
            ]
        return any(self.explained(rest, hits - way, used | way) for way in ways if not way & used)

    def next_cells(self):
        """Cells that may be fired at, and the part of the program that fires."""
        fleet = self.game.fleet
        hits = {cell for cell, told in self.told.items() if told != MISS}
        of_round = hits - self.cells(True) - self.cells(False)
        sunk = [ship for ship in sorted(self.sinks) if ship not in self.ships]
        over = len(of_round) == sum(fleet[ship] for ship in sunk)
        if over:
            found = self.shared_out(sunk, of_round)
            assert found is not None
            self.ships |= found
            of_round = set()
            self.take_back()
        small = [ship for ship in range(len(fleet)) if not self.big(ship)]
        afloat = [ship for ship in small if ship not in self.sinks]
        proven = any(map(self.big, sunk))
        proven |= bool(afloat) and len(hits - self.cells(True)) >= sum(fleet[s] for s in small)
        if not over and not proven:
            left = [ship for ship in small if ship not in self.ships]
            left.sort(key=lambda ship: ship not in self.sinks)
            proven = not self.explained(left, of_round, frozenset())
        if not over and (proven or self.variant.hand_over):
            return self.along(hits), FINISHER if afloat else FINAL
        if afloat and self.variant.rebuild and self.cells(True):
            return {self.pictured()}, HUNT
        if afloat:
            cell = self.walk()
            if cell is not None:
                return {cell}, HUNT
            self.lost = True
            if of_round:
                return self.along(hits), FINISHER
        return self.hottest(), FINAL

    def pictured(self):
        """The lowest cell of the highest density, in a game of the small ships alone."""
        mark = np.zeros(self.game.cells, int)
        explained = self.cells(True) | self.cells(False) | self.closed
        for cell, told in self.told.items():
            closed = oracles.CLOSED if cell in explained else oracles.OPEN
            water = told == MISS or cell in self.cells(True)
            mark[cell] = oracles.WATER if water else closed
        small = [ship for ship in range(len(self.game.fleet)) if not self.big(ship)]
        # As the private fleet has them.
        small.sort(key=lambda ship: self.private.fleet.index(self.game.fleet[ship]))
        sunk_at = np.array([0 if ship in self.sinks else -1 for ship in small])
        count = oracles.digits(self.private, mark, sunk_at)[::-1].T.tolist()
        free = [cell for cell in range(self.game.cells) if cell not in self.told]
        return max(free, key=lambda cell: (count[cell], -cell))

    def take_back(self):
        if self.variant.rebuild:
            return
        big = self.cells(True)
        for place, (cell, told) in enumerate(self.path):
            if cell in big and told != MISS:
                undone = {cell for cell, _ in self.path[place:]}
                if self.unheard is not None:
                    undone.add(self.unheard)
                del self.path[place:]
                break
        else:
            undone = {self.unheard} & big
        if undone:
            self.unheard = None
        self.count["erased"] += len(self.mine & undone)
        self.mine -= undone

    def walk(self):
        while True:
            turned = [(self.image.index(cell), told) for cell, told in self.path]
            asked = self.hunt.asks(turned)
            if asked is None:
                self.unheard = None
                return None
            cell = self.image[asked]
            told = self.remembered(cell)
            if told is None:
                return cell
            self.path.append((cell, told))
            self.count["recalled"] += cell != self.unheard

    def remembered(self, cell):
        if cell not in self.told:
            beside = {b for a in self.cells(True) for b in oracles.beside(self.game.size, a)}
            if self.variant.skip_beside_sunk_big and cell in beside:
                return MISS
            return None if self.fits(cell) or self.variant.rebuild else MISS
        if cell in self.cells(True):
            return MISS
        for ship, own in self.ships.items():
            if cell in own:
                rest = own - {cell} - {cell for cell, _ in self.path}
                return HIT if rest else 1 + self.game.fleet[ship]
        return self.told[cell]

    def fits(self, cell):
        explained = self.cells(True) | self.cells(False) | self.closed
        blocked = {c for c, told in self.told.items() if told == MISS} | explained
        return any(
            not line & blocked
            for ship, length in enumerate(self.game.fleet)
            if ship not in self.sinks
            for line in oracles.positions_through(self.game.size, length, cell)
        )

    def along(self, hits):
        is_open = hits - self.closed - self.cells(True) - self.cells(False)
        ends, sides = set(), set()
        for a in is_open:
            for b in oracles.beside(self.game.size, a):
                if b not in self.told:
                    sides.add(b)
                    beyond = 2 * a - b
                    if beyond in is_open and beyond in oracles.beside(self.game.size, a):
                        ends.add(b)
        return ends or sides

    def hottest(self):
        heat = {cell: 0 for cell in range(self.game.cells) if cell not in self.told}
        for ship, length in enumerate(self.game.fleet):
            if ship not in self.sinks:
                for line in oracles.positions(self.game.size, length):
                    if not line & set(self.told):
                        for cell in line:
                            heat[cell] += 1
        most = 1 if self.variant.random_end else max(heat.values(), default=0)
        return {cell for cell, number in heat.items() if number >= most}

    def follow(self, cell):
        """Take this shot, if the program may fire it."""
        allowed, part = self.next_cells()
        assert cell in allowed
        if part == HUNT:
            self.unheard = cell
            self.mine.add(cell)
        else:
            self.count["finisher" if part == FINISHER else "final"] += 1
        self.fire(cell)
        return part


# --- hunts and games ----------------------------------------------------------------------------


@cache
def written(name):
    """Some hunts of the small game, as cells."""
    private = GAMES[name][1]
    listing, rng = Listing(private), np.random.default_rng(7)
    found = []
    for first in rng.choice(private.cells, HUNTS, replace=False):
        belief = np.exp(0.3 * rng.standard_normal(len(listing)))
        style = Style(int(first), 0.25 * len(found), 1)
        writing = Writing(ByTrial(listing, belief, np.zeros(private.cells + 1), style))
        evaluate(listing, writing)
        found.append(writing.written())
    return found


@cache
def policy_of(name, variant=PRINTED):
    game, private = GAMES[name]
    listing = Listing(private)
    trees = stack(listing, [grown(listing, ByCells(cells))[0] for cells in written(name)])
    picture = make("density-lowest", private) if variant.rebuild else None
    return rewind(game, trees, np.arange(1, HUNTS + 1), variant, picture)


def keys_of(games, seed=3):
    return streams.game_keys(jax.random.key(seed), jnp.uint32(0), jnp.uint32(0), games)


def drawn(policy, keys):
    openings = jax.vmap(lambda key: streams.stream(key, streams.OPENING))(keys)
    carry = jax.vmap(policy.init)(openings)
    roots = np.asarray(policy.trees.root)
    return np.searchsorted(roots, np.asarray(carry.private.node)), np.asarray(carry.symmetry)


@cache
def unfolded(name):
    return [Hunt(GAMES[name][1], cells) for cells in written(name)]


def check(name, variant, games):
    """Every shot is one the program may fire, and the accounts agree."""
    (game, private), policy = GAMES[name], policy_of(name, variant)
    hunts = unfolded(name)
    boards, keys = oracles.random_boards(game, games, seed=11), keys_of(games)
    found = account(policy, boards, keys, slots=128)
    images = np.asarray(policy.images)
    lost, rewinds = 0, 0
    for number, (hunt, symmetry) in enumerate(zip(*drawn(policy, keys), strict=True)):
        board = boards[number]
        image = images[symmetry].tolist()
        program = Program(game, private, hunts[hunt], image, board, variant)
        order = shot_order(found.shot_at[number])
        parts = [program.follow(cell) for cell in order]
        if number < 20:
            firsts, hottest = by_looking_again(game, board, order, parts)
            assert found.first[number].tolist() == firsts
            assert found.hottest[number].tolist() == hottest
        program.count["kept"] = len(program.mine)
        counts = {key: getattr(found, key)[number] for key in program.count}
        assert counts == program.count
        assert sum(counts.values()) - counts["recalled"] == len(order)
        lost += program.lost
        rewinds += program.count["erased"] > 0
        assert found.lost[number] == program.lost
        program.next_cells()
        assert found.on_path[number] == on_path(program, board)
    return lost, rewinds, found


def by_looking_again(game, board, order, parts):
    """Which part hit each ship first, and how often each fired at a hottest cell."""
    known, firsts, hottest = oracles.Known(game), {}, [0, 0, 0]
    for shot, part, truth in zip(order, parts, oracles.truths(game, board, order), strict=True):
        planes = known.planes()
        heat = oracles.digits(game, planes["mark"], planes["sunk_at"])[::-1].T.tolist()
        unfired = np.flatnonzero(planes["mark"] == oracles.UNFIRED)
        hottest[part] += heat[shot] == max(heat[cell] for cell in unfired)
        if truth.hit:
            firsts.setdefault(truth.ship, part)
        known.fire(shot, truth)
    return [firsts[ship] for ship in range(game.ships)], hottest


def on_path(program, board):
    """Whether the hunt's path begins that of its game on the small ships alone."""
    own = {}
    for cell, ship in enumerate(board.tolist()):
        if ship >= 0 and not program.big(ship):
            own.setdefault(ship, set()).add(program.image.index(cell))
    layout, path = list(map(frozenset, own.values())), []
    for cell, told in program.path:
        asked = program.hunt.asks(path)
        if asked is None or program.image[asked] != cell:
            return False
        fired = {asked, *(cell for cell, _ in path)}
        path.append((asked, Hunt.answer(layout, fired, asked)))
        if path[-1][1] != told:
            return False
    return True


@pytest.mark.parametrize(
    ("name", "games"),
    [
        ("5x5", 400),
        ("6x4-twos", 200),
        pytest.param("6x4", 1000, marks=pytest.mark.slow),
        pytest.param("6x6", 600, marks=pytest.mark.slow),
    ],
)
def test_every_shot_is_that_of_the_printed_program(name, games):
    lost, rewinds, found = check(name, PRINTED, games)
    assert rewinds > games / 3, "rewinds are what this is about"
    assert lost <= games / 100
    assert found.on_path.mean() > 0.98
    for part in (found.recalled, found.erased_hits, found.finisher, found.final):
        assert part.sum() > 0
    assert (found.erased_hits <= found.erased).all()
    assert ((found.shot_at >= 0).sum(1) == shots_of(found)).all()


@pytest.mark.parametrize(
    "variant",
    [
        Variant(hand_over=True, random_end=True),
        Variant(rebuild=True),
        pytest.param(Variant(skip_beside_sunk_big=True), marks=pytest.mark.slow),
    ],
    ids=["hand-over-random-end", "rebuild", "skip"],
)
def test_variants(variant):
    lost, _, found = check("5x5", variant, 200)
    if variant.rebuild:
        assert (found.erased == 0).all()
    elif variant.skip_beside_sunk_big:
        assert lost > 0, "cells that are skipped can hide a small ship"
    else:
        assert (found.finisher > 0).all()


def shots_of(found):
    return found.kept + found.erased + found.finisher + found.final


def test_it_plays_like_any_hunter():
    """The contract: legal games, the same with the same keys, whatever the batch."""
    (game, _), policy, games = GAMES["5x5"], policy_of("5x5"), 400
    boards, keys = oracles.random_boards(game, games, seed=5), keys_of(games)
    before = [np.array(leaf) for leaf in jax.tree.leaves(policy)]
    found = account(policy, boards, keys, slots=128)
    playing = jax.jit(partial(play, slots=16, record=True))
    played = jax.device_get(playing(policy, jnp.asarray(boards), keys, jnp.int32(games)))
    assert played.legal.all()
    np.testing.assert_array_equal(played.shot_at, found.shot_at)
    np.testing.assert_array_equal(played.shots, shots_of(found))
    for board, order in zip(boards, map(shot_order, played.shot_at), strict=True):
        assert oracles.shots_to_sink_all(board, order) == len(order)
    after = jax.tree.leaves(policy)
    assert all(np.array_equal(a, b) for a, b in zip(before, after, strict=True))

    # Shot by shot a game is told as it was accounted for.
    for number in range(5):
        told = steps(policy, boards[number], keys[number])
        assert [step.cell for step in told] == shot_order(found.shot_at[number])
        assert [step.ship for step in told] == [boards[number][step.cell] for step in told]
        assert sum(step.recalled for step in told) == found.recalled[number]
        parts = [step.part for step in told]
        assert parts.count(FINISHER) == found.finisher[number]
        assert parts.count(FINAL) == found.final[number]


CLASSIC = Game()
BIG = (True, True, False, False, False)


reading = jax.jit(partial(read, CLASSIC, BIG))


def proof_of(text):
    """What is proven after these shots."""
    history = parse(CLASSIC, text)
    seen = blank(CLASSIC)
    for shot in announced_in_order(CLASSIC, history):
        seen = observe(CLASSIC, seen, jnp.int32(shot.cell), jnp.int8(shot.answer))
    return reading(seen, jnp.full(100, -1, jnp.int8))


def test_what_proves_a_big_ship():
    two = "A1:hit B1:sunk2 "
    three = "A3:hit B3:hit C3:sunk3 "
    # With one 3 afloat, a 3 on these hits would have been announced sunk.
    told = two + three + "E6:hit D6:hit "
    assert not bool(proof_of(told).proof)
    assert bool(proof_of(told + "C6:hit").proof)
    # The 2 or the other 3 can still explain them.
    assert not bool(proof_of(three + "E6:hit D6:hit C6:hit").proof)
    assert not bool(proof_of(two + "E6:hit D6:hit C6:hit").proof)
    # A sink of a length that no small ship has; and nothing is left to explain afterwards.
    assert bool(proof_of("J9:hit E6:hit D6:hit C6:hit B6:sunk4").proof)
    done = proof_of("E6:hit D6:hit C6:hit B6:sunk4")
    assert bool(done.round_over)
    assert not bool(done.proof)
    assert np.flatnonzero(np.asarray(done.owner) == 1).tolist() == sorted(
        oracles.cells("B6 C6 D6 E6")
    )
    # No placement of a 3 over both hits, and the other small ships are sunk.
    told = two + three + "E6:hit G6:miss C6:miss E5:miss E7:miss D6:miss "
    assert bool(proof_of(told).proof)
    # Eight hits that small ships would be sunk by.
    told = "A1:hit C1:hit E1:hit G1:hit A4:hit C4:hit E4:hit G4:hit"
    assert bool(proof_of(told).proof)


def test_several_ways_to_share_hits_out():
    """Two 3s sunk in one line of six: each has the three cells up to its sink."""
    found = proof_of("A1:hit B1:hit D1:hit E1:hit C1:sunk3 F1:sunk3")
    assert bool(found.round_over)
    owner = np.asarray(found.owner)
    assert [owner[cell] for cell in range(6)] == [2, 2, 2, 3, 3, 3]


def test_faults_are_said_in_one_line():
    game, private = GAMES["5x5"]
    listing = Listing(private)
    trees = stack(listing, [grown(listing, ByCells(written("5x5")[0]))[0]])
    for wrong, fault in [
        (Game((5, 5), (4, 3, 2), feedback="name"), "for feedback size and touching allowed"),
        (Game((5, 5), (4, 3, 2), "none"), "for feedback size and touching allowed"),
        (Game((5, 6), (4, 3, 2)), "cannot be played inside"),
        (Game((5, 5), (4, 3)), "is no part of"),
        (Game((5, 5), (3, 2)), "needs ships beside those"),
        (Game((5, 5), (3, 3, 2)), "all of other lengths"),
    ]:
        with pytest.raises(ValueError, match=fault) as said:
            rewind(wrong, trees, np.ones(1))
        assert "\n" not in str(said.value)
    with pytest.raises(ValueError, match="a weight of 0 or more"):
        rewind(game, trees, np.ones(2))
    with pytest.raises(ValueError, match="for the variant rebuild only"):
        rewind(game, trees, np.ones(1), picture=make("density", private))


@pytest.mark.slow
def test_the_earlier_version_counts_layouts_by_default():
    game, private = GAMES["5x5"]
    policy = policy_of("5x5")
    earlier = rewind(game, policy.trees, np.ones(HUNTS), Variant(rebuild=True))
    assert earlier.picture.game == private
    boards = oracles.random_boards(game, 100, seed=13)
    found = account(earlier, boards, keys_of(100))
    assert (found.erased == 0).all()
    assert (found.recalled.sum(), found.lost.sum()) == (0, 0)
