"""Known ways to shuffle wrongly, as the exact chance of each tile at each position.

One tile's way through a shuffle of independent swaps is a Markov chain over the 106 positions, so the chances
are a product of 105 or 106 small matrices, without any sampling. The power of tests is computed from them.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
from numpy.typing import NDArray

from fairdeal.tiles import TILES

Floats = NDArray[np.float64]

NAIVE = "the naive shuffle (each tile is swapped with any of the 106)"
SATTOLO = "Sattolo's shuffle (no tile is ever swapped with itself)"
ONE_BYTE = "one byte modulo (the draw is a single byte modulo i + 1)"


def naive_draw(i: int) -> Floats:
    """Chances of j where any position is taken, whatever i is."""
    del i
    return np.full(TILES, 1 / TILES)


def sattolo_draw(i: int) -> Floats:
    """Chances of j below i only."""
    chances = np.zeros(TILES)
    chances[:i] = 1 / i
    return chances


def one_byte_draw(i: int) -> Floats:
    """Chances of j for a byte modulo i + 1: the first 256 mod (i + 1) values come once more than the rest."""
    return np.bincount(np.arange(256) % (i + 1), minlength=TILES) / 256


@cache
def tile_chances(name: str) -> Floats:
    """P(tile t at position p) as an array [p, t], for one of the shuffles named above."""
    draw, last = _SHUFFLES[name]
    chances = np.eye(TILES)  # [position, tile]
    for i in range(TILES - 1, last - 1, -1):
        weights = draw(i)
        step = np.diag(1 - weights)  # what lies at j stays, unless j is drawn
        step[i, :] = weights  # what lies at j comes to i
        step[:, i] = weights  # what lies at i goes to j
        chances = step @ chances
    return chances


_SHUFFLES: dict[str, tuple[Callable[[int], Floats], int]] = {
    NAIVE: (naive_draw, 0),
    SATTOLO: (sattolo_draw, 1),
    ONE_BYTE: (one_byte_draw, 1),
}
SHUFFLES = tuple(_SHUFFLES)
