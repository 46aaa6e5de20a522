"""The checks from ``signature`` to ``openings``, each of its own evidence (protocol §10.1)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from fairdeal.deal import document_members
from fairdeal.entries import Commit, Entry, Reveal
from fairdeal.errors import EvidenceError
from fairdeal.evidence import Evidence
from fairdeal.merkle import leaf_hash, verify_inclusion
from fairdeal.note import Verifier, open_note
from fairdeal.openings import deal_root
from fairdeal.receipt import Document, Receipt
from fairdeal.seeds import commitment, opens, seal
from fairdeal.terms import DeckTerms

Result = Literal["pass", "fail", "absent", "none"]

NO_LOCK = "the hand ended without a lock: nothing was dealt"


@dataclass(frozen=True)
class Check:
    """One check: ``pass``, ``fail``, ``absent`` (no evidence) or ``none`` (does not apply), and why."""

    name: str
    result: Result
    detail: str


def log_checks(document: Document, keys: Sequence[Verifier]) -> tuple[Check, Check, Check]:
    """``signature``, ``inclusion`` and ``sequence``: what a record has no evidence for."""
    if not isinstance(document, Receipt):
        none = "a record carries no log evidence"
        return (
            Check("signature", "absent", none),
            Check("inclusion", "absent", none),
            Check("sequence", "absent", none),
        )
    signature = check_signature(document, keys)
    return signature, check_inclusion(document, signature), check_sequence(document)


def check_signature(receipt: Receipt, keys: Sequence[Verifier]) -> Check:
    """Passes only under a given key named like the log; holding under the receipt's own key is ``absent``."""
    origin = receipt.head.origin
    given = [key for key in keys if key.name == origin]
    try:
        if given:
            open_note(receipt.note, given)
            return Check("signature", "pass", f"the checkpoint of {origin} is signed by a key you gave")
        if receipt.own_key.name != origin:
            return Check("signature", "fail", "the receipt's own key is not named like the log")
        open_note(receipt.note, [receipt.own_key])
    except EvidenceError as error:
        return Check("signature", "fail", f"the checkpoint of {origin}: {error}")
    which = "none of the keys you gave is this log's" if keys else "you gave no key of the log"
    return Check("signature", "absent", f"it holds under the receipt's own key, but {which}")


def check_inclusion(receipt: Receipt, signature: Check) -> Check:
    """Every entry lies in the signed tree; worth as much as the signature is."""
    if not receipt.entries:
        return Check("inclusion", "absent", "the receipt holds no entries")
    head = receipt.head
    for item in receipt.entries:
        leaf = leaf_hash(item.entry.encode())
        try:
            verify_inclusion(item.index, head.size, leaf, item.proof, head.root)
        except EvidenceError as error:
            return Check("inclusion", "fail", f"entry {item.index}: {error}")
    count = f"{len(receipt.entries)} entries lie in the tree of {head.size}"
    if signature.result == "fail":
        return Check("inclusion", "fail", f"{count}, but the signature of that tree does not hold")
    if signature.result == "absent":
        return Check("inclusion", "absent", f"{count}, which only the receipt's own key has signed")
    return Check("inclusion", "pass", count)


def check_sequence(receipt: Receipt) -> Check:
    """One hand: commit, lock and reveal in their order by index, time and ``prev`` (not by deadline)."""
    contents = [item.content for item in receipt.entries]
    entries = [content for content in contents if content is not None]
    if not entries or len(entries) < len(contents):
        return Check("sequence", "absent", "not every entry could be read" if contents else "no entries")
    fault = _sequence_fault(receipt, entries)
    if fault:
        return Check("sequence", "fail", fault)
    return Check("sequence", "pass", " → ".join(entry.type for entry in entries))


def _sequence_fault(receipt: Receipt, entries: Sequence[Entry]) -> str | None:
    kinds = [entry.type for entry in entries]
    if kinds not in (["commit"], ["commit", "lock"], ["commit", "lock", "reveal"], ["commit", "reveal"]):
        return f"entries come as {', '.join(kinds)}"
    for k in range(1, len(entries)):
        before, entry = entries[k - 1], entries[k]
        if entry.hand != before.hand:
            return "entries of different hands"
        if receipt.entries[k].index <= receipt.entries[k - 1].index:
            return "log indexes do not ascend"
        if entry.at < before.at:
            return "times go back"
        previous = leaf_hash(receipt.entries[k - 1].entry.encode())
        if not isinstance(entry, Commit) and entry.prev != previous:
            return f"prev of the {entry.type} is not the {before.type}'s leaf hash"
    last = entries[-1]
    return outcome_fault(last, entries[0], len(entries) == 3) if isinstance(last, Reveal) else None


def outcome_fault(reveal: Reveal, commit: Entry, locked: bool) -> str | None:
    """Why the outcome cannot follow what came before it, deadlines apart (protocol §8.1)."""
    if reveal.outcome == "played" and not locked:
        return "played, but never locked"
    if reveal.reason == "seat-silent" and (locked or not (isinstance(commit, Commit) and commit.seals)):
        return "void for a silent seat, but no seal was left unopened"
    return None


def document_checks(evidence: Evidence) -> Iterator[Check]:
    """``commitment`` to ``openings``, from what the seeds give."""
    committed = check_commitment(evidence)
    seals = check_seals(evidence)
    yield committed
    yield seals
    yield check_key(evidence, committed, seals)
    yield check_shuffle(evidence)
    yield check_table(evidence)
    yield check_hands(evidence)
    yield check_openings(evidence)


def check_commitment(evidence: Evidence) -> Check:
    """The revealed server seed is the committed one."""
    name = "commitment"
    if evidence.stated is None or evidence.stated.commitment is None:
        return Check(name, "absent", "no commitment is shown")
    if evidence.server_seed is None:
        return Check(name, "absent", "the server seed is not revealed")
    if commitment(evidence.server_seed) != evidence.stated.commitment:
        return Check(name, "fail", "SHA-256 of the server seed is not the commitment")
    return Check(name, "pass", "SHA-256 of the server seed is the commitment")


def check_seals(evidence: Evidence) -> Check:
    """Every seal is opened, and there is no contribution without one."""
    name = "seals"
    if evidence.ended_unlocked:
        return Check(name, "none", NO_LOCK)
    if evidence.stated is None or evidence.contributions is None:
        return Check(name, "absent", "the hand is not locked")
    seals, opened = evidence.stated.seals, evidence.contributions
    if not opens(seals, opened):
        by_seat = {c.seat: c.seed for c in opened}
        silent = [s.seat for s in seals if s.seat not in by_seat]
        wrong = [s.seat for s in seals if s.seat in by_seat and seal(by_seat[s.seat]) != s.seal]
        extra = [c.seat for c in opened if c.seat not in {s.seat for s in seals}]
        parts = {"not opened": silent, "opened by another seed": wrong, "opened without a seal": extra}
        faults = [f"{what}: seat {', '.join(map(str, seats))}" for what, seats in parts.items() if seats]
        return Check(name, "fail", "; ".join(faults))
    return Check(name, "pass", f"{len(seals)} seals, each opened" if seals else "no seals, no contributions")


def check_key(evidence: Evidence, committed: Check, seals: Check) -> Check:
    """The deal key follows from seeds that hold."""
    name = "key"
    if evidence.ended_unlocked:
        return Check(name, "none", NO_LOCK)
    if evidence.key is None or committed.result == "absent":
        return Check(name, "absent", "commitment, lock and server seed are needed to derive it")
    if "fail" in (committed.result, seals.result):
        return Check(name, "fail", "it would follow from seeds that were not committed to")
    return Check(name, "pass", f"the deal key is {evidence.key.hex()}")


def _nothing(evidence: Evidence, name: str) -> Check:
    """What ``shuffle``, ``table`` and ``hands`` say where there are no two deals to compare."""
    if evidence.ended_unlocked:
        return Check(name, "none", NO_LOCK)
    if evidence.truth is None:
        return Check(name, "absent", "the deal can't be derived before the hand is locked and revealed")
    return Check(name, "absent", "no deal is shown to compare with")


def check_shuffle(evidence: Evidence) -> Check:
    """The order shown is the one that the deal key gives."""
    name = "shuffle"
    if evidence.ended_unlocked and evidence.deal is not None:
        return Check(name, "fail", "a deal is shown for a hand that was never locked")
    if evidence.truth is None or evidence.deal is None:
        return _nothing(evidence, name)
    return _compare(name, ("order",), evidence)


def check_table(evidence: Evidence) -> Check:
    """Dealer, throws, wall, selected stack, indicator and okey are those that the key and order give."""
    name = "table"
    deck = evidence.stated is not None and isinstance(evidence.stated.terms, DeckTerms)
    if evidence.truth is None or evidence.deal is None or evidence.stated is None:
        return Check(name, "none", "a deck has no table") if deck else _nothing(evidence, name)
    wanted = document_members(evidence.stated.terms)
    if evidence.deal.keys() != set(wanted):
        return Check(name, "fail", "the deal shown has not the parts that the terms ask for")
    if deck:
        return Check(name, "none", "a deck has no table")
    return _compare(name, [m for m in wanted if m not in ("order", "hands", "stock")], evidence)


def check_hands(evidence: Evidence) -> Check:
    """Hands and stock are those that the table gives, and every tile is there once."""
    name = "hands"
    if evidence.stated is not None and isinstance(evidence.stated.terms, DeckTerms):
        return Check(name, "none", "a deck is not dealt into hands")
    if evidence.truth is None or evidence.deal is None:
        return _nothing(evidence, name)
    return _compare(name, ("hands", "stock"), evidence, census(evidence.deal))


def census(deal: dict[str, Any]) -> str:
    """Which of the 106 tiles are missing or there twice among hands, stock and indicator; empty if none."""
    tiles = [tile for hand in deal.get("hands", ()) for tile in hand]
    tiles += [*deal.get("stock", ()), *([deal["indicator"]] if "indicator" in deal else ())]
    missing = len(set(range(106)) - set(tiles))
    twice = len(tiles) - len(set(tiles))
    return f"{missing} tiles missing, {twice} there more than once" if missing or twice else ""


def _compare(name: str, parts: Sequence[str], evidence: Evidence, also: str = "") -> Check:
    """Compare parts of the deal shown with the true one's; ``also`` is another fault found in them."""
    shown, true = evidence.deal or {}, evidence.true_document or {}
    different = ", ".join(part for part in parts if shown.get(part) != true[part])
    if different or also:
        # The deal is signed by nobody, so the error may be in the document as well as in the dealing.
        blame = different and f"{different} not as the seeds give (the deal or the document is wrong)"
        return Check(name, "fail", "; ".join(filter(None, (blame, also))))
    return Check(name, "pass", f"{', '.join(parts)} as the seeds give")


def check_openings(evidence: Evidence) -> Check:
    """The lock's openings root is the deal's; there is one exactly where the terms ask for it."""
    name = "openings"
    if evidence.ended_unlocked:
        return Check(name, "none", NO_LOCK)
    if evidence.stated is None:
        return Check(name, "absent", "the commit is not shown")
    terms = evidence.stated.terms
    if not terms.openings:
        if evidence.deal_root is not None:
            return Check(name, "fail", "the lock has an openings root that the terms don't ask for")
        return Check(name, "none", "the terms have no openings")
    if not evidence.locked:
        return Check(name, "absent", "the hand is not locked")
    if evidence.deal_root is None:
        return Check(name, "fail", "the lock lacks the openings root that the terms ask for")
    if evidence.key is None or evidence.truth is None:
        return Check(name, "absent", "the server seed is not revealed")
    if deal_root(evidence.key, terms, evidence.truth) != evidence.deal_root:
        return Check(name, "fail", "the lock's openings root is not the one that the seeds give")
    return Check(name, "pass", f"the lock's root covers the {terms.size} tiles that the seeds give")
