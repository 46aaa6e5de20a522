"""Receipts and records one by one, checked by the core: the way that is always right (protocol §10.1).

Lines that the compiled reader takes and finds in order never come here; whatever is wrong, unusual or rare
does.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from dataclasses import dataclass

from fairdeal.audit.findings import Finding
from fairdeal.audit.histories.checked import BROKEN, Checked, Deals, Given, ReceiptFacts
from fairdeal.audit.histories.onehand import Examiner, difference
from fairdeal.entries import Commit, Lock, Reveal
from fairdeal.errors import MalformedError
from fairdeal.evidence import Evidence, first, gather
from fairdeal.merkle import leaf_hash
from fairdeal.receipt import Document, Receipt, parse_object, read_document
from fairdeal.seen import Seen, SeenCommitment
from fairdeal.verify import CHECKS, Report, verify

EXPLAINED = 20
"""Refuted hands of a stretch whose cause is looked for: each takes as long as hundreds of hands.

A history with thousands of them has one cause or two.
"""

_JUDGED = CHECKS[CHECKS.index("commitment") : CHECKS.index("seen")]


@dataclass(frozen=True)
class Read:
    """A line in the right form."""

    position: int
    evidence: Evidence

    @property
    def document(self) -> Document:
        """The receipt or record itself."""
        return self.evidence.document


class Documents:
    """Checks lines one after another into one outcome."""

    def __init__(self, given: Given, source: str, checked: Checked) -> None:
        """``source`` names the input in findings."""
        self._given = given
        self._commitments = given.commitments | given.named
        self._source = source
        self._checked = checked
        self._examiner = Examiner(given.keys)
        self._explained = 0

    def check(self, position: int, text: bytes) -> None:
        """Verify one line and note down everything that comes of it."""
        checked = self._checked
        try:
            value = read_document(text)
        except MalformedError as error:
            checked.verdicts[BROKEN] += 1
            checked.findings.append(Finding("bad-line", str(error), line=position, source=self._source))
            return
        checked.hands += 1
        try:
            evidence = gather(parse_object(value))
        except MalformedError:
            self._note(verify(text), position, _hand_of(value.get("hand")), None)
            return
        read = Read(position, evidence)
        seen = self._seen(evidence)
        report = self._examiner.report(evidence, seen)
        if report.verdict == "refuted" and self._explained < EXPLAINED:
            self._explained += 1
            report = verify(text, keys=self._given.keys, seen=seen)
        self._note(report, position, evidence.stated.hand.hex() if evidence.stated else None, read)
        note_values(read, checked, self._commitments)
        said = facts(read)
        if said is not None:
            checked.receipts.append(said)
        if self._given.deals:
            note_deal(read, checked)

    def _seen(self, evidence: Evidence) -> list[Seen]:
        stated, seen = evidence.stated, list[Seen]()
        if stated is not None:
            seen += self._given.seen.get(stated.hand, ())
            if stated.commitment in self._given.commitments:
                seen.append(SeenCommitment(stated.commitment))
        return seen

    def _note(self, report: Report, position: int, hand: str | None, read: Read | None) -> None:
        """Note down a report: its counts, and a finding where something failed."""
        checked = self._checked
        checked.verdicts[report.verdict] += 1
        checked.evidence[report.log_evidence] += 1
        checked.absent.update(name for name in _JUDGED if report[name].result == "absent")
        if report.grinding and read:
            checked.grinding[operator_of(read.document), report.grinding] += 1
            said = facts(read) if report.grinding == "operator" else None
            if said is not None:
                checked.alone[said.operator, said.table] += 1
        failed = [check for check in report.checks if check.result == "fail"]
        if not failed:
            return
        first_failed, *others = failed
        detail = first_failed.detail
        if others:
            detail += f" (and {', '.join(check.name for check in others)})"
        if report.cause is None:
            detail += f"; its cause was not looked for, after {EXPLAINED} others nearby"
        expected, found = difference(read.evidence, first_failed.name) if read else (None, None)
        checked.findings.append(
            Finding(
                f"check-{first_failed.name}",
                detail,
                hand=hand,
                line=position,
                expected=expected,
                found=found,
                cause=report.cause,
                source=self._source,
            )
        )


def operator_of(document: Document) -> str:
    """The operator that a receipt's commit names; empty for a record."""
    commit = first(document.entries, Commit) if isinstance(document, Receipt) else None
    return commit.operator if commit else ""


def facts(read: Read) -> ReceiptFacts | None:
    """What a receipt says beyond its hand's deal; ``None`` for a record and for one without a commit."""
    receipt = read.document
    commit = first(receipt.entries, Commit) if isinstance(receipt, Receipt) else None
    if not isinstance(receipt, Receipt) or commit is None:
        return None
    lock, reveal = first(receipt.entries, Lock), first(receipt.entries, Reveal)
    return ReceiptFacts(
        position=read.position,
        hand=commit.hand,
        operator=commit.operator,
        table=commit.table,
        number=commit.number,
        entries=tuple((item.index, leaf_hash(item.entry.encode())) for item in receipt.entries),
        origin=receipt.head.origin,
        size=receipt.head.size,
        root=receipt.head.root,
        outcome=reveal.outcome if reveal else None,
        reason=reveal.reason if reveal else None,
        committed_at=commit.at,
        locked_at=lock.at if lock else None,
        ended_at=reveal.at if reveal else None,
        contributions=len(lock.contributions) if lock else 0,
    )


def note_values(read: Read, checked: Checked, commitments: frozenset[bytes]) -> None:
    """Note down what may stand only once, and kept commitments that are met."""
    evidence, position = read.evidence, read.position
    stated = evidence.stated
    if stated is not None:
        checked.add("hand", stated.hand, [position])
        if stated.commitment is not None:
            checked.add("commitment", stated.commitment, [position])
            if stated.commitment in commitments:
                checked.kept[stated.commitment] = stated.hand.hex()
        _each(checked, "seal", (s.seal for s in stated.seals), position)
    if evidence.server_seed is not None:
        checked.add("seed", evidence.server_seed, [position])
    _each(checked, "client-seed", (c.seed for c in evidence.contributions or ()), position)


def note_deal(read: Read, checked: Checked) -> None:
    """Note down a deal, as it is stated or else as the seeds give it."""
    from fairdeal.audit.histories import columns as c  # noqa: PLC0415 - NumPy is an extra
    from fairdeal.audit.histories.packing import pack, pack_deal  # noqa: PLC0415 - as above

    true, stated = read.evidence.true_document, read.evidence.deal
    hands = c.empty(1)
    if (true or stated) and pack(read.evidence, hands, 0):
        if stated is None and not (true and pack_deal(true, hands.deal[0])):
            return
        checked.deals.append(Deals(array("Q", [read.position]), hands.terms, hands.deal))


def _each(checked: Checked, kind: str, values: Iterable[bytes], position: int) -> None:
    found = list(values)
    checked.add(kind, b"".join(found), [position] * len(found))


def _hand_of(value: object) -> str | None:
    """The hand's id of a malformed record, if it has one that can be shown."""
    return (
        value if isinstance(value, str) and len(value) == 32 and value.isascii() and value.isalnum() else None
    )
