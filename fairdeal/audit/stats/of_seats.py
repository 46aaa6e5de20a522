"""Tests by seat: okeys, false jokers, pairs and longest runs that each seat was dealt."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairdeal.audit.stats import nulls
from fairdeal.audit.stats.columns import Integers
from fairdeal.audit.stats.counts import SeatSums
from fairdeal.audit.stats.layouts import CLASSES, SEATS, hand_size
from fairdeal.audit.stats.outcome import Outcome, Power, chi_square, chi_square_power, reach

Floats = NDArray[np.float64]

LEAST_HANDS = 300
"""Least hands of one game and number of seats for these to be counted in."""

_GAMES = {"okey": "Okey", "okey101": "Okey 101"}
_MOMENTS: dict[str, Callable[[Sequence[int]], tuple[Floats, Floats]]] = {
    "okeys": nulls.okey_moments,
    "jokers": nulls.joker_moments,
    "pairs": nulls.pair_moments,
}
THINGS = {
    "okeys": ("okeys-by-seat", "Okeys by seat", "okeys", "Does every seat get its due of okeys?"),
    "jokers": (
        "jokers-by-seat",
        "False jokers by seat",
        "false jokers",
        "Does every seat get its due of false jokers?",
    ),
    "pairs": ("pairs-by-seat", "Pairs by seat", "pairs", "Does every seat get its due of pairs?"),
    "longest": (
        "runs-by-seat",
        "Longest runs by seat",
        "tiles in the longest run",
        "Are every seat's longest runs of one colour as long as chance has it?",
    ),
}


@dataclass(frozen=True, slots=True)
class SeatGroup:
    """One thing, counted over the hands of one game and number of seats.

    ``observed`` and ``expected`` are sums by seat over ``hands`` hands; ``covariance`` is that of the sums.
    """

    thing: str
    game: str
    hands: int
    observed: Floats
    expected: Floats
    covariance: Floats

    @property
    def distance(self) -> float:
        """How far off the sums are, squared, in their own spread: chi-square, a degree a seat."""
        off = self.observed - self.expected
        return float(off @ np.linalg.solve(self.covariance, off))

    def as_json(self) -> dict[str, Any]:
        """Means by seat, a hand, beside what is due and the standard error."""
        return {
            "thing": self.thing,
            "game": self.game,
            "hands": self.hands,
            "observed": [float(v) for v in self.observed / self.hands],
            "expected": [float(v) for v in self.expected / self.hands],
            "error": [float(v) for v in np.sqrt(np.diag(self.covariance)) / self.hands],
        }


def groups(sums: SeatSums, thing: str, least: int = LEAST_HANDS) -> list[SeatGroup]:
    """The sums of one thing by game and number of seats, where there are hands enough."""
    counted = sums.with_okey if thing == "okeys" else sums.hands
    found = []
    for of_class, (game, seats) in enumerate(CLASSES):
        part = slice(of_class * SEATS, of_class * SEATS + seats)
        hands = counted[part]
        if hands.sum() < max(least, 1):
            continue
        observed = getattr(sums, thing)[part, :seats]
        by_starter = [
            [hand_size(of_class, seat == starter) for seat in range(seats)] for starter in range(seats)
        ]
        if thing == "longest":
            means = np.array([[nulls.longest_run_mean(size) for size in sizes] for sizes in by_starter])
            products = sums.longest_products[part, :seats, :seats]
            covariance = _seen_covariance(hands, observed, products, means)
        else:
            moments = [_MOMENTS[thing](sizes) for sizes in by_starter]
            means = np.array([mean for mean, _ in moments])
            covariance = sum(n * spread for n, (_, spread) in zip(hands, moments, strict=True))
        found.append(
            SeatGroup(
                thing=thing,
                game=f"{_GAMES[game]}, {seats} seats",
                hands=int(hands.sum()),
                observed=observed.sum(axis=0).astype(np.float64),
                expected=hands @ means,
                covariance=np.asarray(covariance, np.float64),
            )
        )
    return found


def _seen_covariance(hands: Integers, sums: Integers, products: Integers, means: Floats) -> Floats:
    """Covariance of the sums as the hands themselves show it, each about the mean of its hand's size.

    The exact one between two seats is out of reach of simple counting; Hotelling's factor pays for
    estimating it.
    """
    total, seats = int(hands.sum()), means.shape[1]
    about = np.zeros((seats, seats))
    for n, seen, product, mean in zip(hands, sums, products, means, strict=True):
        about += product - np.outer(seen, mean) - np.outer(mean, seen) + n * np.outer(mean, mean)
    off = sums.sum(axis=0) - hands @ means
    return np.asarray((about - np.outer(off, off) / total) * total / max(total - seats, 1), np.float64)


def by_seat(sums: SeatSums, thing: str, level: float) -> Outcome:
    """One thing by seat: the squared distance of the sums from their due, over all games and seats."""
    name, title, words, question = THINGS[thing]
    used = groups(sums, thing)
    counted = sums.with_okey if thing == "okeys" else sums.hands
    asked = Outcome(
        name=name,
        title=title,
        question=question,
        measure="chi-square",
        hands=sum(group.hands for group in used) or int(counted.sum()),
        minimum=LEAST_HANDS,
    )
    if not used:
        return asked
    degrees = sum(len(group.observed) for group in used)
    statistic = sum(group.distance for group in used)

    def power(more: float) -> float:
        strength = 0.0
        for group in used:
            shift = np.zeros(len(group.observed))
            shift[0] = more * group.expected[0]
            strength += float(shift @ np.linalg.solve(group.covariance, shift))
        return chi_square_power(strength, degrees, level)

    size = 0.02 if thing == "longest" else 0.1
    return replace(
        asked,
        observed=statistic,
        expected=float(degrees),
        distribution=f"chi-square, {degrees} degrees of freedom",
        p=chi_square(statistic, degrees),
        power=(Power(f"one seat is dealt {size:.0%} more {words}".replace("%", " %"), power(size)),),
        reach=reach(power, 10, f"one seat that is dealt {{}} more {words}"),
    )
