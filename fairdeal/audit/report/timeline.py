"""Hands over time, in buckets that widen as the time between the first and last one grows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime

KINDS = ("played", "void", "expired", "lost", "late")
"""How hands end; ``late`` ones are counted under their outcome, too."""

BUCKETS = 96
"""Most buckets, so that a picture can draw each as a bar."""

_MINUTE = 60_000
_DAY = 24 * 60 * _MINUTE
# Each width divides the next, so joining buckets gives what counting with the wider ones would have given.
_WIDTHS: tuple[tuple[int, str], ...] = (
    (_MINUTE, "one minute"),
    (5 * _MINUTE, "5 minutes"),
    (15 * _MINUTE, "15 minutes"),
    (60 * _MINUTE, "one hour"),
    (3 * 60 * _MINUTE, "3 hours"),
    (6 * 60 * _MINUTE, "6 hours"),
    (12 * 60 * _MINUTE, "12 hours"),
    (_DAY, "one day"),
    (7 * _DAY, "one week"),
    (28 * _DAY, "4 weeks"),
    (364 * _DAY, "52 weeks"),
    *((364 * 10**k * _DAY, f"{10**k} times 52 weeks") for k in range(1, 5)),
)


@dataclass(slots=True)
class Timeline:
    """Counts by kind and bucket. Parts merge exactly, in any order; memory is bounded."""

    step: int = 0
    counts: dict[str, Counter[int]] = field(default_factory=lambda: {kind: Counter() for kind in KINDS})

    @property
    def width(self) -> int:
        """Width of a bucket in milliseconds."""
        return _WIDTHS[self.step][0]

    @property
    def width_words(self) -> str:
        """The same in words, such as ``one hour``."""
        return _WIDTHS[self.step][1]

    @property
    def span(self) -> range:
        """Numbers of all buckets from the first to the last that anything fell into."""
        used = [edge(counter) for counter in self.counts.values() if counter for edge in (min, max)]
        return range(min(used), max(used) + 1) if used else range(0)

    def add(self, kind: str, times: Iterable[int]) -> None:
        """Count hands that ended at these times, in milliseconds since the Unix epoch."""
        width = self.width
        self.counts[kind].update(at // width for at in times)
        self._widen()

    def merge(self, other: Timeline) -> None:
        """Add the counts of other hands."""
        theirs = Timeline(other.step, {kind: Counter(counter) for kind, counter in other.counts.items()})
        step = max(self.step, theirs.step)
        self._widen_to(step)
        theirs._widen_to(step)
        for kind in KINDS:
            self.counts[kind].update(theirs.counts[kind])
        self._widen()

    def values(self, kind: str) -> list[int]:
        """Counts of one kind for each bucket of :attr:`span`."""
        return [self.counts[kind][bucket] for bucket in self.span]

    def label(self, bucket: int) -> str:
        """When a bucket begins, in UTC."""
        return utc(bucket * self.width, with_time=self.width < _DAY)

    def _widen(self) -> None:
        while len(self.span) > BUCKETS and self.step + 1 < len(_WIDTHS):
            self._widen_to(self.step + 1)

    def _widen_to(self, step: int) -> None:
        ratio = _WIDTHS[step][0] // self.width
        self.step = step
        for kind, counter in self.counts.items():
            wider: Counter[int] = Counter()
            for bucket, count in counter.items():
                wider[bucket // ratio] += count
            self.counts[kind] = wider


def utc(at: int, with_time: bool = True) -> str:
    """A time in milliseconds as text, also where it lies beyond any calendar."""
    try:
        moment = datetime.fromtimestamp(at / 1000, UTC)
    except (OverflowError, ValueError, OSError):
        return f"{at} ms"
    return moment.strftime("%Y-%m-%d %H:%M" if with_time else "%Y-%m-%d")
