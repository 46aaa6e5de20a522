"""An audit from its inputs to its summary: logs and histories, one after another (protocol §10.5).

audit = Audit(AuditOptions(keys=(key,)), Ledger())
audit.log(FolderLog(Path("mirror")))
audit.history(Path("history.jsonl"))
outcome = Outcome(audit.finish(), audit.ledger)     # :mod:`fairdeal.audit.outcome`
outcome.verdict, outcome.as_json()
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

from fairdeal.audit.counts import Counts, Key
from fairdeal.audit.findings import Finding, Ledger, plural
from fairdeal.audit.gathered import Gathered
from fairdeal.audit.histories.checked import Given
from fairdeal.audit.histories.hands import read_hands
from fairdeal.audit.histories.history import Codes, History, HistoryOutcome
from fairdeal.audit.histories.intake import readable
from fairdeal.audit.histories.onehand import Examiner
from fairdeal.audit.kept import Kept, marks, misplaced
from fairdeal.audit.log.audit import LogOptions, LogOutcome, audit_log
from fairdeal.audit.log.held import HeldLog
from fairdeal.audit.log.source import FolderLog, LogSource
from fairdeal.audit.report.summary import STATISTICAL, Source
from fairdeal.audit.results import AuditOptions, Results
from fairdeal.audit.sources.across import Across, Reread
from fairdeal.audit.sources.reread import reread
from fairdeal.audit.sources.said import Said, of_document
from fairdeal.checkpoint import Checkpoint
from fairdeal.note import Verifier
from fairdeal.seen import Seen, SeenReceipt

__all__ = ["Audit", "AuditOptions", "Results"]


class Audit:
    """Takes inputs one after another, logs first; findings go to ``ledger`` as they come."""

    def __init__(self, options: AuditOptions, ledger: Ledger) -> None:
        """With ``statistics`` but without its extras, the audit goes on and says what is missing."""
        self.ledger = ledger
        self.results = Results()
        self.options = options
        self._across = Across()
        self._codes = Codes()
        self._held: list[HeldLog] = []
        self._gathered = Gathered()
        self._of_logs: list[Gathered] = []
        self._shrunk: list[tuple[LogOutcome, Finding]] = []
        missing = [name for name in ("numpy", "numba", "scipy") if not find_spec(name)]
        self._statistics = options.statistics and not missing
        if not options.statistics:
            self.results.statistics_note = "The statistics were not asked for."
        elif missing:
            need = "pip install '.[audit,fast]' in fairdeal's folder"
            self.results.statistics_note = f"The statistics were not run: they need the extras ({need})."

    def log(self, source: LogSource) -> LogOutcome:
        """Audit a log. It must stay readable until :meth:`finish`, where other sources are held against it.

        Raises :class:`ValueError` after a history: receipts can be held only against logs that were read.
        """
        if self.results.histories:
            raise ValueError("logs are audited before histories")
        options = self.options
        number = self._across.log(source.name)
        gathered = Gathered()
        emit, shrunk = self._from(source.name), list[Finding]()
        # A log that answers must be as far as it ever was; a folder may be a copy from before that.
        older = options.several and isinstance(source, FolderLog)
        outcome = audit_log(
            source,
            lambda finding: shrunk.append(finding) if older and finding.code == "shrunk" else emit(finding),
            LogOptions(
                keys=options.keys,
                kept=options.kept,
                alone=not options.several,
                older=older,
                state=options.state,
                statistics=self._statistics,
                now=options.now,
                engine=options.engine,
                workers=options.workers,
                progress=options.progress,
                on_deals=gathered.add_log,
                on_shared=(lambda rows: self._across.rows(number, rows)) if options.several else None,
            ),
        )
        self.results.folders |= isinstance(source, FolderLog)
        if outcome.head is not None:
            self._hold(number, outcome, outcome.head.head)
        self.results.logs.append(outcome)
        self._of_logs.append(gathered)
        self._shrunk += [(outcome, finding) for finding in shrunk]
        head = outcome.head
        what = "no checkpoint that can be read"
        if head:
            what = f"{head.head.origin}, {plural(head.head.size, 'entry', 'entries')}"
        digest = hashlib.sha256(head.text.encode()).hexdigest() if head else None
        self.results.sources.append(Source(source.name, "log", what, sha256=digest))
        return outcome

    def _hold(self, number: int, outcome: LogOutcome, head: Checkpoint) -> None:
        """Keep a log for what other sources say of it, and hold it against other copies of itself."""
        tree, entry_at = outcome.tree, outcome.entry_at
        if entry_at is None:
            return
        self._across.log_read(number, head, entry_at, held=tree is not None)
        if tree is None:
            return
        mine = HeldLog(outcome, head.origin, head.size, tree, entry_at)
        for other in self._held:
            if other.origin == mine.origin:
                fork = mine.fork_from(other)
                if fork:
                    self._from(outcome.name)(fork)
                else:
                    shorter = other if mine.size > other.size else mine
                    shorter.outcome.within = True
        self._held.append(mine)

    def history(self, path: Path, name: str | None = None) -> HistoryOutcome:
        """Audit a file of receipts and records: JSON Lines, plain or ``.gz`` or ``.zst``, or Parquet."""
        options = self.options
        label = name or str(path)
        readable(path)
        outcome = HistoryOutcome(label)
        gathered = self._gathered
        history = History(outcome, self._from(label), gathered.add_history, self._held, gathered.first)
        number = self._across.history(label, _said(path, options.keys))
        given = Given(
            keys=tuple(options.keys),
            commitments=frozenset(k.digest for k in options.kept if k.receipt is None),
            named=frozenset(k.digest for k in options.kept if k.receipt is not None),
            seen=_kept_receipts(options.kept),
            deals=self._statistics,
        )
        for part in read_hands(
            path, given, engine=options.engine, workers=options.workers, progress=options.progress
        ):
            history.add(part, self._across, number, self._codes)
        for finding in misplaced(options.kept, outcome.kept):
            self._from(label)(finding)
        self.results.histories.append(outcome)
        digest = _digest(path) if options.hash_inputs else None
        size = path.stat().st_size
        self.results.sources.append(Source(label, "receipts and records", "", size, digest))
        return outcome

    def finish(self) -> Results:
        """What the sources say against each other, what players kept, and the statistics over all inputs."""
        options, results = self.options, self.results
        self._tell_shrunk()
        self._kept_heads()
        self._across.finish(lambda name, finding: self._from(name)(finding))
        self._count()
        if options.kept and (options.several or not results.logs):
            self._missing()
        self._gathered.finish(results, self.ledger.add)
        if self._statistics and results.statistics is None:
            results.statistics_note = "There were no deals to run statistics on."
        self._keep_state()
        return results

    def _tell_shrunk(self) -> None:
        """Tell which copies are smaller than the log was, but for those that another source goes on from."""
        state = self.options.state
        for outcome, finding in self._shrunk:
            if outcome.within:
                continue
            self._from(outcome.name)(finding)
            last = state.last(outcome.head.head.origin) if state and outcome.head else None
            if state and last and outcome.head:
                state.keep_evidence(last, outcome.head)

    def _kept_heads(self) -> None:
        """Hold heads known from before against receipts of logs that are no sources themselves.

        A log itself was held against these when it was audited.
        """
        options, heads = self.options, list[tuple[str, Checkpoint]]()
        for origin in sorted({origin for one in self.results.histories for origin in one.origins}):
            last = options.state.last(origin) if options.state else None
            if last is not None:
                heads.append(("the checkpoint kept from an earlier audit", last.head))
                self.results.unproved[origin] = last.head.size
            for mark in marks(options.kept, options.keys, origin):
                heads.append((mark.origin, Checkpoint(origin, mark.size, mark.root)))
        if heads:
            self._across.kept(heads)

    def _count(self) -> None:
        """Count every hand once, however many sources show it."""
        results, logged = self.results, Gathered()
        for log, gathered in zip(results.logs, self._of_logs, strict=True):
            if not log.within:
                self._add(log.counts)
                logged.merge(gathered)
        logged.merge(self._gathered)
        self._gathered = logged
        for history in results.histories:
            self._add(history.counts)
        for code, times in self._across.again.items():
            self._codes.count(results.counts, code, -times)
            results.superseded += times if self._codes.is_open(code) else 0
        results.again = self._across.again.total() + sum(one.in_logs for one in results.histories)
        results.superseded += sum(one.superseded for one in results.histories)
        results.beyond = {log.origin: log.beyond for log in self._held if log.beyond}

    def _missing(self) -> None:
        met = {c for outcome in self.results.histories for c in outcome.kept}
        met |= {bytes.fromhex(c.decode()) for log in self.results.logs for c in log.met}
        for item in self.options.kept:
            if item.digest not in met:
                what = f"the commitment kept in line {item.line} of the seen file is in none of the inputs"
                self.ledger.add(Finding("seen-missing", what, item.hand, expected=item.commitment.decode()))

    def _keep_state(self) -> None:
        """Remember each log's largest checkpoint, where nothing was found; chance findings apart."""
        state, counts = self.options.state, self.ledger.counts
        if state is None or self.ledger.total > sum(counts[code] for code in STATISTICAL):
            return
        for outcome in sorted(self.results.logs, key=lambda log: log.head.head.size if log.head else 0):
            if outcome.head is not None and outcome.complete:
                state.keep(outcome.head)

    def _from(self, name: str) -> Callable[[Finding], None]:
        """Where findings of an input go: with its name, where there are several."""
        if not self.options.several:
            return lambda finding: self.ledger.add(replace(finding, source=None))
        return lambda finding: self.ledger.add(replace(finding, source=name))

    def _add(self, counts: dict[Key, Counts]) -> None:
        for key, one in counts.items():
            self.results.counts.setdefault(key, Counts()).add(one)


def _said(path: Path, keys: Sequence[Verifier]) -> Reread:
    def again(lines: Iterable[int]) -> Iterator[tuple[int, Said]]:
        examiner = Examiner(keys)
        for line, evidence in reread(path, lines):
            yield line, replace(of_document(evidence), disproved=examiner.disproved(evidence))

    return again


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
