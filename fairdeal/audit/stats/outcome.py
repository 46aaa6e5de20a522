"""What a test of the battery says, and the few distributions that its p-values come from."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import ceil, floor, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

Floats = NDArray[np.float64]

_MANY_DEGREES = 1000  # from here on a noncentral chi-square is normal for all that power is needed for


@dataclass(frozen=True, slots=True)
class Power:
    """How likely the test, at this sample's size, finds one stated alternative (0 to 1)."""

    alternative: str
    probability: float


@dataclass(frozen=True, slots=True)
class Outcome:
    """One test: what it asked, what it saw, and what that is worth.

    ``hands`` is how many hands it could use, ``minimum`` how many it needs; with fewer it is not run and
    ``p`` is ``None``. ``observed`` and ``expected`` are in the words of ``measure``. ``p`` is two-sided;
    ``p_adjusted`` is Holm's, to be held against the overall level. ``reach`` is the
    smallest effect that this many hands show nine times in ten.
    """

    name: str
    title: str
    question: str
    measure: str
    hands: int
    minimum: int
    observed: float | None = None
    expected: float | None = None
    distribution: str = ""
    p: float | None = None
    p_adjusted: float | None = None
    alarm: bool = False
    power: tuple[Power, ...] = ()
    reach: str = ""
    note: str = ""

    @property
    def ran(self) -> bool:
        """Whether there were hands enough."""
        return self.p is not None

    def as_json(self) -> dict[str, Any]:
        """A JSON object; numbers of a test that was not run are null."""
        return {
            "name": self.name,
            "title": self.title,
            "question": self.question,
            "measure": self.measure,
            "hands": self.hands,
            "minimum": self.minimum,
            "ran": self.ran,
            "observed": self.observed,
            "expected": self.expected,
            "distribution": self.distribution,
            "p": self.p,
            "p_adjusted": self.p_adjusted,
            "alarm": self.alarm,
            "power": [{"alternative": p.alternative, "probability": p.probability} for p in self.power],
            "reach": self.reach,
            "note": self.note,
        }


def holm(outcomes: Sequence[Outcome], level: float) -> tuple[Outcome, ...]:
    """The outcomes with Holm's adjusted p-values.

    Together they raise a false alarm with chance ``level`` at most. Tests that were not run do not count.
    """
    ran = sorted((k for k, o in enumerate(outcomes) if o.ran), key=lambda k: outcomes[k].p or 0.0)
    adjusted = list(outcomes)
    highest = 0.0
    for rank, k in enumerate(ran):
        highest = max(highest, min(1.0, (len(ran) - rank) * (outcomes[k].p or 0.0)))
        adjusted[k] = replace(outcomes[k], p_adjusted=highest, alarm=highest <= level)
    return tuple(adjusted)


def both_sides(lower: float, upper: float) -> float:
    """Two-sided p from P(at most what was seen) and P(at least what was seen)."""
    return float(min(1.0, 2 * min(lower, upper)))


def chi_square(statistic: float, degrees: int) -> float:
    """Two-sided p: counts that fit too well are as telling as counts that do not fit."""
    return both_sides(special.chdtr(degrees, statistic), special.chdtrc(degrees, statistic))


def chi_square_power(noncentrality: float, degrees: int, level: float) -> float:
    """Chance that :func:`chi_square` is at most ``level`` where the statistic is noncentral by so much."""
    low, high = special.chdtri(degrees, 1 - level / 2), special.chdtri(degrees, level / 2)
    if degrees > _MANY_DEGREES or noncentrality > _MANY_DEGREES:
        return _outside(low, high, degrees + noncentrality, 2 * (degrees + 2 * noncentrality))
    seen = special.chndtr([low, high], degrees, noncentrality)
    return float(seen[0] + 1 - seen[1])


def pearson(counts: NDArray[Any], expected: NDArray[Any]) -> float:
    """Pearson's statistic: Σ (seen − expected)² / expected."""
    return float((np.square(counts - expected) / expected).sum())


def normal(seen: float, mean: float, variance: float) -> float:
    """Two-sided p of a sum that is normal by now."""
    return float(2 * special.ndtr(-abs(seen - mean) / sqrt(variance)))


def normal_power(shift: float, variance: float, level: float) -> float:
    """Chance that :func:`normal` is at most ``level`` where the mean is off by ``shift``."""
    edge = -special.ndtri(level / 2) * sqrt(variance)
    return _outside(-edge, edge, shift, variance)


def _outside(low: float, high: float, mean: float, variance: float) -> float:
    """Chance that a normal number lies below ``low`` or above ``high``."""
    spread = sqrt(variance)
    return float(special.ndtr((low - mean) / spread) + special.ndtr((mean - high) / spread))


def poisson(seen: int, mean: float) -> float:
    """Two-sided p of a count that is Poisson."""
    return both_sides(special.pdtr(seen, mean), special.pdtrc(seen - 1, mean) if seen else 1.0)


def poisson_power(mean: float, other: float, level: float) -> float:
    """Chance that :func:`poisson` is at most ``level`` where the mean is ``other`` (``mean`` ≥ 100)."""
    low = floor(special.pdtrik(level / 2, mean))  # the highest count that is too low
    high = ceil(special.pdtrik(1 - level / 2, mean)) + 1  # the lowest that is too high
    return float(special.pdtr(low, other) + special.pdtrc(high - 1, other))


def reach(power: Callable[[float], float], highest: float, words: str) -> str:
    """The smallest size of an effect that is found nine times in ten, put into ``words`` as a percentage.

    ``power`` gives the chance for an effect of a size from 0 to ``highest`` (1 is 100 %) and grows with it;
    ``words`` holds ``{}``. Empty where not even the highest is found so often.
    """
    if power(highest) < 0.9:
        return ""
    low, high = 0.0, highest
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (low, middle) if power(middle) >= 0.9 else (middle, high)
    return words.format(f"{high:.2g}" if high >= 100 else f"{float(f'{100 * high:.2g}'):g} %")
