"""Images of few colours: small files whose flat tints are exact."""

from collections import Counter
from collections.abc import Sequence

import numpy as np
from jaxtyping import UInt8
from PIL import Image

COLORS = 255
"""One of 256 is left for the transparent cells of a film's frames, six times smaller for it."""

Pixels = UInt8[np.ndarray, "H W 3"]


def reduced(images: Sequence[Pixels]) -> list[Image.Image]:
    """Images of one size with one palette for all, of their most frequent colours.

    Flat areas keep their colours to the bit, so films do not flicker and white stays white; the
    rare tints at the edges of shapes become the nearest of them. A pixel counts where it differs
    from the image before.
    """
    changes = []
    before = np.full(images[0].shape[:2], -1)
    for image in images:
        colors = _packed(image)
        where = colors != before
        changes.append((where, *np.unique(colors[where], return_inverse=True)))
        before = colors
    counted = Counter[int]()
    for _, found, index in changes:
        counted.update(dict(zip(found.tolist(), np.bincount(index).tolist(), strict=True)))
    ordered = sorted(counted, key=lambda color: (-counted[color], color))
    palette = _unpacked(np.array(ordered[:COLORS]))
    place = dict(zip(ordered, range(COLORS), strict=False))
    rest = np.array(ordered[COLORS:], int)
    for start in range(0, len(rest), 4096):
        block = rest[start : start + 4096]
        away = _unpacked(block)[:, None].astype(int) - palette[None]
        place |= zip(block.tolist(), (away**2).sum(-1).argmin(1).tolist(), strict=True)
    made, places = [], np.zeros(images[0].shape[:2], np.uint8)
    for where, found, index in changes:
        table = np.array([place[color] for color in found.tolist()], np.uint8)
        places[where] = table[index]
        flat = Image.fromarray(places.copy())
        flat.putpalette(palette.ravel().tobytes())
        made.append(flat)
    return made


def _packed(image: Pixels) -> np.ndarray:
    red, green, blue = np.moveaxis(image.astype(np.int64), -1, 0)
    return red << 16 | green << 8 | blue


def _unpacked(colors: np.ndarray) -> np.ndarray:
    return np.stack([colors >> 16, colors >> 8 & 255, colors & 255], -1).astype(np.uint8)
