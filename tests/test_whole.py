"""Numbers beyond 32 bits, sets of placements as words, and the groups of leaves."""

from functools import cache, partial
from itertools import combinations, product
from math import comb

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from bsjax.game.game import PRESETS, Game
from bsjax.posterior.bits import set_bit
from bsjax.posterior.leaves import FREE
from bsjax.posterior.plan import plan
from bsjax.posterior.tables import tables
from bsjax.posterior.whole import (
    BASE_BITS,
    DIGIT_BITS,
    Whole,
    carried,
    less,
    nearly,
    over,
    positive,
    squares,
    summed,
    truncated,
)
from bsjax.posterior.whole import split as one_word
from bsjax.posterior.words import member, pack, size, unpack, words

MOST = (1 << 45) - 1


def split(numbers):
    """Python integers, nested lists of one shape, as two words each."""
    n = np.array(numbers, object)
    low, high = (n & ((1 << BASE_BITS) - 1)).astype(np.int32), (n >> BASE_BITS).astype(np.int32)
    return Whole(jnp.asarray(low), jnp.asarray(high))


def joined(number):
    """Two words as Python integers."""
    low, high = (np.asarray(word).astype(object) for word in number)
    assert (low >= 0).all()
    assert (low < 1 << BASE_BITS).all()
    return np.array(low + (high << BASE_BITS)).tolist()


def numbers(count, seed, most=MOST):
    """Integers of all magnitudes up to `most`, the ends among them."""
    rng = np.random.default_rng(seed)
    sizes = [int(rng.integers(most.bit_length() + 1)) for _ in range(count - 4)]
    some = [int(rng.integers(1 << bits, dtype=np.int64)) for bits in sizes]
    return [0, 1, most, most - 1, *(min(n, most) for n in some)]


# --- numbers -----------------------------------------------------------------------------------


def test_carries():
    rng = np.random.default_rng(0)
    low = np.append(rng.integers(1 << 30, size=200), [0, (1 << 31) - 1, 1 << BASE_BITS])
    high = rng.integers(1 << 30, size=203)
    due = (low.astype(object) + (high.astype(object) << BASE_BITS)).tolist()
    low, high = low.astype(np.int32), high.astype(np.int32)
    assert joined(jax.jit(carried)(jnp.asarray(low), jnp.asarray(high))) == due


def test_one_word_becomes_two():
    some = np.array(numbers(200, seed=20, most=(1 << 31) - 1), np.int32)
    assert joined(jax.jit(one_word)(jnp.asarray(some))) == some.tolist()


def test_whole_parts_of_floats():
    """Of numbers with 24 digits anywhere below 2⁴⁵, half of them with a fraction."""
    rng = np.random.default_rng(21)
    digits = rng.integers(1 << 23, 1 << 24, 400).astype(np.float64)
    some = (digits * 2.0 ** rng.integers(-40, 21, 400)).astype(np.float32)
    some[:3] = 0, 0.5, 1
    assert joined(jax.jit(truncated)(jnp.asarray(some))) == [int(x) for x in some.tolist()]


def test_near_and_positive_numbers():
    some = numbers(200, seed=22)
    close = np.asarray(nearly(split(some)))
    np.testing.assert_allclose(close, np.array(some, np.float64), rtol=2.0**-22)
    assert np.asarray(positive(split(some))).tolist() == [x > 0 for x in some]


def test_sums_of_many_low_words_are_carried():
    """2¹⁶ numbers are added word by word, and carried once."""
    rng = np.random.default_rng(1)
    some = [int(n) for n in rng.integers(1 << 29, size=(1 << 16) - 1)] + [(1 << 29) - 1]
    parts = split(some)
    assert joined(carried(parts.low.sum(), parts.high.sum())) == sum(some)


def test_differences():
    a, b = numbers(300, 2), numbers(300, 3)
    upper = [max(pair) for pair in zip(a, b, strict=True)]
    lower = [min(pair) for pair in zip(a, b, strict=True)]
    due = [x - y for x, y in zip(upper, lower, strict=True)]
    assert joined(jax.jit(less)(split(upper), split(lower))) == due
    assert joined(less(split(a), split(a))) == [0] * len(a)


@pytest.mark.parametrize("n", [1, 2, 3, 7, 12, 1000])
def test_quotients(n):
    due = numbers(200, n, MOST // n)
    assert joined(over(split([n * x for x in due]), n)) == due


@pytest.mark.parametrize("rows", [1, 2, 34, 999])
def test_squares(rows):
    table = np.array(numbers(6 * rows + 4, rows)[-6 * rows :], object).reshape(rows, 6)
    table[: min(rows, 16), 0] = MOST
    table[:, 1] = 0
    digits = [np.asarray(digit) for digit in jax.jit(squares)(split(table))]
    for digit in digits[:-1]:
        assert (digit < 1 << DIGIT_BITS).all()
    value = sum(digit.astype(object) << DIGIT_BITS * i for i, digit in enumerate(digits))
    assert value.tolist() == (table * table).sum(0).tolist()


def test_the_largest_sums_of_squares():
    """2¹⁶ equal numbers, each digit of which is as large as it can be, small or anything."""
    rng = np.random.default_rng(5)
    ends = [0, 1, (1 << DIGIT_BITS) - 1, 181]
    columns = [
        sum(d << DIGIT_BITS * i for i, d in enumerate(some)) for some in product(ends, repeat=3)
    ]
    columns += [int(n) for n in rng.integers(MOST, size=16, dtype=np.int64)]
    one = split(columns)
    many = Whole(*(jnp.broadcast_to(word[None], (1 << 16, len(columns))) for word in one))
    digits = [np.asarray(digit).astype(object) for digit in squares(many)]
    value = sum(digit << DIGIT_BITS * i for i, digit in enumerate(digits))
    assert value.tolist() == [n * n << 16 for n in columns]


@pytest.mark.parametrize("bits", [BASE_BITS, DIGIT_BITS])
@pytest.mark.parametrize("terms", [1, 2, 9])
def test_sums_compare_digit_by_digit(bits, terms):
    """Numbers of three digits, any of them negative, and many ties."""
    rng = np.random.default_rng(terms)
    most = 1 << bits
    digits = rng.integers(-most + 1, most, (terms, 3, 40), dtype=np.int32)
    digits[:, 0] //= most // 2
    digits[:, 1, ::2] = 0
    digits[:, :, 30:] = digits[:, :, 20:30]
    value = digits[:, 0].astype(object)
    for place in (1, 2):
        value = (value << bits) + digits[:, place]
    due = value.sum(0).tolist()
    found = summed([list(map(jnp.asarray, one)) for one in digits], bits)
    highest, *rest = [np.asarray(digit) for digit in found]
    for digit in rest:
        assert ((digit >= 0) & (digit < most)).all()
    again = highest.astype(object)
    for digit in rest:
        again = (again << bits) + digit
    assert again.tolist() == due
    rows = list(zip(*(digit.tolist() for digit in (highest, *rest)), strict=True))
    for i in range(40):
        for j in range(40):
            assert (rows[i] < rows[j]) == (due[i] < due[j])
            assert (rows[i] == rows[j]) == (due[i] == due[j])


def test_numbers_of_one_digit_may_be_floats():
    parts = np.random.default_rng(0).normal(size=(4, 9)).astype(np.float32)
    (found,) = summed([[jnp.asarray(part)] for part in parts], BASE_BITS)
    np.testing.assert_allclose(found, parts.sum(0), rtol=1e-6, atol=1e-6)


# --- sets --------------------------------------------------------------------------------------

SETS = [
    Game(),
    Game((16, 16), (8, 5, 1), "none"),
    Game((3, 2), (3, 2), "no-side"),
    Game((4, 4), (2, 1)),
]
"""Sets of ships that end in the middle of a word, at its end (16 × 2, 1) or after one bit."""


@cache
def set_functions(game):
    ships = range(game.ships)

    def parts(chosen):
        return [unpack(game, chosen, ship) for ship in ships], size(chosen)

    ranked = jax.jit(jax.vmap(partial(member, game), in_axes=(None, 0)))
    return jax.jit(partial(pack, game)), jax.jit(parts), ranked


@pytest.mark.parametrize("game", SETS, ids=str)
def test_words_are_sets(game):
    rng = np.random.default_rng(7)
    packing, unpacking, ranked = set_functions(game)
    start = tables(game).start
    none = start[-1]
    ranks = jnp.arange(none + 2, dtype=jnp.int32)
    flags = [rng.random(none + 1) < share for share in (0.0, 0.03, 0.5, 0.97, 1.0)]
    flags.append(np.arange(none + 1) == rng.integers(none))
    for chosen in flags:
        # The flag of "none" is in no set.
        for last in (False, True):
            chosen[-1] = last
            own = packing(jnp.asarray(chosen))
            by_ship, count = unpacking(own)
            due = chosen[:-1].nonzero()[0]
            np.testing.assert_array_equal(np.concatenate(by_ship), chosen[:-1])
            assert int(count) == len(due)
            found = np.asarray(ranked(own, ranks))
            np.testing.assert_array_equal(found[: len(due)], due)
            assert (found[len(due) :] == none).all()


@pytest.mark.parametrize("game", SETS, ids=str)
def test_fixed_sets(game):
    """What meets a placement, covers a cell, or places a ship."""
    table, fixed = tables(game), words(game)
    _, unpacking, _ = set_functions(game)

    def flags(row):
        return np.concatenate(unpacking(jnp.asarray(row))[0])

    for one in (0, 1, table.start[-1] // 2, table.start[-1] - 1, table.start[-1]):
        np.testing.assert_array_equal(flags(fixed.meets[one]), table.meets[one, :-1])
    for cell in (0, game.cells // 2, game.cells - 1, game.cells):
        np.testing.assert_array_equal(flags(fixed.through[cell]), table.masks[:-1, cell])
    for ship in range(game.ships):
        np.testing.assert_array_equal(flags(fixed.ship[ship]), table.ship[:-1] == ship)
    # Every bit is a placement of the ship that owns the word, or none.
    assert sorted(fixed.number[fixed.number < table.start[-1]]) == list(range(table.start[-1]))
    assert len(fixed.number) == 32 * fixed.start[-1]


def test_set_bits_by_rank():
    rng = np.random.default_rng(8)
    some = rng.integers(1 << 32, size=300, dtype=np.uint32)
    some = np.append(some, np.uint32([1, 1 << 31, (1 << 32) - 1, 0x80000001]))
    pairs = [
        (word, rank, place)
        for word in some.tolist()
        for rank, place in enumerate(i for i in range(32) if word >> i & 1)
    ]
    word, rank, place = np.array(pairs, np.uint32).T
    np.testing.assert_array_equal(jax.jit(set_bit)(jnp.asarray(word), jnp.asarray(rank)), place)


# --- groups ------------------------------------------------------------------------------------

FLEETS = {
    "classic": (5, 4, 3, 3, 2),
    "one": (3,),
    "two": (3, 2),
    "twins": (3, 3),
    "three of a kind": (2, 2, 2),
    "four of a kind": (2, 2, 2, 2, 3),
    "ten ships": PRESETS["ten-ship"].fleet,
    "twelve ships": (8, 7, 6, 5, 5, 4, 4, 3, 3, 2, 2, 1),
}


@pytest.mark.parametrize("told_apart", [False, True])
@pytest.mark.parametrize("name", FLEETS)
def test_groups_serve_every_set_of_free_ships(name, told_apart):
    fleet = FLEETS[name]
    game = Game((16, 16), fleet)
    found = plan(game, told_apart)
    ships = range(game.ships)
    first = [k if told_apart else fleet.index(fleet[k]) for k in ships]
    assert found.first.tolist() == first
    for group in found.groups:
        for k, twin in enumerate(group.twins):
            # Twins are of one class, and each is told by the first of them.
            assert group.twins[twin] == twin <= k
            assert group.ships[twin] == group.ships[k]
            assert first[group.ships[k]] == group.ships[k]
    for number in range(1 << game.ships):
        free = [k for k in ships if number >> k & 1]
        group = int(found.group[number])
        if len(free) > FREE:
            assert group == -1
            continue
        ours, gone = found.groups[group], found.absent[number].tolist()
        there = [k for k in range(FREE) if not gone[k]]
        assert sorted(ours.ships[k] for k in there) == sorted(first[k] for k in free)
        for k in range(FREE):
            assert gone[k] == gone[ours.twins[k]]
        # Free ships of one class share their matrices.
        for a, b in combinations(there, 2):
            alike = ours.ships[a] == ours.ships[b]
            assert alike == (ours.twins[a] == ours.twins[b])


def test_few_groups():
    """As many as there are kinds of three ships; smaller sets join them where they can."""
    assert len(plan(Game((5, 5), (3, 3, 2)), True).groups) == 1
    assert len(plan(Game(), True).groups) == comb(5, 3)
    assert len(plan(Game((16, 16), FLEETS["twelve ships"]), True).groups) == comb(12, 3)
    for fleet in (Game().fleet, FLEETS["ten ships"], FLEETS["twelve ships"]):
        kinds = {tuple(sorted(three)) for three in combinations(fleet, 3)}
        assert len(plan(Game((16, 16), fleet), False).groups) == len(kinds)
