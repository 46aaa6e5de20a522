"""Tests of the orders themselves: tiles and positions, runs, and what successive hands share."""

from __future__ import annotations

from dataclasses import replace
from math import exp, factorial

import numpy as np
from numpy.typing import NDArray

from fairdeal.audit.stats import nulls
from fairdeal.audit.stats.alternatives import NAIVE, SATTOLO, SHUFFLES, tile_chances
from fairdeal.audit.stats.counts import OrderCounts
from fairdeal.audit.stats.outcome import (
    Outcome,
    Power,
    chi_square,
    chi_square_power,
    normal,
    normal_power,
    pearson,
    poisson,
    poisson_power,
    reach,
)
from fairdeal.audit.stats.serial import SerialSums
from fairdeal.tiles import TILES

LEAST_EXPECTED = 5
"""Least expected count of a cell in a chi-square."""

POOL = 1_000_000


def tiles_by_position(counts: OrderCounts, level: float) -> Outcome:
    """Every tile at every position: chi-square over 106 × 106 cells, scaled by (n − 1)/n.

    Each hand puts one tile at each position and each tile at one position. With the factor, the mean of the
    statistic is exactly 105², and its variance that of a chi-square with 105² degrees, times (N − 1)/N.
    """
    n, hands = TILES, counts.hands
    asked = Outcome(
        name="tiles-by-position",
        title="Tiles by position",
        question="Does every tile come to every position equally often?",
        measure="chi-square",
        hands=hands,
        minimum=LEAST_EXPECTED * n,
    )
    if hands < asked.minimum:
        return asked
    degrees = (n - 1) ** 2
    statistic = pearson(counts.tiles.astype(float), np.full((n, n), hands / n)) * (n - 1) / n

    def power(stray: float) -> float:
        # Each of n² cells off by ``stray`` of 1/n: the noncentrality is N·n·Σ(p − 1/n)², times (n − 1)/n.
        return chi_square_power(hands * (n - 1) * stray**2, degrees, level)

    return replace(
        asked,
        observed=statistic,
        expected=float(degrees),
        distribution=f"chi-square, {degrees:,} degrees of freedom",
        p=chi_square(statistic, degrees),
        power=tuple(Power(name, power(_stray(name))) for name in SHUFFLES),
        reach=reach(power, 10, "chances that stray from fair ones by {} of their size (root mean square)"),
    )


def _stray(name: str) -> float:
    """How far a shuffle's chances stray from 1/n, in units of 1/n: the root of the mean square."""
    return float(np.sqrt(np.square(tile_chances(name) * TILES - 1).mean()))


def fixed_points(counts: OrderCounts, level: float) -> Outcome:
    """Tiles that lie where an unshuffled set has them: one a hand on average, Poisson to any precision."""
    hands = counts.hands
    asked = Outcome(
        name="fixed-points",
        title="Fixed points",
        question="Do tiles stay at their own place as often as chance has it?",
        measure="tiles that kept their place",
        hands=hands,
        minimum=100,
    )
    if hands < asked.minimum:
        return asked
    seen = int(np.trace(counts.tiles))
    others = {name: float(np.trace(tile_chances(name))) for name in (SATTOLO, NAIVE)}
    return replace(
        asked,
        observed=float(seen),
        expected=float(hands),
        distribution="Poisson",
        p=poisson(seen, hands),
        power=tuple(Power(name, poisson_power(hands, hands * mean, level)) for name, mean in others.items()),
        reach=reach(
            lambda more: poisson_power(hands, hands * (1 + more), level),
            10,
            "{} more tiles that stay in place",
        ),
    )


def rises(counts: OrderCounts, level: float) -> Outcome:
    """Runs in the order: how often a tile is followed by a higher one (Eulerian numbers)."""
    hands = counts.hands
    asked = Outcome(
        name="runs",
        title="Runs of the order",
        question="Do neighbours in the order rise as often as they fall?",
        measure="rises between neighbours",
        hands=hands,
        minimum=100,
    )
    if hands < asked.minimum:
        return asked
    mean, variance = (hands * m for m in nulls.rise_moments())

    def power(more: float) -> float:
        return normal_power(more * mean, variance, level)

    return replace(
        asked,
        observed=float(counts.rises),
        expected=mean,
        distribution="normal",
        p=normal(counts.rises, mean, variance),
        power=(Power("51 % of the neighbours rise, in place of 50 %", power(0.02)),),
        reach=reach(power, 1, "{} more rises than are due"),
    )


def collection(counts: OrderCounts, level: float) -> Outcome:
    """Coupon collector: tiles read from the front until all 13 numbers have been seen."""
    hands = counts.hands
    asked = Outcome(
        name="coupon-collector",
        title="Coupon collector",
        question="Reading an order from the front, are all 13 numbers met as soon as chance has it?",
        measure="chi-square",
        hands=hands,
        minimum=200,
    )
    if hands < asked.minimum:
        return asked
    chances = np.asarray(nulls.collection())
    cells = _cells(chances * hands)
    expected = np.bincount(cells, weights=chances * hands)
    statistic = pearson(np.bincount(cells, weights=counts.collected), expected)
    degrees = len(expected) - 1
    early = cells[13]  # all 13 numbers among the first 13 tiles

    def power(part: float) -> float:
        shifted = (1 - part) * expected
        shifted[early] += part * hands
        return chi_square_power(pearson(shifted, expected), degrees, level)

    return replace(
        asked,
        observed=statistic,
        expected=float(degrees),
        distribution=f"chi-square, {degrees} degrees of freedom",
        p=chi_square(statistic, degrees),
        power=(
            Power("5 % of the orders are smoothed: all 13 numbers among the first 13 tiles", power(0.05)),
        ),
        reach=reach(power, 1, "{} of the orders smoothed in this way"),
    )


def _cells(expected: NDArray[np.float64]) -> NDArray[np.intp]:
    """Cell of each value, neighbours joined until each cell expects at least :data:`LEAST_EXPECTED`."""
    cells = np.zeros(len(expected), np.intp)
    cell, held, left = 0, 0.0, float(expected.sum())
    for value, amount in enumerate(expected):
        cells[value] = cell
        held, left = held + amount, left - amount
        if held >= LEAST_EXPECTED and left >= LEAST_EXPECTED:
            cell, held = cell + 1, 0.0
    return cells


def repeats(compared: int, repeated: int) -> Outcome:
    """Orders that came twice: among fair shuffles no one will ever see that."""
    asked = Outcome(
        name="repeats",
        title="Repeated orders",
        question="Was any order dealt twice?",
        measure="hands whose order had come before",
        hands=compared,
        minimum=2,
    )
    if compared < asked.minimum:
        return asked
    pairs = compared * (compared - 1) / 2
    return replace(
        asked,
        observed=float(repeated),
        expected=0.0,
        distribution="one chance in 106! for each two hands",
        p=min(1.0, pairs / factorial(TILES)) if repeated else 1.0,
        power=(Power(f"every seed is one of only {POOL:,}", 1 - exp(-pairs / POOL)),),
    )


def kept_places(sums: SerialSums, level: float) -> Outcome:
    """Successive hands of a table: tiles that lie where they lay in the hand before, one on average."""
    asked = _serial(
        sums, "successive-places", "Successive hands: places", "tiles that lie where they lay the hand before"
    )
    if sums.pairs < asked.minimum:
        return asked

    def power(part: float) -> float:
        return poisson_power(sums.pairs, sums.pairs * (1 + part * (TILES - 1)), level)

    return replace(
        asked,
        observed=float(sums.same),
        expected=float(sums.pairs),
        distribution="Poisson",
        p=poisson(sums.same, sums.pairs),
        power=(Power("1 % of the tiles are left where they lay", power(0.01)),),
        reach=reach(power, 1, "{} of the tiles left where they lay"),
    )


def rank_correlation(sums: SerialSums, level: float) -> Outcome:
    """Successive hands of a table: correlation of the tile numbers at the same position."""
    asked = _serial(sums, "successive-ranks", "Successive hands: correlation", "correlation")
    if sums.pairs < asked.minimum:
        return asked
    mean, variance = nulls.product_moments()
    spread = float(np.sqrt(variance * (TILES - 1)))  # Σ x·y − mean where both orders are the same
    seen = sums.products / sums.pairs - mean
    variance_of_mean = variance / sums.pairs / spread**2

    def power(correlation: float) -> float:
        return normal_power(correlation, variance_of_mean, level)

    return replace(
        asked,
        observed=seen / spread,
        expected=0.0,
        distribution="normal",
        p=normal(seen / spread, 0.0, variance_of_mean),
        power=(Power("a correlation of 1 %", power(0.01)),),
        reach=reach(power, 1, "a correlation of {}"),
    )


def _serial(sums: SerialSums, name: str, title: str, measure: str) -> Outcome:
    part = "" if sums.followed == 1 else f"A fixed {sums.followed:.3g} of all tables is followed."
    return Outcome(
        name=name,
        title=title,
        question="Is a hand's order free of the order before it at the same table?",
        measure=measure,
        hands=sums.pairs,
        minimum=100,
        note=part,
    )
