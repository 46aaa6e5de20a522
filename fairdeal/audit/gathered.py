"""What an audit adds up over its sources: when hands ended, and the deals for the statistics (§10.5)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import TYPE_CHECKING

from fairdeal.audit.findings import Finding, plural
from fairdeal.audit.histories.checked import Checked
from fairdeal.audit.histories.history import Times
from fairdeal.audit.log.deals import DealSums
from fairdeal.audit.report.timeline import Timeline
from fairdeal.audit.results import Results

if TYPE_CHECKING:
    from fairdeal.audit.sources.once import Once
    from fairdeal.audit.sums import Sums


@dataclass
class Gathered:
    """Sums over one source or several."""

    timeline: Timeline = field(default_factory=Timeline)
    sums: Sums | None = None
    _once: Once | None = None

    def add_log(self, part: DealSums) -> None:
        """A stretch of a log."""
        for kind, times in part.times.items():
            self.timeline.add(kind, times)
        self._merge(part.sums)

    def add_history(self, part: Checked, times: Times) -> None:
        """A stretch of a history; its deals are there where statistics are wanted."""
        for kind, at in times.items():
            self.timeline.add(kind, at)
        if part.deals:
            from fairdeal.audit.sums import of_checked  # noqa: PLC0415  # numpy is an extra

            self._merge(of_checked(part))

    def first(self, hands: bytes) -> list[bool]:
        """Of ids of ended hands (16 bytes each) those that no history has shown; without numpy all."""
        if not find_spec("numpy"):
            return [True] * (len(hands) // 16)
        from fairdeal.audit.sources.once import Once as Seen  # noqa: PLC0415  # numpy is an extra

        self._once = self._once or Seen()
        found: list[bool] = self._once.first(hands).tolist()
        return found

    def merge(self, later: Gathered) -> None:
        """Add a source that comes after."""
        self.timeline.merge(later.timeline)
        self._merge(later.sums)

    def _merge(self, sums: Sums | None) -> None:
        if self.sums is None:
            self.sums = sums
        elif sums is not None:
            self.sums.merge(sums)

    def finish(self, results: Results, emit: Callable[[Finding], None]) -> None:
        """Timeline and statistics into the results; what the tests find goes to ``emit``."""
        results.timeline = self.timeline
        if self.sums is not None:
            _statistics(self.sums, results, emit)


def _statistics(sums: Sums, results: Results, emit: Callable[[Finding], None]) -> None:
    from fairdeal.audit.stats import SeatCounts, compare_operators, compare_voids  # noqa: PLC0415  # SciPy is an extra

    results.statistics = sums.battery.results()
    for test in results.statistics.alarms:
        p = f"p = {test.p_adjusted:.2g} after Holm's correction"
        what = f"{test.title} ({plural(test.hands, 'hand')}): {p}"
        emit(Finding("alarm", what, expected=f"{test.expected}", found=f"{test.observed}"))
    played, voided = SeatCounts(), SeatCounts()
    for one in sums.operators.values():
        played.merge(one.played)
        voided.merge(one.voided)
    pairs = {name: (one.played, one.voided) for name, one in sorted(sums.operators.items())}
    results.voids = compare_operators(pairs)
    if len(results.voids) != 1 and voided.given:
        results.voids[""] = compare_voids(played, voided)
    for name, comparison in results.voids.items():
        if comparison.alarm:
            whose = f"{name}: " if name else ""
            emit(Finding("voids-favour", f"{whose}{comparison.text}"))
