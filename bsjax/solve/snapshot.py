"""What hunts are told of the hider: a snapshot in one byte a class, and beliefs made from it.

A hunt can only be played again bit for bit if the weights it believed in can be made again. They
are therefore whole numbers, made by whole-number arithmetic from a snapshot of the hider and from
random words that NumPy promises never to change.

* A **snapshot** holds the logarithm of a layout's share, in eighths of an octave below the
  likeliest class: 255 is that, 0 is 2³² times less likely or worse.
* A **belief** multiplies the weight of every layout by a factor of its own, exp(blur · z) with z
  one of 256 normal quantiles, and adds a share of the uniform hider.
* **Credit** is rounded to multiples of 2⁻²⁰.
"""

from functools import lru_cache
from math import exp
from statistics import NormalDist

import numpy as np
from jaxtyping import Float64, Int32, Int64, UInt8

from bsjax.evaluate.credit import Credit

EVEN = 256
"""A share of the uniform hider is a whole number of parts of so many."""
_OCTAVE = 8
_TOP = 255
_WEIGHT = 1 << 20
"""Weight of the likeliest class, before all are scaled."""
_FACTOR = 1 << 12
"""What a factor of 1 is written as."""
_BITS = 31
"""The weights of a belief add up to less than 2^_BITS, and 1 for each layout that has less."""
_CREDIT = 1 << 20


def snapshot(
    hider: Float64[np.ndarray, " O"], size: Int64[np.ndarray, " O"]
) -> UInt8[np.ndarray, " O"]:
    """A hider in one byte a class.

    Args:
        hider: share of each class.
        size: layouts of each class.
    """
    each = hider / size
    with np.errstate(divide="ignore"):
        level = _TOP + np.rint(_OCTAVE * np.log2(each / each.max()))
    return np.maximum(level, 0).astype(np.uint8)


def belief(
    levels: UInt8[np.ndarray, " O"],
    of: Int64[np.ndarray, " M"],
    *,
    blur: float = 0.0,
    even: int = 0,
    seed: int = 0,
) -> Float64[np.ndarray, " M"]:
    """Weights of all layouts near a snapshot: whole numbers, less than 2³² in all.

    Args:
        levels: the snapshot.
        of: class of each layout.
        blur: spread of the logarithm of the factors.
        even: share of the uniform hider, in parts of `EVEN`; not all of it.
        seed: of the factors.
    """
    weight = _weights()[levels].take(of)
    if blur > 0:
        words = np.random.PCG64(seed).random_raw(-(-len(of) // 8))
        weight *= _factors(blur).take(words.astype("<u8").view(np.uint8)[: len(of)])
    total = int(weight.sum())
    weight += total * even // ((EVEN - even) * len(of))
    spare = max(int(weight.sum()).bit_length() - _BITS, 0)
    return np.maximum(weight >> spare, 1).astype(np.float64)


def counted(credit: Credit) -> Int32[np.ndarray, " T"]:
    """Credit in whole numbers of 2⁻²⁰."""
    return np.rint(credit * _CREDIT).astype(np.int32)


def credit_of(count: Int32[np.ndarray, " T"]) -> Credit:
    """The credit that was counted."""
    return count / _CREDIT


@lru_cache(maxsize=1)
def _weights() -> Int64[np.ndarray, " L"]:
    """Weight of every level."""
    found = [_WEIGHT * 2.0 ** ((level - _TOP) / _OCTAVE) for level in range(_TOP + 1)]
    return np.array([max(round(weight), 1) for weight in found], np.int64)


@lru_cache(maxsize=16)
def _factors(blur: float) -> Int64[np.ndarray, " 256"]:
    """Factor of every random byte."""
    normal = NormalDist()
    quantiles = [normal.inv_cdf((byte + 0.5) / 256) for byte in range(256)]
    return np.array([max(round(_FACTOR * exp(blur * z)), 1) for z in quantiles], np.int64)
