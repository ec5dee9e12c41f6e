"""The network: planes in, a score and a chance of a ship for every cell out.

Residual blocks over the cells. Ships lie along lines, so a block mixes every channel along its row
and along its column, with a kernel of nine cells each, and adds the mean over the board. The
channels of a cell are then mixed by one product. No weight depends on the size of the board: one
network plays boards of any size. Hunts are told apart by their paths, as planes: the same path, the
same hunt.

**Cost** of a cell, in multiply-adds, with F channels: 13 F before the blocks, 15 F with a path,
(18 + F) F a block, 2 F after them. A block reads and writes about 6 F numbers a cell. A 3×3
convolution would have 9 F² multiply-adds and copy the board nine times. The mean over the board is
a product with ones, not a reduction of leading axes.
"""

import functools
import operator
from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Float32, Key

from bsjax.learn.features import LINE, NUMBERS, PLACES, PLANES, places

REACH = 4
"""Cells that a block looks ahead, in each direction along a line: the 5 of the classic fleet."""


class Size(NamedTuple):
    """How large a network is."""

    width: int
    """Channels of every cell."""
    blocks: int


SIZES = {
    "swift": Size(8, 0),
    "tiny": Size(24, 3),
    "small": Size(64, 4),
    "base": Size(128, 6),
}
"""Networks by name."""


class Dense(eqx.Module):
    """A matrix and a shift on the last axis."""

    weight: Float32[Array, "I O"]
    bias: Float32[Array, " O"]

    def __init__(self, key: Key[Array, ""], inputs: int, outputs: int, gain: float = 1.0):
        scale = gain * np.sqrt(2 / inputs)
        self.weight = scale * jax.random.normal(key, (inputs, outputs))
        self.bias = jnp.zeros(outputs)

    def __call__(self, x: Float[Array, "*s I"]) -> Float[Array, "*s O"]:
        """In the type of x."""
        y = x @ self.weight.astype(x.dtype)
        return y + jnp.broadcast_to(self.bias.astype(x.dtype), y.shape)


class Lines(eqx.Module):
    """Every channel mixed along the row and along the column of each cell."""

    row: Float32[Array, "T F"]
    column: Float32[Array, "T F"]

    def __init__(self, key: Key[Array, ""], width: int):
        taps = 2 * REACH + 1
        self.row, self.column = jax.random.normal(key, (2, taps, width)) / np.sqrt(taps)

    def __call__(self, x: Float[Array, "Y X F"]) -> Float[Array, "Y X F"]:
        """In the type of x; cells off the board are 0."""
        return along(x, self.row.astype(x.dtype), 1) + along(x, self.column.astype(x.dtype), 0)


class Block(eqx.Module):
    """One residual block."""

    lines: Lines
    board: Dense
    out: Dense

    def __init__(self, key: Key[Array, ""], width: int, blocks: int):
        keys = jax.random.split(key, 3)
        self.lines = Lines(keys[0], width)
        self.board = Dense(keys[1], width + len(NUMBERS), width, 0.5)
        self.out = Dense(keys[2], width, width, 1 / blocks)

    def __call__(
        self, x: Float[Array, "Y X F"], beside: Float[Array, " B"]
    ) -> Float[Array, "Y X F"]:
        """The board after this block."""
        whole = self.board(jnp.concatenate([_mean(x), beside]))
        mixed = self.lines(x) + jnp.broadcast_to(whole[None, None], x.shape)
        return x + self.out(jax.nn.relu(mixed))


class Network(eqx.Module):
    """Planes and numbers of one observation to what to fire at; batch it with `vmap`."""

    stem: Dense
    place: Dense
    line: Dense
    beside: Dense
    blocks: list[Block]
    heads: Dense
    bfloat16: bool = eqx.field(static=True)
    """Whether the blocks calculate in bfloat16; parameters and heads are float32."""

    def __init__(self, key: Key[Array, ""], size: Size, *, bfloat16: bool = False):
        stem, place, line, beside, heads, *blocks = jax.random.split(key, 5 + size.blocks)
        self.stem = Dense(stem, len(PLANES), size.width)
        self.place = Dense(place, len(PLACES), size.width, 0.5)
        self.line = Dense(line, len(LINE), size.width, 0.5)
        self.beside = Dense(beside, len(NUMBERS), size.width)
        self.blocks = [Block(own, size.width, size.blocks) for own in blocks]
        self.heads = Dense(heads, size.width, 2, 0.1)
        self.bfloat16 = bfloat16

    def __call__(
        self,
        planes: Float32[Array, "P C"],
        numbers: Float32[Array, " N"],
        line: Float32[Array, "L C"] | None,
        width: int,
    ) -> tuple[Float32[Array, " C"], Float32[Array, " C"]]:
        """Scores of all cells to fire at, and the logarithm of the odds that a ship lies there.

        Args:
            planes: see `bsjax.learn.features`.
            numbers: likewise.
            line: of the path of its hunt; None for a hunter of one hunt.
            width: columns of the board.
        """
        kind = jnp.bfloat16 if self.bfloat16 else jnp.float32
        told = numbers.astype(kind)
        where = jnp.asarray(places((width, planes.shape[1] // width)), kind)
        # Planes first: the product is then one of long rows.
        x = (self.stem.weight.T.astype(kind) @ planes.astype(kind)).T
        x = x + self.place(where) + jnp.broadcast_to(self.beside(told)[None], x.shape)
        if line is not None:
            x = x + self.line(line.T.astype(kind))
        x = jax.nn.relu(x + jnp.broadcast_to(self.stem.bias.astype(kind), x.shape))
        x = x.reshape(-1, width, x.shape[1])
        for block in self.blocks:
            x = block(x, told)
        found = self.heads(x.astype(jnp.float32)).reshape(-1, 2)
        return found[:, 0], found[:, 1]

    @property
    def parameters(self) -> int:
        """Numbers learned."""
        return sum(leaf.size for leaf in jax.tree.leaves(self))

    @property
    def size(self) -> Size:
        """How large it is."""
        return Size(len(self.heads.weight), len(self.blocks))


def along(
    x: Float[Array, "Y X F"], kernel: Float[Array, "T F"], axis: int
) -> Float[Array, "Y X F"]:
    """Σ over the cells up to `REACH` away along an axis, each times its row of the kernel."""
    return _along(x, kernel, axis)


@functools.partial(jax.custom_vjp, nondiff_argnums=(2,))
def _along(x: Array, kernel: Array, axis: int) -> Any:
    taps = zip(_shifted(x, axis), kernel, strict=True)
    return functools.reduce(operator.add, (part * tap[None, None] for part, tap in taps))


def _along_forward(x: Array, kernel: Array, axis: int) -> tuple[Array, tuple[Array, Array]]:
    return _along(x, kernel, axis), (x, kernel)


def _along_backward(axis: int, kept: tuple[Array, Array], slope: Array) -> tuple[Array, Array]:
    """The same sum with the kernel turned round; as derived, every tap would be a padded copy."""
    x, kernel = kept
    parts = [(part * slope).sum((0, 1)) for part in _shifted(x, axis)]
    return _along(slope, kernel[::-1], axis), jnp.stack(parts)


_along.defvjp(_along_forward, _along_backward)


def _shifted(x: Float[Array, "Y X F"], axis: int) -> list[Float[Array, "Y X F"]]:
    """The board moved along an axis by −`REACH` … `REACH` cells, 0 off the board."""
    wide = jnp.pad(x, [(REACH, REACH) if n == axis else (0, 0) for n in range(3)])
    size = x.shape[axis]
    return [jax.lax.slice_in_dim(wide, tap, tap + size, axis=axis) for tap in range(2 * REACH + 1)]


def _mean(x: Float[Array, "Y X F"]) -> Float[Array, " F"]:
    """Mean over the board."""
    flat = x.reshape(-1, x.shape[-1])
    return jnp.full(len(flat), 1 / len(flat), x.dtype) @ flat
