"""The network: planes in, a score and a chance of a ship for every cell out.

Residual blocks over the cells. A block mixes 3×3 neighbours and, because ships are lines and a
fleet is counted over the whole board, also the means of the row, of the column and of the board,
and its largest values. No weight depends on the size of the board: one network plays boards of any
size. A *code* of a few numbers tells hunts apart: the same code, the same hunt.

A 3×3 convolution is written as one product with the nine shifted copies of the board side by side,
which is a plain matrix product on every device, forward and backward.
"""

from typing import NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Float32, Int32, Key

from bsjax.learn.features import NUMBERS, PLANES

CODE = 16
"""Numbers in the code of a hunt."""
_CODES = 0xC0DE
"""Seed of the codes: they are the same in every run."""


class Size(NamedTuple):
    """How large a network is."""

    width: int
    """Channels of every cell."""
    blocks: int


SIZES = {"tiny": Size(24, 5), "small": Size(48, 6), "base": Size(80, 8)}
"""Networks by name: 48, 211 and 751 thousand parameters."""


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


class Norm(eqx.Module):
    """Channels of every cell brought to a mean square of 1, then scaled."""

    scale: Float32[Array, " F"]

    def __call__(self, x: Float[Array, "*s F"]) -> Float[Array, "*s F"]:
        """In the type of x; the mean is taken in float32."""
        wide = x.astype(jnp.float32)
        size = jax.lax.rsqrt((wide * wide).mean(-1, keepdims=True) + 1e-6)
        return (wide * size * jnp.broadcast_to(self.scale, x.shape)).astype(x.dtype)


class Block(eqx.Module):
    """One residual block."""

    norm: Norm
    near: Dense
    row: Dense
    column: Dense
    board: Dense
    out: Dense

    def __init__(self, key: Key[Array, ""], width: int, blocks: int):
        keys = jax.random.split(key, 5)
        self.norm = Norm(jnp.ones(width))
        self.near = Dense(keys[0], 9 * width, width)
        self.row = Dense(keys[1], width, width, 0.5)
        self.column = Dense(keys[2], width, width, 0.5)
        self.board = Dense(keys[3], 2 * width + len(NUMBERS) + CODE, width, 0.5)
        self.out = Dense(keys[4], width, width, 1 / blocks)

    def __call__(
        self, x: Float[Array, "Y X F"], beside: Float[Array, " B"]
    ) -> Float[Array, "Y X F"]:
        """The board after this block."""
        y = self.norm(x)
        whole = jnp.concatenate([y.mean((0, 1)), y.max((0, 1)), beside])
        mixed = self.near(_neighbours(y))
        for part in (
            self.row(y.mean(1, keepdims=True)),
            self.column(y.mean(0, keepdims=True)),
            self.board(whole)[None, None],
        ):
            mixed = mixed + jnp.broadcast_to(part, mixed.shape)
        return x + self.out(jax.nn.relu(mixed))


class Network(eqx.Module):
    """Planes and numbers of one observation to what to fire at; batch it with `vmap`."""

    stem: Dense
    beside: Dense
    blocks: list[Block]
    norm: Norm
    heads: Dense
    bfloat16: bool = eqx.field(static=True)
    """Whether the blocks calculate in bfloat16; parameters and heads are float32."""

    def __init__(self, key: Key[Array, ""], size: Size, *, bfloat16: bool = False):
        stem, beside, heads, *blocks = jax.random.split(key, 3 + size.blocks)
        self.stem = Dense(stem, 9 * len(PLANES), size.width)
        self.beside = Dense(beside, len(NUMBERS) + CODE, size.width)
        self.blocks = [Block(own, size.width, size.blocks) for own in blocks]
        self.norm = Norm(jnp.ones(size.width))
        self.heads = Dense(heads, size.width, 2, 0.1)
        self.bfloat16 = bfloat16

    def __call__(
        self,
        planes: Float32[Array, "P C"],
        numbers: Float32[Array, " N"],
        code: Float32[Array, " Z"],
        width: int,
    ) -> tuple[Float32[Array, " C"], Float32[Array, " C"]]:
        """Scores of all cells to fire at, and the logarithm of the odds that a ship lies there.

        Args:
            planes: see `bsjax.learn.features`.
            numbers: likewise.
            code: of the hunt, see `code_of`; zeros for a hunter of one hunt.
            width: columns of the board.
        """
        kind = jnp.bfloat16 if self.bfloat16 else jnp.float32
        board = planes.T.reshape(-1, width, len(PLANES)).astype(kind)
        told = jnp.concatenate([numbers, code]).astype(kind)
        x = self.stem(_neighbours(board))
        x = jax.nn.relu(x + jnp.broadcast_to(self.beside(told)[None, None], x.shape))
        for block in self.blocks:
            x = block(x, told)
        found = self.heads(self.norm(x).astype(jnp.float32)).reshape(-1, 2)
        return found[:, 0], found[:, 1]

    @property
    def parameters(self) -> int:
        """Numbers learned."""
        return sum(leaf.size for leaf in jax.tree.leaves(self))

    @property
    def size(self) -> Size:
        """How large it is."""
        return Size(len(self.norm.scale), len(self.blocks))


def code_of(number: Int32[Array, ""]) -> Float32[Array, " Z"]:
    """The code of a hunt by its number: normal draws, so that codes of many hunts lie far apart."""
    return jax.random.normal(jax.random.fold_in(jax.random.key(_CODES), number), (CODE,))


def _neighbours(x: Float[Array, "Y X F"]) -> Float[Array, "Y X F9"]:
    """The 3×3 neighbours of every cell side by side, 0 off the board."""
    height, width, _ = x.shape
    wide = jnp.pad(x, ((1, 1), (1, 1), (0, 0)))
    shifted = [wide[i : i + height, j : j + width] for i in range(3) for j in range(3)]
    return jnp.concatenate(shifted, axis=-1)
