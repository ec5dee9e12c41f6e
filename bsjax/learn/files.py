"""A trained hunter as a file of less than 2 MB: parameters in 16 bits, and where they come from.

One line names the format and holds a checksum of all that follows: a .npz with a header in JSON:
format, version of the features, game, size of the network, how it fires, and a *card*: what it was
taught by, with which settings, seed and commit, and how well it plays. Files in
`bsjax/learn/hunters` go by name.
"""

import hashlib
import json
from pathlib import Path
from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from bsjax.game.game import Game
from bsjax.learn.checkpoint import pack, unpack
from bsjax.learn.features import VERSION
from bsjax.learn.hunter import Hunter
from bsjax.learn.network import Network, Size

_FIRST = b"bsjax hunter 1 "
"""How the first line begins, before the checksum."""
_DIGEST = 65
"""Bytes of the checksum and the end of its line."""
ENDING = ".hunter"
MOST = 2_000_000
"""Bytes of a file at most."""
SHIPPED = Path(__file__).parent / "hunters"
"""Folder of the hunters that come with the package."""


class Stored(NamedTuple):
    """A hunter and its card."""

    hunter: Hunter
    card: dict[str, Any]


def names() -> list[str]:
    """Hunters that come with the package."""
    return sorted(path.stem for path in SHIPPED.glob(f"*{ENDING}"))


def save_hunter(hunter: Hunter, path: Path, card: dict[str, Any] | None = None) -> None:
    """Write a hunter. Its parameters are rounded to float16.

    Args:
        hunter: a trained hunter without a latent of its own.
        path: ends in `.hunter`.
        card: where it comes from and how well it plays, as JSON values.

    Raises:
        ValueError: another ending, or the file would be larger than 2 MB.
    """
    if path.suffix != ENDING:
        raise ValueError(f"{path}: call the file of a hunter NAME{ENDING}")
    leaves = jax.tree.leaves(rounded(hunter.network))
    arrays = {f"p{number}": np.asarray(leaf, np.float16) for number, leaf in enumerate(leaves)}
    if hunter.shares is not None:
        arrays["shares"] = np.asarray(hunter.shares)
        arrays["paths"] = np.asarray(hunter.paths)
    game = hunter.game
    header = {
        "features": VERSION,
        "game": [list(game.size), list(game.fleet), game.touching, game.feedback],
        "network": list(hunter.network.size),
        "bfloat16": hunter.network.bfloat16,
        "temperature": hunter.temperature,
        "by": hunter.by,
        "turns": hunter.turns,
        "card": card or {},
    }
    packed = pack({"header": np.array(json.dumps(header)), **arrays})
    if len(packed) > MOST:
        raise ValueError(
            f"this hunter takes {len(packed):,} bytes, {MOST:,} at most: take a smaller network"
        )
    partial = path.with_name(path.name + ".partial")
    partial.write_bytes(_FIRST + _digest(packed) + packed)
    partial.replace(path)


def rounded(network: Network) -> Network:
    """The network as its file holds it: parameters of float16, in float32."""
    return jax.tree.map(lambda leaf: leaf.astype(jnp.float16).astype(jnp.float32), network)


def load_hunter(name_or_path: str | Path, game: Game | None = None) -> Hunter:
    """A hunter by its name, or from its file.

    Args:
        name_or_path: one of `names()`, or a path that ends in `.hunter`.
        game: the game it is to play; by default the one it was trained for.

    Raises:
        ValueError: there is no such hunter, or the file holds none.
    """
    return load_stored(name_or_path, game).hunter


def load_stored(name_or_path: str | Path, game: Game | None = None) -> Stored:
    """The same with its card."""
    path = path_of(name_or_path)
    try:
        return _read(path.read_bytes(), game)
    except (ValueError, KeyError, TypeError) as error:
        raise ValueError(f"{path} holds no hunter ({error})") from None


def path_of(name_or_path: str | Path) -> Path:
    """Where the file of a hunter lies.

    Raises:
        ValueError: there is none.
    """
    path = Path(name_or_path)
    if path.suffix != ENDING:
        if str(name_or_path) not in names():
            offered = ", ".join(names()) or "none so far"
            raise ValueError(
                f"no hunter {str(name_or_path)!r}; those that come with the package: {offered}; "
                f"or give a file NAME{ENDING}, which bsjax distill writes"
            )
        path = SHIPPED / f"{name_or_path}{ENDING}"
    if not path.exists():
        raise ValueError(f"{path} is missing; write it with bsjax distill --out")
    return path


def _read(told: bytes, game: Game | None) -> Stored:
    start = len(_FIRST) + _DIGEST
    if not told.startswith(_FIRST):
        raise ValueError("it does not begin as one of this format")
    if told[len(_FIRST) : start] != _digest(told[start:]):
        raise ValueError("its checksum does not match")
    arrays = unpack(told[start:])
    header = json.loads(str(arrays.pop("header")[()]))
    if header["features"] != VERSION:
        raise ValueError(f"features {header['features']}, this version knows {VERSION}")
    size, fleet, touching, feedback = header["game"]
    trained = Game(tuple(size), tuple(fleet), touching, feedback)
    shape = eqx.filter_eval_shape(
        lambda: Network(jax.random.key(0), Size(*header["network"]), bfloat16=header["bfloat16"])
    )
    leaves, tree = jax.tree.flatten(shape)
    found = [arrays[f"p{number}"] for number in range(len(leaves))]
    if [leaf.shape for leaf in found] != [leaf.shape for leaf in leaves]:
        raise ValueError("its arrays are those of another network")
    network = jax.tree.unflatten(tree, [jnp.asarray(leaf, jnp.float32) for leaf in found])
    shares, paths = (
        jnp.asarray(arrays[name]) if name in arrays else None for name in ("shares", "paths")
    )
    if paths is not None and game is not None and game.size != trained.size:
        raise ValueError(f"its hunts are paths on {trained}, and no others")
    hunter = Hunter(
        game or trained,
        network,
        shares,
        paths,
        temperature=header["temperature"],
        by=header["by"],
        turns=header["turns"],
    )
    return Stored(hunter, header["card"])


def _digest(packed: bytes) -> bytes:
    """The checksum, and the end of the first line."""
    return hashlib.sha256(packed).hexdigest().encode() + b"\n"
