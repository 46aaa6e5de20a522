"""What fair shuffles do, exactly: means, covariances and distributions of everything that is counted.

All of it is finite counting over the permutations of 106 tiles; ``docs/statistics.md`` derives the formulas.
Where a hand is laid out at a wall, the positions that form a seat's hand depend on dice and starter alone,
never on tiles, so every hand is a uniform subset of the 106.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from math import comb

import numpy as np
from numpy.typing import NDArray

from fairdeal.tiles import TILES

Floats = NDArray[np.float64]

FACES = 53
"""Faces that come twice: four colours of thirteen, and the false joker."""
NUMBERS = 13
PER_NUMBER = 8
PER_COLOUR = 26


def okey_moments(sizes: Sequence[int]) -> tuple[Floats, Floats]:
    """Mean and covariance of the okeys (0 to 2) held by hands of these sizes, given one indicator.

    The indicator is never a false joker, and a joker met on the way to it stays where it lies, so both
    okeys are uniform over the 103 other positions without a joker.
    """
    n, free = TILES, TILES - 3
    one = (n - 2) / (n * free)  # a given okey lies at a given position of a hand
    both = (n - 2) * (n - 3) / (n * (n - 1) * free * (free - 1))  # both okeys at two given positions
    return _two_tiles(sizes, one, both)


def joker_moments(sizes: Sequence[int]) -> tuple[Floats, Floats]:
    """Mean and covariance of the false jokers (0 to 2) held by hands of these sizes."""
    return _two_tiles(sizes, 1 / TILES, 1 / (TILES * (TILES - 1)))


def _two_tiles(sizes: Sequence[int], one: float, both: float) -> tuple[Floats, Floats]:
    h = np.asarray(sizes, np.float64)
    mean = 2 * one * h
    products = 2 * both * np.outer(h, h)
    np.fill_diagonal(products, 2 * both * h * (h - 1) + mean)
    return mean, products - np.outer(mean, mean)


def pair_moments(sizes: Sequence[int]) -> tuple[Floats, Floats]:
    """Mean and covariance of the pairs (both tiles of one face) held by hands of these sizes."""
    n = TILES
    h = np.asarray(sizes, np.float64)
    ways = h * (h - 1)
    mean = FACES * ways / (n * (n - 1))
    scale = FACES * (FACES - 1) / (n * (n - 1) * (n - 2) * (n - 3))
    products = scale * np.outer(ways, ways)
    np.fill_diagonal(products, scale * ways * (h - 2) * (h - 3) + mean)
    return mean, products - np.outer(mean, mean)


@cache
def longest_run(size: int) -> tuple[float, ...]:
    """P(longest run = r) for r = 0 … 13 in a hand of ``size`` tiles.

    A run is consecutive numbers of one colour; 1 does not follow 13, a second copy adds nothing, and
    false jokers belong to none.
    """
    at_most = [_hands_with_runs_up_to(r, size) / comb(TILES, size) for r in range(NUMBERS + 1)]
    return tuple(np.diff(at_most, prepend=0.0))


def longest_run_mean(size: int) -> float:
    """Mean longest run in a hand of ``size`` tiles."""
    return float(np.dot(longest_run(size), np.arange(NUMBERS + 1)))


def _hands_with_runs_up_to(longest: int, size: int) -> int:
    colour = _colour_subsets(longest)
    hands = [1, 2, 1]  # subsets of the two false jokers, by size
    for _ in range(4):
        hands = _product(hands, colour)
    return hands[size]


def _colour_subsets(longest: int) -> list[int]:
    """How many subsets of one colour's 26 tiles, by size, hold no run longer than ``longest``."""
    # ways[k][run]: subsets of k tiles of the numbers so far whose last ``run`` numbers are present.
    ways = [[0] * (longest + 1) for _ in range(PER_COLOUR + 1)]
    ways[0][0] = 1
    for _ in range(NUMBERS):
        after = [[0] * (longest + 1) for _ in range(PER_COLOUR + 1)]
        for tiles, by_run in enumerate(ways):
            for run, count in enumerate(by_run):
                if not count:
                    continue
                after[tiles][0] += count
                if run < longest:
                    after[tiles + 1][run + 1] += 2 * count
                    after[tiles + 2][run + 1] += count
        ways = after
    return [sum(by_run) for by_run in ways]


def _product(a: Sequence[int], b: Sequence[int]) -> list[int]:
    result = [0] * (len(a) + len(b) - 1)
    for i, x in enumerate(a):
        for j, y in enumerate(b):
            result[i + j] += x * y
    return result


@cache
def collection() -> tuple[float, ...]:
    """P(T = t) for t = 0 … 106, T the tiles read from the front until all 13 numbers have been seen."""
    at_most = [
        sum((-1) ** k * comb(NUMBERS, k) * comb(TILES - PER_NUMBER * k, t) for k in range(NUMBERS + 1))
        / comb(TILES, t)
        for t in range(TILES + 1)
    ]
    return tuple(np.maximum(np.diff(at_most, prepend=0.0), 0.0))


def rise_moments() -> tuple[float, float]:
    """Mean and variance of the rises between neighbours of one order (Eulerian numbers)."""
    return (TILES - 1) / 2, (TILES + 1) / 12


def product_moments() -> tuple[float, float]:
    """Mean and variance of Σ x·y over the positions of two independent orders."""
    middle = (TILES - 1) / 2
    squares = TILES * (TILES**2 - 1) / 12
    return TILES * middle**2, squares**2 / (TILES - 1)
