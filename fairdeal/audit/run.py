"""An audit from its inputs to its summary: logs and histories, one after another (protocol §10.5).

audit = Audit(AuditOptions(keys=(key,)), Ledger())
audit.log(FolderLog(Path("mirror")))
audit.history(Path("history.jsonl"))
outcome = Outcome(audit.finish(), audit.ledger)     # :mod:`fairdeal.audit.outcome`
outcome.verdict, outcome.as_json()
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from fairdeal.audit.across import Claims, Place
from fairdeal.audit.checked import Checked, Given
from fairdeal.audit.counts import Counts, Key
from fairdeal.audit.engine import Engine
from fairdeal.audit.findings import Finding, Ledger
from fairdeal.audit.hands import read_hands
from fairdeal.audit.history import History, HistoryOutcome, Times
from fairdeal.audit.kept import Kept, marks
from fairdeal.audit.logaudit import LogOptions, LogOutcome, audit_log, ignore
from fairdeal.audit.logdeals import DealSums
from fairdeal.audit.logsource import FolderLog, LogSource
from fairdeal.audit.report.summary import Source
from fairdeal.audit.report.timeline import Timeline
from fairdeal.audit.reread import reread
from fairdeal.audit.state import State
from fairdeal.note import Verifier
from fairdeal.seen import Seen, SeenReceipt

if TYPE_CHECKING:
    from fairdeal.audit.stats import Statistics, VoidComparison
    from fairdeal.audit.sums import Sums


@dataclass
class AuditOptions:
    """What the inputs are audited against, and how.

    ``several`` says that findings must name their input; ``statistics`` asks for the battery, which needs the
    extras ``fast`` and ``audit``; ``hash_inputs`` for the files' SHA-256; ``now`` is the auditor's clock in
    milliseconds. ``progress`` is told what is done of how much.
    """

    keys: Sequence[Verifier] = ()
    kept: Sequence[Kept] = ()
    state: State | None = None
    several: bool = False
    statistics: bool = True
    hash_inputs: bool = False
    now: int | None = None
    engine: Engine | None = None
    workers: int | None = None
    progress: Callable[[int, int], None] = ignore


@dataclass
class Results:
    """Everything that an audit found out, input by input; :mod:`fairdeal.audit.outcome` puts it in words."""

    sources: list[Source] = field(default_factory=list)
    logs: list[LogOutcome] = field(default_factory=list)
    histories: list[HistoryOutcome] = field(default_factory=list)
    counts: dict[Key, Counts] = field(default_factory=dict)
    timeline: Timeline = field(default_factory=Timeline)
    statistics: Statistics | None = None
    statistics_note: str = ""
    folders: bool = False
    """Whether a log was read from files of this machine, which may have been damaged here."""
    voids: dict[str, VoidComparison] = field(default_factory=dict)

    @property
    def hands(self) -> int:
        """Hands in all inputs together."""
        return sum(log.hands for log in self.logs) + sum(one.hands for one in self.histories)


class Audit:
    """Takes inputs one after another; findings go to ``ledger`` as they come."""

    def __init__(self, options: AuditOptions, ledger: Ledger) -> None:
        """With ``statistics`` but without its extras, the audit goes on and says what is missing."""
        self.ledger = ledger
        self.results = Results()
        self.options = options
        self._sums: Sums | None = None
        self._claims = Claims()
        self._logs: list[tuple[str, LogOutcome]] = []
        missing = [name for name in ("numpy", "numba", "scipy") if not find_spec(name)]
        self._statistics = options.statistics and not missing
        if not options.statistics:
            self.results.statistics_note = "The statistics were not asked for."
        elif missing:
            need = "pip install 'fairdeal[audit,fast]'"
            self.results.statistics_note = f"The statistics were not run: they need {need}."

    def log(self, source: LogSource) -> LogOutcome:
        """Audit a log. It must stay readable until :meth:`finish`, where receipts are held against it."""
        options = self.options
        outcome = audit_log(
            source,
            self._from(source.name),
            LogOptions(
                keys=options.keys,
                kept=options.kept,
                alone=not options.several,
                state=options.state,
                statistics=self._statistics,
                now=options.now,
                engine=options.engine,
                workers=options.workers,
                progress=options.progress,
                on_deals=self._log_deals,
            ),
        )
        self.results.logs.append(outcome)
        self.results.folders |= isinstance(source, FolderLog)
        self._count(outcome.counts)
        head = outcome.head
        if head is not None:
            self._logs.append((source.name, outcome))
            here = Place(source.name)
            for finding in self._claims.head(head.head.origin, head.head.size, head.head.root, here):
                self._from(source.name)(finding)
        what = f"{head.head.origin}, {head.head.size:,} entries" if head else "no checkpoint that can be read"
        digest = hashlib.sha256(head.text.encode()).hexdigest() if head else None
        self.results.sources.append(Source(source.name, "log", what, sha256=digest))
        return outcome

    def history(self, path: Path, name: str | None = None) -> HistoryOutcome:
        """Audit a file of receipts and records: JSON Lines, plain or ``.gz`` or ``.zst``, or Parquet."""
        options = self.options
        label = name or str(path)
        history = History(label, self._from(label), self._history_deals, self._claims)
        given = Given(
            keys=tuple(options.keys),
            commitments=frozenset(bytes.fromhex(item.commitment.decode()) for item in options.kept),
            seen=_kept_receipts(options.kept),
            deals=self._statistics,
        )
        for part in read_hands(
            path, given, engine=options.engine, workers=options.workers, progress=options.progress
        ):
            history.add(part)
        outcome = history.finish(lambda lines: reread(path, lines))
        self.results.histories.append(outcome)
        self._count(outcome.counts)
        digest = _digest(path) if options.hash_inputs else None
        size = path.stat().st_size
        self.results.sources.append(Source(label, "receipts and records", "", size, digest))
        return outcome

    def finish(self) -> Results:
        """What players kept that is in no history, and the statistics over all inputs."""
        options, results = self.options, self.results
        self._across()
        if options.kept and (options.several or not results.logs):
            met = {c for outcome in results.histories for c in outcome.kept}
            met |= {bytes.fromhex(c.decode()) for log in results.logs for c in log.met}
            for item in options.kept:
                if bytes.fromhex(item.commitment.decode()) not in met:
                    what = (
                        f"the commitment kept in line {item.line} of the seen file is in none of the inputs"
                    )
                    self.ledger.add(
                        Finding("seen-missing", what, item.hand, expected=item.commitment.decode())
                    )
        if self._statistics and self._sums is not None:
            self._finish_statistics(self._sums)
        elif self._statistics:
            results.statistics_note = "There were no deals to run statistics on."
        if options.state is not None and not self.ledger.total:
            for outcome in results.logs:
                if outcome.head is not None and outcome.complete:
                    options.state.keep(outcome.head)
        return results

    def _across(self) -> None:
        """Hold the sources against each other, and against heads kept from before."""
        claims, options = self._claims, self.options
        for name, log in self._logs:
            if log.head is not None and log.tree is not None and log.entry_at is not None:
                head = log.head.head
                for finding in claims.against_log(head.origin, head.size, log.tree, log.entry_at):
                    self._from(name)(finding)
        # A log itself was held against these when it was audited.
        audited = {log.head.head.origin for _, log in self._logs if log.head is not None}
        for origin in sorted({name for name, _ in claims.heads} - audited):
            last = options.state.last(origin) if options.state else None
            if last is not None:
                place = Place("the checkpoint kept from an earlier audit")
                for finding in claims.head(origin, last.head.size, last.head.root, place):
                    self.ledger.add(finding)
            for mark in marks(options.kept, options.keys, origin):
                for finding in claims.head(origin, mark.size, mark.root, Place(mark.origin)):
                    self.ledger.add(finding)

    def _from(self, name: str) -> Callable[[Finding], None]:
        """Where findings of an input go: with its name, where there are several."""
        if not self.options.several:
            return lambda finding: self.ledger.add(replace(finding, source=None))
        return lambda finding: self.ledger.add(replace(finding, source=name))

    def _count(self, counts: dict[Key, Counts]) -> None:
        for key, one in counts.items():
            self.results.counts.setdefault(key, Counts()).add(one)

    def _log_deals(self, sums: DealSums) -> None:
        for kind, times in sums.times.items():
            self.results.timeline.add(kind, times)
        self._merge(sums.sums)

    def _history_deals(self, part: Checked, times: Times) -> None:
        for kind, at in times.items():
            self.results.timeline.add(kind, at)
        if self._statistics:
            from fairdeal.audit.sums import of_checked  # noqa: PLC0415  # numpy is an extra

            self._merge(of_checked(part))

    def _merge(self, sums: Sums | None) -> None:
        if self._sums is None:
            self._sums = sums
        elif sums is not None:
            self._sums.merge(sums)

    def _finish_statistics(self, sums: Sums) -> None:
        from fairdeal.audit.stats import SeatCounts, compare_operators, compare_voids  # noqa: PLC0415  # SciPy is an extra

        results = self.results
        results.statistics = sums.battery.results()
        for test in results.statistics.alarms:
            p = f"p = {test.p_adjusted:.2g} after Holm's correction"
            self.ledger.add(
                Finding(
                    "alarm",
                    f"{test.title} ({test.hands:,} hands): {p}",
                    expected=f"{test.expected}",
                    found=f"{test.observed}",
                )
            )
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
                self.ledger.add(Finding("voids-favour", f"{whose}{comparison.text}"))


def _kept_receipts(kept: Sequence[Kept]) -> dict[bytes, tuple[Seen, ...]]:
    found: dict[bytes, tuple[Seen, ...]] = {}
    for item in kept:
        if item.receipt is not None and item.hand is not None:
            hand = bytes.fromhex(item.hand)
            found[hand] = (*found.get(hand, ()), SeenReceipt(item.receipt))
    return found


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
