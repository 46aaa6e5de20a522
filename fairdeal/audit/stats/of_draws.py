"""Tests of what is drawn beside the order: indicator, dice at the wall, and throws for the dealer."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from fairdeal.audit.stats.columns import Integers
from fairdeal.audit.stats.counts import FACES_OF_A_DIE, DrawCounts
from fairdeal.audit.stats.layouts import CLASSES
from fairdeal.audit.stats.outcome import Outcome, Power, chi_square, chi_square_power, pearson, reach

INDICATORS = 104
LEAST_HANDS = 100
"""Least hands for a die, or for tables with so many seats, to be counted in."""


def indicators(counts: DrawCounts, level: float) -> Outcome:
    """The indicator: each of the 104 numbered tiles equally often."""
    hands = int(counts.indicators.sum())
    asked = Outcome(
        name="indicators",
        title="Indicators",
        question="Is every numbered tile the indicator equally often?",
        measure="chi-square",
        hands=hands,
        minimum=5 * INDICATORS,
    )
    if hands < asked.minimum:
        return asked

    def power(more: float) -> float:
        chances = np.full(INDICATORS, (1 - (1 + more) / INDICATORS) / (INDICATORS - 1))
        chances[0] = (1 + more) / INDICATORS
        return chi_square_power(hands * _unevenness(chances), INDICATORS - 1, level)

    return _even(
        asked,
        counts.indicators[np.newaxis],
        power=(Power("one tile is the indicator twice as often", power(1.0)),),
        reach=reach(power, 100, "one tile that is the indicator {} more often"),
    )


def wall_dice(counts: DrawCounts, level: float) -> Outcome:
    """The dice at the wall, each die of the first two throws by itself."""
    used = counts.dice[counts.dice.sum(axis=1) >= LEAST_HANDS]
    asked = Outcome(
        name="wall-dice",
        title="Dice at the wall",
        question="Does every die show each of its faces equally often?",
        measure="chi-square",
        hands=int(counts.dice.sum(axis=1).max()),
        minimum=LEAST_HANDS,
    )
    return _loaded(asked, used, level) if len(used) else asked


def dealer_dice(counts: DrawCounts, level: float) -> Outcome:
    """The throws for the dealer: each seat's first throw by itself."""
    by_seat = counts.dealer_dice.sum(axis=0)
    used = by_seat[by_seat.sum(axis=1) >= LEAST_HANDS]
    asked = Outcome(
        name="dealer-dice",
        title="Dice for the dealer",
        question="Does every seat throw each face equally often when the dealer is thrown for?",
        measure="chi-square",
        hands=int(by_seat.sum(axis=1).max()),
        minimum=LEAST_HANDS,
    )
    return _loaded(asked, used, level) if len(used) else asked


def dealers(counts: DrawCounts, level: float) -> Outcome:
    """Thrown dealers: every seat equally often, by number of seats."""
    by_seats = {seats: np.zeros(seats, np.int64) for seats in (2, 3, 4)}
    for (_, seats), row in zip(CLASSES, counts.dealers, strict=True):
        by_seats[seats] += row[:seats]
    asked = Outcome(
        name="dealers",
        title="Thrown dealers",
        question="Where the dealer is thrown for, is every seat the dealer equally often?",
        measure="chi-square",
        hands=sum(int(row.sum()) for row in by_seats.values()),
        minimum=LEAST_HANDS,
    )
    used = [row for row in by_seats.values() if row.sum() >= LEAST_HANDS]
    if not used:
        return asked
    degrees = sum(len(row) - 1 for row in used)

    def power(more: float) -> float:
        strength = sum(row.sum() * more**2 / (len(row) - 1) for row in used)
        return chi_square_power(float(strength), degrees, level)

    return replace(
        asked,
        observed=sum(pearson(row.astype(float), np.full(len(row), row.sum() / len(row))) for row in used),
        expected=float(degrees),
        distribution=_chi_square(degrees),
        p=chi_square(
            sum(pearson(row.astype(float), np.full(len(row), row.sum() / len(row))) for row in used), degrees
        ),
        power=(Power("one seat is the dealer 20 % more often than the others", power(0.2)),),
        reach=reach(power, 1, "one seat that is the dealer {} more often than due"),
    )


def _loaded(asked: Outcome, used: Integers, level: float) -> Outcome:
    degrees = len(used) * (FACES_OF_A_DIE - 1)

    def power(more: float) -> float:
        chances = np.full(FACES_OF_A_DIE, (1 - (1 + more) / FACES_OF_A_DIE) / (FACES_OF_A_DIE - 1))
        chances[-1] = (1 + more) / FACES_OF_A_DIE
        return chi_square_power(float(used.sum()) * _unevenness(chances), degrees, level)

    return _even(
        asked,
        used,
        power=(Power("every die shows its six 10 % more often", power(0.1)),),
        reach=reach(power, 5, "dice that show their six {} more often"),
    )


def _even(asked: Outcome, rows: Integers, power: tuple[Power, ...], reach: str) -> Outcome:
    """Chi-square of rows of counts, each against even chances; Σ over rows."""
    expected = np.broadcast_to(rows.sum(axis=1, keepdims=True) / rows.shape[1], rows.shape)
    statistic = pearson(rows.astype(float), expected)
    degrees = rows.shape[0] * (rows.shape[1] - 1)
    return replace(
        asked,
        observed=statistic,
        expected=float(degrees),
        distribution=_chi_square(degrees),
        p=chi_square(statistic, degrees),
        power=power,
        reach=reach,
    )


def _unevenness(chances: NDArray[np.float64]) -> float:
    return pearson(chances, np.full(len(chances), 1 / len(chances)))


def _chi_square(degrees: int) -> str:
    return f"chi-square, {degrees} degrees of freedom"
