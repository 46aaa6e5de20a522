"""A history of receipts and records as a whole: how its hands ended, what stands behind them (§10.5).

Each hand by itself is checked before it comes here (``checked``); what repeats and what contradicts is found
over all sources together (:mod:`fairdeal.audit.sources.across`).
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from fairdeal.audit.counts import NAMES, RECORDS, Counts, Key
from fairdeal.audit.findings import Finding
from fairdeal.audit.histories.checked import Checked, Deals, ReceiptFacts
from fairdeal.audit.log.held import HeldLog
from fairdeal.audit.log.merge import Emit
from fairdeal.audit.sources.across import ALONE, RECORD, Across

Times = dict[str, list[int]]

_UNPROVED = ("check-format", "check-signature", "check-inclusion")
"""What is wrong with a receipt that shows nothing of its log: the log has not signed that."""


@dataclass
class HistoryOutcome:
    """What there is to say of a history besides its findings. ``hands`` are its receipts and records."""

    name: str = ""
    hands: int = 0
    verdicts: Counter[str] = field(default_factory=Counter)
    absent: Counter[str] = field(default_factory=Counter)
    evidence: Counter[str] = field(default_factory=Counter)
    grinding: Counter[tuple[str, str]] = field(default_factory=Counter)
    counts: dict[Key, Counts] = field(default_factory=dict)
    kept: dict[bytes, str] = field(default_factory=dict)
    in_logs: int = 0
    """Receipts of hands in a log that is a source too; they are counted there."""
    superseded: int = 0
    """Of these the receipts from before their hand's end."""
    origins: set[str] = field(default_factory=set)
    """Logs that receipts here are of, and that are no sources."""

    @property
    def bound(self) -> int:
        """Hands behind which stands something that a player kept from before them (§10.6)."""
        return self.verdicts["verified"]

    @property
    def incomplete(self) -> int:
        """Hands for which some evidence was absent."""
        return self.verdicts["incomplete"]


class History:
    """Takes a source's stretches in order; findings go to ``emit``."""

    def __init__(
        self,
        outcome: HistoryOutcome,
        emit: Emit,
        on_deals: Callable[[Checked, Times], None],
        logs: Sequence[HeldLog] = (),
        first: Callable[[bytes], Sequence[bool]] = lambda hands: [True] * (len(hands) // 16),
    ) -> None:
        """``on_deals`` is given each stretch with the times at which its hands ended, by outcome.

        ``logs`` are sources too: receipts of theirs must agree with them, and are not counted again.
        ``first`` says of ended hands, by their ids, which are new: the others' deals are left out.
        """
        self.outcome = outcome
        self._emit = emit
        self._on_deals = on_deals
        self._logs = logs
        self._first = first

    def add(self, part: Checked, across: Across, source: int, codes: Codes) -> None:
        """The next stretch; ``source`` is this history's number in ``across``."""
        outcome = self.outcome
        outcome.hands += part.hands
        outcome.verdicts.update(part.verdicts)
        outcome.absent.update(part.absent)
        outcome.evidence.update(part.evidence)
        outcome.grinding.update(part.grinding)
        outcome.kept.update(part.kept)
        found = list(part.findings)
        logged: set[int] = set()
        ended: list[ReceiptFacts] = []
        alone = Counter(part.alone)
        unproved = {finding.line for finding in found if finding.code in _UNPROVED}
        for receipt in part.receipts:
            contradictions, held = list[Finding](), False
            if receipt.position not in unproved:
                contradictions, held = self._against_logs(receipt)
            found += contradictions
            code = codes.of(receipt)
            alone[receipt.operator, receipt.table] -= code & ALONE and 1
            if held and not contradictions:
                logged.add(receipt.position)
                outcome.superseded += receipt.ended_at is None
                continue
            codes.count(outcome.counts, code)
            if receipt.ended_at is not None:
                ended.append(receipt)
        outcome.in_logs += len(logged)
        self._count_rest(part, alone)
        across.add(source, part, codes.of, logged, unproved)
        again, times = self._ended(ended)
        self._on_deals(without(part, logged | again), times)
        for finding in sorted(found, key=lambda finding: finding.line or 0):
            self._emit(finding)

    def _ended(self, receipts: list[ReceiptFacts]) -> tuple[set[int], Times]:
        """Positions of receipts whose hands were there before, and when the others ended, by outcome."""
        again: set[int] = set()
        times: Times = {}
        new = self._first(b"".join(one.hand for one in receipts)) if receipts else ()
        for one, is_new in zip(receipts, new, strict=True):
            if not is_new:
                again.add(one.position)
            elif one.outcome is not None and one.ended_at is not None:
                times.setdefault(one.outcome, []).append(one.ended_at)
        return again, times

    def _count_rest(self, part: Checked, alone: Counter[Key]) -> None:
        """Count what is no receipt, and receipts that ``alone`` still holds: their seals do not hold."""
        counts = self.outcome.counts
        records = part.hands - len(part.receipts)
        if records:
            one = counts.setdefault(RECORDS, Counts())
            one.add(Counts(hands=records, unshown=records, operator_alone=part.grinding["", "operator"]))
        for key, hands in alone.items():
            if hands > 0 and key in counts:
                counts[key].operator_alone += hands

    def _against_logs(self, receipt: ReceiptFacts) -> tuple[list[Finding], bool]:
        """What a receipt says against logs that are sources too, and whether its hand lies in one of them."""
        logs = [log for log in self._logs if log.origin == receipt.origin]
        if not logs:
            self.outcome.origins.add(receipt.origin)
        found = [finding for log in logs for finding in log.contradictions(receipt)]
        last = max((index for index, _ in receipt.entries), default=-1)
        return found, any(last < log.size for log in logs)


def without(part: Checked, positions: set[int]) -> Checked:
    """A stretch without the deals at some positions, which are counted elsewhere."""
    if not positions or not part.deals:
        return part
    deals = []
    for one in part.deals:
        rows = [row for row, position in enumerate(one.positions) if position not in positions]
        if rows:
            kept = array("Q", [one.positions[row] for row in rows])
            deals.append(Deals(kept, one.terms[rows], one.deals[rows]))
    return replace(part, deals=deals)


@dataclass
class Codes:
    """Numbers that say what a receipt counts as, so that millions of them can be held and taken back."""

    _tables: dict[Key, int] = field(default_factory=dict)
    _keys: list[Key] = field(default_factory=list)

    def of(self, receipt: ReceiptFacts) -> int:
        """A receipt's code: the further its hand has come, the less it is. Never 0, nor a record's."""
        key = receipt.operator, receipt.table
        table = self._tables.get(key)
        if table is None:
            table = self._tables[key] = len(self._keys)
            self._keys.append(key)
        name = end_of(receipt)
        stage = 3 - (receipt.locked_at is not None) - (receipt.ended_at is not None)
        alone = receipt.locked_at is not None and not receipt.contributions
        return stage << 56 | table << 8 | alone * ALONE | NAMES.index(name)

    @staticmethod
    def is_open(code: int) -> bool:
        """Whether a code is that of a receipt from before its hand's end."""
        return not code & RECORD and NAMES[code & (ALONE - 1)] == "open"

    def count(self, counts: dict[Key, Counts], code: int, times: int = 1) -> None:
        """Count a receipt by its code so many times; fewer than none takes it back."""
        record = code & RECORD
        key = RECORDS if record else self._keys[code >> 8 & (1 << 48) - 1]
        name = "unshown" if record else NAMES[code & (ALONE - 1)]
        one = counts.get(key)
        if one is None:
            one = counts[key] = Counts()
        one.hands += times
        setattr(one, name, getattr(one, name) + times)
        one.operator_alone += times if code & ALONE else 0


def end_of(receipt: ReceiptFacts) -> str:
    """What a receipt's hand is counted as, by how it ended."""
    outcome = receipt.outcome
    if outcome is None or receipt.ended_at is None:
        return "open"
    if outcome in ("played", "lost"):
        return outcome
    return f"{outcome}_{'before_lock' if receipt.locked_at is None else 'after_lock'}"
