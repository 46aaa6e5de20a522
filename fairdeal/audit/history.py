"""A history of receipts and records as a whole: what repeats, what contradicts, how hands ended (§10.5).

Each hand by itself is checked before it comes here (:mod:`fairdeal.audit.checked`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from fairdeal.audit.across import Claims, Place
from fairdeal.audit.checked import BROKEN, Checked, ReceiptFacts
from fairdeal.audit.counts import Counts, Key
from fairdeal.audit.findings import Finding
from fairdeal.audit.logmerge import Emit
from fairdeal.audit.plainprints import WORDS, new_prints
from fairdeal.entries import Commit
from fairdeal.evidence import Evidence
from fairdeal.merkle import leaf_hash
from fairdeal.receipt import Receipt

Reread = Callable[[Iterable[int]], Iterator[tuple[int, Evidence]]]
"""The hands at some lines or rows of the source again, ascending."""

Times = dict[str, list[int]]


@dataclass
class HistoryOutcome:
    """What there is to say of a history besides its findings."""

    hands: int = 0
    verdicts: Counter[str] = field(default_factory=Counter)
    absent: Counter[str] = field(default_factory=Counter)
    evidence: Counter[str] = field(default_factory=Counter)
    grinding: Counter[tuple[str, str]] = field(default_factory=Counter)
    counts: dict[Key, Counts] = field(default_factory=dict)
    kept: dict[bytes, str] = field(default_factory=dict)

    @property
    def bound(self) -> bool:
        """Whether something that a player kept from before stands behind it."""
        return bool(self.kept)

    @property
    def incomplete(self) -> int:
        """Hands for which some evidence was absent."""
        return self.verdicts["incomplete"]


class History:
    """Takes a source's stretches in order; findings go to ``emit``."""

    def __init__(
        self,
        source: str,
        emit: Emit,
        on_deals: Callable[[Checked, Times], None],
        claims: Claims | None = None,
    ) -> None:
        """``on_deals`` is given each stretch with the times at which its hands ended, by outcome.

        ``claims`` holds what other sources said of the same logs.
        """
        self.outcome = HistoryOutcome()
        self._source = source
        self._emit = emit
        self._on_deals = on_deals
        self._prints = new_prints()
        self._claims = claims or Claims()
        self._alone: Counter[Key] = Counter()

    def add(self, part: Checked) -> None:
        """The next stretch."""
        outcome = self.outcome
        outcome.hands += part.hands
        outcome.verdicts.update(part.verdicts)
        outcome.absent.update(part.absent)
        outcome.evidence.update(part.evidence)
        outcome.grinding.update(part.grinding)
        self._alone.update(part.alone)
        outcome.kept.update(part.kept)
        found = list(part.findings)
        times: Times = {}
        for receipt in part.receipts:
            found += self._receipt(receipt)
            count(outcome.counts.setdefault((receipt.operator, receipt.table), Counts()), receipt, times)
        for kind, (data, owners) in part.values.items():
            self._prints.add(kind, data, owners)
        self._on_deals(part, times)
        for finding in sorted(found, key=lambda finding: finding.line or 0):
            self._emit(finding)

    def finish(self, reread: Reread) -> HistoryOutcome:
        """What repeats, each value compared whole."""
        groups = list(self._prints.groups())
        wanted = sorted({owner for _, owners in groups for owner in owners})
        values = {line: _values(evidence) for line, evidence in reread(wanted)} if wanted else {}
        found = [finding for kind, owners in groups for finding in self._repeated(kind, owners, values)]
        for finding in sorted(found, key=lambda finding: finding.line or 0):
            self._emit(finding)
        records = self.outcome.hands - sum(counts.hands for counts in self.outcome.counts.values())
        records -= self.outcome.verdicts[BROKEN]
        alone = self.outcome.grinding["", "operator"]
        if records > 0 and alone:
            self.outcome.counts["", ""] = Counts(hands=records, played=records, operator_alone=alone)
        for key, hands in self._alone.items():
            self.outcome.counts[key].operator_alone += hands
        return self.outcome

    def _receipt(self, receipt: ReceiptFacts) -> Iterator[Finding]:
        """Receipts that contradict each other: numbers, entries at one place, heads of one size."""
        line, hand, source = receipt.position, receipt.hand.hex(), self._source
        here, claims = Place(source, line), self._claims
        number = (receipt.operator, receipt.table, receipt.number)
        other, where = claims.numbers.setdefault(number, (receipt.hand, here))
        if other != receipt.hand:
            what = f"{receipt.operator}, table {receipt.table} has another hand {receipt.number}"
            found = f"hand {other.hex()} in {where.words(source)}"
            yield Finding("number-reused", what, hand, line=line, found=found, source=source)
        for index, leaf in receipt.entries:
            other, where = claims.entries.setdefault((receipt.origin, index), (leaf, here))
            if other != leaf:
                what = f"another receipt has another entry at {index}"
                found = where.words(source)
                yield Finding("index-reused", what, hand, index, line, found=found, source=source)
        yield from claims.head(receipt.origin, receipt.size, receipt.root, here, hand)

    def _repeated(
        self, kind: str, owners: list[int], values: dict[int, dict[str, list[bytes]]]
    ) -> Iterator[Finding]:
        before: dict[bytes, int] = {}
        for line in owners:
            mine = values.get(line)
            if mine is None:
                continue
            hand, identity = mine["hand"][0].hex(), mine["identity"][0]
            for value, often in Counter(mine[kind]).items():
                first_line = before.setdefault(value, line)
                # A hand's receipts from several stages are one hand, shown more than once.
                same = first_line != line and values[first_line]["identity"][0] == identity
                if often > 1 or (first_line != line and not (same and identity)):
                    what = f"this {WORDS[kind]} stands in this source already"
                    found = f"also in line {first_line}"
                    yield Finding(f"repeated-{kind}", what, hand, line=line, found=found, source=self._source)


def _values(evidence: Evidence) -> dict[str, list[bytes]]:
    """A hand's values by kind, and its commit's place and leaf hash where there is a log to have them."""
    stated, document = evidence.stated, evidence.document
    identity = b""
    if isinstance(document, Receipt):
        commit = next((item for item in document.entries if isinstance(item.content, Commit)), None)
        identity = leaf_hash(commit.entry.encode()) + b"%d" % commit.index if commit else b""
    return {
        "hand": [stated.hand] if stated else [b""],
        "commitment": [stated.commitment] if stated and stated.commitment else [],
        "seal": [s.seal for s in stated.seals] if stated else [],
        "seed": [evidence.server_seed] if evidence.server_seed else [],
        "client-seed": [c.seed for c in evidence.contributions or ()],
        "identity": [identity],
    }


def count(counts: Counts, receipt: ReceiptFacts, times: Times) -> None:
    """Count a receipt's hand by how it ended."""
    counts.hands += 1
    when = "before_lock" if receipt.locked_at is None else "after_lock"
    if receipt.outcome is None or receipt.ended_at is None:
        counts.open += 1
        return
    outcome = receipt.outcome
    name = outcome if outcome in ("played", "lost") else f"{outcome}_{when}"
    setattr(counts, name, getattr(counts, name) + 1)
    times.setdefault(outcome, []).append(receipt.ended_at)
