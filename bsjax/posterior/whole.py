"""Whole numbers beyond 32 bits, as words of base 2¹⁴ in int32, for programs without 64-bit types.

    n = low + 2¹⁴·high,     0 ≤ low < 2¹⁴,     0 ≤ high < 2³¹,

so n < 2⁴⁵: a thousand times the layouts of the classic fleet. Sums of up to 2¹⁶ low words fit
before they are carried. Squares, which the information rule compares, have digits of base 2¹⁵.
"""

from collections.abc import Sequence
from functools import reduce
from operator import add
from typing import NamedTuple

import jax.numpy as jnp
from jaxtyping import Array, Bool, Float32, Int32, UInt32

BASE_BITS = 14
DIGIT_BITS = 15
_DIGITS = 7
"""Digits of a sum of squares: 2⁹⁰ times 16 answers needs 95 bits."""


class Whole(NamedTuple):
    """Numbers of any shape."""

    low: Int32[Array, "*shape"]
    high: Int32[Array, "*shape"]


def carried(low: Int32[Array, "*shape"], high: Int32[Array, "*shape"]) -> Whole:
    """The number with these words, the low one of which may be any number of at least 0."""
    return Whole(low & ((1 << BASE_BITS) - 1), high + (low >> BASE_BITS))


def less(a: Whole, b: Whole) -> Whole:
    """a − b, which must not be negative."""
    return carried((a.low - b.low), (a.high - b.high))


def split(numbers: Int32[Array, "*shape"]) -> Whole:
    """Numbers of at least 0 that fit one word."""
    return Whole(numbers & ((1 << BASE_BITS) - 1), numbers >> BASE_BITS)


def truncated(numbers: Float32[Array, "*shape"]) -> Whole:
    """The whole part of numbers of at least 0 and below 2⁴⁵."""
    high = jnp.floor(numbers * 2.0**-BASE_BITS)
    # Both have the same unit in the last place or a larger one: nothing is rounded.
    low = numbers - high * 2.0**BASE_BITS
    return Whole(low.astype(jnp.int32), high.astype(jnp.int32))


def nearly(a: Whole) -> Float32[Array, "*shape"]:
    """The number to seven digits."""
    return a.high.astype(jnp.float32) * 2.0**BASE_BITS + a.low.astype(jnp.float32)


def positive(a: Whole) -> Bool[Array, "*shape"]:
    """Whether the number is not 0."""
    return (a.low | a.high) > 0


def over(a: Whole, n: int) -> Whole:
    """a / n for a small n that divides a."""
    return carried((((a.high % n) << BASE_BITS) + a.low) // n, a.high // n)


def squares(numbers: Whole) -> list[UInt32[Array, " C"]]:
    """Digits, lowest first, of the sum of the squares of `numbers` [A, C] over the first axis.

    A is at most 2¹⁶.
    """
    mask = jnp.uint32((1 << DIGIT_BITS) - 1)
    low, high = (word.astype(jnp.uint32) for word in numbers)
    bit = high & 1
    digits = (low | (bit << BASE_BITS), (high >> 1) & mask, high >> (1 + DIGIT_BITS))
    zero = jnp.zeros(numbers.low.shape[1:], jnp.uint32)
    total = [zero] * _DIGITS
    a, b, c = digits
    # Each product is below 2³⁰, each coefficient below 2³².
    for place, coefficient in enumerate((a * a, 2 * a * b, 2 * a * c + b * b, 2 * b * c, c * c)):
        for step in range(3):
            part = (coefficient >> (DIGIT_BITS * step)) & mask
            total[place + step] = total[place + step] + part.sum(0, dtype=jnp.uint32)
    for place in range(_DIGITS - 1):
        total[place + 1] = total[place + 1] + (total[place] >> DIGIT_BITS)
        total[place] = total[place] & mask
    return total


def summed(numbers: Sequence[Sequence[Array]], bits: int) -> list[Array]:
    """Digits of the sum of several numbers, highest first, of base 2^bits but the highest.

    Numbers may be negative, in any of their digits: the sums can be compared digit by digit.
    """
    digits = [reduce(add, parts) for parts in zip(*numbers, strict=True)]
    for place in range(len(digits) - 1, 0, -1):
        digits[place - 1] = digits[place - 1] + (digits[place] >> bits)
        digits[place] = digits[place] & ((1 << bits) - 1)
    return digits
