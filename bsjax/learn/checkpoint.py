"""Arrays of a training run on disk: written whole, replaced in one step, refused if damaged.

A checkpoint is a file of arrays, `state-STEP.npz`, and the folder's `checkpoint.json`, which names
it and holds its checksum (`bsjax.runtime.run_folder`). The arrays come first: a kill between the
two leaves the older pair. Arrays keep every bit.
"""

import hashlib
import io
import os
import zipfile
import zlib
from typing import Any, TypeVar

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import PyTree

from bsjax.runtime.run_folder import RunFolder

Tree = TypeVar("Tree", bound=PyTree)
_FILES = "state-*.npz"


def write(folder: RunFolder, step: int, state: PyTree, told: dict[str, Any]) -> None:
    """Checkpoint a pytree of arrays after a step, with what else is to be told, as JSON values."""
    packed = pack({str(n): np.asarray(leaf) for n, leaf in enumerate(_plain(state))})
    name = _FILES.replace("*", str(step))
    partial = folder.path / f"{name}.partial"
    with open(partial, "wb") as stream:
        stream.write(packed)
        stream.flush()
        os.fsync(stream.fileno())
    os.replace(partial, folder.path / name)
    digest = hashlib.sha256(packed).hexdigest()
    folder.save({**told, "step": step, "arrays": name, "arrays_sha256": digest})
    for other in folder.path.glob(_FILES):
        if other.name != name:
            other.unlink()


def read(folder: RunFolder, like: Tree) -> Tree:
    """The pytree of the folder's checkpoint, shaped like this one.

    Raises:
        ValueError: the arrays are missing, damaged, or those of another pytree.
    """
    assert folder.state is not None
    path = folder.path / folder.state["arrays"]
    advice = f"delete {folder.path / 'checkpoint.json'} to train again from the start"
    if not path.exists():
        raise ValueError(f"{path} is missing; {advice}")
    packed = path.read_bytes()
    if hashlib.sha256(packed).hexdigest() != folder.state["arrays_sha256"]:
        raise ValueError(f"{path} is corrupt (its checksum does not match); {advice}")
    held = unpack(packed)
    wanted = _plain(like)
    if len(held) != len(wanted):
        raise ValueError(f"{path} holds {len(held)} arrays, not {len(wanted)}; {advice}")
    for number, leaf in enumerate(wanted):
        found = held[str(number)]
        if (found.shape, found.dtype) != (leaf.shape, leaf.dtype):
            raise ValueError(
                f"{path} holds an array {found.dtype}{list(found.shape)} where this run has "
                f"{leaf.dtype}{list(leaf.shape)}; {advice}"
            )
    leaves, tree = jax.tree.flatten(like)
    arrays = [_like(held[str(number)], leaf) for number, leaf in enumerate(leaves)]
    return jax.tree.unflatten(tree, arrays)


def pack(arrays: dict[str, np.ndarray]) -> bytes:
    """Named arrays as the bytes of a compressed .npz file."""
    stream = io.BytesIO()
    np.savez_compressed(stream, **arrays)  # pyright: ignore[reportArgumentType]
    return stream.getvalue()


def unpack(packed: bytes) -> dict[str, np.ndarray]:
    """The arrays of `pack`.

    Raises:
        ValueError: these are no such bytes.
    """
    try:
        with np.load(io.BytesIO(packed), allow_pickle=False) as held:
            return {name: held[name] for name in held.files}
    except (OSError, EOFError, KeyError, zipfile.BadZipFile, zlib.error) as error:
        raise ValueError(f"no file of arrays ({error})") from None


def _plain(tree: PyTree) -> list[Any]:
    """The leaves, keys as their words."""
    return [jax.random.key_data(leaf) if _is_key(leaf) else leaf for leaf in jax.tree.leaves(tree)]


def _like(found: np.ndarray, leaf: Any) -> Any:
    """The array as a leaf of this kind."""
    return jax.random.wrap_key_data(jnp.asarray(found)) if _is_key(leaf) else found


def _is_key(leaf: Any) -> bool:
    return jnp.issubdtype(leaf.dtype, jax.dtypes.prng_key)
